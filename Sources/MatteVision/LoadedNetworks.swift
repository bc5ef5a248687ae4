/// The networks of a library that were loaded so far, each of them once; for one thread at a time.
///
/// A network keeps nothing between pictures, so frames of any size and any quality level may share it.
final class LoadedNetworks {
    /// A description and the folder that its file lies in.
    typealias Source = (description: ModelDescription, directory: String)

    let models: ModelLibrary
    private var segmentation: [SegmentationNetwork] = []
    private var matting: [MattingNetwork] = []

    init(_ models: ModelLibrary) {
        self.models = models
    }

    /// The segmentation network of `source`, loaded where it was not yet.
    func segmentationNetwork(_ source: Source) throws(VisionError) -> SegmentationNetwork {
        if let loaded = segmentation.first(where: { $0.description == source.description }) { return loaded }
        let network = try SegmentationNetwork(source.description, directory: source.directory, library: models)
        segmentation.append(network)
        return network
    }

    /// The matting network of `source`, loaded where it was not yet.
    func mattingNetwork(_ source: Source) throws(VisionError) -> MattingNetwork {
        if let loaded = matting.first(where: { $0.description == source.description }) { return loaded }
        let network = try MattingNetwork(source.description, directory: source.directory, library: models)
        matting.append(network)
        return network
    }
}
