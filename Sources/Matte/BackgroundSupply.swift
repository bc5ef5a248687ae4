import Compositing
import Imaging
import MatteVision
import Media

/// Gives each frame the background that was asked for.
///
/// What does not move is painted once and kept as long as frames stay alike. For one thread at a time.
final class BackgroundSupply {
    private let kind: Configuration.BackgroundKind
    /// Seconds of the input that are left out before the first frame.
    var start: Double
    private let reader: BackgroundReader?
    private var colorizer: PoseColorizer?
    private var painted: (stage: BackgroundStage, picture: PixelBuffer)?

    /// - Throws: `MatteError` where a picture or video can't be opened.
    init(_ configuration: Configuration) throws(MatteError) {
        kind = configuration.background
        start = configuration.backgroundStart
        if case .pose(let mode) = kind { colorizer = PoseColorizer(mode) }
        guard case .media(let path) = kind else {
            reader = nil
            return
        }
        do throws(MediaError) {
            reader = try BackgroundReader(
                path: path, fit: configuration.backgroundFit, isStrict: configuration.isBackgroundStrict,
                limits: configuration.backgroundLimits)
        } catch {
            throw MatteError(error)
        }
    }

    /// Whether something of a picture or video could not be decoded so far.
    var isDamaged: Bool { reader?.isDamaged ?? false }

    /// Forgets the faces of the sequence.
    func reset() { colorizer?.reset() }

    /// What goes behind the people of `frame`, whose `faces` come the largest first; nil for nothing.
    ///
    /// - Throws: `MatteError` where a video can't be read on.
    func background(for frame: VideoFrame, faces: [FaceObservation]) throws(MatteError) -> Background? {
        switch kind {
        case .none: return nil
        case .original: return .original
        case .blur(let radius): return .blur(radius: radius)
        case .bokeh(let radius): return .bokeh(radius: radius)
        case .color(let color): return .color(color)
        case .pose(let mode):
            return .color(colorizer?.color(for: faces, at: frame.time ?? 0) ?? mode.color(roll: 0, yaw: 0, pitch: 0))
        case .checker: return .picture(painted(frame) { BackgroundPainter.checkerboard(behind: frame) })
        case .gradient(let gradient):
            return .picture(painted(frame) { BackgroundPainter.picture(of: gradient, behind: frame) })
        case .media:
            guard let reader else { return nil }
            do throws(MediaError) {
                return .picture(try reader.picture(at: (frame.time ?? 0) + start, behind: frame))
            } catch {
                throw MatteError(error)
            }
        }
    }

    private func painted(_ frame: VideoFrame, _ paint: () -> PixelBuffer) -> PixelBuffer {
        let stage = BackgroundStage(frame)
        if let painted, painted.stage == stage { return painted.picture }
        let picture = paint()
        painted = (stage, picture)
        return picture
    }
}
