/// A segmentation network at its own size, and at that turned where it can see pictures so: squeezed out of their shape, people look
/// less like people. For one thread at a time.
final class SegmentationNetworks {
    /// How many times as high as wide, or as wide as high, what a network of the other orientation sees is at least: the lying one, which
    /// saw nothing else when it learned, is as good where they are about square.
    private static let turning = 1.18

    /// At the size that its description tells.
    let usual: SegmentationNetwork
    private let loadTurned: (() throws(VisionError) -> SegmentationNetwork)?

    /// With `loadTurned`, which is asked for the turned network whenever that is to see something; nil where it can't be turned.
    init(usual: SegmentationNetwork, loadTurned: (() throws(VisionError) -> SegmentationNetwork)? = nil) {
        (self.usual, self.loadTurned) = (usual, loadTurned)
    }

    var isTurnable: Bool { loadTurned != nil }

    /// The one that sees a picture of `width` by `height` square pixels better.
    func network(forWidth width: Double, height: Double) throws(VisionError) -> SegmentationNetwork {
        let input = usual.description.input
        let isOther = input.width > input.height ? height > Self.turning * width : width > Self.turning * height
        guard isOther, let loadTurned else { return usual }
        return try loadTurned()
    }
}
