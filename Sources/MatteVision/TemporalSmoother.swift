import Imaging

/// Keeps a mask steady from frame to frame without lagging behind it.
///
/// Each pixel listens to its past as little as the picture moved there: where the luma around the pixel changed, the past
/// does not count, so that nothing drags a ghost behind it. A pixel whose value is certain listens less than one that is
/// uncertain (as in MediaPipe's segmentation smoothing: probability 0.5 is the most uncertain, 0 and 1 the least).
struct TemporalSmoother {
    /// How much a certain pixel listens, of what an uncertain one does.
    private static let certain: Float = 0.5

    let strength: Float
    let motion: Float
    private var hasPast = false
    private var past = ScalarMap(width: 1, height: 1)
    private var pastLuma = ScalarMap(width: 1, height: 1)
    private var box = BoxFilter(width: 1, height: 1, radius: 1)
    private var change: [Float] = []

    init(_ description: LevelDescription.Smoothing) {
        strength = description.strength
        motion = description.motion
    }

    /// Forgets the past.
    mutating func reset() { hasPast = false }

    /// Mixes `map` with the past; `luma` (0…1) is that of the picture it belongs to, at the map's size.
    mutating func smooth(_ map: inout ScalarMap, luma: ScalarMap) {
        precondition(luma.width == map.width && luma.height == map.height, "the luma has the map's size")
        if hasPast, past.width == map.width, past.height == map.height {
            measureChange(to: luma)
            mix(&map)
        }
        hasPast = true
        past.copy(map)
        pastLuma.copy(luma)
    }

    private func mix(_ map: inout ScalarMap) {
        let (strength, scale, certain) = (strength, 1 / max(motion, .leastNormalMagnitude), Self.certain)
        map.values.withUnsafeMutableBufferPointer { values in
            past.values.withUnsafeBufferPointer { past in
                change.withUnsafeBufferPointer { change in
                    for i in values.indices {
                        let now = values[i]
                        let distance = 2 * now - 1
                        let listening = 1 - (1 - certain) * min(1, distance * distance)
                        let stillness = max(0, 1 - change[i] * scale)
                        values[i] = now + (past[i] - now) * strength * listening * stillness
                    }
                }
            }
        }
    }

    // How much the luma moved: the difference of its means over 3x3 pixels, widened to their neighbours. Noise averages out in
    // those means, a moving edge does not.
    private mutating func measureChange(to luma: ScalarMap) {
        if box.width != luma.width || box.height != luma.height {
            box = BoxFilter(width: luma.width, height: luma.height, radius: 1)
            change = Array(repeating: 0, count: luma.values.count)
        }
        luma.values.withUnsafeBufferPointer { now in
            pastLuma.values.withUnsafeBufferPointer { past in
                change.withUnsafeMutableBufferPointer { change in
                    for i in change.indices { change[i] = now[i] - past[i] }
                    box.mean(change.baseAddress!, into: change.baseAddress!)
                    for i in change.indices { change[i] = abs(change[i]) }
                    box.mean(change.baseAddress!, into: change.baseAddress!)
                }
            }
        }
    }
}
