import Compositing
import Dispatch
import Imaging
import MatteVision

/// One frame in, one frame out: the whole of what happens to a picture, without threads or files.
///
/// Stateful like the requests that it performs: one filter for each sequence, frames in order. For one thread at a time.
public final class MatteFilter {
    /// What became of a frame.
    public struct Output: Sendable {
        /// The frame to show: the composite in the input's format, the mask as full-range grey, or the people with
        /// alpha.
        public let frame: VideoFrame
        /// The mask that belongs to the frame.
        public let mask: PixelBufferObservation
        /// The faces in it, the largest first; empty where nobody asked for faces.
        public let faces: [FaceObservation]
    }

    private var configuration: Configuration
    private let segmentation: GeneratePersonSegmentationRequest
    private var faceRectangles: DetectFaceRectanglesRequest?
    private let compositor = Compositor()
    private let extractor = ForegroundExtractor()
    private let quantizer = MaskQuantizer()
    private var colorizer: PoseColorizer?

    /// A filter for one sequence; nothing is loaded before `prepare` or the first frame.
    public init(_ configuration: Configuration) {
        self.configuration = configuration
        segmentation = GeneratePersonSegmentationRequest(
            qualityLevel: configuration.qualityLevel, models: configuration.models)
        if configuration.outputKind == .mask, configuration.maskPixelFormat != .gray8 {
            segmentation.outputPixelFormat = .oneComponent32Float
        }
        settle()
    }

    /// What goes behind the people from the next frame on.
    public var background: Configuration.BackgroundKind {
        get { configuration.background }
        set {
            guard newValue != configuration.background else { return }
            configuration.background = newValue
            settle()
        }
    }

    /// How much is done for the mask from the next frame on; another level begins a new sequence.
    public var qualityLevel: GeneratePersonSegmentationRequest.QualityLevel {
        get { segmentation.qualityLevel }
        set { segmentation.qualityLevel = newValue }
    }

    /// Looks for faces where the background or the caller wants them.
    private func settle() {
        colorizer = nil
        if configuration.outputKind == .composite, case .pose(let mode) = configuration.background {
            colorizer = PoseColorizer(mode)
        }
        guard colorizer != nil || configuration.findsFaces else {
            faceRectangles = nil
            return
        }
        // Found beside the mask, whose networks may have the other cores.
        var models = configuration.models
        models.threads = 1
        faceRectangles = faceRectangles ?? DetectFaceRectanglesRequest(models: models)
    }

    /// Loads what frames of `width` by `height` upright pixels need, so that the first one does not wait for it.
    ///
    /// - Throws: `MatteError` when a model or the runtime is missing or is not what the manifest says.
    public func prepare(width: Int, height: Int) throws(MatteError) {
        do throws(VisionError) {
            try segmentation.prepare(width: width, height: height)
            try faceRectangles?.prepare()
        } catch {
            throw MatteError(error)
        }
    }

    /// Forgets the sequence: the next frame gets what a fresh filter would make of it.
    public func reset() {
        segmentation.reset()
        faceRectangles?.reset()
        colorizer?.reset()
    }

    /// Separates the people in `frame` from its background and puts the new one there.
    ///
    /// - Throws: `MatteError` when a model or the runtime is missing or fails, or a foreground is asked for of a frame whose
    ///   format has no sibling with alpha.
    public func process(_ frame: VideoFrame) throws(MatteError) -> Output {
        let mask: PixelBufferObservation
        let faces: [FaceObservation]
        do throws(VisionError) {
            (mask, faces) = try observe(frame)
        } catch {
            throw MatteError(error)
        }
        let picture = try picture(of: frame, observation: mask, face: faces.first)
        return Output(frame: picture, mask: mask, faces: faces)
    }

    /// The mask and the faces, found side by side where there are two cores.
    private func observe(_ frame: VideoFrame) throws(VisionError) -> (PixelBufferObservation, [FaceObservation]) {
        guard let faceRectangles else { return (try segmentation.perform(on: frame), []) }
        // Each request, and each result, is the matter of one thread alone.
        nonisolated(unsafe) let requests = (segmentation, faceRectangles)
        nonisolated(unsafe) var mask: Result<PixelBufferObservation, VisionError>?
        nonisolated(unsafe) var faces: Result<[FaceObservation], VisionError>?
        DispatchQueue.concurrentPerform(iterations: 2) { part in
            if part == 0 {
                mask = Result { () throws(VisionError) in try requests.0.perform(on: frame) }
            } else {
                faces = Result { () throws(VisionError) in try requests.1.perform(on: frame) }
            }
        }
        return (try mask!.get(), try faces!.get())
    }

    /// What comes out of a frame like `frame` that nobody is in: the background, and nothing of the picture.
    ///
    /// - Throws: `MatteError` where a foreground is asked for of a frame whose format has no sibling with alpha.
    public func emptyFrame(like frame: VideoFrame) throws(MatteError) -> VideoFrame {
        let size = (width: frame.pixelBuffer.width, height: frame.pixelBuffer.height)
        let format: PixelFormat = segmentation.outputPixelFormat == .oneComponent8 ? .gray8 : .grayf32
        var mask = PixelBufferPool().makeBuffer(format: format, width: size.width, height: size.height)
        mask.withMutablePlane(0) { plane in
            for y in 0..<size.height {
                plane.row(y, as: UInt8.self).update(repeating: 0, count: size.width * format.bytesPerComponent)
            }
        }
        return try self.picture(
            of: frame, observation: PixelBufferObservation(pixelBuffer: mask.publish(), pts: frame.pts), face: nil)
    }

    private func picture(
        of frame: VideoFrame, observation: PixelBufferObservation, face: FaceObservation?
    ) throws(MatteError) -> VideoFrame {
        let mask = observation.pixelBuffer
        switch configuration.outputKind {
        case .mask:
            var result = frame
            result.pixelBuffer =
                mask.format == .gray8 ? mask : quantizer.quantize(mask, to: configuration.maskPixelFormat)
            result.color = ColorDescription(range: .full)
            return result
        case .foreground:
            guard let foreground = extractor.foreground(of: frame, mask: mask, colors: observation.foreground) else {
                throw MatteError(
                    .usage,
                    "can't cut people out of \(frame.pixelBuffer.format) frames: there is no such format with alpha; "
                        + "convert the input to 8 or 10 bits in colour first")
            }
            return foreground
        case .composite:
            return compositor.composite(
                frame, mask: mask, foreground: observation.foreground, over: background(of: frame, face: face))
        }
    }

    private func background(of frame: VideoFrame, face: FaceObservation?) -> Background {
        switch configuration.background {
        case .color(let color): .color(color)
        case .blur(let radius): .blur(radius: radius)
        case .pose(let mode):
            .color(colorizer?.color(for: face, at: frame.time ?? 0) ?? mode.color(roll: 0, yaw: 0, pitch: 0))
        }
    }
}
