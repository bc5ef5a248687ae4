import Foundation
import Glibc
import Imaging
import Matte
import Media
import TestSupport
import Testing

/// `matte` between other programs: raw frames, Y4M and containers through standard input and output.
struct StreamTests {
    private let folder = TemporaryFolder()

    @discardableResult
    private func shell(_ line: String) throws -> Tool.Result {
        let result = try Checkout.shell(line, in: folder)
        try #require(result.status == 0, "\(line): \(result.status) \(result.error)")
        return result
    }

    /// The first frames of the sample clip at 320x180 without colour tags, as a pipe of raw frames has none either.
    private func clip(_ name: String = "in.mkv", frames: Int = 6, format: String = "yuv420p") throws {
        try shell(
            "ffmpeg -v error -i '\(Checkout.sampleClip)' -frames:v \(frames) -vf scale=320:180,format=\(format),"
                + "setparams=colorspace=unknown:color_primaries=unknown:color_trc=unknown:range=unknown "
                + "-c:v ffv1 -an \(name)")
    }

    private func pictures(_ name: String) throws -> String {
        try shell("ffmpeg -v error -i \(name) -map 0:v -f framehash -hash md5 - | grep -v '^#' | awk '{print $NF}'")
            .output
    }

    // All that comes out lies in the encoder until the end.
    @Test func theFacesAreCompleteWhereTheReaderGoesAwayAtTheEnd() throws {
        try clip(frames: 5)
        try shell(
            "matte --quiet -q fast -b red --codec h264 --output-format matroska --pose-output t.csv in.mkv - "
                + "| head -c 10 > head || true")
        let rows = try String(contentsOf: folder.url("t.csv"), encoding: .utf8).split(separator: "\n")
        #expect(rows.count == 6)
    }

    /// The clock of GIF has a hundred ticks a second, of which its frames take two at least.
    @Test func framesThatFallAwayAreNotCounted() throws {
        try shell("ffmpeg -v error -f lavfi -i testsrc2=s=64x36:r=100:d=0.5 -c:v ffv1 in.mkv")
        let words = try shell("matte -q fast -b red in.mkv out.gif 2>&1").output
        #expect(words.contains("wrote out.gif: 25 frames "))
        #expect(try Probe(folder.path("out.gif")).frameTimes().count == 25)
    }

    @Test func anEncoderThatPrintsByItselfDoesSoWhereItIsAskedFor() throws {
        try clip(frames: 2)
        func words(_ options: String) throws -> String {
            try shell(
                "matte \(options) -q fast -b red --codec libx265 --preset ultrafast --overwrite in.mkv out.mkv 2>&1"
            )
            .output
        }
        #expect(try words("--verbose").contains("x265 [info]"))
        #expect(try !words("").contains("x265 ["))
    }

    @Test func rawFramesBetweenTwoFFmpegsGiveTheSamePicturesAsAFile() throws {
        try clip()
        try shell("matte --quiet --codec ffv1 in.mkv file.mkv")
        try shell(
            "ffmpeg -v error -i in.mkv -f rawvideo -pix_fmt yuv420p - "
                + "| matte --quiet --format rawvideo --pix-fmt yuv420p --size 320x180 --rate 24 - - "
                + "| ffmpeg -v error -f rawvideo -pix_fmt yuv420p -s 320x180 -r 24 -i - -c:v ffv1 pipe.mkv")
        let expected = try pictures("file.mkv")
        #expect(expected.split(separator: "\n").count == 6)
        #expect(try pictures("pipe.mkv") == expected)
    }

    @Test(arguments: ["yuv420p", "yuv422p", "yuv444p", "yuv420p10le", "yuv422p10le"])
    func y4mGivesTheSamePicturesAsAFile(_ format: String) throws {
        try clip(frames: 3, format: format)
        try shell("matte --quiet --codec ffv1 in.mkv file.mkv")
        try shell("ffmpeg -v error -i in.mkv -strict -1 -f yuv4mpegpipe - | matte --quiet - - > out.y4m")
        #expect(try pictures("out.y4m") == pictures("file.mkv"))
    }

    @Test(arguments: ["matroska", "nut", "mpegts", "mp4"])
    func containersStreamThroughPipes(_ format: String) throws {
        try Clips.make(folder.path("in.mkv"))
        try shell("cat in.mkv | matte --quiet --output-format \(format) - - > out")
        let probe = try Probe(folder.path("out"))
        #expect(try probe.frameTimes().count == 10)
        #expect(probe.streams.contains { $0.codecType == "audio" })
    }

    @Test func eachFrameIsOutBeforeTheNextIsWaitedFor() throws {
        let (width, height) = (64, 48)
        let size = width * height * 3 / 2
        let process = Process()
        process.executableURL = URL(filePath: Checkout.program("matte").program)
        process.arguments = [
            "--quiet", "--quality", "accurate", "--format", "rawvideo", "--pix-fmt", "yuv420p", "--size",
            "\(width)x\(height)", "--pose-output", "fd:2", "-", "-",
        ]
        let (input, output, poses) = (Pipe(), Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        process.standardError = poses
        try process.run()
        // Where a frame waits for the one after it, nothing comes for ever.
        func wait(for pipe: Pipe, _ words: String) throws {
            var descriptor = pollfd(fd: pipe.fileHandleForReading.fileDescriptor, events: Int16(POLLIN), revents: 0)
            let isReady = poll(&descriptor, 1, 60_000) == 1
            if !isReady { process.terminate() }
            try #require(isReady, "\(words)")
        }
        for frame in 0..<4 {
            try input.fileHandleForWriting.write(contentsOf: Data(repeating: UInt8(40 * frame), count: size))
            var read = 0
            while read < size {
                try wait(for: output, "frame \(frame) is held back")
                read += try output.fileHandleForReading.read(upToCount: size - read)?.count ?? size
            }
            #expect(read == size)
            try wait(for: poses, "the faces of frame \(frame) are held back")
            let row = String(decoding: poses.fileHandleForReading.availableData, as: UTF8.self)
            #expect(row.hasPrefix("{\"frame\":\(frame),") && row.hasSuffix("}\n"))
        }
        try input.fileHandleForWriting.close()
        #expect(try output.fileHandleForReading.readToEnd() ?? Data() == Data())
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
    }

    @Test(arguments: [
        ("yuv420p", 1.5), ("yuv422p", 2), ("yuv444p", 3), ("nv12", 1.5), ("yuv420p10le", 3), ("rgb24", 3), ("bgr24", 3),
        ("rgba", 4), ("bgra", 4), ("yuyv422", 2), ("uyvy422", 2), ("gray", 1),
    ])
    func everyRawFormatComesOutAsItWentIn(_ format: String, _ bytesPerPixel: Double) throws {
        try clip(frames: 2)
        try shell(
            "ffmpeg -v error -i in.mkv -f rawvideo -pix_fmt \(format) in.raw; "
                + "matte --quiet -b '#00b140' --format rawvideo --pix-fmt \(format) --size 320x180 - - < in.raw > out.raw"
        )
        let (before, after) = (try Data(contentsOf: folder.url("in.raw")), try Data(contentsOf: folder.url("out.raw")))
        #expect(Double(after.count) == 2 * 320 * 180 * bytesPerPixel)
        #expect(after.count == before.count)
        // The corner is the background's, the face is the person's own.
        func color(_ name: String, _ place: String) throws -> [Int] {
            try shell(
                "ffmpeg -v error -f rawvideo -pix_fmt \(format) -s 320x180 -i \(name) -frames:v 1 "
                    + "-vf format=rgb24,crop=4:4:\(place),scale=1:1:flags=area -f rawvideo - | od -An -tu1"
            ).output.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
        }
        // Green as grey is its luma.
        let background = format == "gray" ? [111, 111, 111] : [0, 177, 64]
        #expect(zip(try color("out.raw", "4:4"), background).allSatisfy { abs($0 - $1) <= 5 })
        let (faceBefore, faceAfter) = (try color("in.raw", "180:80"), try color("out.raw", "180:80"))
        #expect(faceBefore.count == 3 && zip(faceBefore, faceAfter).allSatisfy { abs($0 - $1) <= 2 })
    }

    @Test func masksHaveTheBitsThatAreAskedFor() throws {
        try clip(frames: 2)
        for (format, bytes) in [("gray", 1), ("gray10le", 2), ("gray16le", 2)] {
            try shell(
                "matte --quiet --output-kind mask --output-format rawvideo --output-pix-fmt \(format) in.mkv - > \(format).raw"
            )
            #expect(try Data(contentsOf: folder.url("\(format).raw")).count == 2 * 320 * 180 * bytes)
        }
        let narrow = [UInt8](try Data(contentsOf: folder.url("gray.raw")))
        let wide = [UInt8](try Data(contentsOf: folder.url("gray16le.raw")))
        var values = Set<Int>()
        var largest = 0.0
        for i in narrow.indices {
            let value = Int(wide[2 * i]) | Int(wide[2 * i + 1]) << 8
            values.insert(value)
            largest = max(largest, abs(Double(value) / 257 - Double(narrow[i])))
        }
        #expect(largest <= 0.51)
        #expect(values.count > 256, "more than eight bits are in it")
        for (format, step) in [("gray16be", 2), ("gray12le", 2), ("yuv420p10le", 2), ("rgba64be", 8)] {
            try shell(
                "matte --quiet --output-kind mask --output-format rawvideo --output-pix-fmt \(format) in.mkv - > deep.raw"
            )
            let deep = [UInt8](try Data(contentsOf: folder.url("deep.raw")))
            let pixels = stride(from: 0, to: narrow.count / 2 * step, by: step)
            #expect(Set(pixels.map { Int(deep[$0]) << 8 | Int(deep[$0 + 1]) }).count > 256, "\(format)")
        }
    }

    @Test func aTrimapThatIsFollowedHasItsThreeValues() throws {
        try shell(
            "ffmpeg -v error -i '\(Checkout.sampleClip)' -frames:v 3 -vf 'scale=320:180,pad=640:360:100:180' -c:v ffv1 in.mkv"
        )
        try shell(
            "matte --quiet --output-kind trimap --crop-to-person --follow --output-format rawvideo --output-pix-fmt gray in.mkv - > out.raw"
        )
        #expect(Set(try Data(contentsOf: folder.url("out.raw"))) == [0, 128, 255])
    }

    @Test func theForegroundHasTheMaskAsAlphaAndNothingBehindIt() throws {
        try clip(frames: 2)
        try shell("matte --quiet --output-kind mask --output-format rawvideo --output-pix-fmt gray in.mkv - > mask.raw")
        try shell(
            "matte --quiet --output-kind foreground --output-format rawvideo --output-pix-fmt rgba in.mkv - > out.raw")
        try shell("matte --quiet --output-kind foreground --output-format rawvideo in.mkv - > yuva.raw")
        let mask = [UInt8](try Data(contentsOf: folder.url("mask.raw")))
        let pixels = [UInt8](try Data(contentsOf: folder.url("out.raw")))
        #expect(pixels.count == 4 * mask.count)
        #expect(mask.indices.allSatisfy { pixels[4 * $0 + 3] == mask[$0] })
        let planes = [UInt8](try Data(contentsOf: folder.url("yuva.raw")))
        let (luma, frame) = (320 * 180, 320 * 180 * 5 / 2)
        #expect(planes.count == 2 * frame)
        #expect((0..<luma).allSatisfy { planes[luma * 3 / 2 + $0] == mask[$0] })
        #expect((0..<luma).allSatisfy { mask[$0] > 0 || planes[$0] == 0 })
    }

    @Test func nothingButFramesReachesStandardOutput() throws {
        try clip(frames: 2)
        let result = try Checkout.shell(
            "matte --verbose --output-format rawvideo in.mkv - | wc -c", in: folder)
        #expect(result.output.trimmingCharacters(in: .whitespacesAndNewlines) == "\(2 * 320 * 180 * 3 / 2)")
    }

    @Test func aReaderThatGoesAwayEndsItQuietly() throws {
        try clip(frames: 40)
        let result = try Checkout.shell(
            "matte --quality fast --output-format rawvideo --pose-output pose.jsonl in.mkv - | head -c 1000 > head; "
                + "echo ${PIPESTATUS[0]}", in: folder)
        #expect(result.output == "141\n")
        #expect(result.error.isEmpty)
    }

    /// The pipe holds less than the first frame, and its reader takes nothing.
    @Test func aFailureIsToldThoughTheReaderTakesNothing() throws {
        try shell("ffmpeg -v error -f lavfi -i testsrc2=s=640x360:r=25:d=0.4 -c:v png in.mkv")
        let place = try shell("ffprobe -v error -show_entries packet=pos -of csv=p=0 in.mkv | sed -n 6p").output
        let start = try #require(Int(place.prefix { $0.isNumber }))
        var bytes = try Data(contentsOf: folder.url("in.mkv"))
        let pixels = try #require(bytes.range(of: Data("IDAT".utf8), in: start..<bytes.count)).upperBound
        for index in pixels..<pixels + 400 { bytes[index] = 0xA5 }
        try bytes.write(to: folder.url("in.mkv"))
        let result = try Checkout.shell(
            "mkfifo out; exec 3<>out; timeout 120 matte --strict --quality fast --output-format rawvideo in.mkv out",
            in: folder)
        #expect(result.status == 65)
        #expect(result.error.hasPrefix("matte: can't decode 'in.mkv': the video is damaged at 0.2 s"))
    }

    @Test func aShortLastFrameIsToldAfterEveryWholeOne() throws {
        try clip(frames: 3)
        try shell("ffmpeg -v error -i in.mkv -f rawvideo -pix_fmt yuv420p in.raw; head -c 200000 in.raw > short.raw")
        let result = try Checkout.shell(
            "matte --quiet --format rawvideo --pix-fmt yuv420p --size 320x180 - - < short.raw > out.raw", in: folder)
        #expect(result.status == 65)
        // Two frames of 86400 bytes, and 27200 of the third.
        #expect(try Data(contentsOf: folder.url("out.raw")).count == 2 * 86400)
        #expect(
            result.error == "matte: can't read standard input: the last frame is cut short: 59200 of its 86400 bytes "
                + "are missing; every frame before it was read\n")
    }

    @Test func noFramesAtAllIsAnError() throws {
        let result = try Checkout.shell(
            "matte --format rawvideo --pix-fmt yuv420p --size 320x180 - - < /dev/null", in: folder)
        #expect(result.status == 65)
        #expect(result.error.split(separator: "\n").count == 1)
        #expect(result.output.isEmpty)
    }

    @Test(arguments: [
        ("--format rawvideo --size 8x8 - - < /dev/null", "--pix-fmt"),
        ("--format rawvideo --pix-fmt gray - - < /dev/null", "--size"),
        ("--format rawvideo --pix-fmt mauve --size 8x8 - - < /dev/null", "mauve"),
        ("--format rawvideo --pix-fmt gray --size huge - - < /dev/null", "huge"),
        ("--format rawvideo --pix-fmt gray --size 0x8 - - < /dev/null", "0x8"),
        ("--format rawvideo --pix-fmt gray --size 1000000x1000000 - - < /dev/null", "1000000x1000000"),
        ("--format rawvideo --pix-fmt gray --size 8x8 --rate often - - < /dev/null", "often"),
        ("--format nonsense - - < /dev/null", "nonsense"),
        ("--colorspace puce in.mkv out.mkv", "puce"),
        ("--color-range wide in.mkv out.mkv", "wide"),
        ("--pix-fmt gray in.mkv out.mkv", "rawvideo"),
        ("in.mkv -", "--output-format"),
        ("--output-format nonsense in.mkv out.mkv", "nonsense"),
        ("--output-pix-fmt mauve in.mkv out.mkv", "mauve"),
        ("--output-kind foreground in.mkv out.mp4", "alpha"),
        ("--pose-output - --output-format rawvideo in.mkv -", "fd:3"),
        ("--pose-output fd:1 --output-format rawvideo in.mkv -", "fd:3"),
        ("--pose-output - --output-format rawvideo in.mkv /dev/stdout", "fd:3"),
        ("--pose-output fd:77 in.mkv out.mkv", "fd:77"),
        // One that the program opens itself is nobody's.
        ("--pose-output fd:3 in.mkv out.mkv 3>&-", "fd:3"),
        ("--pose-output fd:x in.mkv out.mkv", "fd:x"),
    ])
    func badArgumentsAreNamed(_ arguments: String, _ name: String) throws {
        try clip(frames: 1)
        let result = try Checkout.shell("matte \(arguments)", in: folder)
        let isClosed = arguments.contains("--pose-output \(name)") && name != "fd:x"
        #expect(result.status == (isClosed ? 73 : 64), "\(result.error)")
        #expect(result.error.contains(name), "\(result.error)")
        #expect(folder.contents == ["in.mkv"])
    }

    // `script` runs its command on a terminal of its own, where the system lets it have one.
    private static let hasTerminals = (try? Tool("script").run(["-qec", "true", "/dev/null"]).status) == 0

    @Test(.enabled(if: hasTerminals, "no terminal can be made here"))
    func aTerminalIsRefused() throws {
        try clip(frames: 1)
        for (arguments, hint) in [("- out.mkv", "standard input is a terminal"), ("in.mkv -", "standard output is a")] {
            let result = try Checkout.shell("script -qec \"matte \(arguments)\" /dev/null < /dev/null", in: folder)
            #expect(result.status == 64)
            #expect(result.output.contains(hint))
        }
    }

    @Test func facesGoToADescriptorFrameByFrame() throws {
        try clip(frames: 3)
        try shell("matte --quiet --output-format rawvideo --pose-output fd:3 in.mkv - 3> pose.jsonl > out.raw")
        let lines = try String(contentsOf: folder.url("pose.jsonl"), encoding: .utf8).split(separator: "\n")
        #expect(lines.count == 3)
        #expect(lines.allSatisfy { $0.hasPrefix("{\"frame\":") && $0.hasSuffix("}") })
        let output = try shell("matte --quiet --pose-output - in.mkv out.mkv").output
        #expect(output.split(separator: "\n") == lines)
    }

    @Test func coloursThatAPipeLosesCanBeTold() throws {
        try shell(
            "ffmpeg -v error -f lavfi -i testsrc2=s=64x48:d=0.08 "
                + "-vf format=yuv420p,setparams=colorspace=bt709:range=pc -c:v libx264 -qp 0 in.mkv; matte --quiet -b red --codec ffv1 in.mkv file.mkv; "
                + "ffmpeg -v error -i in.mkv -f rawvideo in.raw")
        let raw = "matte --quiet -b red --format rawvideo --pix-fmt yuv420p --size 64x48"
        try shell("\(raw) - - < in.raw > plain.raw; \(raw) --colorspace bt709 --color-range pc - - < in.raw > told.raw")
        try shell("ffmpeg -v error -i file.mkv -f rawvideo expected.raw")
        let expected = try Data(contentsOf: folder.url("expected.raw"))
        #expect(try Data(contentsOf: folder.url("told.raw")) == expected)
        #expect(try Data(contentsOf: folder.url("plain.raw")) != expected)
    }

    @Test func twoInARowStayInStep() throws {
        // A container whose times are as exact as a raw stream's: the colour that follows the head depends on them.
        try clip("in.nut", frames: 5)
        let raw = "--format rawvideo --pix-fmt yuv420p --size 320x180 --rate 24"
        try shell(
            "ffmpeg -v error -i in.nut -f rawvideo -pix_fmt yuv420p - | matte --quiet --background teal \(raw) - - "
                + "| matte --quiet \(raw) - - > chain.raw")
        var first = Configuration()
        first.background = .color(try #require(RGBColor(name: "teal")))
        let filters = [MatteFilter(first), MatteFilter(Configuration())]
        let reader = try MediaReader(path: folder.path("in.nut"))
        var expected = Data()
        while let item = try reader.next() {
            guard case .frame(var frame) = item else { continue }
            for filter in filters { frame = try filter.process(frame).frame }
            frame.pixelBuffer.withPlanes { planes in
                for plane in planes {
                    for y in 0..<plane.height {
                        expected.append(plane.row(y, as: UInt8.self), count: plane.width)
                    }
                }
            }
        }
        #expect(try Data(contentsOf: folder.url("chain.raw")) == expected)
    }

    @Test func theFFmpegSampleRuns() throws {
        try clip()
        let sample = Checkout.root.appending(path: "samples/streams/between-ffmpegs").path
        try shell("'\(sample)' in.mkv out.mp4 320x180 24")
        #expect(try Probe(folder.path("out.mp4")).frameTimes().count == 6)
        #expect(try Checkout.shell("'\(sample)' in.mkv failed.mp4 0x0 24", in: folder).status != 0)
    }

    @Test func theNamedPipeSampleRuns() throws {
        try clip()
        let sample = Checkout.root.appending(path: "samples/streams/obs-fifo").path
        // ffmpeg reads the pipe in the place of OBS, which reads it with FFmpeg too.
        try shell(
            "'\(sample)' in.mkv ./pipe & until [ -p pipe ]; do :; done; ffmpeg -v error -f mpegts -i pipe out.mkv; wait"
        )
        #expect(try Probe(folder.path("out.mkv")).frameTimes().count == 6)
    }

    private static let python = ["python3", "/usr/bin/python3"].first {
        (try? Tool($0).run(["-c", "import numpy"]).status) == 0
    }

    @Test(.enabled(if: python != nil, "NumPy is not installed"))
    func theNumPySampleRuns() throws {
        try clip()
        let sample = Checkout.root.appending(path: "samples/streams/numpy_gradient.py").path
        try shell("\(Self.python!) '\(sample)' in.mkv out.mp4")
        #expect(try Probe(folder.path("out.mp4")).frameTimes().count == 6)
        // The gradient stands in the corners: blue above, orange below.
        let corners = try shell(
            "ffmpeg -v error -i out.mp4 -frames:v 1 -vf 'crop=2:180:0:0,scale=1:2:flags=area,format=rgb24' -f rawvideo - | od -An -tu1"
        ).output.split(separator: " ").compactMap { Int($0.trimmingCharacters(in: .whitespacesAndNewlines)) }
        #expect(corners.count == 6 && corners[2] > corners[0] && corners[3] > corners[5])
    }
}
