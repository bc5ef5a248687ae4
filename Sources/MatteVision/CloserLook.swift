import Imaging

/// Looks once more at a region's only person, from nearer by: at one close-up after the other, the nearest last; for one thread at
/// a time.
final class CloserLook {
    /// How many times the pixels that a network sees a region must have for a nearer look to show more of it.
    private static let detail = 1.5

    private var closeUps: [CloseUp]
    private let enlarger = MapEnlarger()
    /// What comes out, kept for the next time.
    private var masks: [ScalarMap] = []

    /// Close-ups of such shares of a person's height.
    init(_ shares: [Double]) { closeUps = shares.map(CloseUp.init) }

    /// Forgets the person.
    func reset() {
        for index in closeUps.indices { closeUps[index].reset() }
    }

    /// The masks that `lanes` have made of the region `rectangle` of `frame`, together with what they say from nearer by, at the
    /// size of the region's picture; none where there is nobody to be seen from nearer by, or as well without.
    func masks(
        _ lanes: [NetworkLane], in rectangle: Rectangle, of frame: VideoFrame, pixelAspect: Double, width: Int,
        height: Int
    ) throws(VisionError) -> [ScalarMap] {
        guard lanes.allSatisfy({ rectangle.area >= Self.detail * Double($0.width * $0.height) }) else {
            reset()
            return []
        }
        let (across, down) = (rectangle.width / Double(width), rectangle.height / Double(height))
        for index in closeUps.indices {
            closeUps[index].place(
                in: lanes[0].mask, width: width, height: height, pixelAspect: across * pixelAspect / down)
        }
        let placed = closeUps.indices.filter { closeUps[$0].square != nil }
        guard !placed.isEmpty else { return [] }
        let parts = placed.map { index in
            let square = closeUps[index].square!
            return Rectangle(
                x: rectangle.x + square.x * across, y: rectangle.y + square.y * down, width: square.width * across,
                height: square.height * down)
        }
        try sideBySide(lanes.count) { lane throws(VisionError) in try lanes[lane].segment(parts, of: frame) }
        if masks.count != lanes.count { masks = lanes.map { _ in ScalarMap(width: 1, height: 1) } }
        for lane in lanes.indices {
            masks[lane].resize(width: width, height: height)
            enlarger.enlarge(lanes[lane].mask, into: &masks[lane])
        }
        for (part, index) in placed.enumerated() {
            let agreements = lanes.indices.map { closeUps[index].agreement(lanes[$0].nearMasks[part], masks[$0]) }
            closeUps[index].look(agreement: agreements.min()!)
            for lane in lanes.indices {
                closeUps[index].put(lanes[lane].nearMasks[part], into: &masks[lane], with: enlarger)
            }
        }
        return masks
    }
}
