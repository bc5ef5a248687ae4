#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Which networks a quality level runs.
struct LevelPlan {
    private(set) var level: LevelDescription
    private let segmentation: LoadedNetworks.Source
    private var matting: LoadedNetworks.MattingSource?
    private var detector: ModelDescription?
    private var verifier: LoadedNetworks.Source?
    private var objectDetector: ModelDescription?

    /// Looks `name` up in the manifest of `networks`; a segmentation network of the user's own takes the place of the level's.
    init(level name: String, networks: LoadedNetworks) throws(VisionError) {
        let (manifest, directory) = try networks.readManifest()
        guard let level = manifest.levels[name] else {
            throw try networks.models.refusal(ofManifest: "it has no level '\(name)'")
        }
        self.level = level
        func model(_ name: String) throws(VisionError) -> LoadedNetworks.Source {
            guard let description = manifest.model(name) else {
                throw try networks.models.refusal(ofManifest: "it has no model '\(name)', which a level names")
            }
            return (description, directory)
        }
        if let own = try networks.readOwnSegmentationModel() {
            segmentation = own
            adaptToForeignNetwork()
        } else {
            segmentation = try model(level.segmentation)
            if let wanted = level.matting {
                let (description, directory) = try model(wanted.network)
                let threads = min(wanted.threads ?? 1, ProcessInfo.processInfo.activeProcessorCount)
                matting = .init(
                    description: description, directory: directory, threads: max(networks.models.threads, threads))
            }
            detector = try level.detector.map { name throws(VisionError) in try model(name).description }
            verifier = try level.verifier.map(model)
            objectDetector = try level.objectDetector.map { name throws(VisionError) in try model(name).description }
        }
        // What a network remembers of one region says nothing about another, and colours are the whole frame's; it has to see every
        // frame for either.
        let description = segmentation.description
        if description.state?.isEmpty == false || description.output.foreground != nil {
            (self.level.following, self.level.closeUps, self.level.propagation) = (nil, nil, nil)
        }
    }

    private mutating func adaptToForeignNetwork() {
        // The matting network knows only the masks of the one that it was trained with.
        level.matting = nil
        // Its mask is not steepened: it may mean what it says.
        level.refinement?.contrast = 1
        // It may have been made for something else than people.
        level.closeUps = nil
    }

    /// The networks, of which those are loaded that were not yet.
    func load(_ networks: LoadedNetworks) throws(VisionError) -> RegionPass.Networks {
        try networks.networks(
            segmentation: segmentation, matting: matting, detector: detector, verifier: verifier,
            objectDetector: objectDetector, closeUps: level.closeUps?.count ?? 0)
    }
}
