/// The networks of a library that were loaded so far, each of them once; for one thread at a time.
///
/// A network keeps nothing between pictures, so frames of any size and any quality level may share it.
final class LoadedNetworks {
    /// What a level's networks are loaded from.
    struct Sources {
        let segmentation: ModelSource
        /// How many close-ups there are, each of which a twin of the segmentation network sees, since they work side by side.
        var closeUps = 0
        var matting: ModelSource?
        /// How many CPU threads the matting network uses.
        var mattingThreads = 1
        var detector: ModelSource?
        /// What goes with `detector`.
        var faceDetector: ModelSource?
        var verifier: ModelSource?
        var objectDetector: ModelSource?
    }

    let models: ModelLibrary
    private var read: InstalledModels?
    private var ownSegmentationModel: ModelSource?
    private var segmentation: [SegmentationTwins] = []
    private var matting: [(threads: Int, network: MattingNetwork)] = []
    private var detectors: [PersonDetector] = []
    private var verifiers: [PersonVerifier] = []
    private var objectDetectors: [ObjectDetector] = []

    init(_ models: ModelLibrary) {
        self.models = models
    }

    /// The library's manifest and its folder, as they were when they were first asked for.
    func installed() throws(VisionError) -> InstalledModels {
        if let read { return read }
        let installed = try models.installed()
        read = installed
        return installed
    }

    /// The segmentation network of the user's own, as it was described then.
    func readOwnSegmentationModel() throws(VisionError) -> ModelSource? {
        if ownSegmentationModel == nil { ownSegmentationModel = try models.ownSegmentationModel() }
        return ownSegmentationModel
    }

    /// The networks of the sources, of which those are loaded that were not yet, side by side where there are several cores.
    func networks(_ sources: Sources) throws(VisionError) -> RegionPass.Networks {
        for loaded in SideBySide.results(of: missing(of: sources)) { try loaded.get()() }
        let segmentation = loaded(sources.segmentation, twins: sources.closeUps)!
        var loadTurned: (() throws(VisionError) -> SegmentationNetwork)?
        if let turned = sources.segmentation.turned {
            loadTurned = { () throws(VisionError) in try self.segmentationNetwork(turned) }
        }
        return RegionPass.Networks(
            segmentation: SegmentationNetworks(usual: segmentation.network, loadTurned: loadTurned),
            matting: loadedMatting(sources),
            detector: loaded(detectors, sources.detector), verifier: loaded(verifiers, sources.verifier),
            objectDetector: loaded(objectDetectors, sources.objectDetector),
            closeUps: Array(segmentation.twins.prefix(sources.closeUps)))
    }

    // What loads each network that is missing, and gives what keeps it; the largest first, so that no core waits in the end for the one
    // that another has hardly begun.
    private func missing(of sources: Sources) -> [SideBySide.Work<() -> Void>] {
        let models = models
        var missing: [SideBySide.Work<() -> Void>] = []
        func add<Network>(
            to loaded: ReferenceWritableKeyPath<LoadedNetworks, [Network]>,
            _ load: @escaping () throws(VisionError) -> Network
        ) {
            missing.append {
                Result(catching: load).map { network in { self[keyPath: loaded].append(network) } }
            }
        }
        if let source = sources.detector, let faces = sources.faceDetector, loaded(detectors, source) == nil {
            add(to: \.detectors) { () throws(VisionError) in
                try PersonDetector(source, faces: faces, library: models)
            }
        }
        if let source = sources.objectDetector, loaded(objectDetectors, source) == nil {
            add(to: \.objectDetectors) { () throws(VisionError) in try ObjectDetector(source, library: models) }
        }
        if loaded(sources.segmentation, twins: sources.closeUps) == nil {
            // One with fewer twins was another level's.
            segmentation.removeAll { $0.source == sources.segmentation }
            add(to: \.segmentation) { () throws(VisionError) in
                try SegmentationTwins(sources.segmentation, library: models, count: sources.closeUps)
            }
        }
        // One of the user's own is tried at both sizes before the first frame, and not in the midst of a video.
        if sources.segmentation == ownSegmentationModel, let turned = sources.segmentation.turned,
            loaded(turned) == nil
        {
            add(to: \.segmentation) { () throws(VisionError) in try SegmentationTwins(turned, library: models) }
        }
        if let source = sources.verifier, loaded(verifiers, source) == nil {
            add(to: \.verifiers) { () throws(VisionError) in try PersonVerifier(source, library: models) }
        }
        if let source = sources.matting, loadedMatting(sources) == nil {
            add(to: \.matting) { () throws(VisionError) in
                var models = models
                models.threads = sources.mattingThreads
                return (sources.mattingThreads, try MattingNetwork(source, library: models))
            }
        }
        return missing
    }

    // Most people in front of a camera are never seen by the turned one, which is loaded when it has somebody to see.
    private func segmentationNetwork(_ source: ModelSource) throws(VisionError) -> SegmentationNetwork {
        if let loaded = loaded(source) { return loaded.network }
        let made = try SegmentationTwins(source, library: models)
        segmentation.append(made)
        return made.network
    }

    private func loaded(_ source: ModelSource, twins: Int = 0) -> SegmentationTwins? {
        segmentation.first { $0.source == source && $0.twins.count >= twins }
    }

    private func loaded<Network: LoadedNetwork>(_ networks: [Network], _ source: ModelSource?) -> Network? {
        networks.first { $0.source == source }
    }

    private func loadedMatting(_ sources: Sources) -> MattingNetwork? {
        matting.first { $0.network.source == sources.matting && $0.threads == sources.mattingThreads }?.network
    }
}

/// A network that knows what it was loaded from.
private protocol LoadedNetwork {
    var source: ModelSource { get }
}

extension PersonDetector: LoadedNetwork {}
extension PersonVerifier: LoadedNetwork {}
extension ObjectDetector: LoadedNetwork {}
