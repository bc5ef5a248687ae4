import Foundation
import Imaging
import Synchronization
import TestSupport
import Testing

@testable import Media

extension TemporaryFolder {
    /// Makes a clip with the `ffmpeg` program and returns its path.
    @discardableResult
    func make(_ name: String, _ arguments: String) throws -> String {
        try run("ffmpeg", ["-v", "error", "-nostdin", "-y"] + split(arguments) + [path(name)])
        return path(name)
    }

    /// Makes a copy of an MP4 that is shown turned counter-clockwise by `degrees`, 90 or 180, and then moved down by `offset`
    /// pixels; returns its path.
    ///
    /// The matrix is written into the track's header (ISO/IEC 14496-12, `tkhd`), as each version of FFmpeg's program is told of it
    /// in another way.
    func turn(_ path: String, by degrees: Int, down offset: Int32 = 0) throws -> String {
        func bytes(_ matrix: [Int32]) -> Data {
            Data(matrix.flatMap { number in withUnsafeBytes(of: number.bigEndian) { Array($0) } })
        }
        let one: Int32 = 1 << 16
        let turn = degrees == 90 ? [0, -one, 0, one, 0, 0] : [-one, 0, 0, 0, -one, 0]
        var contents = try Data(contentsOf: URL(filePath: path))
        let header = try #require(contents.range(of: Data("tkhd".utf8)))
        let upright = bytes([one, 0, 0, 0, one, 0, 0, 0, 1 << 30])
        let matrix = try #require(contents.range(of: upright, in: header.upperBound..<contents.endIndex))
        contents.replaceSubrange(matrix, with: bytes(turn + [0, offset * one, 1 << 30]))
        try contents.write(to: url("turned.mp4"))
        return self.path("turned.mp4")
    }
}

struct CommandFailure: Error { let text: String }

func split(_ arguments: String) -> [String] { arguments.split(separator: " ").map(String.init) }

/// Runs a program and returns what it prints.
@discardableResult
func run(_ program: String, _ arguments: [String]) throws -> String { try Tool(program).call(arguments) }

/// What `ffprobe` tells of `entries`, a line for each stream or frame.
func probe(_ path: String, _ entries: String, streams: String = "v:0") throws -> [String] {
    try run(
        "ffprobe",
        ["-v", "error", "-select_streams", streams, "-show_entries", entries, "-of", "csv=p=0:nk=1", path]
    ).split(separator: "\n").map { $0.hasSuffix(",") ? String($0.dropLast()) : String($0) }
}

/// One value of the video stream, such as "width".
func videoValue(_ path: String, _ key: String) throws -> String {
    try probe(path, "stream=\(key)").first ?? ""
}

/// Presentation times of the decoded frames in seconds.
func frameTimes(_ path: String) throws -> [Double] {
    try probe(path, "frame=best_effort_timestamp_time").map {
        let first = $0.split(separator: ",").first.map(String.init) ?? ""
        return try #require(Double(first), "a frame without a time in \(path)")
    }
}

/// The hash of the decoded pictures, as stored, without their times.
func pictureHash(_ path: String, _ arguments: String = "-noautorotate") throws -> String {
    try run(
        "ffmpeg",
        split("-v error \(arguments) -i") + [path]
            + split("-map 0:v:0 -fps_mode passthrough -f rawvideo -c:v rawvideo -f hash -"))
}

/// The hash of the packets of copied streams.
func packetHash(_ path: String, _ map: String) throws -> String {
    try run("ffmpeg", ["-v", "error", "-i", path, "-map", map, "-c", "copy", "-f", "hash", "-"])
}

/// Reads `input` and writes it as it is, or as `change` makes it; returns the warnings.
@discardableResult
func transcode(
    _ input: String, to output: String, options: MediaReader.Options = .init(), settings: EncoderSettings = fast,
    overwrite: Bool = false, change: (inout VideoFrame) -> Void = { _ in }
) throws -> [String] {
    let reader = try MediaReader(path: input, options: options)
    let warnings = Warnings()
    let writer = try MediaWriter(path: output, settings: settings, reader: reader, overwrite: overwrite) {
        warnings.add($0)
    }
    while let item = try reader.next() {
        guard case .frame(var frame) = item else {
            try writer.write(item)
            continue
        }
        change(&frame)
        try writer.write(.frame(frame))
    }
    try writer.finish()
    return warnings.all
}

/// x264 at its quickest.
let fast = EncoderSettings(preset: "ultrafast")
let lossless = EncoderSettings(preset: "ultrafast", options: [("qp", "0")])

final class Warnings: Sendable {
    private let lines = Mutex<[String]>([])
    func add(_ line: String) { lines.withLock { $0.append(line) } }
    var all: [String] { lines.withLock { $0 } }
}

/// All frames of a reader.
func frames(_ reader: MediaReader) throws -> [VideoFrame] {
    var frames: [VideoFrame] = []
    while let item = try reader.next() {
        if case .frame(let frame) = item { frames.append(frame) }
    }
    return frames
}

/// The error of `body`, which must throw a `MediaError`.
func mediaError(_ body: () throws -> Void, sourceLocation: SourceLocation = #_sourceLocation) throws -> MediaError {
    do {
        try body()
    } catch let error as MediaError {
        return error
    }
    Issue.record("nothing was thrown", sourceLocation: sourceLocation)
    throw CommandFailure(text: "nothing was thrown")
}
