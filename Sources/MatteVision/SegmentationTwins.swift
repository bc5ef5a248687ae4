/// A segmentation network, and twins of it that work beside it.
struct SegmentationTwins {
    let network: SegmentationNetwork
    let twins: [SegmentationNetwork]
    var source: ModelSource { network.source }

    init(_ source: ModelSource, library: ModelLibrary, count: Int = 0) throws(VisionError) {
        network = try SegmentationNetwork(source, library: library, twins: count)
        var twins: [SegmentationNetwork] = []
        for _ in 0..<count { twins.append(try network.makeTwin()) }
        self.twins = twins
    }
}
