/// The networks of a library that were loaded so far, each of them once but for those of close-ups; for one thread at a time.
///
/// A network keeps nothing between pictures, so frames of any size and any quality level may share it.
final class LoadedNetworks {
    /// A description and the folder that its file lies in.
    typealias Source = (description: ModelDescription, directory: String)

    /// A matting network, and how many CPU threads it uses.
    struct MattingSource {
        let description: ModelDescription
        let directory: String
        let threads: Int
    }

    let models: ModelLibrary
    private var manifest: (contents: ModelManifest, directory: String)?
    private var ownSegmentationModel: Source?
    private var segmentation: [SegmentationNetwork] = []
    private var matting: [(source: MattingSource, network: MattingNetwork)] = []
    private var detectors: [PersonDetector] = []
    private var verifiers: [PersonVerifier] = []
    private var objectDetectors: [ObjectDetector] = []
    private var closeUps: [SegmentationNetwork] = []

    init(_ models: ModelLibrary) {
        self.models = models
    }

    /// The library's manifest and its folder, as they were when they were first asked for: what becomes of them later breaks no run.
    func readManifest() throws(VisionError) -> (contents: ModelManifest, directory: String) {
        if let manifest { return manifest }
        let read = (try models.manifest(), try models.resolvedDirectory())
        manifest = read
        return read
    }

    /// The segmentation network of the user's own, as it was described then.
    func readOwnSegmentationModel() throws(VisionError) -> Source? {
        if ownSegmentationModel == nil { ownSegmentationModel = try models.ownSegmentationModel() }
        return ownSegmentationModel
    }

    /// The networks of the sources, of which those are loaded that were not yet, side by side where there are several cores; the
    /// segmentation network of each of `closeUps` for itself, since they work side by side.
    func networks(
        segmentation source: Source, matting mattingSource: MattingSource?, detector: ModelDescription?,
        verifier: Source?,
        objectDetector: ModelDescription?, closeUps: Int
    ) throws(VisionError) -> RegionPass.Networks {
        let models = models
        // What loads a network, and gives what keeps it.
        var missing: [SideBySide.Work<() -> Void>] = []
        func add<Network>(
            _ count: Int = 1, to loaded: ReferenceWritableKeyPath<LoadedNetworks, [Network]>,
            _ load: @escaping () throws(VisionError) -> Network
        ) {
            let work: SideBySide.Work<() -> Void> = {
                Result(catching: load).map { network in { self[keyPath: loaded].append(network) } }
            }
            missing += repeatElement(work, count: max(0, count))
        }
        // The largest first, so that no core waits in the end for the one that another has hardly begun.
        if let detector, loadedDetector(detector) == nil {
            add(to: \.detectors) { () throws(VisionError) in try PersonDetector(detector, library: models) }
        }
        if let objectDetector, loadedObjectDetector(objectDetector) == nil {
            add(to: \.objectDetectors) { () throws(VisionError) in try ObjectDetector(objectDetector, library: models) }
        }
        func loadSegmentation() throws(VisionError) -> SegmentationNetwork {
            try SegmentationNetwork(source.description, directory: source.directory, library: models)
        }
        if loaded(segmentation, source).isEmpty { add(to: \.segmentation, loadSegmentation) }
        add(closeUps - loaded(self.closeUps, source).count, to: \.closeUps, loadSegmentation)
        if let verifier, loadedVerifier(verifier) == nil {
            add(to: \.verifiers) { () throws(VisionError) in
                try PersonVerifier(verifier.description, directory: verifier.directory, library: models)
            }
        }
        if let source = mattingSource, loadedMatting(source) == nil {
            add(to: \.matting) { () throws(VisionError) in
                var models = models
                models.threads = source.threads
                let network = try MattingNetwork(source.description, directory: source.directory, library: models)
                return (source, network)
            }
        }
        for loaded in SideBySide.results(of: missing) { try loaded.get()() }
        return RegionPass.Networks(
            segmentation: loaded(segmentation, source)[0], matting: loadedMatting(mattingSource),
            detector: loadedDetector(detector), verifier: verifier.flatMap(loadedVerifier),
            objectDetector: loadedObjectDetector(objectDetector),
            closeUps: Array(loaded(self.closeUps, source).prefix(closeUps)))
    }

    private func loaded(_ networks: [SegmentationNetwork], _ source: Source) -> [SegmentationNetwork] {
        networks.filter { $0.description == source.description }
    }

    private func loadedDetector(_ wanted: ModelDescription?) -> PersonDetector? {
        detectors.first { $0.description == wanted }
    }

    private func loadedVerifier(_ source: Source) -> PersonVerifier? {
        verifiers.first { $0.description == source.description }
    }

    private func loadedObjectDetector(_ wanted: ModelDescription?) -> ObjectDetector? {
        objectDetectors.first { $0.description == wanted }
    }

    private func loadedMatting(_ wanted: MattingSource?) -> MattingNetwork? {
        guard let wanted else { return nil }
        return matting.first {
            $0.source.description == wanted.description && $0.source.threads == wanted.threads
        }?.network
    }
}
