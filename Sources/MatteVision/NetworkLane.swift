import Imaging

/// One segmentation network's part of a region: the picture at its size, its mask, and what it remembers.
///
/// It works beside looks from nearer by; it is the matter of one thread alone, hence `@unchecked Sendable`.
final class NetworkLane: @unchecked Sendable {
    /// What the network said last.
    private(set) var mask = ScalarMap(width: 1, height: 1)
    /// The people's own colours, from a network that gives them.
    private(set) var foreground: RGBMap?
    /// Columns of the picture that the network sees.
    var width: Int { shrunk.width }
    /// Rows of the picture that the network sees.
    var height: Int { shrunk.height }
    /// Whether the network keeps its masks steady itself.
    var hasMemory: Bool { !state.tensors.isEmpty }

    private let networks: SegmentationNetworks
    private var network: SegmentationNetwork
    private let resampler = RGBResampler()
    private let sampler = FrameSampler()
    private var shrunk: RGBMap
    private var state: RecurrentState

    init(_ networks: SegmentationNetworks) {
        self.networks = networks
        network = networks.usual
        let input = network.description.input
        shrunk = RGBMap(width: input.width, height: input.height)
        state = RecurrentState(network.description)
    }

    /// Goes over to what sees pictures of `width` by `height` square pixels best.
    func turn(toWidth width: Double, height: Double) throws(VisionError) {
        network = try networks.network(forWidth: width, height: height)
        let input = network.description.input
        shrunk.resize(width: input.width, height: input.height)
    }

    /// Forgets the pictures before.
    func forget() { state = RecurrentState(network.description) }

    /// Makes `mask` of the part `rectangle` of `frame`, of which `picture` is a view at whatever size.
    func segment(_ picture: RGBMap, of frame: VideoFrame, rectangle: Rectangle) throws(VisionError) {
        foreground = try network.segment(
            seen(picture, of: frame, rectangle: rectangle), state: &state, into: &mask)
    }

    // The picture at the network's size.
    private func seen(_ picture: RGBMap, of frame: VideoFrame, rectangle: Rectangle) -> RGBMap {
        guard picture.width != width || picture.height != height else { return picture }
        shrink(picture, of: frame, rectangle: rectangle)
        return shrunk
    }

    private func shrink(_ picture: RGBMap, of frame: VideoFrame, rectangle: Rectangle) {
        if picture.width * picture.height >= width * height {
            resampler.resample(picture, into: &shrunk)
        } else {
            // Somebody far away beside others has few of the level's pixels; the network can see more of them.
            sampler.sample(frame, source: rectangle, into: &shrunk)
        }
    }
}
