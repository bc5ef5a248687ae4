import Glibc

/// The end of the process, which gives everything back at once.
enum ProcessLifetime {
    /// Keeps `object` till then: networks are many small pieces, and letting go of them one by one takes longer.
    static func keep(_ object: AnyObject) { _ = Unmanaged.passRetained(object) }

    /// Ends the process with `code`. What is printed gets out; nobody takes the runtime apart, which other threads may still use.
    static func end(_ code: Int32) -> Never {
        fflush(nil)
        _exit(code)
    }
}
