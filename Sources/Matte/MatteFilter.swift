import Compositing
import Dispatch
import Imaging
import MatteVision

/// One frame in, one frame out: the whole of what happens to a picture, without threads or files.
///
/// Stateful like the requests that it performs: frames of a sequence in order. For the next sequence, of whatever size, call
/// ``reset()``; the networks stay loaded. For one thread at a time, but for the parts of `process`.
public final class MatteFilter {
    /// What became of a frame.
    public struct Output: Sendable {
        /// The frame to show: the composite in the input's format, the mask or trimap as full-range grey, or the people
        /// with alpha.
        public let frame: VideoFrame
        /// The mask that belongs to the whole of the frame that came in.
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
    private let trimapMaker = TrimapMaker()
    private var framer: Framer
    /// Made by `prepare` or the first frame.
    private var supply: BackgroundSupply?

    /// A filter for one sequence; nothing is loaded before `prepare` or the first frame.
    public init(_ configuration: Configuration) {
        self.configuration = configuration
        framer = Framer(configuration.framing)
        segmentation = GeneratePersonSegmentationRequest(
            qualityLevel: configuration.qualityLevel, models: configuration.models)
        if configuration.outputKind == .mask, configuration.maskPixelFormat != .gray8 {
            segmentation.outputPixelFormat = .oneComponent32Float
        }
        settleFaces()
    }

    /// Where the networks come from.
    var models: ModelLibrary { configuration.models }

    /// What goes behind the people.
    public var background: Configuration.BackgroundKind { configuration.background }
    /// Whether something of the picture or video behind the people could not be decoded so far.
    public var isBackgroundDamaged: Bool { supply?.isDamaged ?? false }

    /// Puts something else behind the people from the next frame on.
    ///
    /// - Throws: `MatteError` where a picture or video can't be opened, or where frames would come to have alpha or lose it;
    ///   the background stays what it was then.
    public func setBackground(_ background: Configuration.BackgroundKind) throws(MatteError) {
        guard background != configuration.background else { return }
        var changed = configuration
        changed.background = background
        guard changed.hasAlpha == configuration.hasAlpha else {
            throw MatteError(.usage, "a run that began with alpha keeps it, and one without can't get it")
        }
        try changed.validate()
        let supply = try BackgroundSupply(changed)
        (configuration, self.supply) = (changed, supply)
        settleFaces()
    }

    /// What is done to the background, or around the people, from the next frame on.
    public var effects: [Effect] { configuration.effects }

    /// Takes other effects from the next frame on.
    ///
    /// - Throws: `MatteError` of kind `usage` where an effect needs a background and there is none, two are of a kind, or what comes out
    ///   is no composite.
    public func setEffects(_ effects: [Effect]) throws(MatteError) {
        var changed = configuration
        changed.effects = effects
        try changed.validate()
        configuration = changed
    }

    /// How much is done for the mask from the next frame on; another level begins a new sequence.
    public var qualityLevel: GeneratePersonSegmentationRequest.QualityLevel {
        get { segmentation.qualityLevel }
        set { segmentation.qualityLevel = newValue }
    }

    /// Which part of the picture comes out; another one begins with the next frame.
    public var framing: Framing {
        get { configuration.framing }
        set {
            configuration.framing = newValue
            framer = Framer(newValue)
        }
    }

    /// Seconds of the input that are left out before the first frame, as in ``Configuration/backgroundStart``.
    public var backgroundStart: Double {
        get { configuration.backgroundStart }
        set {
            configuration.backgroundStart = newValue
            supply?.start = newValue
        }
    }

    /// Looks for faces from the next frame on, whatever the background.
    func findFaces() {
        configuration.findsFaces = true
        settleFaces()
    }

    /// Looks for faces where the background or the caller wants them.
    private func settleFaces() {
        var needsFace = false
        if configuration.outputKind == .composite, case .pose = configuration.background { needsFace = true }
        guard needsFace || configuration.findsFaces else {
            faceRectangles = nil
            return
        }
        // Found beside the mask, whose networks may have the other cores.
        var models = configuration.models
        models.threads = 1
        faceRectangles = faceRectangles ?? DetectFaceRectanglesRequest(models: models)
    }

    /// Loads what frames of `width` by `height` upright pixels need, so that the first one does not wait for it. A size below 1 is a
    /// caller's mistake, and traps.
    ///
    /// - Throws: `MatteError` when a model or the runtime is missing or is not what the manifest says, a picture or video for
    ///   the background can't be opened, or the configuration asks for what does not go together.
    public func prepare(width: Int, height: Int) throws(MatteError) {
        try prepareBackground()
        do throws(VisionError) {
            try prepareRequests(width: width, height: height)
        } catch {
            throw MatteError(error)
        }
    }

    /// Opens the background, so that what is wrong with it shows before anything else is done.
    ///
    /// - Throws: `MatteError` when a picture or video for it can't be opened, or the configuration asks for what does not go together.
    public func prepareBackground() throws(MatteError) { _ = try preparedSupply() }

    /// Loads the networks of both requests, side by side where there are two cores.
    private func prepareRequests(width: Int, height: Int) throws(VisionError) {
        guard let faceRectangles else { return try segmentation.prepare(width: width, height: height) }
        _ = try sideBySide(
            { () throws(VisionError) in try segmentation.prepare(width: width, height: height) },
            { () throws(VisionError) in try faceRectangles.prepare() })
    }

    /// Forgets the sequence: the next frame gets what a fresh filter would make of it.
    public func reset() {
        segmentation.reset()
        faceRectangles?.reset()
        supply?.reset()
        framer.reset()
    }

    /// Separates the people in `frame` from its background and puts the new one there.
    ///
    /// A frame with a plane of alpha or of floating point is a caller's mistake, and traps (``/Imaging/PixelFormat/videoFormats``).
    /// - Throws: `MatteError` when a model or the runtime is missing or fails, a picture or video for the background can't be
    ///   read, the configuration asks for what does not go together, or a foreground is asked for of a frame whose format has no
    ///   sibling with alpha.
    public func process(_ frame: VideoFrame) throws(MatteError) -> Output {
        try compose(refine(try observe(frame)))
    }

    /// A frame with the people that were found in it.
    struct Observed: Sendable {
        let mask: UnrefinedMask
        let faces: [FaceObservation]
    }

    /// A frame with the mask of its own size.
    struct Refined: Sendable {
        let frame: VideoFrame
        let mask: PixelBufferObservation
        let faces: [FaceObservation]
    }

    /// The first part of `process`, the networks' work: the people and the faces.
    ///
    /// It may have a thread of its own, beside that of the other two parts, if every frame goes through all of them in order.
    func observe(_ frame: VideoFrame) throws(MatteError) -> Observed {
        do throws(VisionError) {
            let (mask, faces) = try findPeople(in: frame)
            return Observed(mask: mask, faces: faces)
        } catch {
            throw MatteError(error)
        }
    }

    /// The second part: the mask at the frame's size.
    func refine(_ observed: Observed) -> Refined {
        Refined(frame: observed.mask.frame, mask: observed.mask.refined(), faces: observed.faces)
    }

    /// The last part: the picture that comes out.
    func compose(_ refined: Refined) throws(MatteError) -> Output {
        let picture = try picture(of: refined.frame, observation: refined.mask, faces: refined.faces)
        return Output(frame: picture, mask: refined.mask, faces: refined.faces)
    }

    /// The mask of `frame` alone, the next one of the sequence.
    func mask(of frame: VideoFrame) throws(MatteError) -> PixelBuffer {
        do throws(VisionError) {
            return try segmentation.perform(on: frame).pixelBuffer
        } catch {
            throw MatteError(error)
        }
    }

    /// How far effects reach around the people, in pixels of a picture 720 pixels high.
    var effectReach: Double { configuration.effects.map(\.reach).max() ?? 0 }

    private func preparedSupply() throws(MatteError) -> BackgroundSupply {
        if let supply { return supply }
        try configuration.validate()
        let made = try BackgroundSupply(configuration)
        supply = made
        return made
    }

    /// The mask and the faces, found side by side where there are two cores.
    private func findPeople(
        in frame: VideoFrame
    ) throws(VisionError) -> (UnrefinedMask, [FaceObservation]) {
        guard let faceRectangles else { return (try segmentation.unrefinedMask(of: frame), []) }
        return try sideBySide(
            { () throws(VisionError) in try segmentation.unrefinedMask(of: frame) },
            { () throws(VisionError) in try faceRectangles.perform(on: frame) })
    }

    /// What both requests give at the same time; where both fail, the first one's error.
    private func sideBySide<Masks, Faces>(
        _ masks: () throws(VisionError) -> Masks, _ faces: @escaping () throws(VisionError) -> Faces
    ) throws(VisionError) -> (Masks, Faces) {
        // Not by `concurrentPerform`, within which one request's networks could not work side by side. Each request, and each
        // result, is the matter of one thread alone.
        nonisolated(unsafe) let faces = faces
        nonisolated(unsafe) var found: Result<Faces, VisionError>?
        let group = DispatchGroup()
        DispatchQueue.global().async(group: group) { found = Result(catching: faces) }
        let made = Result(catching: masks)
        group.wait()
        return (try made.get(), try found!.get())
    }

    /// What comes out of `frame` where nothing is done to it: the part of its picture that was shown last.
    func untouched(_ frame: VideoFrame) -> VideoFrame { framer.frame(frame, mask: nil) }

    /// What comes out of a frame like `frame` that nobody is in: the background, and nothing of the picture; black where
    /// the background is made of the picture.
    ///
    /// - Throws: `MatteError` where a foreground is asked for of a frame whose format has no sibling with alpha.
    package func emptyFrame(like frame: VideoFrame) throws(MatteError) -> VideoFrame {
        let format: PixelFormat = segmentation.outputPixelFormat == .oneComponent8 ? .gray8 : .grayf32
        let black = Background.color(RGBColor(red: 0, green: 0, blue: 0))
        let dark = compositor.composite(frame, mask: Self.emptyMask(.gray8, for: frame), over: black)
        let mask = PixelBufferObservation(pixelBuffer: Self.emptyMask(format, for: frame), pts: frame.pts)
        return try picture(of: dark, observation: mask, faces: [])
    }

    private static func emptyMask(_ format: PixelFormat, for frame: VideoFrame) -> PixelBuffer {
        let size = (width: frame.pixelBuffer.width, height: frame.pixelBuffer.height)
        var mask = MutablePixelBuffer(format: format, width: size.width, height: size.height)
        mask.withMutablePlane(0) { plane in
            for y in 0..<size.height {
                plane.row(y, as: UInt8.self).update(repeating: 0, count: size.width * format.bytesPerComponent)
            }
        }
        return mask.publish()
    }

    private func picture(
        of frame: VideoFrame, observation: PixelBufferObservation, faces: [FaceObservation]
    ) throws(MatteError) -> VideoFrame {
        let whole = try wholePicture(of: frame, observation, faces)
        let framed = framer.frame(whole, mask: observation.pixelBuffer)
        guard configuration.outputKind == .trimap, case .follow = configuration.framing else { return framed }
        return framed.withGray(trimapMaker.trimap(ofScaled: framed.pixelBuffer))
    }

    private func wholePicture(
        of frame: VideoFrame, _ observation: PixelBufferObservation, _ faces: [FaceObservation]
    ) throws(MatteError) -> VideoFrame {
        let mask = observation.pixelBuffer
        let supply = try preparedSupply()
        switch configuration.outputKind {
        case .mask:
            return frame.withGray(
                mask.format == .gray8 ? mask : quantizer.quantize(mask, to: configuration.maskPixelFormat))
        case .trimap: return frame.withGray(trimapMaker.trimap(of: mask, for: frame))
        case .foreground: return try foreground(of: frame, observation, effects: [])
        case .composite:
            guard let background = try supply.background(for: frame, faces: faces) else {
                return try foreground(of: frame, observation, effects: configuration.effects)
            }
            return compositor.composite(
                frame, mask: mask, foreground: observation.foreground, over: background, effects: configuration.effects)
        }
    }

    private func foreground(
        of frame: VideoFrame, _ observation: PixelBufferObservation, effects: [Effect]
    ) throws(MatteError) -> VideoFrame {
        let foreground = extractor.foreground(
            of: frame, mask: observation.pixelBuffer, foreground: observation.foreground, effects: effects)
        guard let foreground else {
            throw MatteError(
                .usage,
                "can't cut people out of \(frame.pixelBuffer.format) frames: there is no such format with alpha; "
                    + "convert them to 8 or 10 bits in colour first, as a reader does whose option 'addition' is 'alpha'"
            )
        }
        return foreground
    }
}
