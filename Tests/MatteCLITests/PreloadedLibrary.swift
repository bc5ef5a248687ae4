import TestSupport

/// A library that gets between a program and what it calls, made of the C file of that name in `Tests/Faults`; to be preloaded
/// (ld.so(8)).
struct PreloadedLibrary {
    /// Makes system calls fail.
    static let faults = Result { try PreloadedLibrary("faults") }
    /// Tells of networks that are let go.
    static let releases = Result { try PreloadedLibrary("releases") }

    private static let folder = TemporaryFolder()

    let path: String

    private init(_ name: String) throws {
        path = Self.folder.path("\(name).so")
        let code = Checkout.root.appending(path: "Tests/Faults/\(name).c").path
        try Tool("clang").call(["-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o", path, code, "-ldl"])
    }
}
