import CFFmpeg
import Foundation
import Imaging
import TestSupport
import Testing

@testable import Media

/// Every failure is one sentence of the right kind, and leaves nothing that looks complete.
@Suite struct FailureTests {
    private let scratch = TemporaryFolder()

    @discardableResult
    private func clip(_ name: String = "in.mp4") throws -> String {
        try scratch.make(name, "-f lavfi -i testsrc2=s=96x64:r=25:d=0.4 -c:v libx264 -preset ultrafast")
    }

    @Test func missingFile() throws {
        let error = try mediaError { _ = try MediaReader(path: "/nowhere/in.mp4") }
        #expect(error.kind == .noInput)
        #expect(error.description == "can't open '/nowhere/in.mp4': no such file or directory")
    }

    /// FFmpeg has half-precision pictures since version 8.
    @Test(.enabled(if: av_get_pix_fmt("grayf16le") == AV_PIX_FMT_NONE), arguments: ["out.mkv", "out.png"])
    func pictureThatNoFileHolds(name: String) throws {
        let reader = try MediaReader(path: clip())
        let output = scratch.path(name)
        let writer = try MediaWriter(path: output, reader: reader)
        let error = try mediaError { try writer.write(.frame(makeFrame(.grayf16, width: 96, height: 64))) }
        #expect(error.kind == .usage)
        #expect(
            error.description
                == "can't encode '\(output)': FFmpeg has no pictures of grayf16le; make them gray, gray16le or grayf32le"
        )
    }

    @Test func folderForAFile() throws {
        let error = try mediaError { _ = try MediaReader(path: scratch.url.path) }
        #expect(error.kind == .noInput)
        #expect(error.description == "can't open '\(scratch.url.path)': it is a folder; name a video file")
    }

    @Test func emptyFile() throws {
        let path = scratch.path("empty.mp4")
        try Data().write(to: URL(fileURLWithPath: path))
        let error = try mediaError { _ = try MediaReader(path: path) }
        #expect(error.kind == .badData)
        #expect(error.description == "can't read '\(path)': the file is empty")
    }

    @Test func textForAVideo() throws {
        let path = scratch.path("text")
        try String(repeating: "not a video ", count: 500).write(toFile: path, atomically: true, encoding: .utf8)
        let error = try mediaError { _ = try MediaReader(path: path) }
        #expect(error.kind == .badData)
        #expect(
            error.description
                == "can't read '\(path)': it is no video that FFmpeg knows, or it is damaged (invalid data found when processing input)"
        )
    }

    @Test func fileWithoutItsIndex() throws {
        let whole = try Data(contentsOf: URL(fileURLWithPath: clip()))
        let path = scratch.path("cut.mp4")
        try whole.prefix(whole.count / 2).write(to: URL(fileURLWithPath: path))
        let error = try mediaError { _ = try MediaReader(path: path) }
        #expect(error.kind == .badData)
        #expect(
            error.description
                == "can't read '\(path)': the file is cut short or damaged (it has no index: moov atom not found)")
    }

    /// Reads `input` and writes it with the head of one packet of sound made one that can't be.
    private func copyDamaged(_ input: String, to output: String, isStrict: Bool) throws -> Damage {
        let reader = try MediaReader(path: input, options: .init(isStrict: isStrict))
        let writer = try MediaWriter(path: output, settings: fast, reader: reader)
        var packetCount = 0
        while let item = try reader.next() {
            if case .packet(let packet) = item {
                packetCount += 1
                // The bits of the sampling rate (ISO/IEC 13818-7, 6.2.1), none of which are all set.
                if packetCount == 20 { packet.pointer.pointee.data[2] |= 0x3C }
            }
            try writer.write(item)
        }
        try writer.finish()
        return reader.damage + writer.damage
    }

    @Test func aDamagedPacketOfACopiedStreamIsLeftOut() throws {
        let input = try scratch.make(
            "in.ts",
            "-f lavfi -i testsrc2=s=96x64:r=25:d=1 -f lavfi -i sine=d=1 -c:v libx264 -preset ultrafast -c:a aac")
        let output = scratch.path("out.mp4")
        let packets = try probe(input, "packet=pts_time", streams: "a")
        let damage = try copyDamaged(input, to: output, isStrict: false)
        #expect(damage.packetCount == 1)
        #expect(try abs(#require(damage.firstTime) - 19 * 1024 / 44100) < 0.001)
        #expect(try probe(output, "packet=pts_time", streams: "a").count == packets.count - 1)
        #expect(try frameTimes(output).count == 25)

        let error = try mediaError { _ = try copyDamaged(input, to: scratch.path("strict.mp4"), isStrict: true) }
        #expect(error.kind == .badData)
        #expect(
            error.description
                == "can't read '\(input)': stream 1 is damaged at 0.441 s: invalid data found when processing input; "
                + "leave --strict out to pass over it")
        #expect(scratch.contents == ["in.ts", "out.mp4"])
    }

    @Test func damageAddsUp() {
        let early = Damage(packetCount: 1, concealedFrameCount: 0, firstTime: 1)
        let late = Damage(packetCount: 2, concealedFrameCount: 3, firstTime: 2, missingEnd: .init(found: 1, told: 4))
        let sum = Damage(packetCount: 3, concealedFrameCount: 3, firstTime: 1, missingEnd: .init(found: 1, told: 4))
        #expect(early + late == sum && late + early == sum)
        #expect(Damage() + late == late && late + Damage() == late)
        #expect((early + Damage(packetCount: 1)).firstTime == nil)
    }

    @Test func thePlaceOfTheFirstDamageIsKept() {
        for first in [nil, 1.0] {
            var damage = Damage()
            damage.note(at: first)
            damage.packetCount += 1
            damage.note(at: 2)
            #expect(damage.firstTime == first)
        }
    }

    /// Matroska's demuxer tells of a premature end as of a failing disk.
    @Test(arguments: ["in.mkv", "in.webm"])
    func cutWithinTheHeader(name: String) throws {
        let codec = name == "in.mkv" ? "libx264 -preset ultrafast" : "libvpx"
        let input = try scratch.make(name, "-f lavfi -i testsrc2=s=96x64:r=25:d=0.2 -c:v \(codec)")
        let whole = try Data(contentsOf: URL(fileURLWithPath: input))
        let path = scratch.path("cut.\(name)")
        var causes: Set<String> = []
        for count in 1..<600 {
            try whole.prefix(count).write(to: URL(fileURLWithPath: path))
            let error = try mediaError { _ = try MediaReader(path: path) }
            #expect(error.kind == .badData, "\(count) bytes: \(error.description)")
            causes.insert(error.cause)
        }
        #expect(causes.contains("the file is cut short or damaged"))
    }

    @Test func nothingComesOfAClosedReader() throws {
        let reader = try MediaReader(path: try clip())
        _ = try #require(try reader.next())
        reader.close()
        #expect(try reader.next() == nil)
        let unread = try MediaReader(path: scratch.path("in.mp4"))
        unread.close()
        #expect(try unread.next() == nil)
    }

    @Test func audioAlone() throws {
        let path = try scratch.make("a.m4a", "-f lavfi -i sine=d=0.2 -c:a aac")
        let error = try mediaError { _ = try MediaReader(path: path) }
        #expect(error.kind == .badData)
        #expect(error.description == "can't read '\(path)': it has no video stream (only stream 0 (audio, aac))")
    }

    @Test func rawVideo() throws {
        let path = scratch.path("raw.yuv")
        try Data(count: 96 * 64 * 3).write(to: URL(fileURLWithPath: path))
        let error = try mediaError { _ = try MediaReader(path: path) }
        #expect(error.kind == .badData)
        #expect(
            error.description
                == "can't read '\(path)': raw frames don't tell their pixel format and size; pass --format rawvideo with --pix-fmt and --size"
        )
    }

    @Test(arguments: [
        "ffconcat version 1.0\nfile in.mp4\n", "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nin.ts\n#EXT-X-ENDLIST\n",
    ])
    func playlistOpensNoOtherFile(text: String) throws {
        try clip()
        try scratch.make("in.ts", "-f lavfi -i testsrc2=s=96x64:r=25:d=0.4 -c:v libx264 -preset ultrafast")
        let path = scratch.path("list.m3u8")
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        let error = try mediaError { _ = try MediaReader(path: path) }
        #expect(error.kind == .badData)
    }

    @Test func damagedPacketsAreCountedAndPassedOver() throws {
        let path = try scratch.make("in.mkv", "-f lavfi -i testsrc2=s=96x64:r=25:d=2 -c:v ffv1 -slicecrc 1 -g 1")
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        let packet = try #require(try probe(path, "packet=pos").compactMap { Int($0) }.dropFirst(20).first)
        for index in packet + 10..<packet + 60 { bytes[index] = 0xFF }
        try bytes.write(to: URL(fileURLWithPath: path))
        let output = scratch.path("out.mp4")
        let reader = try MediaReader(path: path)
        let count = try frames(reader).count
        #expect(count + reader.damage.packetCount == 50 || count == 50)
        try transcode(path, to: output)
        #expect(try frameTimes(output).count == count)
    }

    @Test func nothingThatCanBeDecoded() throws {
        let path = try clip("in.mkv")
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        for position in try probe(path, "packet=pos,size").map({ $0.split(separator: ",").compactMap { Int($0) } }) {
            let (size, start) = (position[0], position[1])
            for index in start + 12..<min(start + 12 + size, bytes.count) { bytes[index] = 0 }
        }
        try bytes.write(to: URL(fileURLWithPath: path))
        let error = try mediaError { _ = try MediaReader(path: path) }
        #expect(error.kind == .badData)
        #expect(error.description == "can't decode '\(path)': not one frame could be decoded")
    }

    @Test func startPastTheEnd() throws {
        let path = try clip()
        let error = try mediaError { _ = try MediaReader(path: path, options: .init(start: 99)) }
        #expect(error.kind == .usage)
        #expect(
            error.description
                == "can't read '\(path)': no frame lies within the part that was asked for; choose an earlier start")
        let gap = try mediaError { _ = try MediaReader(path: path, options: .init(start: 99, duration: 0.01)) }
        #expect(gap.description == error.description + ", or a longer duration")
    }

    @Test func outputThatExists() throws {
        let input = try clip()
        let output = scratch.path("out.mp4")
        try Data([1, 2, 3]).write(to: URL(fileURLWithPath: output))
        let error = try mediaError { try transcode(input, to: output) }
        #expect(error.kind == .cannotCreate)
        #expect(
            error.description
                == "can't create '\(output)': it exists already; choose another name, or pass --overwrite")
        #expect(FileManager.default.contents(atPath: output) == Data([1, 2, 3]))
        try transcode(input, to: output, overwrite: true)
        #expect(try frameTimes(output).count == 10)
    }

    @Test func outputThatIsTheInput() throws {
        let input = try clip()
        let link = scratch.path("link.mp4")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: input)
        let error = try mediaError { try transcode(input, to: link, overwrite: true) }
        #expect(error.kind == .cannotCreate)
        #expect(error.description == "can't create '\(link)': it is the file that is being read; choose another name")
        #expect(try frameTimes(input).count == 10)
    }

    /// What can't get its name in the end is refused before the first frame.
    @Test(arguments: ["out.mkv", "out.png", "out-%d.png"])
    func aLinkThatLeadsNowhereIsInTheWay(name: String) throws {
        let reader = try MediaReader(path: clip(), options: .init(frameLimit: 1))
        let link = scratch.path(name.replacing("%d", with: "7"))
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "nowhere")
        let error = try mediaError { _ = try MediaWriter(path: scratch.path(name), reader: reader) }
        #expect(error.kind == .cannotCreate)
        #expect(
            error.description
                == "can't create '\(link)': it is a link that leads nowhere; choose another name, or pass --overwrite")
        let names = scratch.contents
        try transcode(
            scratch.path("in.mp4"), to: scratch.path(name), options: .init(frameLimit: 1), settings: .init(),
            overwrite: true)
        #expect(Set(scratch.contents).isSuperset(of: names) && !scratch.contents.contains("nowhere"))
    }

    @Test(arguments: ["mkv", "png"])
    func aNameThatIsTooLong(kind: String) throws {
        let reader = try MediaReader(path: clip())
        let output = scratch.path(String(repeating: "x", count: 256) + "." + kind)
        let error = try mediaError { _ = try MediaWriter(path: output, reader: reader, overwrite: true) }
        #expect(error.kind == .cannotCreate)
        #expect(
            error.description
                == "can't create '\(output)': the name is longer than the file system allows; choose a shorter one")
    }

    @Test func noFolderForTheOutput() throws {
        let input = try clip()
        let error = try mediaError { try transcode(input, to: "/nowhere/out.mp4") }
        #expect(error.kind == .cannotCreate)
        #expect(error.description == "can't create '/nowhere/out.mp4': there is no folder '/nowhere'; make it first")
    }

    @Test(arguments: [
        ("out", "its name does not tell a container"), ("out.xyz", "its name does not tell a container"),
        ("out.wav", "the format wav does not hold video in one file"),
        ("out.mp3", "the format mp3 does not hold video in one file"),
        ("out.aiff", "the format aiff does not hold video in one file"),
        ("out.flac", "the format flac does not hold video in one file"),
        ("out.tga", "the format image2 does not hold video in one file"),
    ])
    func nameThatTellsNoContainer(name: String, cause: String) throws {
        let input = try clip()
        let output = scratch.path(name)
        let error = try mediaError { try transcode(input, to: output) }
        #expect(error.kind == .usage)
        #expect(
            error.description
                == "can't create '\(output)': \(cause); choose a name that ends in .mp4, .mov, .mkv or .webm")
    }

    @Test(arguments: [
        ("out.heic", "its name does not tell a container"),
        ("out.tga", "the format image2 does not hold video in one file"),
    ])
    func nameThatTellsNoPicture(name: String, cause: String) throws {
        let input = try scratch.make("in.jpg", "-f lavfi -i testsrc2=s=96x64 -frames:v 1")
        let output = scratch.path(name)
        let error = try mediaError { try transcode(input, to: output) }
        #expect(error.kind == .usage)
        #expect(
            error.description
                == "can't create '\(output)': \(cause); choose a name that ends in .jpg, .png, .webp or .avif")
    }

    /// FFmpeg decodes animated WebP since version 9.
    private static let decodesAnimatedWebP = avcodec_find_decoder_by_name("webp_anim") != nil

    private func animatedWebP() throws -> String {
        try scratch.make("in.webp", "-f lavfi -i testsrc2=s=96x64:r=5:d=1 -c:v libwebp_anim")
    }

    @Test(.enabled(if: decodesAnimatedWebP)) func animatedWebPIsRead() throws {
        #expect(try frames(MediaReader(path: animatedWebP())).count == 5)
    }

    @Test(.disabled(if: decodesAnimatedWebP)) func animationThatFFmpegDoesNotDecode() throws {
        let path = try animatedWebP()
        let advice = "if it is an animation, make a GIF or an APNG of it: FFmpeg decodes none in WebP"
        let asInput = try mediaError { _ = try MediaReader(path: path) }
        #expect(asInput.kind == .badData)
        #expect(asInput.description == "can't decode '\(path)': not one frame could be decoded; \(advice)")
        let asBackground = try mediaError { _ = try PictureLoop(path: path, threads: 1, limits: .init()) }
        #expect(asBackground.description == "can't read '\(path)': not one picture could be decoded; \(advice)")
    }

    @Test(arguments: [
        (
            EncoderSettings(codec: "libx999"),
            "can't encode '@': there is no video encoder or codec 'libx999'; 'ffmpeg -encoders' lists them"
        ),
        (
            EncoderSettings(codec: "x264"),
            "can't encode '@': there is no video encoder or codec 'x264'; did you mean 'libx264'? 'ffmpeg -encoders' lists them"
        ),
        (
            EncoderSettings(codec: "hvec"),
            "can't encode '@': there is no video encoder or codec 'hvec'; did you mean 'hevc'? 'ffmpeg -encoders' lists them"
        ),
        (
            EncoderSettings(codec: "aac"),
            "can't encode '@': there is no video encoder or codec 'aac'; 'ffmpeg -encoders' lists them"
        ),
        (
            EncoderSettings(options: [("nonsense", "1")]),
            "can't encode '@': the encoder libx264 has no option 'nonsense'; 'ffmpeg -h encoder=libx264' lists its options"
        ),
        (
            EncoderSettings(options: [("bf", "many")]),
            "can't encode '@': the encoder libx264 does not take 'many' for 'bf'; 'ffmpeg -h encoder=libx264' lists its options"
        ),
        (
            EncoderSettings(codec: "mpeg4", crf: 20),
            "can't encode '@': the encoder mpeg4 has no option 'crf'; 'ffmpeg -h encoder=mpeg4' lists its options"
        ),
        (
            EncoderSettings(codec: "png", bitrate: 1_000_000),
            "can't encode '@': the encoder png loses nothing, so it has no bit rate; leave --bitrate out, or choose another --codec"
        ),
        (
            EncoderSettings(codec: "jpeg2000", bitrate: 1_000_000),
            "can't encode '@': the encoder jpeg2000 has no bit rate; leave --bitrate out; 'ffmpeg -h encoder=jpeg2000' lists what its quality follows from"
        ),
        (
            EncoderSettings(options: [("pixel_format", "yuv444p")]),
            "can't encode '@': the option 'pixel_format' follows from the frames; choose it with --output-pix-fmt"
        ),
        (
            EncoderSettings(options: [("color_trc", "smpte2084")]),
            "can't encode '@': the option 'color_trc' follows from the frames; leave it out"
        ),
        (
            EncoderSettings(options: [("x264-params", "keyin=25")]),
            "can't encode '@': the encoder libx264 does not take its parameters: Error parsing option 'keyin = 25'; correct the --encoder-option that has them"
        ),
        (
            EncoderSettings(codec: "libx265", options: [("x265-params", "keyin=25")]),
            "can't encode '@': the encoder libx265 does not take its parameters: Unknown option: keyin; correct the --encoder-option that has them"
        ),
        (
            EncoderSettings(codec: "libx265", options: [("x265-params", "keyint=often")]),
            "can't encode '@': the encoder libx265 does not take its parameters: Invalid value for keyint: often; correct the --encoder-option that has them"
        ),
        (
            EncoderSettings(codec: "prores"),
            "can't create '@': mp4 can't hold prores video; choose a name that ends in .mkv, or another codec"
        ),
        (
            EncoderSettings(preset: "lazy"),
            "can't encode '@': the encoder libx264 has no preset 'lazy'; it has ultrafast, superfast, veryfast, faster, fast, medium, slow, slower, veryslow, placebo"
        ),
    ])
    func encoderThatDoesNotFit(settings: EncoderSettings, sentence: String) throws {
        let input = try clip()
        let output = scratch.path("out.mp4")
        let error = try mediaError { try transcode(input, to: output, settings: settings) }
        #expect(error.kind == .usage)
        #expect(error.description == sentence.replacingOccurrences(of: "@", with: output))
        #expect(scratch.contents == ["in.mp4"])
    }

    /// Muxers that write any codec as data are asked for no more than what readers find in them again.
    @Test(arguments: [
        ("out.ts", "mpegts", "ffv1", "ffv1"), ("out.ts", "mpegts", "libvpx-vp9", "vp9"),
        ("out.m2ts", "mpegts", "png", "png"), ("out.mpg", "mpeg", "mjpeg", "mjpeg"),
        ("out.mjpeg", "mjpeg", "libx264", "h264"), ("out.gif", "gif", "ffv1", "ffv1"),
    ])
    func videoThatNobodyWouldFindIsRefused(name: String, container: String, encoder: String, codec: String) throws {
        let reader = try MediaReader(path: clip())
        let output = scratch.path(name)
        let error = try mediaError {
            _ = try MediaWriter(path: output, settings: .init(codec: encoder), reader: reader)
        }
        #expect(error.kind == .usage)
        #expect(
            error.description
                == "can't create '\(output)': \(container) can't hold \(codec) video; choose a name that ends in .mkv, or another codec"
        )
    }

    @Test(arguments: [("out.ts", "hevc"), ("out.m2ts", "h264"), ("out.mpg", "mpeg2video"), ("out.mjpeg", "mjpeg")])
    func videoThatIsFoundAgainIsTaken(name: String, codec: String) throws {
        let output = scratch.path(name)
        #expect(try transcode(clip(), to: output, settings: .init(codec: codec)) == [])
        #expect(Set(try probe(output, "stream=codec_name", streams: "")) == [codec])
        #expect(try frameTimes(output).count == 10)
    }

    @Test func nothingUnderTheFinalNameBeforeTheEnd() throws {
        let input = try clip()
        let output = scratch.path("out.mp4")
        let reader = try MediaReader(path: input)
        var writer: MediaWriter? = try MediaWriter(path: output, settings: fast, reader: reader)
        while let item = try reader.next() {
            try writer?.write(item)
            #expect(!FileManager.default.fileExists(atPath: output))
        }
        #expect(scratch.contents.count == 2)
        writer = nil
        #expect(scratch.contents == ["in.mp4"])

        let other = try MediaWriter(path: output, settings: fast, reader: reader)
        let error = try mediaError { try other.finish() }
        #expect(error.description == "can't write '\(output)': there was no frame to write")
        #expect(scratch.contents == ["in.mp4"])
    }

    @Test func namesWithColonsAndPercentSignsAreFiles() throws {
        let input = try clip()
        let odd = scratch.path("http:%03d in.mp4")
        try FileManager.default.moveItem(atPath: input, toPath: odd)
        let output = scratch.path("out:%d ü.mkv")
        #expect(try transcode(odd, to: output) == [])
        #expect(scratch.contents == ["http:%03d in.mp4", "out:%d ü.mkv"])
    }

    @Test func fullDiskIsAnInputOutputError() {
        let error = MediaError(AVError(code: -28), kind: .internal, file: "out.mp4", operation: "write", advice: "pray")
        #expect(error.kind == .io)
        #expect(error.description == "can't write 'out.mp4': no space left on device")
    }

    @Test func readerAndWriterWorkInTwoThreads() async throws {
        let input = try scratch.make(
            "in.mp4",
            "-f lavfi -i testsrc2=s=96x64:r=25:d=2 -f lavfi -i sine=d=2 -c:v libx264 -preset ultrafast -c:a aac")
        let output = scratch.path("out.mp4")
        let reader = try MediaReader(path: input)
        let writer = try MediaWriter(path: output, settings: fast, reader: reader)
        let (stream, feed) = AsyncStream.makeStream(of: MediaItem.self)
        nonisolated(unsafe) let source = reader
        let reading = Thread {
            while let item = try? source.next() { feed.yield(item) }
            feed.finish()
        }
        reading.start()
        for await item in stream { try writer.write(item) }
        try writer.finish()
        #expect(try frameTimes(output).count == 50)
        #expect(try packetHash(input, "0:a") == packetHash(output, "0:a"))
    }

    @Test func versionsAreThoseOfTheLibraries() {
        for version in [
            LibraryVersions.libavcodec, LibraryVersions.libavformat, LibraryVersions.libavutil,
            LibraryVersions.libswscale,
        ] {
            #expect(version.split(separator: ".").compactMap { Int($0) }.count == 3)
        }
    }
}
