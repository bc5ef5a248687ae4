import Dispatch

/// The networks of a library that were loaded so far, each of them once; for one thread at a time.
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

    init(_ models: ModelLibrary) {
        self.models = models
    }

    /// The networks of the sources, of which those are loaded that were not yet, side by side where there are several cores.
    func networks(
        segmentation sources: [Source], witnesses: [Source], matting source: MattingSource?
    ) throws(VisionError) -> RegionPass.Networks {
        let missing = (sources + witnesses).filter { source in
            segmentation.allSatisfy { $0.description != source.description }
        }
        let missingMatting = loadedMatting(source) == nil ? source : nil
        let models = models
        var loaded = [Result<SegmentationNetwork, VisionError>?](repeating: nil, count: missing.count)
        nonisolated(unsafe) var newMatting: Result<MattingNetwork, VisionError>?
        loaded.withUnsafeMutableBufferPointer { loaded in
            // Each network, and each result, is the matter of one thread alone.
            nonisolated(unsafe) let loaded = loaded
            DispatchQueue.concurrentPerform(iterations: loaded.count + (missingMatting == nil ? 0 : 1)) { part in
                if part < loaded.count {
                    let (description, directory) = missing[part]
                    loaded[part] = Result { () throws(VisionError) in
                        try SegmentationNetwork(description, directory: directory, library: models)
                    }
                } else if let missingMatting {
                    var models = models
                    models.threads = missingMatting.threads
                    newMatting = Result { () throws(VisionError) in
                        try MattingNetwork(
                            missingMatting.description, directory: missingMatting.directory, library: models)
                    }
                }
            }
        }
        for network in loaded { segmentation.append(try network!.get()) }
        if let missingMatting, let network = try newMatting?.get() { matting.append((missingMatting, network)) }
        func network(_ source: Source) -> SegmentationNetwork {
            segmentation.first { $0.description == source.description }!
        }
        return RegionPass.Networks(
            segmentation: sources.map(network), witnesses: witnesses.map(network), matting: loadedMatting(source))
    }

    private func loadedMatting(_ wanted: MattingSource?) -> MattingNetwork? {
        guard let wanted else { return nil }
        return matting.first {
            $0.source.description == wanted.description && $0.source.threads == wanted.threads
        }?.network
    }
}
