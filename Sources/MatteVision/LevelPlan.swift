#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Which networks a quality level runs on frames of one shape.
struct LevelPlan {
    /// How many people's bodies are looked at in a frame at most, each of which takes as long as all else of a mask.
    static let bodies = 2

    let level: LevelDescription
    private let segmentation: [LoadedNetworks.Source]
    private var witnesses: [LoadedNetworks.Source]
    private let matting: LoadedNetworks.MattingSource?
    private let detector: ModelDescription?
    private let verifier: LoadedNetworks.Source?
    private let body: ModelDescription?

    /// Looks `name` up in the manifest of `models`; a segmentation network of the user's own takes the place of the level's.
    ///
    /// `aspect` is the frames' width over their height, as shown.
    init(level name: String, models: ModelLibrary, aspect: Double) throws(VisionError) {
        let manifest = try models.manifest()
        guard var level = manifest.levels[name] else {
            throw VisionError(.invalid, "the manifest of the models has no level '\(name)'")
        }
        if let own = try models.ownSegmentationModel() {
            // The matting network knows only the masks of those that it was trained with.
            level.matting = nil
            // Its mask is not steepened: it may mean what it says.
            level.refinement?.contrast = 1
            segmentation = [own]
            witnesses = []
            matting = nil
            // It may have been made for something else than people.
            level.closeUps = nil
            detector = nil
            verifier = nil
            body = nil
        } else {
            let directory = try models.resolvedDirectory()
            func model(_ name: String) throws(VisionError) -> LoadedNetworks.Source {
                guard let description = manifest.models.first(where: { $0.name == name }) else {
                    throw VisionError(
                        .invalid, "the manifest of the models has no model '\(name)', which a level names")
                }
                return (description, directory)
            }
            var candidates: [LoadedNetworks.Source] = []
            for name in level.segmentation { candidates.append(try model(name)) }
            // Rounded, so that aspects that are equally far (4:3 between 1:1 and 16:9) leave the choice to the order.
            func distance(_ input: ModelDescription.Input) -> Int {
                Int((input.distance(fromAspect: aspect) * 1000).rounded())
            }
            let nearest = candidates.min { distance($0.description.input) < distance($1.description.input) }
            guard let nearest else {
                throw VisionError(.invalid, "the level '\(name)' names no segmentation network")
            }
            segmentation = level.selection == .all ? candidates : [nearest]
            // One with a memory has to see every frame.
            witnesses = candidates.filter {
                level.selection != .all && $0.description != nearest.description
                    && $0.description.state?.isEmpty != false
            }
            if let wanted = level.matting {
                let (description, directory) = try model(wanted.network)
                let threads = min(wanted.threads ?? 1, ProcessInfo.processInfo.activeProcessorCount)
                matting = .init(
                    description: description, directory: directory, threads: max(models.threads, threads))
            } else {
                matting = nil
            }
            detector = try level.detector.map { name throws(VisionError) in try model(name).description }
            verifier = try level.verifier.map(model)
            body = try level.body.map { name throws(VisionError) in try model(name).description }
        }
        // What a network remembers of one region says nothing about another, and colours are the whole frame's; it has to see every
        // frame for either.
        let isOfTheWhole = segmentation.map(\.description).contains {
            $0.state?.isEmpty == false || $0.output.foreground != nil
        }
        if isOfTheWhole { (level.following, level.closeUps, level.propagation) = (nil, nil, nil) }
        if level.following == nil { witnesses = [] }
        self.level = level
    }

    /// The networks, of which those are loaded that were not yet.
    func load(_ networks: LoadedNetworks) throws(VisionError) -> RegionPass.Networks {
        func distance(_ source: LoadedNetworks.Source) -> Double { source.description.input.distance(fromAspect: 1) }
        let squarest = segmentation.min { distance($0) < distance($1) }!
        return try networks.networks(
            segmentation: segmentation, witnesses: witnesses, matting: matting, detector: detector,
            verifier: verifier,
            bodies: body.map { ($0, Self.bodies) },
            closeUps: level.closeUps.map { (squarest, $0.count) })
    }
}
