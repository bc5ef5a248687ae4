import Glibc
import Imaging

/// Follows faces through the frames of one sequence. For one thread at a time.
///
/// A face is followed by its mesh alone: its landmarks in one frame are its region in the next. The detector is asked when no
/// face is followed, and now and then for faces that enter.
final class FaceTracker {
    /// A face that is followed.
    struct Face {
        /// Which one of the sequence it is.
        let id: Int
        /// Of the detection that it began with.
        let score: Double
        var mesh: FaceMesh
        /// Where the mesh looks in the next frame.
        var region: TurnedSquare
        /// Looks at the region's contents, which barely change while a head is followed; not at a new face's, whose region
        /// still settles.
        var cuts = SceneCutDetector()

        /// Whether `detection` of the same face, surer than the one before, shows it turned by more than 60 degrees from where it is
        /// followed: a mesh that lies wrong in a face may stay so by itself.
        func isWronglyTurned(_ detection: Detection) -> Bool {
            detection.score > score && cos(TurnedSquare(face: detection).rotation - region.rotation) < 0.5
        }
    }

    /// Every so many frames are searched for faces that enter, every other time in every turn whoever stands upright.
    private static let entrySearchInterval = 15
    /// While no face is followed, every so many frames are searched upright, or a part of them is. Until the first entry search
    /// after a sequence began or a face was lost, that is every frame, and these are searched in every turn unless sure faces stand
    /// upright.
    private static let emptySearchInterval = 5
    /// Until then a part of every so many frames is searched, all the parts of common frames once, whether a face is followed or not.
    private static let partSearchInterval = 2
    /// Boxes of which the smaller one lies in the other by more than this part are of one face: hair can be taken for a face that
    /// stands upside down over the real one.
    private static let overlap = 0.5

    private let maximumFaceCount: Int
    private let detector: FaceDetector
    private let network: FaceMeshNetwork
    private var faces: [Face] = []
    /// How many were found since the sequence began.
    private var foundCount = 0
    /// Frames since the sequence began, or a face was found or lost.
    private var age = 0
    /// Parts that were searched since the sequence began.
    private var partCount = 0
    // Of the frames that no face is followed in.
    private var cuts = SceneCutDetector()
    private var thumbnail = ScalarMap(width: 64, height: 36)

    /// Loads the networks.
    init(_ installed: InstalledModels, maximumFaceCount: Int, library: ModelLibrary) throws(VisionError) {
        self.maximumFaceCount = maximumFaceCount
        detector = try FaceDetector(installed.faceModel(\.detector), library: library)
        network = try FaceMeshNetwork(installed.faceModel(\.mesh), library: library)
    }

    /// Forgets the sequence.
    func reset() {
        faces = []
        foundCount = 0
        age = 0
        partCount = 0
        cuts.reset()
    }

    /// The faces in the next frame of the sequence.
    func follow(_ frame: VideoFrame) throws(VisionError) -> [Face] {
        if isCutWithoutFaces(frame) { (age, partCount) = (0, 0) }
        let (followed, isCut) = try followed(in: frame)
        // After a cut a region may hold another face by chance: only what the search finds is to be trusted.
        let isAnyLost = followed.count < faces.count
        faces = isCut ? [] : followed
        if isCut || isAnyLost { age = 0 }
        let wasEmpty = faces.isEmpty
        let isFirst = age == 0 && partCount == 0 && followed.isEmpty
        if let dueSearch {
            try search(dueSearch, in: frame)
            if case .part = dueSearch { partCount += 1 }
        }
        // Of a still no other frame will come.
        if isFirst, faces.isEmpty {
            for part in 0..<FaceDetector.partCount(of: frame) { try search(.part(part), in: frame) }
        }
        if wasEmpty, !faces.isEmpty { age = 0 }
        age += 1
        // Where the search finds nothing it was no cut, but a flash of light or a hand before the face.
        if faces.isEmpty { faces = followed }
        return faces
    }

    /// Whether another scene begins where no face tells it: the search then goes on as in a new sequence.
    private func isCutWithoutFaces(_ frame: VideoFrame) -> Bool {
        guard faces.isEmpty else {
            cuts.reset()
            return false
        }
        thumbnail.takeBrightness(of: frame)
        return cuts.isCut(thumbnail.values)
    }

    /// How this frame is searched.
    private var dueSearch: FaceDetector.Search? {
        let (isEntry, isTurn) = (age % Self.entrySearchInterval == 0, age % Self.emptySearchInterval == 0)
        if isEntry { return age / Self.entrySearchInterval % 2 == 1 ? .everyTurn : .uprightFirst }
        let part = FaceDetector.Search.part(partCount)
        if age < Self.entrySearchInterval {
            if faces.isEmpty, isTurn { return .uprightFirst }
            if age % Self.partSearchInterval == 0 { return part }
            return faces.isEmpty ? .upright : nil
        }
        guard isTurn else { return nil }
        if faces.isEmpty { return age / Self.emptySearchInterval % 2 == 0 ? .upright : part }
        return age % (2 * Self.entrySearchInterval) == Self.emptySearchInterval ? part : nil
    }

    /// The faces of the last frame that are still there, and whether what all of them look like changed as at a cut; what one of several
    /// looks like may be a hand before it.
    private func followed(in frame: VideoFrame) throws(VisionError) -> (faces: [Face], isCut: Bool) {
        var followed: [Face] = []
        var changes: [Bool] = []
        for var face in faces {
            guard let mesh = try mesh(in: face.region, of: frame) else { continue }
            changes.append(face.cuts.isCut(network.view))
            if followed.contains(where: { Self.areOne(mesh.box, $0.mesh.box) }) { continue }
            face.mesh = mesh
            face.region = TurnedSquare(landmarks: mesh.landmarks)
            followed.append(face)
        }
        return (followed, changes.contains(true) && !changes.contains(false))
    }

    /// Adds the faces that are not followed yet, or the wrong way up, the largest first, for as long as there is room or they are
    /// larger than one that is followed.
    private func search(_ search: FaceDetector.Search, in frame: VideoFrame) throws(VisionError) {
        let detections = try detector.detect(search, in: frame)
        for detection in detections.sorted(by: { TurnedSquare(face: $0).side > TurnedSquare(face: $1).side }) {
            let region = TurnedSquare(face: detection)
            let known = faces.firstIndex { Self.areOne(detection.box, $0.mesh.box) }
            let isFull = faces.count == maximumFaceCount && faces.allSatisfy { $0.region.side >= region.side }
            if known == nil, isFull { continue }
            if let known, !faces[known].isWronglyTurned(detection) { continue }
            guard let face = try newFace(detection, id: known.map { faces[$0].id } ?? foundCount, of: frame) else {
                continue
            }
            let isOther = faces.indices.contains { $0 != known && Self.areOne(face.mesh.box, faces[$0].mesh.box) }
            if isOther { continue }
            if let known { faces.remove(at: known) } else { foundCount += 1 }
            faces.append(face)
            faces.sort { $0.region.side > $1.region.side }
            if faces.count > maximumFaceCount { faces.removeLast() }
        }
    }

    /// The face of a detection: the mesh looks once more at the region that it finds itself, as it does from frame to frame.
    private func newFace(_ detection: Detection, id: Int, of frame: VideoFrame) throws(VisionError) -> Face? {
        guard let first = try mesh(in: TurnedSquare(face: detection), of: frame),
            let second = try mesh(in: TurnedSquare(landmarks: first.landmarks), of: frame)
        else { return nil }
        return Face(id: id, score: detection.score, mesh: second, region: TurnedSquare(landmarks: second.landmarks))
    }

    /// The mesh of the face in `region`; nil where there is none.
    private func mesh(in region: TurnedSquare, of frame: VideoFrame) throws(VisionError) -> FaceMesh? {
        guard region.reaches(into: frame) else { return nil }
        let mesh = try network.fit(region, in: frame)
        let (width, height) = frame.displaySize
        let visible = mesh.box.intersection(Rectangle(width: width, height: height))
        return mesh.isFace && visible.area > 0 ? mesh : nil
    }

    static func areOne(_ a: Rectangle, _ b: Rectangle) -> Bool {
        a.intersection(b).area > overlap * min(a.area, b.area)
    }
}
