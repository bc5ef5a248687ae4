import Foundation

/// What ffprobe says of a file.
public struct Probe {
    public struct Stream: Decodable, Equatable {
        public var codecName: String?
        public var codecType: String?
        public var width: Int?
        public var height: Int?
        public var pixFmt: String?
        public var colorRange: String?
        public var colorSpace: String?
        public var colorTransfer: String?
        public var colorPrimaries: String?
        public var chromaLocation: String?
        public var sampleAspectRatio: String?
        public var sideDataList: [SideData]?
        public var tags: [String: String]?
    }

    public struct SideData: Decodable, Equatable {
        public var sideDataType: String?
        public var rotation: Double?
    }

    public struct Format: Decodable {
        public var formatName: String
        public var duration: String?
        public var tags: [String: String]?
    }

    private struct Report: Decodable {
        var streams: [Stream]
        var format: Format
    }

    private struct Frames: Decodable {
        struct Frame: Decodable { var ptsTime: String? }
        var frames: [Frame]
    }

    public let streams: [Stream]
    public let format: Format
    private let path: String

    private static var decoder: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return decoder
    }

    public init(_ path: String) throws {
        self.path = path
        let report = try Self.decoder.decode(
            Report.self,
            from: Data(try Tool.ffprobe("-v", "error", "-of", "json", "-show_streams", "-show_format", path).utf8))
        streams = report.streams
        format = report.format
    }

    public var video: Stream? { streams.first { $0.codecType == "video" } }

    /// The presentation times in seconds of all frames of the first video stream, in order.
    public func frameTimes() throws -> [Double] {
        let text = try Tool.ffprobe(
            "-v", "error", "-of", "json", "-select_streams", "v:0", "-show_entries", "frame=pts_time", path)
        return try Self.decoder.decode(Frames.self, from: Data(text.utf8)).frames.compactMap {
            $0.ptsTime.flatMap(Double.init)
        }
    }

    /// A hash of each packet of a stream, such as `a:0`: equal where it was copied bit for bit.
    public func packetHashes(_ stream: String) throws -> [String] {
        let text = try Tool.ffmpeg(
            "-v", "error", "-i", path, "-map", "0:\(stream)", "-c", "copy", "-f", "framemd5", "-")
        return text.split(separator: "\n").filter { !$0.hasPrefix("#") }
            .compactMap { $0.split(separator: ",").last.map { $0.trimmingCharacters(in: .whitespaces) } }
    }
}
