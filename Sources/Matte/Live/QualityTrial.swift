import Imaging
import MatteVision

/// Finds the level that a machine can hold, by trying it.
struct QualityTrial {
    /// Frames of a trial; the first ones bring the networks up to speed.
    private static let frameCount = 6
    private static let warmUpCount = 2
    /// Of the time between two frames this much may be used, or a small disturbance costs one.
    private static let usableShare = 0.85

    let configuration: Configuration
    /// Seconds between two frames.
    let interval: Double
    /// Seconds of a frame that go elsewhere than into matting.
    let overhead: Double

    /// The best level below `level` that makes frames like `frame` in time; nil where none does.
    ///
    /// Takes as long as a dozen frames and the networks' loading.
    func lowerLevel(
        than level: GeneratePersonSegmentationRequest.QualityLevel, for frame: VideoFrame
    ) throws(MatteError) -> GeneratePersonSegmentationRequest.QualityLevel? {
        let levels = GeneratePersonSegmentationRequest.QualityLevel.allCases
        guard let index = levels.firstIndex(of: level) else { return nil }
        for candidate in levels[..<index].reversed() where try time(of: candidate, for: frame) + overhead < usable {
            return candidate
        }
        return nil
    }

    private var usable: Double { interval * Self.usableShare }

    /// Seconds that a frame takes at `level`, the median.
    private func time(
        of level: GeneratePersonSegmentationRequest.QualityLevel, for frame: VideoFrame
    ) throws(MatteError) -> Double {
        var configuration = configuration
        configuration.qualityLevel = level
        let filter = MatteFilter(configuration)
        let clock = ContinuousClock()
        var times: [Double] = []
        for _ in 0..<Self.frameCount {
            let start = clock.now
            _ = try filter.process(frame)
            times.append((clock.now - start).seconds)
        }
        let settled = times.dropFirst(Self.warmUpCount).sorted()
        return settled[settled.count / 2]
    }
}
