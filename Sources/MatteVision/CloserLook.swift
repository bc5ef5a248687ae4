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
        let enlarger = MapEnlarger()
    }

    private var shots: [Shot]
    private var picture = RGBMap(width: 1, height: 1)
    /// What comes out, and what enlarges it, kept for the next time.
    private var masks: [ScalarMap] = []
    private var enlargers: [MapEnlarger] = []

    /// Close-ups of such shares of a person's height.
    init(_ shares: [Double]) { shots = shares.map { Shot(closeUp: CloseUp(share: $0)) } }

    /// Forgets the person.
    func reset() {
        for index in shots.indices { shots[index].closeUp.reset() }
    }

    /// Sees nothing from nearer by for a while.
    func rest() {
        for index in shots.indices { shots[index].closeUp.rest() }
    }

    /// `coarse`, the masks of the region `rectangle` of `frame` by each of `lanes`, together with `part` of what the network whose
    /// input is most like a square says from nearer by, at `width` by `height`, the size of the region's picture; none where
    /// there is nobody to be seen from nearer by, or as well without.
    func masks(
        _ coarse: [ScalarMap], of lanes: [NetworkLane], part: Float, in rectangle: Rectangle, of frame: VideoFrame,
        pixelAspect: Double, width: Int, height: Int
    ) throws(VisionError) -> [ScalarMap] {
        let lane = lanes.max { $0.squareness < $1.squareness }!
        guard part > 0, rectangle.area >= Self.detail * Double(lane.width * lane.height) else {
            rest()
            return []
        }
        let (across, down) = (rectangle.width / Double(width), rectangle.height / Double(height))
        for index in shots.indices {
            shots[index].closeUp.place(
                in: lane.mask, width: width, height: height, pixelAspect: across * pixelAspect / down)
        }
        guard shots.contains(where: { $0.closeUp.square != nil }) else { return [] }
        enlarge(coarse, width: width, height: height)
        picture.resize(width: lane.width, height: lane.height)
        for index in shots.indices {
            guard let square = shots[index].closeUp.square else { continue }
            let place = Rectangle(
                x: rectangle.x + square.x * across, y: rectangle.y + square.y * down, width: square.width * across,
                height: square.height * down)
            shots[index].sampler.sample(frame, source: place, into: &picture)
            try lane.segment(still: picture, into: &shots[index].mask)
            let shot = shots[index]
            shots[index].closeUp.look(agreement: masks.map { shot.closeUp.agreement(shot.mask, $0) }.min()!)
            shots[index].closeUp.put(shot.mask, part: part, into: &masks, with: shot.enlarger)
        }
        return masks
    }

    private func enlarge(_ coarse: [ScalarMap], width: Int, height: Int) {
        while masks.count < coarse.count {
            masks.append(ScalarMap(width: 1, height: 1))
            enlargers.append(MapEnlarger())
        }
        for index in coarse.indices {
            masks[index].resize(width: width, height: height)
            enlargers[index].enlarge(coarse[index], into: &masks[index])
        }
    }
}
