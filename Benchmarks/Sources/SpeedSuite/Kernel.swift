/// One kernel of the frame path, with a plain implementation of the same beside it.
///
/// Both work on the same input, and are compared before they are timed: what is fast and wrong is not measured.
struct Kernel {
    let name: String
    /// Pixels of the picture that it goes over.
    let pixelCount: Int
    /// Bytes that it must at least read and write.
    let byteCount: Int
    /// How far results may lie apart, in the output's own unit.
    let tolerance: Double
    let run: () -> Void
    /// Does the same, written as one thinks of it.
    let reference: () -> Void
    /// The largest difference of the two results, once both have run.
    let difference: () -> Double

    init(
        _ name: String, pixelCount: Int, byteCount: Int, tolerance: Double, run: @escaping () -> Void,
        reference: @escaping () -> Void, difference: @escaping () -> Double
    ) {
        self.name = name
        self.pixelCount = pixelCount
        self.byteCount = byteCount
        self.tolerance = tolerance
        self.run = run
        self.reference = reference
        self.difference = difference
    }

    /// A kernel that writes to `result` what its reference writes to `expected`.
    init<T: BinaryConvertible>(
        _ name: String, pixelCount: Int, byteCount: Int, tolerance: Double, _ result: Samples<T>,
        _ expected: Samples<T>,
        run: @escaping () -> Void, reference: @escaping () -> Void
    ) {
        self.init(
            name, pixelCount: pixelCount, byteCount: byteCount, tolerance: tolerance, run: run, reference: reference
        ) { result.largestDifference(from: expected) }
    }
}
