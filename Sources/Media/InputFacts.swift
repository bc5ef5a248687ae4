import CFFmpeg
import Imaging

/// What a writer needs to know of its input on the way, when the reader may be busy in another thread.
struct InputFacts {
    let path: String
    /// Seconds on the timeline of the whole file that are 0 here.
    let offset: Double
    /// Whether the first damage ends the run.
    let isStrict: Bool
    /// Whether it begins later than the file.
    let beginsLater: Bool
    /// Whether it may be left before its end.
    let isLimited: Bool
    let frameRate: AVRational
    /// The lowest rate at which every frame falls on a tick, as far as FFmpeg can tell.
    let gridRate: AVRational
    /// The format of raw frames, which raw frames that come out have again; nil where frames weren't raw.
    let rawFormat: AVPixelFormat?
    let orientation: Orientation
    let size: (width: Int, height: Int)
    let displayMatrix: DisplayMatrix?
    /// How often an animated image is shown, 0 for without end, which others are by custom.
    let playCount: Int
    private let sideData: [StreamSideData]
    private let lightLevels: LightLevels
    private let color: ColorDescription

    init(_ reader: MediaReader) {
        let source = reader.source
        let (container, stream) = (source.container, source.stream)
        let parameters = stream.pointee.codecpar.pointee
        path = reader.path
        offset = reader.offset
        isStrict = source.options.isStrict
        beginsLater = (source.options.start ?? 0) > 0
        isLimited = source.options.frameLimit != nil
        frameRate = reader.video.frameRate.av
        gridRate = container.gridRate(of: stream)
        rawFormat = container.hasRawFrames ? av_get_pix_fmt(reader.video.pixelFormatName) : nil
        orientation = reader.video.orientation
        size = (Int(parameters.width), Int(parameters.height))
        displayMatrix = stream.displayMatrix
        playCount = container.file == nil ? 0 : PlayCount.of(path: path) ?? 0
        sideData = StreamSideData.all(of: stream)
        lightLevels = LightLevels(sideData: sideData, firstFrame: reader.firstProperties?.frame)
        color = reader.video.color
    }

    /// What is told of the colours' light; nothing of pictures whose colours mean something else, as those of a mask.
    func lightLevels(of color: ColorDescription) -> LightLevels? { tellsColors(of: color) ? lightLevels : nil }

    /// What holds for every picture of the stream that is encoded anew.
    func keptSideData(of color: ColorDescription) -> [StreamSideData] {
        let kept = [AV_PKT_DATA_STEREO3D, AV_PKT_DATA_SPHERICAL]
        return sideData.filter {
            kept.contains($0.type) || $0.type == AV_PKT_DATA_ICC_PROFILE && tellsColors(of: color)
        }
    }

    private func tellsColors(of other: ColorDescription) -> Bool {
        (color.transfer, color.primaries) == (other.transfer, other.primaries)
    }
}
