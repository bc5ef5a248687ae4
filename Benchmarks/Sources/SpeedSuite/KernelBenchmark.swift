import Foundation
import Measuring

/// Measures single kernels: nanoseconds per pixel, beside the plain implementation and beside a copy of memory that reads and
/// writes as many bytes.
///
/// The three have their turns in the same rounds, each for a few hundredths of a second, and ratios are taken within a round.
public struct KernelBenchmark {
    private static let size = (width: 1920, height: 1080)
    private static let milliseconds = 20.0

    private let kernels: [Kernel]

    /// Prepares the sample clip's first frame at 1920x1080 and its mask.
    ///
    /// - Throws: `BenchmarkError` where `ffmpeg` can't be run, `VisionError` where a model is missing.
    public init(models: String, folder: WorkingFolder) throws {
        kernels = Kernel.all(
            try KernelPicture(width: Self.size.width, height: Self.size.height, models: models, folder: folder))
    }

    /// The figures of every kernel.
    ///
    /// - Throws: `BenchmarkError` where a kernel and its plain implementation don't agree.
    public func figures(_ rounds: Rounds) throws -> [Figure] {
        try kernels.forEach(Self.check)
        let results = rounds.results(of: kernels, Self.nanoseconds)
        return zip(kernels, results).flatMap { kernel, results in
            func figure(
                _ measure: String, _ better: Figure.Direction, travels: Bool = false, _ value: (Times) -> Double
            ) -> Figure {
                Figure(
                    .init(.kernels, "\(Self.size.width)x\(Self.size.height)", kernel.name, measure), better: better,
                    travels: travels, results.map(value))
            }
            return [
                figure("ns per pixel", .less) { $0.kernel / Double(kernel.pixelCount) },
                figure("times as fast as a plain loop", .more, travels: true) { $0.reference / $0.kernel },
                figure("times a memory copy", .less, travels: true) { $0.kernel / $0.copy },
            ]
        }
    }

    static func check(_ kernel: Kernel) throws {
        kernel.run()
        kernel.reference()
        let difference = kernel.difference()
        // Not a number is not in order either.
        guard difference <= kernel.tolerance else {
            throw BenchmarkError(
                "can't measure the kernel '\(kernel.name)': it is \(difference) off its plain implementation, "
                    + "and \(kernel.tolerance) is allowed; mend it first")
        }
    }

    private struct Times {
        let kernel: Double
        let reference: Double
        let copy: Double
    }

    private static func nanoseconds(_ kernel: Kernel) -> Times {
        let half = kernel.byteCount / 2
        let (source, target) = (Samples<UInt8>(repeating: 1, count: half), Samples<UInt8>(repeating: 0, count: half))
        return Times(
            kernel: nanoseconds(kernel.run), reference: nanoseconds(kernel.reference),
            copy: nanoseconds { memcpy(target.base, source.base, half) })
    }

    // The median of several turns, so that an interruption does not count.
    private static func nanoseconds(_ work: () -> Void) -> Double {
        var stopwatch = Stopwatch()
        let end = Stopwatch.seconds + milliseconds / 1000
        repeat { stopwatch.time(work) } while Stopwatch.seconds < end
        return stopwatch.medianMilliseconds * 1e6
    }
}
