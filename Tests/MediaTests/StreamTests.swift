import CFFmpeg
import Foundation
import Glibc
import Imaging
import TestSupport
import Testing

@testable import Media

/// Containers through FIFOs, and ends of a pipe that go away.
@Suite struct StreamTests {
    private let scratch = TemporaryFolder()

    private func clip(_ name: String = "in.mkv", frames: Int = 30) throws -> String {
        try scratch.make(
            name,
            "-f lavfi -i testsrc2=s=96x64:r=25:d=\(Double(frames) / 25) -f lavfi -i sine=d=\(Double(frames) / 25) "
                + "-c:v libx264 -preset ultrafast -g 10 -c:a aac")
    }

    @Test(arguments: ["matroska", "mpegts", "nut", "mp4", "mov", "webm", "avi", "flv", "h264"])
    func containerIsWrittenToAPipe(format: String) throws {
        let input = try clip()
        let fifo = try scratch.makeFIFO("fifo")
        let drain = Drain(fifo)
        let settings =
            format == "webm"
            ? EncoderSettings(options: [("lossless", "1")], format: format)
            : EncoderSettings(preset: "ultrafast", options: [("qp", "0")], format: format)
        try transcode(input, to: fifo, settings: settings)
        let output = scratch.path("out.\(format)")
        try drain.bytes.write(to: URL(filePath: output))
        #expect(try probe(output, "stream=width,height").first == "96,64")
        #expect(try pictureHash(input) == pictureHash(output))
        if !["webm", "h264"].contains(format) {
            #expect(try probe(output, "stream=codec_name", streams: "a:0").first == "aac")
        }
        #expect(scratch.contents == ["fifo", "in.mkv", "out.\(format)"])
    }

    @Test(arguments: ["in.mkv", "in.ts", "in.nut", "in.flv"])
    func containerIsReadFromAPipe(name: String) throws {
        let input = try clip(name)
        let fifo = try scratch.makeFIFO("fifo")
        pour(input, into: fifo)
        let piped = try MediaReader(path: fifo)
        let whole = try MediaReader(path: input)
        #expect(try frames(piped).map(\.pixelBuffer.samples) == frames(whole).map(\.pixelBuffer.samples))
        #expect(piped.formatName == whole.formatName)
        #expect(piped.truncation == nil)
    }

    @Test func fragmentsAreReadFromAPipe() throws {
        let input = try scratch.make(
            "in.mp4",
            "-f lavfi -i testsrc2=s=96x64:r=25:d=1 -c:v libx264 -preset ultrafast -movflags frag_keyframe+empty_moov")
        let fifo = try scratch.makeFIFO("fifo")
        pour(input, into: fifo)
        #expect(try frames(MediaReader(path: fifo)).count == 25)
    }

    @Test func indexAtTheEndOfAPipe() throws {
        // More than a buffer, in which FFmpeg could go back.
        let input = try scratch.make(
            "in.mp4", "-f lavfi -i testsrc2=s=vga:r=25:d=2 -c:v libx264 -preset ultrafast -qp 10")
        let fifo = try scratch.makeFIFO("fifo")
        pour(input, into: fifo)
        let error = try mediaError { _ = try MediaReader(path: fifo) }
        #expect(error.kind == .badData)
        #expect(
            error.description
                == "can't decode '\(fifo)': not one frame could be decoded; of MP4 and QuickTime only files whose index comes first can be piped: make it with -movflags +faststart"
        )
    }

    /// Every frame is in the pipe before the next is given to the writer; of raw frames to the byte.
    @Test(arguments: [
        ("rawvideo", "rawvideo", 96 * 64 * 3 / 2), ("yuv4mpegpipe", "wrapped_avframe", 96 * 64 * 3 / 2 + 6),
        ("matroska", "ffv1", nil), ("webm", "libvpx", nil), ("nut", "ffv1", nil),
    ])
    func frameIsOutBeforeTheNextComes(format: String, codec: String, size: Int?) throws {
        let input = try scratch.make("in.y4m", "-f lavfi -i testsrc2=s=96x64:r=25:d=0.4 -pix_fmt yuv420p")
        let fifo = try scratch.makeFIFO("fifo")
        let tap = try Tap(fifo)
        let reader = try MediaReader(path: input)
        let options = codec == "libvpx" ? [("lag-in-frames", "0"), ("deadline", "realtime")] : [("bf", "0")]
        let settings = EncoderSettings(
            codec: codec, options: size == nil ? options : [], threads: 1, format: format)
        let writer = try MediaWriter(path: fifo, settings: settings, reader: reader)
        var isFirst = true
        while let item = try reader.next() {
            try writer.write(item)
            let count = tap.take()
            if let size, !isFirst || format == "rawvideo" { #expect(count == size) } else { #expect(count > 0) }
            isFirst = false
        }
        try writer.finish()
    }

    @Test func formatIsTakenAtItsWord() throws {
        let input = try clip("in.mkv")
        #expect(try MediaReader(path: input, options: .init(format: "matroska")).formatName == "matroska,webm")
        let error = try mediaError { _ = try MediaReader(path: input, options: .init(format: "avi")) }
        #expect(error.kind == .badData)
        #expect(
            error.description
                == "can't read '\(input)': it is no video that FFmpeg knows, or it is damaged (invalid data found when processing input)"
        )
    }

    @Test func formatOfAFileWhoseNameCannotTell() throws {
        let input = try clip()
        let output = scratch.path("out.video")
        #expect(try transcode(input, to: output, settings: .init(preset: "ultrafast", format: "mpegts")) == [])
        #expect(try probe(output, "format=format_name") == ["mpegts"])
        #expect(scratch.contents == ["in.mkv", "out.video"])
    }

    @Test func deviceIsWrittenTo() throws {
        let input = try clip()
        #expect(try transcode(input, to: "/dev/null", settings: .init(preset: "ultrafast", format: "mp4")) == [])
    }

    @Test(arguments: [
        (
            EncoderSettings(),
            "can't create '@': a stream's name does not tell a container; pass --output-format, such as matroska, yuv4mpegpipe or rawvideo"
        ),
        (
            EncoderSettings(format: "mkv"),
            "can't create '@': there is no output format 'mkv'; 'ffmpeg -muxers' lists them"
        ),
        (
            EncoderSettings(format: "wav"),
            "can't create '@': the format wav does not hold video in one file; choose another, such as matroska"
        ),
        (
            EncoderSettings(format: "image2"),
            "can't create '@': the format image2 does not hold video in one file; choose another, such as matroska"
        ),
        (
            EncoderSettings(codec: "h264", format: "rawvideo"),
            "can't create '@': rawvideo can't hold h264 video; choose a name that ends in .mkv, or another codec"
        ),
        (
            EncoderSettings(codec: "wrapped_avframe", format: "rawvideo"),
            "can't create '@': rawvideo can't hold wrapped_avframe video; choose another codec"
        ),
        (
            EncoderSettings(format: "apng"),
            "can't create '@': apng tells first how many pictures there are, which nobody knows of a stream; name a file, or choose another --output-format, such as gif or webp"
        ),
        (
            EncoderSettings(codec: "h264", format: "yuv4mpegpipe"),
            "can't create '@': yuv4mpegpipe can't hold h264 video; choose a name that ends in .mkv, or another codec"
        ),
    ])
    func streamThatCannotBe(settings: EncoderSettings, sentence: String) throws {
        let input = try clip()
        let fifo = try scratch.makeFIFO("fifo")
        let error = try mediaError { try transcode(input, to: fifo, settings: settings) }
        #expect(error.kind == .usage)
        #expect(error.description == sentence.replacingOccurrences(of: "@", with: fifo))
    }

    @Test func standardStreamsHaveNames() throws {
        let input = MediaError(kind: .badData, file: "-", operation: "read", cause: "it ended before the first frame")
        #expect(input.description == "can't read standard input: it ended before the first frame")
        let reader = try MediaReader(path: clip())
        let error = try mediaError { _ = try MediaWriter(path: "-", reader: reader) }
        #expect(
            error.description
                == "can't create standard output: a stream's name does not tell a container; pass --output-format, such as matroska, yuv4mpegpipe or rawvideo"
        )
    }

    @Test(arguments: ["rawvideo", "yuv4mpegpipe", "matroska", "mp4"])
    func readerThatGoesAway(format: String) throws {
        let input = try clip(frames: 100)
        let fifo = try scratch.makeFIFO("fifo")
        let hasRead = DispatchGroup()
        DispatchQueue(label: "leave").async(group: hasRead) {
            let handle = FileHandle(forReadingAtPath: fifo)
            _ = try? handle?.read(upToCount: 100)
            try? handle?.close()
        }
        let error = try mediaError {
            let reader = try MediaReader(path: input)
            let writer = try MediaWriter(
                path: fifo, settings: .init(preset: "ultrafast", format: format).quick(format), reader: reader)
            while let item = try reader.next() { try writer.write(item) }
            hasRead.wait()
            try writer.finish()
        }
        hasRead.wait()
        #expect(error.kind == .readerGone)
        #expect(error.description == "can't write '\(fifo)': whoever read it went away")
        #expect(scratch.contents == ["fifo", "in.mkv"])
    }

    /// Many times what a socket holds.
    @Test func aSocketThatNobodyReadsIsNotWaitedForAfterAnInterruption() throws {
        var ends: [CInt] = [0, 0]
        try #require(socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &ends) == 0)
        defer { for end in ends { close(end) } }
        let io = try DescriptorIO(writingStream: ends[0])
        io.interrupt()
        let bytes = [UInt8](repeating: 1, count: 1 << 22)
        avio_write(io.context, bytes, CInt(bytes.count))
        #expect(throws: AVError.exit) { try io.flush() }
    }

    @Test func fifoThatIsReadIsNotWritten() throws {
        let input = try clip("in.nut", frames: 5)
        let fifo = try scratch.makeFIFO("fifo")
        pour(input, into: fifo)
        let reader = try MediaReader(path: fifo)
        let error = try mediaError { _ = try MediaWriter(path: fifo, settings: .init(format: "nut"), reader: reader) }
        #expect(error.kind == .cannotCreate)
        #expect(error.description == "can't create '\(fifo)': it is the file that is being read; choose another name")
    }

    @Test func startOfAStreamIsReadTo() throws {
        let input = try clip()
        let fifo = try scratch.makeFIFO("fifo")
        pour(input, into: fifo)
        let options = MediaReader.Options(start: 0.5)
        let piped = try frames(MediaReader(path: fifo, options: options))
        #expect(
            try piped.map(\.pixelBuffer.samples)
                == frames(MediaReader(path: input, options: options)).map(\.pixelBuffer.samples))
        #expect(piped.first?.pts == 0)
    }
}

extension EncoderSettings {
    /// Key frames, and with them fragments, that come often; raw frames have no use for that.
    fileprivate func quick(_ format: String) -> EncoderSettings {
        var settings = self
        if ["rawvideo", "yuv4mpegpipe"].contains(format) {
            settings.preset = nil
        } else {
            settings.options = [("g", "10")]
        }
        return settings
    }
}
