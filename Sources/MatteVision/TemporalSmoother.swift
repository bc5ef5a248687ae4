import Imaging

/// Keeps a mask steady from frame to frame without lagging behind it.
///
/// Each pixel listens to its past as much as it is uncertain now (as MediaPipe's segmentation smoothing does: most at
/// probability 0.5, not at all at 0 and 1) and as little as the picture moved there: where the colour around the pixel
/// changed, the past does not count, so that nothing drags a ghost behind it.
struct TemporalSmoother {
    let strength: Float
    let motion: Float
    private var past: ScalarMap?
    private var pastPicture: [Float] = []
    private var change: [Float] = []

    init(_ description: LevelDescription.Smoothing) {
        strength = description.strength
        motion = description.motion
    }

    /// Forgets the past.
    mutating func reset() { past = nil }

    /// Mixes `map` with the past; `picture` is what the network saw (red, green, blue in 0…1) at the map's size.
    mutating func smooth(_ map: inout ScalarMap, picture: [Float]) {
        precondition(picture.count == 3 * map.values.count, "the picture has the map's size")
        if let past, past.width == map.width, past.height == map.height {
            measureChange(to: picture, width: map.width, height: map.height)
            let (strength, scale) = (strength, 1 / max(motion, .leastNormalMagnitude))
            for i in map.values.indices {
                let now = map.values[i]
                let distance = 2 * now - 1
                let uncertainty = max(0, 1 - distance * distance)
                let stillness = max(0, 1 - change[i] * scale)
                map.values[i] = now + (past.values[i] - now) * strength * uncertainty * stillness
            }
        }
        past = map
        pastPicture = picture
    }

    // The mean over 3x3 pixels of how much the colours moved: noise averages out, motion does not.
    private mutating func measureChange(to picture: [Float], width: Int, height: Int) {
        let count = width * height
        if change.count != count { change = Array(repeating: 0, count: count) }
        for i in 0..<count {
            let red = abs(picture[3 * i] - pastPicture[3 * i])
            let green = abs(picture[3 * i + 1] - pastPicture[3 * i + 1])
            let blue = abs(picture[3 * i + 2] - pastPicture[3 * i + 2])
            change[i] = max(red, max(green, blue))
        }
        var box = BoxFilter(width: width, height: height, radius: 1)
        change.withUnsafeMutableBufferPointer { box.mean($0.baseAddress!, into: $0.baseAddress!) }
    }
}
