import CFFmpeg
import Imaging

/// One stream of an input, for messages.
public struct StreamDescription: Hashable, Sendable, CustomStringConvertible {
    /// What a stream carries.
    public enum Kind: String, Hashable, Sendable {
        case video, audio, subtitle, data, attachment, unknown
        /// A still picture that goes with the file.
        case cover = "cover picture"
    }

    /// Its place among the streams of the input, from 0.
    public let index: Int
    /// What it carries.
    public let kind: Kind
    /// FFmpeg's name of the codec, such as `aac`; for data without a codec the container's four-character code.
    public let codecName: String

    /// Such as "stream 2 (subtitle, subrip)".
    public var description: String { "stream \(index) (\(kind.rawValue), \(codecName))" }

    init(_ stream: UnsafeMutablePointer<AVStream>) {
        let parameters = stream.pointee.codecpar.pointee
        index = Int(stream.pointee.index)
        kind =
            switch parameters.codec_type {
            case AVMEDIA_TYPE_VIDEO: stream.isCoverPicture ? .cover : .video
            case AVMEDIA_TYPE_AUDIO: .audio
            case AVMEDIA_TYPE_SUBTITLE: .subtitle
            case AVMEDIA_TYPE_DATA: .data
            case AVMEDIA_TYPE_ATTACHMENT: .attachment
            default: .unknown
            }
        let tag = Self.text(ofTag: parameters.codec_tag)
        codecName =
            parameters.codec_id == AV_CODEC_ID_NONE && !tag.isEmpty
            ? tag : String(cString: avcodec_get_name(parameters.codec_id))
    }

    /// The printable characters of a four-character code, the first in the lowest byte.
    private static func text(ofTag tag: UInt32) -> String {
        let bytes = withUnsafeBytes(of: tag.littleEndian) { Array($0) }
        return String(decoding: bytes.filter { $0 > 0x20 && $0 < 0x7F }, as: UTF8.self)
    }
}

/// The video stream that a reader decodes.
public struct VideoStreamDescription: Hashable, Sendable {
    /// Its place among the streams of the input, from 0.
    public let index: Int
    /// FFmpeg's name of the codec, such as `h264`.
    public let codecName: String
    /// FFmpeg's name of the format that the decoder gives, such as `yuv420p`.
    public let pixelFormatName: String
    /// Width in pixels as stored, before `orientation`.
    public let width: Int
    /// Height in pixels as stored, before `orientation`.
    public let height: Int
    /// How stored pictures are turned for showing.
    public let orientation: Orientation
    /// Frames per second on average; `0/1` where unknown.
    public let frameRate: Rational
    /// How many frames will come, as the container tells or its length suggests; nil where nothing tells.
    public let frameCount: Int?
    /// Seconds that will come, with start, duration and limit counted in; nil where nothing tells.
    public let duration: Double?
    /// Seconds that one unit of a time stamp lasts.
    public let timeBase: Rational
    /// What the numbers of the pictures mean.
    public let color: ColorDescription
    /// Width of a pixel over its height; `0/1` where unknown.
    public let sampleAspectRatio: Rational
}
