import Imaging

/// What one quality level makes of a sequence of frames of one size: scene after scene, its people always upright; for one thread
/// at a time.
///
/// Networks know people who stand upright. Where a phone or a camera lay on its side and the file does not tell, or people lie down,
/// all that is made of a frame is made of the frame turned by quarters.
final class SegmentationSequence {
    private let width: Int
    private let height: Int
    private let pixelAspect: Double
    private let makeEngine:
        (_ size: (width: Int, height: Int), _ pixelAspect: Double) throws(VisionError) -> SegmentationEngine
    private var engine: SegmentationEngine
    private var detection: PersonDetectionSchedule
    private var cuts = SceneCutDetector()
    private var light = IlluminantTracker()
    /// The brightness of the last frame.
    private var thumbnail = ScalarMap(width: 64, height: 36)
    private var lastTime: Double?
    private var lastOrientation: Orientation?

    /// Of frames of `width` by `height` upright pixels, each `pixelAspect` times as wide as high, with the networks of `level`; those
    /// that `loaded` lacks are loaded.
    init(
        level: String, networks loaded: LoadedNetworks, width: Int, height: Int, pixelAspect: Double
    ) throws(VisionError) {
        (self.width, self.height, self.pixelAspect) = (width, height, pixelAspect)
        makeEngine = { size, pixelAspect throws(VisionError) in
            try SegmentationEngine(
                level: level, networks: loaded, width: size.width, height: size.height, pixelAspect: pixelAspect)
        }
        engine = try makeEngine((width, height), pixelAspect)
        detection = PersonDetectionSchedule(whileKnown: engine.detectionInterval)
    }

    func serves(width: Int, height: Int, pixelAspect: Double) -> Bool {
        (width, height, pixelAspect) == (self.width, self.height, self.pixelAspect)
    }

    func reset() {
        lastTime = nil
        lastOrientation = nil
        cuts.reset()
        engine.forgetVideo()
        forgetScene()
    }

    private func forgetScene() {
        light.reset()
        detection = PersonDetectionSchedule(whileKnown: engine.detectionInterval)
        engine.reset()
    }

    /// What the networks make of `frame`, whose upright size is the sequence's: its mask, yet to be refined.
    func mask(of frame: VideoFrame, format: PixelFormat) throws(VisionError) -> UnrefinedMask {
        if let lastOrientation, frame.orientation != lastOrientation { reset() }
        if let time = frame.time {
            if let lastTime, time < lastTime { reset() }
            lastTime = time
        }
        lastOrientation = frame.orientation
        thumbnail.takeBrightness(of: frame)
        if cuts.isCut(thumbnail.values) { forgetScene() }
        // Where there is no such detector, networks have to see frames as they are.
        let balanced = engine.personDetector == nil ? frame : light.balanced(frame)
        let (upright, people) = try turnedUpright(balanced)
        try prepareEngine(for: upright)
        var mask = try engine.mask(of: upright, thumbnail: thumbnail, sighted: people, format: format)
        mask.frame = frame
        return mask
    }

    /// The frame with its people upright, and those whom the detector found in it on the way.
    private func turnedUpright(_ frame: VideoFrame) throws(VisionError) -> (VideoFrame, people: [Detection]) {
        let turned = frame.turned(by: detection.quarters)
        // The windows are those of this size, which a scene before may not have had.
        try prepareEngine(for: turned)
        guard let detector = engine.personDetector else { return (turned, []) }
        let windows = engine.wideWindows
        let due = detection.windowsDue(of: windows.count)
        guard !due.isEmpty else { return (turned, []) }
        var turns: [Int?] = []
        var people: [Detection] = []
        for window in windows[due] {
            let look = try detector.look(at: window, of: turned)
            turns.append(look.turn)
            people += look.people
        }
        // The frame as a whole, the first, tells best; in parts of it who stands keeps it from being turned for others who lie.
        let seen = turns[0] ?? (turns.contains(0) ? 0 : turns.compactMap(\.self).first)
        let before = detection.quarters
        detection.look(seen, in: due)
        guard detection.quarters != before else { return (turned, people) }
        engine.reset()
        return (frame.turned(by: detection.quarters), [])
    }

    // That of the upright frame's size.
    private func prepareEngine(for frame: VideoFrame) throws(VisionError) {
        let (size, aspect) = (frame.uprightSize, frame.uprightPixelAspect)
        guard !engine.serves(width: size.width, height: size.height, pixelAspect: aspect) else { return }
        engine = try makeEngine(size, aspect)
    }
}
