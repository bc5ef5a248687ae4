import Imaging

/// Keeps a mask steady from frame to frame without lagging behind it.
///
/// Each pixel listens to its past as little as the picture moved there: where the colour around the pixel changed, the past
/// does not count, so that nothing drags a ghost behind it. A pixel whose value is certain listens less than one that is
/// uncertain (as in MediaPipe's segmentation smoothing: probability 0.5 is the most uncertain, 0 and 1 the least).
struct TemporalSmoother {
    /// How much a certain pixel listens, of what an uncertain one does.
    private static let certain: Float = 0.5
    /// How many standard deviations of the noise a change that is none has at most.
    private static let noiseReach: Float = 3

    let strength: Float
    let motion: Float
    private var hasPast = false
    private var past = ScalarMap(width: 1, height: 1)
    private var pastComponents: [ScalarMap] = []
    private var box = BoxFilter(width: 1, height: 1, radius: 1)
    private var difference: [Float] = []
    private var change: [Float] = []

    init(_ description: LevelDescription.Smoothing) {
        strength = description.strength
        motion = description.motion
    }

    /// Forgets the past.
    mutating func reset() { hasPast = false }

    /// Mixes `map` with the past; `components` (0…1) are those of the picture it belongs to, at the map's size.
    ///
    /// In little light, of which `brightening` times as much would be enough, everything moves by less, but for the noise, whose
    /// standard deviation is `noise`.
    mutating func smooth(
        _ map: inout ScalarMap, components: [ScalarMap], brightening: Float = 1, noise: Float = 0
    ) {
        let (width, height) = (map.width, map.height)
        precondition(
            components.allSatisfy { $0.width == width && $0.height == height }, "the components have the map's size")
        if hasPast, past.width == width, past.height == height, pastComponents.count == components.count {
            measureChange(to: components)
            mix(&map, motion: min(motion, max(motion / brightening, Self.noiseReach * noise)))
        }
        hasPast = true
        past.copy(map)
        if pastComponents.count != components.count { pastComponents = components }
        for index in components.indices { pastComponents[index].copy(components[index]) }
    }

    private func mix(_ map: inout ScalarMap, motion: Float) {
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

    // How much the colour moved: the largest difference of a component's means over 3x3 pixels, widened to their neighbours.
    // Noise averages out in those means, a moving edge does not.
    private mutating func measureChange(to components: [ScalarMap]) {
        if change.count != past.values.count || box.width != past.width {
            box = BoxFilter(width: past.width, height: past.height, radius: 1)
            change = Array(repeating: 0, count: past.values.count)
            difference = change
        }
        change.withUnsafeMutableBufferPointer { change in
            difference.withUnsafeMutableBufferPointer { difference in
                change.update(repeating: 0)
                for (now, past) in zip(components, pastComponents) {
                    now.values.withUnsafeBufferPointer { now in
                        past.values.withUnsafeBufferPointer { past in
                            for i in difference.indices { difference[i] = now[i] - past[i] }
                        }
                    }
                    box.mean(difference.baseAddress!, into: difference.baseAddress!)
                    for i in change.indices { change[i] = max(change[i], abs(difference[i])) }
                }
                box.mean(change.baseAddress!, into: change.baseAddress!)
            }
        }
    }
}
