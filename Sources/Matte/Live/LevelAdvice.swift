import MatteVision

/// Which level a machine can hold that can't hold the present one, by what the manifest says that levels cost.
///
/// Nothing is tried: networks that load while somebody is on camera would stop the picture.
struct LevelAdvice {
    /// Of the time between two frames this much may be used: small disturbances must cost no frame, and costs, which are of all cores
    /// together, promise too much where the present level has more use for a second core than a lower one.
    private static let usableShare = 0.75

    /// Milliseconds of the levels, by their names in the manifest.
    private let costs: [String: Double]

    /// Advice about the levels of `models`; none about a network of the user's own, which all of them run.
    ///
    /// - Throws: `VisionError` where the manifest can't be read.
    init(_ models: ModelLibrary) throws(VisionError) {
        self.init(costs: models.segmentationModel == nil ? try models.manifest().levels.compactMapValues(\.cost) : [:])
    }

    /// Advice about levels of these costs.
    init(costs: [String: Double]) { self.costs = costs }

    /// The best level below `level` that should make frames in `interval` seconds where `level` takes `cost`; nil where none does
    /// or nobody knows.
    func lowerLevel(
        than level: GeneratePersonSegmentationRequest.QualityLevel, cost: LoadMonitor.Cost, interval: Double
    ) -> GeneratePersonSegmentationRequest.QualityLevel? {
        let levels = GeneratePersonSegmentationRequest.QualityLevel.allCases
        guard let index = levels.firstIndex(of: level), let present = costs[level.rawValue] else { return nil }
        return levels[..<index].last { candidate in
            guard let lower = costs[candidate.rawValue] else { return false }
            return cost.mask * lower / present + cost.rest < interval * Self.usableShare
        }
    }
}
