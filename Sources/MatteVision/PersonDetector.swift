import Imaging

/// Finds people in a part of a frame, whichever way up they are. For one thread at a time.
///
/// The network is the detector of MediaPipe's BlazePose (Bazarevsky et al., "BlazePose: On-device Real-time Body Pose Tracking",
/// 2020). It knows best whoever is largest in the picture, close or from head to feet, from the front and from behind. It takes
/// some 10 ms on one core. Of a face that fills the picture, or wears a mask, it may be unsure: a detector of faces is asked then.
final class PersonDetector {
    /// A score below this is no person's.
    private static let least = 0.1
    /// From which confidence on it has rather seen a person than not.
    static let seen = 0.4

    let source: ModelSource
    private let people: RegionDetector
    private let faces: RegionDetector

    /// Loads the network, and that of faces, which is the face detector's.
    init(_ source: ModelSource, faces faceSource: ModelSource, library: ModelLibrary) throws(VisionError) {
        self.source = source
        people = try RegionDetector(source, anchors: Self.anchors, library: library)
        faces = try RegionDetector(faceSource, anchors: FaceDetector.anchors, library: library)
    }

    /// The detector's anchors; its key points are the middle of the hips, the reach of the body, the middle of the shoulders, and
    /// the reach of the upper body.
    static func anchors(inputSize: Int) -> DetectionAnchors {
        DetectionAnchors(
            inputSize: inputSize, layers: [(inputSize / 8, 2), (inputSize / 16, 2), (inputSize / 32, 6)], keyPoints: 4,
            threshold: Self.least)
    }

    /// The people in `region` of `frame`, best first, as ``RegionDetector`` tells them; a person's box is that of the face.
    func detect(in region: Rectangle, of frame: VideoFrame) throws(VisionError) -> [Detection] {
        try people.detect(in: region, of: frame)
    }
}

extension PersonDetector {
    /// From which score on it is sure which way up somebody is, in a whole frame and in a part of one.
    private static let (sureInWhole, sureInPart) = (0.5, 0.65)
    /// From which score on it is worth a closer look whether somebody is there.
    private static let likely = 0.5
    /// The same in a small part, where background looks more like people.
    private static let likelyInSmallPart = 0.8
    /// How far somebody may lean for that, in quarters.
    private static let slant = 1.0 / 3

    /// What a look at a part of a frame shows.
    struct Look {
        /// By how many quarters the frame is to be turned clockwise for its people to stand upright; 0 where any of them
        /// does, nil where nobody was found for sure, or they lean halfway or differ otherwise.
        let turn: Int?
        /// Those in the frame as it is, best first.
        let people: [Detection]
    }

    /// Looks for people, whichever way up they are, in `part` of `frame`.
    func look(at part: Rectangle, of frame: VideoFrame) throws(VisionError) -> Look {
        let look = try lookOnce(at: part, of: frame)
        guard let quarters = look.turn, quarters != 0 else { return look }
        // Whom it finds on their side it must find upright as well when the frame is turned for that.
        let turned = frame.turned(by: quarters)
        let same = part.applying(frame.uprightToStored).applying(turned.uprightToStored.inverse)
        let isConfirmed = try lookOnce(at: same, of: turned).turn == 0
        return Look(turn: isConfirmed ? quarters : nil, people: look.people)
    }

    private func lookOnce(at part: Rectangle, of frame: VideoFrame) throws(VisionError) -> Look {
        let (width, height) = frame.uprightSize
        let isWhole = part.width >= Double(width) && part.height >= Double(height)
        let found = try detect(in: part, of: frame)
        let turns = found.filter { $0.score >= (isWhole ? Self.sureInWhole : Self.sureInPart) }
            .map { $0.lean(pixelAspect: frame.uprightPixelAspect) / (.pi / 2) }
        let people = found.filter { $0.score >= Self.likely }
        func isTurned(_ turn: Double, by quarters: Double) -> Bool {
            abs((turn - quarters).remainder(dividingBy: 4)) <= Self.slant
        }
        if turns.contains(where: { isTurned($0, by: 0) }) { return Look(turn: 0, people: people) }
        guard let first = turns.first?.rounded(), turns.allSatisfy({ isTurned($0, by: first) }) else {
            return Look(turn: nil, people: people)
        }
        return Look(turn: (4 - Int(first)) % 4, people: people)
    }

    /// Those in `region` of `frame`, a small part of it, of whom it is worth a closer look whether they are there; best first.
    func people(in region: Rectangle, of frame: VideoFrame) throws(VisionError) -> [Detection] {
        try detect(in: region, of: frame).filter { $0.score >= Self.likelyInSmallPart }
    }

    /// How much is added around somebody on each side, of the longer side of their box.
    private static let margin = 0.12
    /// The share of a region from which on somebody in it is not looked at more closely than all of it.
    private static let large = 0.6
    /// How much of a detection's box a mask covers where they speak of the same person.
    private static let covered: Float = 0.25
    /// The confidence at which a face has its say: less is never enough, more always.
    private static let unsure = 0.12..<PersonCertainty.sure
    /// The confidence from which on a sure face is enough.
    private static let possible = 0.28
    /// From which score on a face is likely one, and surely; animals come close to the first.
    private static let (likelyFace, sureFace) = (0.72, 0.85)

    /// Somebody as a look at a mask's region shows them.
    struct Sighting {
        /// How sure it is that they are there, 0…1.
        var confidence = 0.0
        /// How far they lean, in radians clockwise as seen in the picture; 0 where nobody was seen.
        var lean = 0.0
    }

    /// Whom `mask`, that of `region` of `frame`, shows besides those in the regions `others`: by a closer look at the largest of the
    /// mask's parts, and in doubt by one at all of the region; a face in there may raise the confidence.
    func sighting(
        in mask: ScalarMap, of region: Rectangle, besides others: [Rectangle], frame: VideoFrame
    ) throws(VisionError) -> Sighting {
        guard let body = PersonBoxes.find(in: mask, of: region).first else { return Sighting() }
        let pixelAspect = frame.uprightPixelAspect
        func best(of detector: RegionDetector, in part: Rectangle) throws(VisionError) -> Detection? {
            try detector.detect(in: part, of: frame).first { found in
                let box = found.box
                return Self.covers(mask, of: region, box)
                    && !others.contains { $0.contains(x: box.midX, y: box.midY) }
            }
        }
        func best(in part: Rectangle) throws(VisionError) -> Sighting {
            guard let person = try best(of: people, in: part) else { return Sighting() }
            var sighting = Sighting(confidence: person.score, lean: person.lean(pixelAspect: pixelAspect))
            guard Self.unsure.contains(sighting.confidence) else { return sighting }
            let face = try best(of: faces, in: part)?.score ?? 0
            if face >= Self.sureFace, sighting.confidence >= Self.possible {
                sighting.confidence = Self.unsure.upperBound
            } else if face >= Self.likelyFace {
                sighting.confidence = max(sighting.confidence, Self.seen)
            }
            return sighting
        }
        let room = Self.margin * body.longerSide(pixelAspect: pixelAspect)
        let closer = body.grown(by: room, pixelAspect: pixelAspect).intersection(region)
        if closer.area > Self.large * region.area { return try best(in: region) }
        let near = try best(in: closer)
        guard near.confidence < Self.seen else { return near }
        let far = try best(in: region)
        return far.confidence > near.confidence ? far : near
    }

    // A face beyond the region counts where the mask goes on to that side: people may be headless in a frame.
    private static func covers(_ mask: ScalarMap, of region: Rectangle, _ box: Rectangle) -> Bool {
        let seen = box.intersection(region)
        func range(_ start: Double, _ end: Double, _ count: Int) -> Range<Int> {
            let first = min(max(Int(start * Double(count)), 0), count - 1)
            return first..<min(max(Int((end * Double(count)).rounded(.up)), first + 1), count)
        }
        let columns = range((seen.x - region.x) / region.width, (seen.maxX - region.x) / region.width, mask.width)
        let rows = range((seen.y - region.y) / region.height, (seen.maxY - region.y) / region.height, mask.height)
        var sum: Float = 0
        for y in rows { for x in columns { sum += mask.values[y * mask.width + x] } }
        return sum >= covered * Float(columns.count * rows.count)
    }
}
