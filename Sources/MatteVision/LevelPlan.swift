#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Which networks a quality level runs on frames of one shape.
struct LevelPlan {
    /// How many people's bodies are looked at in one region at most, where all else of a mask takes as long as a look; in each of
    /// several regions it is one.
    static let bodies = 2

    private(set) var level: LevelDescription
    private var segmentation: [LoadedNetworks.Source] = []
    private var witnesses: [LoadedNetworks.Source] = []
    private var arbiter: LoadedNetworks.Source?
    private var matting: LoadedNetworks.MattingSource?
    private var detector: ModelDescription?
    private var verifier: LoadedNetworks.Source?
    private var objectDetector: ModelDescription?
    private var body: ModelDescription?

    /// Looks `name` up in the manifest of `networks`; a segmentation network of the user's own takes the place of the level's.
    ///
    /// `aspect` is the frames' width over their height, as shown.
    init(level name: String, networks: LoadedNetworks, aspect: Double) throws(VisionError) {
        let (manifest, directory) = try networks.readManifest()
        guard let level = manifest.levels[name] else {
            throw try networks.models.refusal(ofManifest: "it has no level '\(name)'")
        }
        self.level = level
        if let own = try networks.readOwnSegmentationModel() {
            use(own)
        } else {
            try use(manifest, in: directory, of: networks.models, aspect: aspect)
        }
        // What a network remembers of one region says nothing about another, and colours are the whole frame's; it has to see every
        // frame for either.
        let isOfTheWhole = segmentation.map(\.description).contains {
            $0.state?.isEmpty == false || $0.output.foreground != nil
        }
        if isOfTheWhole { (self.level.following, self.level.closeUps, self.level.propagation) = (nil, nil, nil) }
        if self.level.following == nil { witnesses = [] }
    }

    private mutating func use(_ own: LoadedNetworks.Source) {
        segmentation = [own]
        // The matting network knows only the masks of those that it was trained with.
        level.matting = nil
        // Its mask is not steepened: it may mean what it says.
        level.refinement?.contrast = 1
        // It may have been made for something else than people.
        level.closeUps = nil
        level.arbitration = nil
    }

    private mutating func use(
        _ manifest: ModelManifest, in directory: String, of models: ModelLibrary, aspect: Double
    ) throws(VisionError) {
        func model(_ name: String) throws(VisionError) -> LoadedNetworks.Source {
            guard let description = manifest.model(name) else {
                throw try models.refusal(ofManifest: "it has no model '\(name)', which a level names")
            }
            return (description, directory)
        }
        var candidates: [LoadedNetworks.Source] = []
        for name in level.segmentation { candidates.append(try model(name)) }
        // Rounded, so that aspects that are equally far (4:3 between 1:1 and 16:9) leave the choice to the order.
        func distance(_ input: ModelDescription.Input) -> Int {
            Int((input.distance(fromAspect: aspect) * 1000).rounded())
        }
        // No manifest is read whose levels name none.
        let nearest = candidates.min { distance($0.description.input) < distance($1.description.input) }!
        segmentation = level.selection == .all ? candidates : [nearest]
        // One with a memory has to see every frame.
        witnesses = candidates.filter {
            level.selection != .all && $0.description != nearest.description
                && $0.description.state?.isEmpty != false
        }
        arbiter = try (level.arbitration?.network).map(model)
        if let wanted = level.matting {
            let (description, directory) = try model(wanted.network)
            let threads = min(wanted.threads ?? 1, ProcessInfo.processInfo.activeProcessorCount)
            matting = .init(description: description, directory: directory, threads: max(models.threads, threads))
        }
        detector = try level.detector.map { name throws(VisionError) in try model(name).description }
        verifier = try level.verifier.map(model)
        objectDetector = try level.objectDetector.map { name throws(VisionError) in try model(name).description }
        body = try level.body.map { name throws(VisionError) in try model(name).description }
    }

    /// The networks, of which those are loaded that were not yet.
    func load(_ networks: LoadedNetworks) throws(VisionError) -> RegionPass.Networks {
        func distance(_ source: LoadedNetworks.Source) -> Double { source.description.input.distance(fromAspect: 1) }
        let squarest = segmentation.min { distance($0) < distance($1) }!
        return try networks.networks(
            segmentation: segmentation, witnesses: witnesses, arbiter: arbiter, matting: matting, detector: detector,
            verifier: verifier, objectDetector: objectDetector,
            bodies: body.map { ($0, Self.bodies) },
            closeUps: level.closeUps.map { (squarest, $0.count) })
    }
}
