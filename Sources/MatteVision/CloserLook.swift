import Imaging

/// Looks once more at a region's only person, from nearer by: at one close-up after the other, the nearest last; for one thread at
/// a time.
final class CloserLook {
    /// How many times the pixels that a network sees a region must have for a nearer look to show more of it.
    private static let detail = 1.5

    /// One close-up, and what was seen there.
    private struct Shot {
        var closeUp: CloseUp
        var mask = ScalarMap(width: 1, height: 1)
        let sampler = FrameSampler()
    }

    private var shots: [Shot]
    private let enlarger = MapEnlarger()
    /// What comes out, kept for the next time.
    private var masks: [ScalarMap] = []

    /// Close-ups of such shares of a person's height.
    init(_ shares: [Double]) { shots = shares.map { Shot(closeUp: CloseUp(share: $0)) } }

    /// Forgets the person.
    func reset() {
        for index in shots.indices { shots[index].closeUp.reset() }
    }

    /// The masks that `lanes` have made of the region `rectangle` of `frame`, each together with what the network whose input is
    /// most like a square says from nearer by, at the size of the region's picture; none where there is nobody to be seen from
    /// nearer by, or as well without.
    func masks(
        _ lanes: [NetworkLane], in rectangle: Rectangle, of frame: VideoFrame, pixelAspect: Double, width: Int,
        height: Int
    ) throws(VisionError) -> [ScalarMap] {
        let lane = lanes.min { $0.squareness > $1.squareness }!
        guard rectangle.area >= Self.detail * Double(lane.width * lane.height) else {
            reset()
            return []
        }
        let (across, down) = (rectangle.width / Double(width), rectangle.height / Double(height))
        for index in shots.indices {
            shots[index].closeUp.place(
                in: lane.mask, width: width, height: height, pixelAspect: across * pixelAspect / down)
        }
        guard shots.contains(where: { $0.closeUp.square != nil }) else { return [] }
        if masks.count != lanes.count { masks = lanes.map { _ in ScalarMap(width: 1, height: 1) } }
        for index in lanes.indices {
            masks[index].resize(width: width, height: height)
            enlarger.enlarge(lanes[index].mask, into: &masks[index])
        }
        for index in shots.indices {
            guard let square = shots[index].closeUp.square else { continue }
            let part = Rectangle(
                x: rectangle.x + square.x * across, y: rectangle.y + square.y * down, width: square.width * across,
                height: square.height * down)
            try lane.segment(part, of: frame, through: shots[index].sampler, into: &shots[index].mask)
            let shot = shots[index]
            shots[index].closeUp.look(agreement: masks.map { shot.closeUp.agreement(shot.mask, $0) }.min()!)
            for mask in masks.indices {
                shots[index].closeUp.put(shot.mask, into: &masks[mask], with: enlarger)
            }
        }
        return masks
    }
}
