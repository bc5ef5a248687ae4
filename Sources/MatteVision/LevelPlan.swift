#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Which networks a quality level runs.
struct LevelPlan {
    private(set) var level: LevelDescription
    private var sources: LoadedNetworks.Sources

    /// Looks `name` up in the manifest of `networks`; a segmentation network of the user's own takes the place of the level's.
    init(level name: String, networks: LoadedNetworks) throws(VisionError) {
        let installed = try networks.installed()
        level = try installed.level(name)
        if let own = try networks.readOwnSegmentationModel() {
            sources = LoadedNetworks.Sources(segmentation: own)
            adaptToForeignNetwork()
        } else {
            sources = LoadedNetworks.Sources(segmentation: try installed.model(level.segmentation))
            if let wanted = level.matting {
                let threads = min(wanted.threads ?? 1, ProcessInfo.processInfo.activeProcessorCount)
                sources.matting = try installed.model(wanted.network)
                sources.mattingThreads = max(networks.models.threads, threads)
            }
            sources.faceDetector = try installed.faceModel(\.detector)
            func model(_ name: String) throws(VisionError) -> ModelSource { try installed.model(name) }
            sources.detector = try level.detector.map(model)
            sources.verifier = try level.verifier.map(model)
            sources.objectDetector = try level.objectDetector.map(model)
        }
        // What a network remembers of one region says nothing about another, and colours are the whole frame's; it has to see every
        // frame for either.
        let description = sources.segmentation.description
        if description.state?.isEmpty == false || description.output.foreground != nil {
            (level.following, level.closeUps, level.propagation) = (nil, nil, nil)
        }
        sources.closeUps = level.closeUps?.count ?? 0
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
        try networks.networks(sources)
    }
}
