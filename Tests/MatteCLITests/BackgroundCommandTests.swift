import Foundation
import TestSupport
import Testing

/// Every background, effect, output kind and crop through the command, read back.
struct BackgroundCommandTests {
    private let matte = Checkout.program("matte")
    private let folder = TemporaryFolder()
    private static let frameCount = 3

    /// The sample clip at half its size, and the mask of its first frames; made once for all tests.
    private struct Sample {
        let folder = TemporaryFolder()
        let clip: String
        let mask: Data

        init() throws {
            clip = folder.path("clip.mkv")
            try Tool.ffmpeg(
                "-v", "error", "-i", Checkout.sampleClip, "-an", "-vf", "scale=320:180", "-c:v", "ffv1", clip)
            let (output, raw) = (folder.path("mask.mkv"), folder.path("mask.gray"))
            let options = ["--quality", "fast", "--limit", "\(frameCount)", "--output-kind", "mask", "--codec", "ffv1"]
            try Checkout.program("matte").call(options + [clip, output])
            try Tool.ffmpeg("-v", "error", "-i", output, "-f", "rawvideo", raw)
            mask = try Data(contentsOf: URL(filePath: raw))
        }
    }

    private static let sample = Result { try Sample() }
    private var clip: String { get throws { try Self.sample.get().clip } }
    private var mask: Data { get throws { try Self.sample.get().mask } }
    private var frameCount: Int { Self.frameCount }

    /// Runs on the clip's first frames.
    private func make(_ name: String, _ arguments: String...) throws -> String {
        let output = folder.path(name)
        try matte.call(["--quality", "fast", "--limit", "\(frameCount)"] + arguments + [try clip, output])
        return output
    }

    /// The first frames of `path` as bytes in a pixel format, one frame after the other.
    private func pixels(_ path: String, _ format: String, decoder: [String] = []) throws -> Data {
        let raw = folder.path("pixels-\(UUID().uuidString)")
        try Tool.ffmpeg.call(
            ["-v", "error"] + decoder
                + ["-i", path, "-frames:v", "\(frameCount)", "-pix_fmt", format, "-f", "rawvideo", raw])
        return try Data(contentsOf: URL(filePath: raw))
    }

    private func luma(_ path: String) throws -> Data {
        let planes = try pixels(path, "yuv420p")
        let frame = planes.count / frameCount
        return (0..<frameCount).reduce(into: Data()) { $0 += planes[$1 * frame..<$1 * frame + frame * 2 / 3] }
    }

    @Test(arguments: [
        "pose", "teal", "gradient", "gradient:navy:plum:45", "checker", "blur", "blur:30", "bokeh", "original",
        "picture.png",
        "video.mp4",
    ])
    func thePeopleStayAndFramesAndTimesToo(_ background: String) throws {
        let name = background.contains(".") ? folder.path(background) : background
        if background.contains(".") {
            try Tool.ffmpeg(
                "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=200x300:r=10:d=0.3", "-frames:v", "3",
                "-update", "1", name)
        }
        let output = try make("out.mkv", "--background", name, "--codec", "ffv1")
        let (mask, before, after) = (try mask, try luma(clip), try luma(output))
        let people = mask.indices.filter { mask[$0] == 255 }
        #expect(people.count > 1000)
        #expect(people.allSatisfy { before[$0] == after[$0] })
        let others = mask.indices.filter { mask[$0] == 0 && before[$0] != after[$0] }
        #expect(others.isEmpty == (background == "original"))
        #expect(try Probe(output).frameTimes() == Array(Probe(clip).frameTimes().prefix(frameCount)))
    }

    @Test(arguments: ["jpg", "mkv"]) func aDamagedBackgroundIsTold(kind: String) throws {
        let (whole, cut) = (folder.path("whole.\(kind)"), folder.path("cut.\(kind)"))
        let codec = kind == "jpg" ? ["-frames:v", "1", "-q:v", "2"] : ["-c:v", "mjpeg", "-q:v", "2"]
        try Tool.ffmpeg.call(["-v", "error", "-f", "lavfi", "-i", "testsrc2=s=640x480:r=25:d=0.12"] + codec + [whole])
        var data = try Data(contentsOf: URL(filePath: whole))
        data = kind == "jpg" ? data.prefix(data.count / 2) : data
        if kind == "mkv" { data.replaceSubrange(data.count / 2..<data.count / 2 + 2000, with: Data(count: 2000)) }
        try data.write(to: URL(filePath: cut))
        let arguments = ["--quality", "fast", "--limit", "\(frameCount)", "--overwrite", "--background", cut, try clip]
        let output = folder.path("out.mkv")
        let borne = try matte.run(arguments + [output])
        #expect(borne.status == 0)
        #expect(borne.error.contains("matte: warning: the background is damaged: parts of it are missing\n"))
        let strict = try matte.run(["--strict"] + arguments + [folder.path("strict.mkv")])
        #expect(strict.status == 65)
        #expect(strict.error.contains("matte: can't read the background '\(cut)': parts of it are missing\n"))
        #expect(!folder.contents.contains("strict.mkv"))
    }

    @Test func aPictureIsExactlyBehindThePeople() throws {
        // Of the clip's own size and format, so that nothing is resampled.
        let picture = folder.path("picture.mkv")
        try Tool.ffmpeg(
            "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=320x180", "-frames:v", "1", "-c:v", "ffv1",
            "-vf", "format=yuv420p,setparams=colorspace=bt709:range=tv", picture)
        let output = try make("out.mkv", "--background", picture, "--codec", "ffv1")
        let (mask, after) = (try mask, try luma(output))
        let behind = try Data(pixelsOfOneFrame(picture))
        let size = 320 * 180
        #expect(mask.indices.allSatisfy { mask[$0] > 0 || after[$0] == behind[$0 % size] })
    }

    private func pixelsOfOneFrame(_ path: String) throws -> Data {
        let raw = folder.path("picture.yuv")
        try Tool.ffmpeg("-v", "error", "-i", path, "-pix_fmt", "yuv420p", "-f", "rawvideo", raw)
        return try Data(contentsOf: URL(filePath: raw)).prefix(320 * 180)
    }

    /// Grey that has to hold a colour becomes 4:2:0, in which people stay as grey and as light; otherwise it stays grey.
    @Test(arguments: [
        ("gray", "teal", [], "yuv420p"), ("gray10le", "pose", [], "yuv420p10le"),
        ("gray", "original", ["--effect", "outline:4:gold"], "yuv420p"), ("gray", "silver", [], "gray"),
        ("gray", "blur", ["--effect", "outline:4:white"], "gray"),
        ("gray", "teal", ["--output-pix-fmt", "gray"], "gray"),
    ])
    func aGreyClipTakesColour(format: String, background: String, options: [String], made: String) throws {
        let gray = folder.path("gray.mkv")
        try Tool.ffmpeg("-v", "error", "-i", try clip, "-pix_fmt", format, "-frames:v", "3", "-c:v", "ffv1", gray)
        let output = folder.path("out.mkv")
        try matte.call(
            ["--quality", "fast", "--codec", "ffv1", "--background", background] + options + [gray, output])
        #expect(try Probe(output).video?.pixFmt == made)
        let (before, after) = (try pixels(gray, "gray"), try pixels(output, "gray"))
        let itsMask = folder.path("mask.mkv")
        try matte.call(["--quality", "fast", "--output-kind", "mask", "--codec", "ffv1", gray, itsMask])
        let mask = try pixels(itsMask, "gray")
        let people = mask.indices.filter { mask[$0] == 255 }
        #expect(people.count > mask.count / 5)
        #expect(people.allSatisfy { abs(Int(before[$0]) - Int(after[$0])) <= 1 })
        let planes = try pixels(output, "yuv420p")
        let isGray = planes[planes.startIndex + 320 * 180..<planes.startIndex + 320 * 270].allSatisfy { $0 == 128 }
        #expect(isGray == made.hasPrefix("gray"))
    }

    @Test(arguments: [
        "dim", "desaturate:0.5", "pixelate", "spotlight:1", "shadow", "outline:4:gold", "light-wrap",
    ])
    func effectsChangeThePicture(_ effect: String) throws {
        let output = try make("out.mkv", "--background", "original", "--effect", effect, "--codec", "ffv1")
        #expect(try pixels(output, "yuv420p") != pixels(clip, "yuv420p"))
        #expect(try Probe(output).frameTimes().count == frameCount)
        guard effect != "light-wrap" else { return }
        let (mask, before, after) = (try mask, try luma(clip), try luma(output))
        #expect(mask.indices.allSatisfy { mask[$0] < 255 || before[$0] == after[$0] })
    }

    @Test func aTrimapHasThreeValues() throws {
        let output = try make("trimap.mkv", "--output-kind", "trimap", "--codec", "ffv1")
        let (trimap, mask) = (try pixels(output, "gray"), try mask)
        #expect(Set(trimap) == [0, 128, 255])
        let isRight = zip(trimap, mask).allSatisfy { value, alpha in
            value == 128 || (value == 255 ? alpha > 240 : alpha < 15)
        }
        #expect(isRight)
    }

    @Test(
        arguments: [
            ("out.webm", ["-c:v", "libvpx-vp9"], 2.5), ("out.mov", [], 1), ("out.mkv", [], 0), ("%02d.png", [], 0),
            ("out.webp", nil, 0),
        ] as [(String, [String]?, Double)])
    func alphaComesOutAsItIs(_ name: String, _ decoder: [String]?, _ meanError: Double) throws {
        let output = try make(name, "--background", "none")
        // FFmpeg 5.1 writes animated WebP, but does not read it.
        guard let decoder else {
            let bytes = try Data(contentsOf: URL(filePath: output))
            #expect(bytes.prefix(4) == Data("RIFF".utf8) && bytes.range(of: Data("ALPH".utf8)) != nil)
            return
        }
        let raw = folder.path("alpha.gray")
        try Tool.ffmpeg.call(
            ["-v", "error"] + decoder
                + [
                    "-i", output, "-vf", "alphaextract,format=gray", "-frames:v", "\(frameCount)", "-f", "rawvideo",
                    raw,
                ])
        let (alpha, mask) = (try Data(contentsOf: URL(filePath: raw)), try mask)
        try #require(alpha.count == mask.count)
        let errors = zip(alpha, mask).map { abs(Int($0) - Int($1)) }
        #expect(Double(errors.reduce(0, +)) / Double(errors.count) <= meanError)
        if meanError == 0 { #expect(errors.allSatisfy { $0 == 0 }) }
    }

    @Test func aCropHoldsThePeopleAndHasItsAspect() throws {
        let tight = try make("tight.mkv", "--crop-to-person", "--background", "black", "--codec", "ffv1")
        let video = try #require(try Probe(tight).video)
        let (width, height) = (try #require(video.width), try #require(video.height))
        #expect(width < 320 && width.isMultiple(of: 4) && height.isMultiple(of: 4))
        // Whoever was in the mask is in the crop: as much is not black.
        let (mask, after) = (try mask, try luma(tight))
        #expect(after.count { $0 > 20 } >= mask.count { $0 == 255 } * 9 / 10)
        let square = try make("square.mkv", "--crop-to-person", "--aspect", "1:1", "--codec", "ffv1")
        let size = try #require(try Probe(square).video)
        #expect(size.width == size.height)
        let followed = try make("follow.mkv", "--crop-to-person", "--follow", "--aspect", "9:16", "--codec", "ffv1")
        #expect(try Probe(followed).video?.width == 100 && Probe(followed).video?.height == 180)
        #expect(try Probe(followed).frameTimes().count == frameCount)
    }

    @Test func theSoundOfAVideoBehindIsHeardOverAndOver() throws {
        let behind = folder.path("behind.mkv")
        // Seconds that differ, in packets without loss and without memory, so that each can be told from the others. The sound is
        // longer than the video, which alone tells how long a loop is.
        try Tool.ffmpeg(
            "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=64x36:r=10:d=1", "-f", "lavfi", "-i",
            "sine=frequency=440:beep_factor=3:duration=1.3:sample_rate=8000", "-c:v", "ffv1", "-c:a", "pcm_s16le",
            behind)
        func run(_ name: String, _ arguments: String...) throws -> [String] {
            let output = folder.path(name)
            try matte.call(
                ["--quality", "fast", "--background", behind, "--background-audio"] + arguments + [try clip, output])
            #expect(try Probe(output).streams.count { $0.codecType == "audio" } == 1)
            let times = try Tool.ffprobe(
                "-v", "error", "-select_streams", "a", "-show_entries", "packet=pts_time", "-of", "csv=p=0", output)
            let starts = times.split(separator: "\n").compactMap { Double($0) }
            #expect(starts[0] < 0.13 && zip(starts, starts.dropFirst()).allSatisfy { $0 < $1 })
            // The loop is one second long, as the video is, and nothing is between two.
            #expect(
                starts.allSatisfy { start in
                    start < 1 || starts.contains { abs($0 + 1 - start) < 0.0005 } || starts[0] > 0
                })
            let length = try Probe(output).frameTimes().last ?? 0
            #expect(abs((starts.last ?? 0) - length) < 0.2)
            return try Probe(output).packetHashes("a:0")
        }
        // Of 1024 samples each.
        let source = Array(try Probe(behind).packetHashes("a:0").prefix(8))
        let heard = try run("out.mkv", "--limit", "60")
        let expected = (0..<heard.count).map { source[$0 % source.count] }
        #expect(heard.count > 2 * source.count && heard == expected)
        // From the second second on the sound is where it would have been.
        let later = try run("later.mkv", "--start", "1.5", "--limit", "12")
        #expect(later.first.map { source.firstIndex(of: $0) ?? 0 } ?? 0 >= source.count / 2 - 1)
        let silent = try matte.run(
            ["--background", try clip, "--background-audio", try clip, folder.path("never.mkv")])
        #expect(silent.status == 65)
        #expect(
            silent.error
                == "matte: can't read the background '\(try clip)': it has no sound; leave --background-audio out\n")
        for (name, sentence) in [
            ("never.webm", "webm can't hold the sound of \(behind), which is pcm_s16le"),
            ("%d.png", "images hold no sound"),
        ] {
            let result = try matte.run(
                ["--background", behind, "--background-audio", try clip, folder.path(name)])
            #expect(result.status == 64 && result.error.contains(sentence), "\(result.error)")
        }
    }

    /// A track of sound with nothing in it is played over and over in no time.
    @Test func aVideoBehindWhoseTrackIsEmptyIsSilent() throws {
        let (whole, behind) = (folder.path("whole.mkv"), folder.path("behind.mkv"))
        try Tool.ffmpeg(
            "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=64x36:r=10:d=0.5", "-f", "lavfi", "-i", "sine=duration=0.5",
            "-c:v", "ffv1", "-c:a", "pcm_s16le", whole)
        try Tool.ffmpeg("-v", "error", "-i", whole, "-c", "copy", "-bsf:a", "noise=drop=1", behind)
        let output = folder.path("out.mkv")
        try matte.call(
            ["--quality", "fast", "--background", behind, "--background-audio", "--limit", "30", try clip, output])
        #expect(try Probe(output).frameTimes().count == 30)
    }

    @Test func whatDoesNotGoTogetherIsRefused() throws {
        func refuse(_ words: String, _ arguments: String...) throws {
            let result = try matte.run(arguments + [try clip, folder.path("never.mkv")])
            #expect(result.status == 64 && result.error.contains(words), "\(result.error)")
            #expect(folder.contents.isEmpty)
        }
        try refuse("dim:1 needs a background", "--background", "none", "--effect", "dim")
        try refuse("the effect dim is asked for twice", "-b", "original", "-e", "dim", "-e", "dim:2")
        try refuse("a mask has no shadow:0.5", "--output-kind", "mask", "--effect", "shadow")
        for (kind, background) in [("mask", "blur"), ("foreground", "red"), ("trimap", "pose"), ("mask", "beach.jpg")] {
            try refuse(
                "--background has no effect on a \(kind): drop one of them", "--output-kind", kind, "-b", background)
        }
        try refuse("--background-fit needs a picture or a video", "--background-fit", "tile")
        try refuse("--background-audio needs a video", "--background-audio")
        try refuse("--follow needs --crop-to-person", "--follow")
        try refuse("--aspect needs --crop-to-person", "--aspect", "1:1")
        try refuse("'glow' is invalid", "--effect", "glow")
        try refuse("'nothing' is invalid", "--background", "nothing")
        let missing = try matte.run(["--background", "no/beach.jpg", try clip, folder.path("never.mkv")])
        #expect(missing.status == 66)
        #expect(missing.error == "matte: can't read the background 'no/beach.jpg': no such file or directory\n")
        #expect(folder.contents.isEmpty)
        let piped = try matte.run(["--crop-to-person", "--live", try clip, folder.path("never.mkv")])
        #expect(piped.status == 64 && piped.error.contains("add --follow"))
    }
}
