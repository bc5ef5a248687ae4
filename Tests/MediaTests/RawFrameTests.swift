import Foundation
import Imaging
import TestSupport
import Testing

@testable import Media

/// Uncompressed frames in and out: raw and Y4M.
@Suite struct RawFrameTests {
    private let scratch = TemporaryFolder()

    private func raw(_ name: String, _ format: String, size: String = "94x62", frames: Int = 4) throws -> String {
        try scratch.make(
            name, "-f lavfi -i testsrc2=s=\(size):r=25:d=\(Double(frames) / 25) -pix_fmt \(format) -f rawvideo")
    }

    private func options(_ format: String, size: String = "94x62", rate: String? = nil) -> MediaReader.Options {
        .init(format: "rawvideo", pixelFormat: format, size: size, rate: rate)
    }

    private func contents(_ path: String) throws -> Data { try Data(contentsOf: URL(filePath: path)) }

    // MARK: No read-ahead

    /// Whenever the bytes of a frame are in the pipe and no more, the frame comes out.
    @Test(arguments: ["16x16", "64x48"], [true, false])
    func frameComesBeforeTheNextIsWritten(size: String, isY4M: Bool) throws {
        let name = isY4M ? "in.y4m" : "in.yuv"
        let file = try scratch.make(name, "-f lavfi -i testsrc2=s=\(size):r=25:d=0.2 -pix_fmt yuv420p")
        let data = try contents(file)
        let whole = try frames(MediaReader(path: file, options: isY4M ? .init() : options("yuv420p", size: size)))
        #expect(whole.count == 5)
        let header = isY4M ? try #require(data.firstIndex(of: 0x0A)) + 1 : 0
        let length = (data.count - header) / 5
        let fifo = try scratch.makeFIFO("fifo")
        let feed = try Feed(fifo)
        try feed.write(data[..<(header + length)])
        let reader = try MediaReader(path: fifo, options: isY4M ? .init() : options("yuv420p", size: size))
        for index in 0..<5 {
            if index > 0 { try feed.write(data[(header + index * length)..<(header + (index + 1) * length)]) }
            guard case .frame(let frame) = try #require(try reader.next()) else { continue }
            #expect(frame.pts == Int64(index))
            #expect(frame.pixelBuffer.samples == whole[index].pixelBuffer.samples)
        }
        feed.close()
        #expect(try reader.next() == nil)
        #expect(reader.truncation == nil)
        #expect(reader.formatName == (isY4M ? "yuv4mpegpipe" : "rawvideo"))
    }

    @Test func silentStreamIsInterrupted() throws {
        let data = try contents(raw("in.yuv", "gray", size: "64x48"))
        let fifo = try scratch.makeFIFO("fifo")
        let feed = try Feed(fifo)
        try feed.write(data.prefix(64 * 48 + 100))
        let reader = try MediaReader(path: fifo, options: options("gray", size: "64x48"))
        #expect(try reader.next() != nil)
        let interrupter = reader.interrupter
        Thread { interrupter.interrupt() }.start()
        #expect(try reader.next() == nil)
        #expect(reader.truncation == nil)
        feed.close()
    }

    // MARK: Where it ends

    @Test(arguments: [1, 1234, 94 * 62 * 3 / 2 - 1], [true, false])
    func shortLastFrame(missing: Int, isY4M: Bool) throws {
        // 8742 bytes each: the chroma of 94x62 is 47x31.
        let length = 94 * 62 * 3 / 2
        let file =
            try isY4M
            ? scratch.make("in.y4m", "-f lavfi -i testsrc2=s=94x62:r=25:d=0.12 -pix_fmt yuv420p")
            : raw("in.yuv", "yuv420p", frames: 3)
        let data = try contents(file)
        let path = scratch.path("short")
        try data.dropLast(missing).write(to: URL(filePath: path))
        for isPiped in [true, false] {
            let input = isPiped ? try scratch.makeFIFO("fifo") : path
            if isPiped { pour(path, into: input) }
            let reader = try MediaReader(path: input, options: isY4M ? .init() : options("yuv420p"))
            #expect(try frames(reader).count == 2)
            #expect(reader.truncation?.kind == .badData)
            #expect(
                reader.truncation?.description
                    == "can't read '\(input)': the last frame is cut short: \(missing) of its \(length) bytes are missing; every frame before it was read"
            )
        }
    }

    /// All of the picture is missing, and a part of the line that begins the frame.
    @Test(arguments: [1, 5])
    func y4mEndsWithinTheLineOfAFrame(rest: Int) throws {
        let data = try contents(scratch.make("in.y4m", "-f lavfi -i testsrc2=s=94x62:r=25:d=0.08 -pix_fmt gray"))
        let path = scratch.path("short.y4m")
        try data.dropLast(94 * 62 + 6 - rest).write(to: URL(filePath: path))
        let reader = try MediaReader(path: path)
        #expect(try frames(reader).count == 1)
        #expect(
            reader.truncation?.description
                == "can't read '\(path)': the last frame is cut short: 5828 of its 5828 bytes are missing; every frame before it was read"
        )
    }

    /// A frame's line may tell more than that it begins.
    @Test func y4mWithLongLinesOfFrames() throws {
        let path = scratch.path("short.y4m")
        var data = Data("YUV4MPEG2 W94 H62 F25:1 Ip Cmono\n".utf8)
        for _ in 0..<3 { data += Data("FRAME Ip XLONG=1\n".utf8) + Data(count: 94 * 62) }
        try data.dropLast(28).write(to: URL(filePath: path))
        let reader = try MediaReader(path: path)
        #expect(try frames(reader).count == 2)
        #expect(reader.truncation?.description.contains(": 28 of its 5828 bytes are missing;") == true)
    }

    @Test func y4mWithoutTheLineOfAFrame() throws {
        var data = try contents(scratch.make("in.y4m", "-f lavfi -i testsrc2=s=94x62:r=25:d=0.12 -pix_fmt gray"))
        let header = try #require(data.firstIndex(of: 0x0A)) + 1
        data[header + 94 * 62 + 6] = 0x58
        let path = scratch.path("bad.y4m")
        try data.write(to: URL(filePath: path))
        let reader = try MediaReader(path: path)
        #expect(try frames(reader).count == 1)
        #expect(
            reader.truncation?.description
                == "can't read '\(path)': frame 2 does not begin with 'FRAME'; every frame before it was read")
    }

    @Test(arguments: [true, false])
    func shortFirstFrame(isY4M: Bool) throws {
        let file =
            try isY4M
            ? scratch.make("in.y4m", "-f lavfi -i testsrc2=s=94x62:r=25:d=0.04 -pix_fmt gray")
            : raw("in.yuv", "gray", frames: 1)
        let path = scratch.path("short")
        try contents(file).dropLast(28).write(to: URL(filePath: path))
        let error = try mediaError { _ = try MediaReader(path: path, options: isY4M ? .init() : options("gray")) }
        #expect(error.kind == .badData)
        #expect(
            error.description
                == "can't read '\(path)': the first frame is cut short: 28 of its 5828 bytes are missing")
    }

    @Test(arguments: ["", "YUV4MPEG2 W94 H62 F25:1 Ip A1:1 Cmono\n"])
    func noFrameAtAll(header: String) throws {
        let options = [.init(), options("gray"), .init(format: "yuv4mpegpipe")][..<(header.isEmpty ? 3 : 1)]
        for (index, options) in options.enumerated() {
            let fifo = try scratch.makeFIFO("fifo\(index)")
            let file = scratch.path("header")
            try Data(header.utf8).write(to: URL(filePath: file))
            pour(file, into: fifo)
            let error = try mediaError { _ = try MediaReader(path: fifo, options: options) }
            #expect(error.kind == .badData)
            #expect(error.description == "can't read '\(fifo)': it ended before the first frame")
        }
    }

    @Test(arguments: [
        "W100000 H100000 F25:1 Ip C420jpeg", "W0 H62 F25:1 Ip C420jpeg", "W94 H62 F25:1 Im C420jpeg", "W94 H62 C31",
    ])
    func y4mHeaderThatCannotBe(header: String) throws {
        let path = scratch.path("in.y4m")
        try (Data("YUV4MPEG2 \(header)\nFRAME\n".utf8) + Data(count: 10000)).write(to: URL(filePath: path))
        let error = try mediaError { _ = try MediaReader(path: path) }
        #expect(error.kind == .badData)
        #expect(
            error.description
                == "can't read '\(path)': its Y4M header tells a size, a format or an interlacing that can't be")
    }

    /// Gigabytes that the header promises are not asked of the system before they come.
    @Test func y4mHeaderThatPromisesTooMuch() throws {
        let path = scratch.path("in.y4m")
        try (Data("YUV4MPEG2 W8000 H8000 F25:1 Cmono\nFRAME\n".utf8) + Data(count: 10000)).write(
            to: URL(filePath: path))
        let error = try mediaError { _ = try MediaReader(path: path) }
        #expect(error.kind == .badData)
        #expect(
            error.description
                == "can't read '\(path)': the first frame is cut short: 63990000 of its 64000000 bytes are missing")
    }

    // MARK: The same bytes

    @Test(arguments: [
        "yuv420p", "yuv422p", "yuv444p", "nv12", "yuv420p10le", "yuv422p10le", "yuv444p10le", "yuv420p12le",
        "yuv422p12le", "yuv444p12le", "gray", "gray10le", "gray16le", "rgb24", "bgr24", "rgba", "bgra", "yuyv422",
        "uyvy422",
        "nv21", "gbrp", "yuvj420p",
    ])
    func rawFramesComeOutAsTheyWentIn(format: String) throws {
        let input = try raw("in.raw", format)
        let reader = try MediaReader(path: input, options: options(format, rate: "ntsc"))
        #expect(reader.video.pixelFormatName == format)
        #expect(reader.video.frameRate == Rational(30000, 1001))
        let fifo = try scratch.makeFIFO("fifo")
        let drain = Drain(fifo)
        #expect(try transcode(input, to: fifo, options: options(format), settings: .init()) == [])
        #expect(try drain.bytes == contents(input))
    }

    /// Their chroma is made finer on the way.
    @Test(arguments: ["yuvj440p", "yuvj411p", "yuv411p", "yuv410p"])
    func rawFramesOfCoarseChromaKeepTheirFormat(format: String) throws {
        let input = try raw("in.raw", format)
        let fifo = try scratch.makeFIFO("fifo")
        let drain = Drain(fifo)
        #expect(try transcode(input, to: fifo, options: options(format), settings: .init()) == [])
        let (before, after) = (try contents(input), drain.bytes)
        try #require(after.count == before.count)
        let difference = zip(before, after).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
        #expect(Double(difference) / Double(before.count) < 2)
    }

    @Test(arguments: ["pal8", "bayer_bggr8"])
    func rawFramesThatNothingMakesAreRefusedUnlessTheyMayBecomeOthers(format: String) throws {
        let input = scratch.path("in.raw")
        try Data(count: format == "pal8" ? 94 * 62 + 1024 : 94 * 62).write(to: URL(filePath: input))
        let fifo = try scratch.makeFIFO("fifo")
        let drain = Drain(fifo)
        let error = try mediaError { try transcode(input, to: fifo, options: options(format), settings: .init()) }
        #expect(error.kind == .usage)
        #expect(
            error.description == "can't create '\(fifo)': nothing can be converted to raw frames of \(format); "
                + "choose what they become with --output-pix-fmt")
        #expect(drain.bytes.isEmpty)
        let second = Drain(fifo)
        try transcode(input, to: fifo, options: options(format), settings: EncoderSettings(pixelFormat: "rgb24"))
        #expect(second.bytes.count == 94 * 62 * 3)
    }

    /// QuickTime and AVI know some formats alone, and what their muxers write of the others nobody can read.
    @Test(arguments: ["mov", "avi"], ["gray", "rgb24", "bgr24", "bgra", "yuv420p", "yuyv422", "yuv444p", "yuva420p"])
    func containersHoldRawFramesThatCanBeRead(name: String, format: String) throws {
        let input = try raw("in.raw", format)
        let output = scratch.path("out.\(name)")
        let settings = EncoderSettings(codec: "rawvideo", pixelFormat: format)
        guard ["yuv444p", "yuva420p"].contains(format) || name == "avi" && format == "rgb24" else {
            try transcode(input, to: output, options: options(format), settings: settings)
            #expect(try rawPictures(output, format: format, in: scratch) == Array(contents(input)))
            return
        }
        let error = try mediaError { try transcode(input, to: output, options: options(format), settings: settings) }
        #expect(error.kind == .usage)
        #expect(
            error.description == "can't create '\(output)': \(name) can't hold raw frames of \(format); "
                + "name the output .nut, or choose another --output-pix-fmt")
        #expect(scratch.contents == ["in.raw"])
    }

    /// What FFmpeg itself writes comes out to the byte, header and all.
    @Test(arguments: [
        ("yuv420p", "setsar=4/3"), ("yuv420p", "setparams=range=full"), ("yuv420p", "setparams=range=limited"),
        ("yuv420p", "setfield=tff"), ("yuv420p", "setfield=bff"), ("yuv420p", "fps=30000/1001"),
        ("yuv422p", "setsar=16/11"),
        ("yuv444p", "setfield=tff"), ("gray", "fps=50"), ("yuv420p10le", "setsar=4/3"), ("yuv422p10le", "setfield=bff"),
        ("yuv444p10le", "fps=24000/1001"), ("gray10le", "setsar=1"), ("yuv420p12le", "null"), ("gray16le", "null"),
    ])
    func y4mComesOutAsItWentIn(format: String, filter: String) throws {
        let input = try scratch.make(
            "in.y4m", "-f lavfi -i testsrc2=s=94x62:r=25:d=0.2 -vf format=\(format),\(filter) -strict -1")
        let output = scratch.path("out.y4m")
        #expect(try transcode(input, to: output, settings: .init()) == [])
        #expect(try contents(output) == contents(input))
        let fifo = try scratch.makeFIFO("fifo")
        let drain = Drain(fifo)
        pour(input, into: try scratch.makeFIFO("source"))
        #expect(try transcode(scratch.path("source"), to: fifo, settings: .init()) == [])
        #expect(try drain.bytes == contents(input))
    }

    @Test(arguments: ["420jpeg", "420mpeg2", "420paldv"])
    func y4mKeepsItsChromaSiting(siting: String) throws {
        let file = try scratch.make("in.y4m", "-f lavfi -i testsrc2=s=94x62:r=25:d=0.08 -pix_fmt yuv420p")
        let data = try contents(file)
        let header = try #require(data.firstIndex(of: 0x0A)) + 1
        let line = "YUV4MPEG2 W94 H62 F25:1 Ip A1:1 C\(siting) XYSCSS=\(siting.uppercased())\n"
        let input = scratch.path("sited.y4m")
        try (Data(line.utf8) + data[header...]).write(to: URL(filePath: input))
        let output = scratch.path("out.y4m")
        #expect(try transcode(input, to: output, settings: .init()) == [])
        #expect(try contents(output) == contents(input))
    }

    /// What Y4M can't hold becomes the nearest that it can.
    @Test(arguments: [
        ("nv12", "yuv420p"), ("yuyv422", "yuv422p"), ("rgb24", "yuv444p"), ("bgra", "yuv444p"), ("yuvj420p", "yuv420p"),
    ])
    func y4mTakesTheNearestFormat(format: String, expected: String) throws {
        let input = try raw("in.raw", format)
        let output = scratch.path("out.y4m")
        #expect(try transcode(input, to: output, options: options(format), settings: .init()) == [])
        #expect(try videoValue(output, "pix_fmt") == expected)
        #expect(try frameTimes(output).count == 4)
    }

    @Test(arguments: [("rgb24", "yuv420p"), ("yuv420p", "rgba"), ("yuv420p", "gray"), ("yuv420p10le", "yuv420p")])
    func requestedFormatComesOut(format: String, requested: String) throws {
        let input = try raw("in.raw", format)
        let output = scratch.path("out.raw")
        let settings = EncoderSettings(format: "rawvideo", pixelFormat: requested)
        #expect(try transcode(input, to: output, options: options(format), settings: settings) == [])
        let reader = try MediaReader(path: output, options: options(requested))
        #expect(try frames(reader).count == 4)
        #expect(reader.truncation == nil)
    }

    @Test func startAndLimitOfAStream() throws {
        let input = try raw("in.raw", "gray", frames: 20)
        let whole = try frames(MediaReader(path: input, options: options("gray")))
        for isPiped in [false, true] {
            let path = isPiped ? try scratch.makeFIFO("fifo") : input
            if isPiped { pour(input, into: path) }
            var part = options("gray")
            (part.start, part.frameLimit) = (0.2, 3)
            let found = try frames(MediaReader(path: path, options: part))
            #expect(found.map(\.pixelBuffer.samples) == whole[5..<8].map(\.pixelBuffer.samples))
            #expect(found.map(\.pts) == [0, 1, 2])
        }
    }

    // MARK: What has no place in raw frames

    @Test(arguments: ["y4m", "yuv"])
    func otherStreamsAreLeftOut(name: String) throws {
        let input = try scratch.make(
            "in.mkv", "-f lavfi -i testsrc2=s=96x64:r=25:d=0.2 -f lavfi -i sine=d=0.2 -c:v ffv1 -c:a flac")
        let output = scratch.path("out.\(name)")
        let format = name == "y4m" ? "yuv4mpegpipe" : "rawvideo"
        #expect(
            try transcode(input, to: output, settings: .init()) == [
                "stream 1 (audio, flac) is left out, because \(format) can't hold it; .mkv can"
            ])
    }

    @Test func varyingRateIsToldOnce() throws {
        let input = try scratch.make(
            "in.mkv", "-f lavfi -i testsrc2=s=96x64:r=25:d=1 -vf select=not(eq(n\\,7)) -fps_mode vfr -c:v ffv1")
        let output = scratch.path("out.y4m")
        #expect(
            try transcode(input, to: output, settings: .init()) == [
                "the frame rate varies, which yuv4mpegpipe can't tell: the frames are written one by one"
            ])
        #expect(try frameTimes(output).count == 24)
        #expect(try pictureHash(input) == pictureHash(output))
    }

    /// Times that are rounded to milliseconds are no varying rate.
    @Test func roundedTimesAreOneRate() throws {
        let input = try scratch.make("in.mkv", "-f lavfi -i testsrc2=s=96x64:r=30000/1001:d=1 -c:v ffv1")
        let output = scratch.path("out.y4m")
        #expect(try transcode(input, to: output, settings: .init()) == [])
        #expect(try videoValue(output, "r_frame_rate") == "30000/1001")
    }

    // MARK: Alpha

    @Test(arguments: [
        ("yuva420p", "out.nut", "rawvideo", "yuva420p"), ("yuva420p", "out.mkv", "ffv1", "yuva420p"),
        ("yuva444p10le", "out.mov", "prores_ks", "yuva444p10le"), ("rgba", "out.mov", "png", "rgba"),
        ("bgra", "out.mkv", "ffv1", "bgra"), ("yuva422p", "out.nut", "rawvideo", "yuva422p"),
        ("yuva420p", "out.y4m", "wrapped_avframe", "yuva444p"), ("yuva444p", "out.y4m", "wrapped_avframe", "yuva444p"),
        ("rgba", "out.mov", "qtrle", "argb"),
    ])
    func alphaIsKept(format: String, name: String, codec: String, expected: String) throws {
        let input = try scratch.make("in.mkv", "-f lavfi -i testsrc2=s=96x64:r=25:d=0.12 -c:v ffv1")
        let output = scratch.path(name)
        let settings = EncoderSettings(codec: codec, keepsAlpha: true)
        let kind = try #require(PixelFormat.alphaFormats.first { $0.name == format })
        #expect(try transcode(input, to: output, settings: settings) { $0.pixelBuffer = slope(kind) } == [])
        #expect(try videoValue(output, "pix_fmt") == (codec == "prores_ks" ? "yuva444p12le" : expected))
        let alpha = try run(
            "ffmpeg",
            split(
                "-v error -i \(output) -vf alphaextract,format=gray16le -frames:v 1 -f rawvideo -y \(scratch.path("a"))"
            ))
        #expect(alpha.isEmpty)
        let data = try contents(scratch.path("a"))
        for x in 0..<96 {
            let value = Int(data[2 * x]) | Int(data[2 * x + 1]) << 8
            #expect(abs(Double(value) / 65535 - Double(x) / 95) < 0.01)
        }
    }

    @Test func alphaInWebM() throws {
        let input = try scratch.make("in.mkv", "-f lavfi -i testsrc2=s=96x64:r=25:d=0.12 -c:v ffv1")
        let output = scratch.path("out.webm")
        try transcode(input, to: output, settings: .init(keepsAlpha: true)) { $0.pixelBuffer = slope(.yuva420p) }
        #expect(
            try run("ffprobe", split("-v error -show_entries stream_tags=alpha_mode -of csv=p=0 \(output)")) == "1\n")
        try run(
            "ffmpeg",
            split(
                "-v error -c:v libvpx-vp9 -i \(output) -vf alphaextract -frames:v 1 -f rawvideo -y \(scratch.path("a"))"
            ))
        let data = try contents(scratch.path("a"))
        for x in 0..<96 { #expect(abs(Double(data[x]) / 255 - Double(x) / 95) < 0.05) }
    }

    @Test(arguments: [
        (
            "out.mp4", EncoderSettings(codec: "libx264", keepsAlpha: true),
            "the encoder libx264 can't hold alpha; choose --codec ffv1 with .mkv, prores_ks with .mov or libvpx-vp9 with .webm, or raw frames"
        ),
        (
            "out.y4m", EncoderSettings(pixelFormat: "yuva420p"),
            "FFmpeg's Y4M does not take the pixel format 'yuva420p'; it takes yuv420p, yuv422p, yuv444p, yuva444p, yuv411p, gray, gray9le, gray10le, gray12le, gray16le, yuv420p9le, yuv422p9le, yuv444p9le, yuv420p10le, yuv422p10le, yuv444p10le, yuv420p12le, yuv422p12le, yuv444p12le, yuv420p14le, yuv422p14le, yuv444p14le, yuv420p16le, yuv422p16le, yuv444p16le"
        ),
        (
            "out.nut", EncoderSettings(codec: "rawvideo", pixelFormat: "yuv420p", keepsAlpha: true),
            "the pixel format 'yuv420p' holds no alpha; choose another, such as yuva420p or rgba"
        ),
        (
            "out.nut", EncoderSettings(codec: "rawvideo", pixelFormat: "yuv4"),
            "there is no pixel format 'yuv4'; 'ffmpeg -pix_fmts' lists them"
        ),
        (
            "out.nut", EncoderSettings(codec: "rawvideo", pixelFormat: "vaapi"),
            "the encoder rawvideo does not take the pixel format 'vaapi'; choose another"
        ),
        (
            "out.mov", EncoderSettings(codec: "prores_ks", pixelFormat: "rgb24"),
            "the encoder prores_ks does not take the pixel format 'rgb24'; it takes yuv422p10le, yuv444p10le, yuva444p10le"
        ),
    ])
    func formatThatIsRefused(name: String, settings: EncoderSettings, sentence: String) throws {
        let input = try raw("in.raw", "gray")
        let output = scratch.path(name)
        let error = try mediaError { try transcode(input, to: output, options: options("gray"), settings: settings) }
        #expect(error.kind == .usage)
        #expect(error.description == "can't encode '\(output)': \(sentence)")
        #expect(scratch.contents == ["in.raw"])
    }

    /// 96x64, alpha growing from left to right.
    private func slope(_ format: PixelFormat) -> PixelBuffer {
        var buffer = MutablePixelBuffer(format: format, width: 96, height: 64)
        buffer.withMutablePlanes { planes in
            for plane in planes {
                for y in 0..<plane.height { memset(plane.base + y * plane.bytesPerRow, 16, plane.width) }
            }
            let alpha = planes[planes.count - 1]
            for y in 0..<64 {
                for x in 0..<96 {
                    let value = Double(x) / 95
                    switch format.bytesPerComponent {
                    case 2: alpha.row(y, as: UInt16.self)[x] = UInt16((value * 1023).rounded())
                    case _ where planes.count == 1:
                        alpha.row(y, as: UInt8.self)[4 * x + 3] = UInt8((value * 255).rounded())
                    default: alpha.row(y, as: UInt8.self)[x] = UInt8((value * 255).rounded())
                    }
                }
            }
        }
        return buffer.publish()
    }

    // MARK: What can't be asked for

    @Test(arguments: [
        (
            MediaReader.Options(format: "rawvideo"),
            "raw frames don't tell their pixel format and size; pass --pix-fmt and --size"
        ),
        (.init(format: "rawvideo", pixelFormat: "gray"), "raw frames don't tell their size; pass --size"),
        (.init(format: "rawvideo", size: "vga"), "raw frames don't tell their pixel format; pass --pix-fmt"),
        (
            .init(pixelFormat: "gray"),
            "--pix-fmt is for raw frames and cameras alone; pass --format rawvideo too, or leave it out"
        ),
        (
            .init(format: "matroska", size: "vga"),
            "--size is for raw frames and cameras alone; pass --format rawvideo too, or leave it out"
        ),
        (.init(rate: "25"), "--rate is for raw frames and cameras alone; pass --format rawvideo too, or leave it out"),
        (.init(format: "raw"), "there is no input format 'raw'; 'ffmpeg -demuxers' lists them"),
        (.init(format: "image2"), "the format 'image2' is not read from one file"),
        (
            .init(format: "rawvideo", pixelFormat: "yuv421p", size: "vga"),
            "there is no pixel format 'yuv421p'; 'ffmpeg -pix_fmts' lists them"
        ),
        (
            .init(format: "rawvideo", pixelFormat: "vaapi", size: "vga"),
            "frames in the pixel format 'vaapi' can't be used; 'ffmpeg -pix_fmts' marks with I those that can"
        ),
        (
            .init(format: "rawvideo", pixelFormat: "gray", size: "0x0"),
            "'0x0' is no size of a frame; give width and height, such as 1280x720, or a name of FFmpeg's, such as hd720"
        ),
        (
            .init(format: "rawvideo", pixelFormat: "gray", size: "-2x4"),
            "'-2x4' is no size of a frame; give width and height, such as 1280x720, or a name of FFmpeg's, such as hd720"
        ),
        (
            .init(format: "rawvideo", pixelFormat: "gray", size: "huge"),
            "'huge' is no size of a frame; give width and height, such as 1280x720, or a name of FFmpeg's, such as hd720"
        ),
        (
            .init(format: "rawvideo", pixelFormat: "rgba", size: "100000x100000"),
            "a frame of 100000x100000 rgba is larger than FFmpeg can hold"
        ),
        (
            .init(format: "rawvideo", pixelFormat: "gray", size: "vga", rate: "0"),
            "'0' is no frame rate; give frames per second, such as 30 or 30000/1001, or a name of FFmpeg's, such as ntsc"
        ),
        (
            .init(format: "rawvideo", pixelFormat: "gray", size: "vga", rate: "-5"),
            "'-5' is no frame rate; give frames per second, such as 30 or 30000/1001, or a name of FFmpeg's, such as ntsc"
        ),
        (
            .init(format: "rawvideo", pixelFormat: "gray", size: "vga", rate: "fast"),
            "'fast' is no frame rate; give frames per second, such as 30 or 30000/1001, or a name of FFmpeg's, such as ntsc"
        ),
    ])
    func layoutThatCannotBe(options: MediaReader.Options, sentence: String) throws {
        let input = try raw("in.raw", "gray")
        let error = try mediaError { _ = try MediaReader(path: input, options: options) }
        #expect(error.kind == .usage)
        #expect(error.description == "can't read '\(input)': \(sentence)")
    }

    @Test(arguments: [("hd720", 1280, 720), ("vga", 640, 480), ("94x62", 94, 62)])
    func sizesAreFFmpegs(name: String, width: Int, height: Int) throws {
        let path = scratch.path("in.raw")
        try Data(count: width * height).write(to: URL(filePath: path))
        let video = try MediaReader(path: path, options: options("gray", size: name)).video
        #expect(video.width == width && video.height == height)
        #expect(video.frameRate == Rational(25, 1))
        #expect(video.frameCount == 1)
    }
}

extension PixelBuffer {
    /// The samples of all planes, row after row.
    var samples: [UInt8] {
        withPlanes { planes in
            var bytes: [UInt8] = []
            for (index, plane) in planes.enumerated() {
                let width = plane.width * format.planes[index].componentCount * format.bytesPerComponent
                for y in 0..<plane.height {
                    bytes += UnsafeRawBufferPointer(start: plane.base + y * plane.bytesPerRow, count: width)
                }
            }
            return bytes
        }
    }
}
