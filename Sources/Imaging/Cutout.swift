/// Copies what a mask lets through: the kernel of a foreground with alpha.
public enum Cutout {
    /// Writes the source where `alpha` is above 0, and `blank` where it is 0, for `count` components.
    ///
    /// `sourceStep` is the distance of two source components, for planes that are interleaved.
    @inlinable @inline(__always)
    public static func row<T: FixedWidthInteger>(
        _ source: UnsafePointer<T>, sourceStep: Int, alpha: UnsafePointer<UInt8>, blank: T,
        into target: UnsafeMutablePointer<T>, targetStep: Int, count: Int
    ) {
        for x in 0..<count { target[x &* targetStep] = alpha[x] == 0 ? blank : source[x &* sourceStep] }
    }
}
