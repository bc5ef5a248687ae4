import Imaging

/// Finds faces and reads where they look, steadily over a sequence of frames.
///
/// Stateful, and therefore a class: make one, and perform it on every frame of a sequence in order. Faces stand at any turn in
/// the picture's plane; each is followed from frame to frame, and others that enter are found within half a second at 30
/// frames a second, or within a second where they are turned beside one that stands upright. The angles come from a face mesh
/// of 468 points, which are compared with a neutral face; they are raw, not smoothed. What the request remembers (where the
/// faces were) is cleared by itself on a change of size or orientation, on a scene cut and when time goes backwards, and by ``reset()``.
///
/// For one thread at a time. The first frame loads the networks (0.2 to 0.6 s each where nothing is cached). A face must
/// measure about 0.07 of the frame's longer side to be found, and about 0.13 where it is turned by more than 60 degrees. Below
/// 0.13 it is looked for in one part of the frame after the other, which takes half a second at 30 frames a second after a scene
/// began or another face was found or lost, and up to six seconds otherwise; at once in a sequence's first frame, such as a still, where
/// no other face is found. In frames that are squarer than 4:3, which have nine parts instead of six or fewer, it takes up to nine seconds.
///
/// The networks are MediaPipe's short-range face detector (BlazeFace, Bazarevsky et al. 2019) and its face mesh (Kartynnik et
/// al., "Real-time Facial Surface Geometry from Monocular Video on Mobile GPUs", 2019).
public final class DetectFaceRectanglesRequest: ImageProcessingRequest {
    /// How many faces are reported at most, the largest ones; each costs one run of the mesh network a frame.
    public let maximumFaceCount: Int
    private let models: ModelLibrary
    private var loaded: (tracker: FaceTracker, canonicalFace: CanonicalFace)?
    private let light = IlluminantEstimator()
    private var lastTime: Double?
    private var lastShape: (width: Int, height: Int, orientation: Orientation)?

    /// A request that takes its networks from `models`; `maximumFaceCount` is at least 1.
    public init(models: ModelLibrary = ModelLibrary(), maximumFaceCount: Int = 4) {
        precondition(maximumFaceCount >= 1, "at least one face is looked for")
        self.models = models
        self.maximumFaceCount = maximumFaceCount
    }

    /// Forgets the sequence: the next observations are what a fresh request would make.
    public func reset() {
        loaded?.tracker.reset()
        lastTime = nil
        lastShape = nil
    }

    /// Loads the networks, so that the first frame does not wait.
    ///
    /// - Throws: `VisionError` when a model or the runtime is missing or is not what the manifest says.
    public func prepare() throws(VisionError) { _ = try load() }

    private func load() throws(VisionError) -> (tracker: FaceTracker, canonicalFace: CanonicalFace) {
        if let loaded { return loaded }
        let installed = try models.installed()
        let loaded = try (
            FaceTracker(installed, maximumFaceCount: maximumFaceCount, library: models),
            CanonicalFace(path: installed.canonicalFace)
        )
        self.loaded = loaded
        return loaded
    }

    /// The faces in `frame`, the largest first; none where there is no face.
    ///
    /// - Throws: `VisionError` when a model or the runtime is missing or is not what the manifest says.
    public func perform(on frame: VideoFrame) throws(VisionError) -> [FaceObservation] {
        frame.requireVideoFormat()
        let (tracker, canonicalFace) = try load()
        let (width, height) = frame.displaySize
        if let lastShape, lastShape != (width, height, frame.orientation) { reset() }
        if let time = frame.time, let lastTime, time < lastTime { reset() }
        lastShape = (width, height, frame.orientation)
        lastTime = frame.time ?? lastTime
        var balanced = frame
        balanced.illuminant = light.illuminant(of: frame) ?? .white
        return try tracker.follow(balanced)
            .map { FaceObservation($0, canonicalFace: canonicalFace, width: width, height: height) }
            .sorted { $0.boundingBox.area > $1.boundingBox.area }
    }
}

extension FaceObservation {
    /// What the mesh of a face in a frame of `width` by `height` pixels, as it is shown, tells.
    fileprivate init(_ face: FaceTracker.Face, canonicalFace: CanonicalFace, width: Int, height: Int) {
        let mesh = face.mesh
        let box = mesh.box.applying(.scale(1 / Double(width), 1 / Double(height)))
        let pose = HeadPose(landmarks: mesh.landmarks, canonicalFace: canonicalFace, width: width, height: height)
        self.init(
            boundingBox: box.intersection(Rectangle(x: 0, y: 0, width: 1, height: 1)),
            confidence: Float(mesh.presence), roll: pose.roll, yaw: pose.yaw, pitch: pose.pitch, faceID: face.id)
    }
}
