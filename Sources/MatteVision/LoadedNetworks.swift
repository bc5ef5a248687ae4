/// The networks of a library that were loaded so far, each of them once but for those of close-ups and bodies; for one thread at a
/// time.
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
    private var segmentation: [SegmentationNetwork] = []
    private var matting: [(source: MattingSource, network: MattingNetwork)] = []
    private var detectors: [PersonDetector] = []
    private var bodies: [BodyNetwork] = []
    private var closeUps: [SegmentationNetwork] = []

    init(_ models: ModelLibrary) {
        self.models = models
    }

    /// A network to be loaded.
    private enum Missing {
        case segmentation(Source)
        case matting(MattingSource)
        case detector(ModelDescription)
        case body(ModelDescription)
        case closeUp(Source)
    }

    /// A network that was loaded.
    private enum Loaded {
        case segmentation(SegmentationNetwork)
        case matting(MattingSource, MattingNetwork)
        case detector(PersonDetector)
        case body(BodyNetwork)
        case closeUp(SegmentationNetwork)
    }

    /// The networks of the sources, of which those are loaded that were not yet, side by side where there are several cores; that
    /// of each close-up and body for itself, since they work side by side.
    func networks(
        segmentation sources: [Source], witnesses: [Source], matting source: MattingSource?,
        detector: ModelDescription?, bodies: (description: ModelDescription, count: Int)?,
        closeUps: (source: Source, count: Int)?
    ) throws(VisionError) -> RegionPass.Networks {
        // The largest first, so that no core waits in the end for the one that another has hardly begun.
        var missing: [Missing] = []
        if let (description, count) = bodies {
            missing += repeatElement(.body(description), count: max(0, count - loadedBodies(description).count))
        }
        if let detector, loadedDetector(detector) == nil { missing.append(.detector(detector)) }
        missing += (sources + witnesses).filter { source in
            segmentation.allSatisfy { $0.description != source.description }
        }.map(Missing.segmentation)
        if let (source, count) = closeUps {
            missing += repeatElement(.closeUp(source), count: max(0, count - loadedCloseUps(source).count))
        }
        if let source, loadedMatting(source) == nil { missing.append(.matting(source)) }
        for network in Self.load(missing, from: models) {
            switch try network.get() {
            case .segmentation(let network): segmentation.append(network)
            case .matting(let source, let network): matting.append((source, network))
            case .detector(let network): detectors.append(network)
            case .body(let network): self.bodies.append(network)
            case .closeUp(let network): self.closeUps.append(network)
            }
        }
        func network(_ source: Source) -> SegmentationNetwork {
            segmentation.first { $0.description == source.description }!
        }
        return RegionPass.Networks(
            segmentation: sources.map(network), witnesses: witnesses.map(network), matting: loadedMatting(source),
            detector: loadedDetector(detector),
            bodies: bodies.map { Array(loadedBodies($0.description).prefix($0.count)) } ?? [],
            closeUps: closeUps.map { Array(loadedCloseUps($0.source).prefix($0.count)) } ?? [])
    }

    private static func load(_ missing: [Missing], from models: ModelLibrary) -> [Result<Loaded, VisionError>] {
        SideBySide.results(
            of: missing.map { network in
                { Result { () throws(VisionError) in try load(network, from: models) } }
            })
    }

    private static func load(_ missing: Missing, from models: ModelLibrary) throws(VisionError) -> Loaded {
        switch missing {
        case .segmentation(let source):
            return .segmentation(
                try SegmentationNetwork(source.description, directory: source.directory, library: models))
        case .matting(let source):
            var models = models
            models.threads = source.threads
            return .matting(
                source, try MattingNetwork(source.description, directory: source.directory, library: models))
        case .detector(let description):
            return .detector(try PersonDetector(description, library: models))
        case .body(let description):
            return .body(try BodyNetwork(description, library: models))
        case .closeUp(let source):
            return .closeUp(try SegmentationNetwork(source.description, directory: source.directory, library: models))
        }
    }

    private func loadedDetector(_ wanted: ModelDescription?) -> PersonDetector? {
        detectors.first { $0.description == wanted }
    }

    private func loadedBodies(_ wanted: ModelDescription) -> [BodyNetwork] {
        bodies.filter { $0.description == wanted }
    }

    private func loadedCloseUps(_ source: Source) -> [SegmentationNetwork] {
        closeUps.filter { $0.description == source.description }
    }

    private func loadedMatting(_ wanted: MattingSource?) -> MattingNetwork? {
        guard let wanted else { return nil }
        return matting.first {
            $0.source.description == wanted.description && $0.source.threads == wanted.threads
        }?.network
    }
}
