/// Copies what a mask lets through: the kernel of a foreground with alpha.
public enum Cutout {
    /// Writes the source where `alpha` is above 0, and `blank` where it is 0, for `count` components.
    ///
    /// `sourceStep` is the distance of two source components and of their alphas, for planes that are interleaved.
    @inlinable @inline(__always)
    public static func row<T: FixedWidthInteger>(
        _ source: UnsafePointer<T>, alpha: UnsafePointer<UInt8>, sourceStep: Int, blank: T,
        into target: UnsafeMutablePointer<T>, targetStep: Int, count: Int
    ) {
        // With the usual steps as constants the loops vectorise.
        switch (sourceStep, targetStep) {
        case (1, 1): loop(source, alpha, 1, blank, target, 1, count)
        case (2, 1): loop(source, alpha, 2, blank, target, 1, count)
        case (3, 4): loop(source, alpha, 3, blank, target, 4, count)
        default: loop(source, alpha, sourceStep, blank, target, targetStep, count)
        }
    }

    @inlinable @inline(__always)
    static func loop<T: FixedWidthInteger>(
        _ source: UnsafePointer<T>, _ alpha: UnsafePointer<UInt8>, _ sourceStep: Int, _ blank: T,
        _ target: UnsafeMutablePointer<T>, _ targetStep: Int, _ count: Int
    ) {
        for x in 0..<count {
            target[x &* targetStep] = alpha[x &* sourceStep] == 0 ? blank : source[x &* sourceStep]
        }
    }
}
