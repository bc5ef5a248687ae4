import Imaging

/// One segmentation network's part of a region: the picture at its size, its mask, and what it remembers.
///
/// The lanes of a region work side by side; each is the matter of one thread alone, hence `@unchecked Sendable`.
final class NetworkLane: @unchecked Sendable {
    /// What the network said last.
    private(set) var mask = ScalarMap(width: 1, height: 1)
    /// The people's own colours, from a network that gives them.
    private(set) var foreground: RGBMap?
    /// Columns of the picture that the network sees.
    var width: Int { shrunk.width }
    /// Rows of the picture that the network sees.
    var height: Int { shrunk.height }
    /// The shorter side of what the network sees over the longer one.
    var squareness: Double { Double(min(width, height)) / Double(max(width, height)) }
    /// Whether the network keeps its masks steady itself.
    var hasMemory: Bool { !state.tensors.isEmpty }

    private let network: SegmentationNetwork
    private let resampler = RGBResampler()
    private let sampler = FrameSampler()
    private var shrunk: RGBMap
    private var state: RecurrentState

    init(_ network: SegmentationNetwork) {
        self.network = network
        let input = network.description.input
        shrunk = RGBMap(width: input.width, height: input.height)
        state = RecurrentState(network.description)
    }

    /// Forgets the pictures before.
    func forget() { state = RecurrentState(network.description) }

    /// Takes in the part `rectangle` of `frame`, of which `picture` is a view at whatever size.
    func look(at picture: RGBMap, of frame: VideoFrame, rectangle: Rectangle) {
        if isSeenWhole(picture) { return }
        if picture.width * picture.height >= width * height {
            resampler.resample(picture, into: &shrunk)
        } else {
            // Somebody far away beside others has few of the level's pixels; the network can see more of them.
            sampler.sample(frame, source: rectangle, into: &shrunk)
        }
    }

    /// The picture that was looked at, at the network's size.
    func view(of picture: RGBMap) -> RGBMap { isSeenWhole(picture) ? picture : shrunk }

    /// Makes `mask` of the picture that was looked at.
    func segment(_ picture: RGBMap) throws(VisionError) {
        foreground = try network.segment(view(of: picture), state: &state, into: &mask)
    }

    /// Writes the mask of `still`, a picture of the network's size that has nothing to do with those before it.
    func segment(still: RGBMap, into mask: inout ScalarMap) throws(VisionError) {
        var state = RecurrentState(network.description)
        _ = try network.segment(still, state: &state, into: &mask)
    }

    private func isSeenWhole(_ picture: RGBMap) -> Bool { picture.width == width && picture.height == height }
}
