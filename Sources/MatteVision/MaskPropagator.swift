import Imaging

/// Takes the mask of a picture along to those that follow while they move little, so that networks need not see each of them; for
/// one thread at a time.
struct MaskPropagator {
    /// Above which value a mask says person; where it does nowhere, whoever comes is to be seen at once.
    private static let person: Float = 0.5
    /// From which value on a mask's cell belongs to people's surroundings.
    private static let people: Float = 0.05

    private let description: LevelDescription.Propagation
    private var flow = OpticalFlow()
    private var compensator = MotionCompensator()
    /// How many masks in a row were taken along since the networks' last one; nil where there is none.
    private var count: Int?

    init(_ description: LevelDescription.Propagation) { self.description = description }

    /// Forgets the last mask.
    mutating func reset() { count = nil }

    /// Makes `map`, the mask of the picture before, that of `picture`; or else, where it shows nobody, where it can't be told how
    /// people moved, and when it is time, leaves it, for the networks to make the mask.
    mutating func propagate(_ map: inout ScalarMap, to picture: RGBMap) -> Bool {
        flow.see(picture)
        if let count, count < description.frames, map.width == picture.width, map.height == picture.height {
            if count == 0 { compensator.take(map, of: flow) }
            flow.estimate()
            if isKnown {
                compensator.move(by: flow, into: &map)
                self.count = count + 1
                return true
            }
        }
        flow.keep()
        count = 0
        return false
    }

    // Whether the mask shows people, and the motion of them and of what is around them is known.
    private var isKnown: Bool {
        compensator.peaks.contains { $0 > Self.person }
            && zip(flow.cells, compensator.peaks).allSatisfy { cell, peak in
                peak < Self.people
                    || cell.difference <= description.difference
                        && max(abs(cell.motion.x), abs(cell.motion.y)) <= description.motion
            }
    }
}
