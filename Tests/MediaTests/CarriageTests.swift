import CFFmpeg
import Foundation
import Imaging
import TestSupport
import Testing

@testable import Media

/// Everything else that a video carries: other streams, metadata, colour, shape, light levels.
@Suite struct CarriageTests {
    private let scratch = TemporaryFolder()

    @Test(arguments: ["mp4", "mkv", "mov"])
    func audioIsCopiedBitForBit(container: String) throws {
        let input = try scratch.make(
            "in.mp4",
            "-f lavfi -i testsrc2=s=96x64:r=25:d=1 -f lavfi -i sine=d=1 -f lavfi -i sine=600:d=1 -map 0 -map 1 -map 2 -c:v libx264 -preset ultrafast -c:a:0 aac -c:a:1 libmp3lame"
        )
        let output = scratch.path("out.\(container)")
        #expect(try transcode(input, to: output) == [])
        for map in ["0:a:0", "0:a:1"] { #expect(try packetHash(input, map) == packetHash(output, map)) }
    }

    // Matroska tells times in milliseconds, and AAC has 1024 samples in a packet.
    @Test func soundLastsAsLongAsItsSamples() throws {
        let input = try scratch.make(
            "in.mkv",
            "-f lavfi -i testsrc2=s=96x64:r=25:d=2 -f lavfi -i sine=d=2:r=48000 -c:v libx264 -preset ultrafast -c:a aac"
        )
        let output = scratch.path("out.mp4")
        #expect(try transcode(input, to: output) == [])
        // The first time of all is rounded, too.
        let told = try probe(output, "packet=duration", streams: "a:0").dropFirst(2)
        #expect(told.count > 90 && told.allSatisfy { $0 == "1024" }, "\(told)")
    }

    @Test func soundThatIsMissingStaysMissing() throws {
        let input = try scratch.make(
            "in.mkv",
            "-f lavfi -i testsrc2=s=96x64:r=25:d=2 -f lavfi -i sine=d=2:r=48000 -c:v libx264 -preset ultrafast -c:a aac -bsf:a noise=drop=between(n\\,30\\,49)"
        )
        let output = scratch.path("out.mp4")
        try transcode(input, to: output)
        let (before, behind) = (
            try probe(input, "packet=pts_time", streams: "a:0"), try probe(output, "packet=pts_time", streams: "a:0")
        )
        #expect(before.count == behind.count && before.count < 80)
        for (a, b) in zip(before.compactMap(Double.init), behind.compactMap(Double.init)) {
            #expect(abs(a - b) < 0.0011)
        }
    }

    @Test func tagsNeedNotBeUnicode() throws {
        let input = try scratch.make(
            "in.avi", "-f lavfi -i testsrc2=s=96x64:r=25:d=0.2 -metadata title=CafX -c:v mpeg4")
        let (unicode, latin) = (Data("CafX".utf8), Data("Caf".utf8) + [0xE9])
        var bytes = try Data(contentsOf: URL(filePath: input))
        bytes.replaceSubrange(try #require(bytes.range(of: unicode)), with: latin)
        try bytes.write(to: URL(filePath: input))
        let output = scratch.path("out.mkv")
        try transcode(input, to: output)
        #expect(try Data(contentsOf: URL(filePath: output)).range(of: latin) != nil)
    }

    @Test func aSecondVideoWhoseTimesAreNotKnownIsLeftOut() throws {
        let input = try scratch.make(
            "in.avi",
            "-f lavfi -i testsrc2=s=96x64:r=25:d=0.4 -f lavfi -i testsrc=s=96x64:r=25:d=0.4 -map 0 -map 1 -c:v libx264 -bf 2"
        )
        #expect(
            try transcode(input, to: scratch.path("out.mkv")) == [
                "stream 1 (video, h264) is left out, because avi doesn't tell when its pictures are shown, which matroska has to; .avi can hold it"
            ])
        let copy = scratch.path("out.avi")
        try transcode(input, to: copy)
        #expect(try packetHash(input, "0:v:1") == packetHash(copy, "0:v:1"))
    }

    // A receiver has a frame's bytes before it has to show it (ISO/IEC 13818-1, the system target decoder).
    @Test func aTransportStreamIsAheadOfItsClock() throws {
        let input = try scratch.make(
            "in.mp4",
            "-f lavfi -i testsrc2=s=96x64:r=25:d=1 -f lavfi -i sine=d=1 -c:v libx264 -preset ultrafast -c:a aac")
        let output = scratch.path("out.ts")
        #expect(try transcode(input, to: output) == [])
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: output)))
        // The first clock reference lies in the adaptation field of a packet of 188 bytes.
        func hasClock(_ packet: Int) -> Bool {
            let (hasField, length, flags) = (bytes[packet + 3] & 0x20, bytes[packet + 4], bytes[packet + 5])
            return hasField != 0 && length > 0 && flags & 0x10 != 0
        }
        let start = try #require(stride(from: 0, to: bytes.count, by: 188).first(where: hasClock))
        let reference = bytes[start + 6..<start + 11]
        let ticks = reference.reduce(0) { $0 << 8 | UInt64($1) } >> 7
        let clock = Double(ticks) / 90_000
        let first = try #require(Double(try probe(output, "packet=dts_time")[0]))
        #expect((0.5...0.8).contains(first - clock), "\(first) \(clock)")
    }

    /// The bitstream of HEVC may say nothing, and that of VP9 knows only a matrix.
    @Test(arguments: ["libx265", "libvpx-vp9"])
    func colorsThatTheContainerTellsAreKept(encoder: String) throws {
        let raw = try scratch.make(
            "raw.mkv", "-f lavfi -i testsrc2=s=96x64:r=25:d=0.2 -pix_fmt yuv420p -c:v \(encoder)")
        let input = try scratch.make(
            "in.mkv",
            "-i \(raw) -c copy -color_primaries bt2020 -color_trc smpte2084 -colorspace bt2020nc")
        let output = scratch.path("out.mkv")
        try transcode(input, to: output, settings: .init(codec: "ffv1"))
        #expect(try videoValue(output, "color_space") == "bt2020nc")
        #expect(try videoValue(output, "color_primaries") == "bt2020")
        #expect(try videoValue(output, "color_transfer") == "smpte2084")
    }

    @Test func subtitlesChaptersMetadataAndDispositionsAreCopied() throws {
        let subtitles = scratch.path("s.srt")
        try "1\n00:00:00,200 --> 00:00:00,700\nWord\n".write(toFile: subtitles, atomically: true, encoding: .utf8)
        let metadata = scratch.path("m.txt")
        try """
        ;FFMETADATA1
        title=A title
        artist=Someone
        [CHAPTER]
        TIMEBASE=1/1000
        START=0
        END=500
        title=One
        [CHAPTER]
        TIMEBASE=1/1000
        START=500
        END=1000
        title=Two
        """.write(toFile: metadata, atomically: true, encoding: .utf8)
        let input = try scratch.make(
            "in.mkv",
            "-f lavfi -i testsrc2=s=96x64:r=25:d=1 -f lavfi -i sine=d=1 -i \(subtitles) -i \(metadata) -map_metadata 3 -map_chapters 3 -map 0 -map 1 -map 2 -c:v libx264 -preset ultrafast -c:a flac -c:s srt -metadata:s:a language=deu -disposition:a 0 -disposition:s forced -attach \(subtitles) -metadata:s:t mimetype=text/plain"
        )
        let output = scratch.path("out.mkv")
        #expect(try transcode(input, to: output) == [])
        #expect(try packetHash(input, "0:a") == packetHash(output, "0:a"))
        #expect(try packetHash(input, "0:s") == packetHash(output, "0:s"))
        #expect(try probe(output, "packet=pts_time,duration_time", streams: "s") == ["0.200000,0.500000"])
        #expect(
            try run("ffprobe", split("-v error -show_entries format_tags=title,artist -of csv=p=0 \(output)"))
                == "A title,Someone\n")
        #expect(
            try chapters(output)
                == "0.000000,0.500000,One\n0.500000,1.000000,Two\n")
        #expect(try probe(output, "stream_tags=language", streams: "a") == ["deu"])
        #expect(try probe(output, "stream_disposition=default,forced", streams: "a") == ["0,0"])
        #expect(try probe(output, "stream_disposition=default,forced", streams: "s") == ["0,1"])
        #expect(try probe(output, "stream=codec_type:stream_tags=filename", streams: "t") == ["attachment,s.srt"])
    }

    /// A clip of three seconds with chapters from 0 to 1 and from 1 to 3.
    private func chapteredClip(_ name: String) throws -> String {
        let metadata = scratch.path("m.txt")
        try
            ";FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1\nSTART=0\nEND=1\ntitle=One\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=1000\nEND=3000\ntitle=Two\n"
            .write(toFile: metadata, atomically: true, encoding: .utf8)
        return try scratch.make(
            name, "-f lavfi -i testsrc2=s=96x64:r=25:d=3 -i \(metadata) -map_chapters 1 -c:v libx264 -preset ultrafast")
    }

    /// Start, end and title of each chapter.
    private func chapters(_ path: String) throws -> String {
        try run(
            "ffprobe",
            split(
                "-v error -show_chapters -show_entries chapter=start_time,end_time:chapter_tags=title -of csv=p=0 \(path)"
            ))
    }

    @Test(arguments: [("ts", "mpegts"), ("avi", "avi"), ("mov", nil), ("nut", nil), ("webm", nil)])
    func chaptersThatCanNotBeHeldAreMissed(container: String, format: String?) throws {
        let input = try chapteredClip("in.mp4")
        let output = scratch.path("out.\(container)")
        let warnings = try transcode(input, to: output, settings: .init())
        let expected = format.map { "the chapters are left out, because \($0) can't hold them; .mkv can" }
        #expect(warnings == (expected.map { [$0] } ?? []))
        #expect(try chapters(output).isEmpty == (format != nil))
    }

    @Test func chaptersFollowThePart() throws {
        let input = try chapteredClip("in.mp4")
        let output = scratch.path("out.mp4")
        #expect(try transcode(input, to: output, options: .init(start: 1.2, duration: 1)) == [])
        #expect(try chapters(output) == "0.000000,1.000000,Two\n")
    }

    /// What the caller tells is for videos that tell nothing.
    @Test(
        arguments: [
            ("", "smpte170m", []), ("-colorspace smpte170m", "smpte170m", []),
            (
                "-colorspace bt709 -color_range pc", "bt709",
                [
                    "--colorspace is left aside, because the input tells its own, bt709",
                    "--color-range is left aside, because the input tells its own, pc",
                ]
            ),
        ])
    func aToldMatrixCounts(told: String, matrix: String, warnings: [String]) throws {
        let input = try scratch.make(
            "in.mkv", "-f lavfi -i testsrc2=s=96x64:r=25:d=0.12 -c:v ffv1 -pix_fmt yuv420p \(told)")
        let output = scratch.path("out.mkv")
        #expect(try transcode(input, to: output, options: .init(colorspace: "smpte170m", colorRange: "tv")) == warnings)
        #expect(try videoValue(output, "color_space") == matrix)
    }

    @Test(arguments: ["mp4", "mkv"])
    func chaptersEndWithWhatIsThere(kind: String) throws {
        let input = try chapteredClip("in.mkv")
        let output = scratch.path("out.\(kind)")
        func part(of count: Int) throws -> String {
            #expect(try transcode(input, to: output, options: .init(frameLimit: count), overwrite: true) == [])
            let duration = try run("ffprobe", split("-v error -show_entries format=duration -of csv=p=0 \(output)"))
            #expect(Double(duration.trimmingCharacters(in: .newlines)) == Double(count) / 25)
            return try chapters(output)
        }
        #expect(try part(of: 65) == "0.000000,1.000000,One\n1.000000,2.600000,Two\n")
        #expect(try part(of: 50) == "0.000000,1.000000,One\n1.000000,2.000000,Two\n")
        #expect(try part(of: 10) == "0.000000,0.400000,One\n")
    }

    /// What a picture refers to comes before it, and may be shown after it.
    @Test(arguments: [(nil, 1.08), (nil, 1.16), (nil, 0.92), (1, nil), (0.7, 0.6)] as [(Double?, Double?)])
    func picturesOfACopiedVideoAreThoseOfTheFile(start: Double?, duration: Double?) throws {
        let input = try scratch.make(
            "in.mkv",
            "-f lavfi -i testsrc=s=96x64:r=25:d=2 -f lavfi -i testsrc2=s=96x64:r=25:d=2 -map 0 -map 1 -c:v libx264 "
                + "-bf 3 -x264-params open-gop=1:keyint=12:scenecut=0")
        let output = scratch.path("out.mkv")
        try transcode(input, to: output, options: .init(start: start, duration: duration))
        func pictures(_ path: String) throws -> [Substring] {
            try run("ffmpeg", split("-v error -i \(path) -map 0:v:1 -fps_mode passthrough -f framehash -"))
                .split(separator: "\n").filter { !$0.hasPrefix("#") }.compactMap { $0.split(separator: " ").last }
        }
        let (all, copied) = try (pictures(input), pictures(output))
        #expect(Set(copied).isSubset(of: all))
        let times = try probe(output, "packet=pts", streams: "v:1").compactMap { Int($0) }
        #expect(times.first == times.min(), "pictures shown before the first key frame refer to others")
        if let duration, start == nil {
            let count = Int((duration * 25).rounded())
            #expect(copied.prefix(count) == all.prefix(count))
            #expect(copied.count <= count + 4)
        } else {
            #expect(copied.count >= 8)
        }
    }

    @Test func aChapterMayGoOnALittleBeyondAWholeFile() throws {
        let metadata = scratch.path("m.txt")
        try ";FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=1400\ntitle=One\n"
            .write(toFile: metadata, atomically: true, encoding: .utf8)
        let input = try scratch.make(
            "in.mkv",
            "-f lavfi -i testsrc2=s=96x64:r=25:d=1 -i \(metadata) -map_chapters 1 -c:v libx264 -preset ultrafast")
        let output = scratch.path("out.mkv")
        try transcode(input, to: output)
        #expect(try chapters(output) == "0.000000,1.400000,One\n")
    }

    @Test(arguments: [("mp4", "mjpeg"), ("mkv", "mjpeg"), ("mkv", "png")])
    func coverPictureIsKept(container: String, codec: String) throws {
        let cover = try scratch.make(
            "cover.\(codec == "png" ? "png" : "jpg")", "-f lavfi -i testsrc=s=48x48 -frames:v 1")
        let input = try scratch.make(
            "in.mp4",
            "-f lavfi -i testsrc2=s=96x64:r=25:d=0.4 -i \(cover) -map 0 -map 1 -c:v:0 libx264 -preset ultrafast -c:v:1 copy -disposition:v:1 attached_pic"
        )
        let output = scratch.path("out.\(container)")
        #expect(
            try transcode(input, to: output) == [
                "stream 1 (cover picture, \(codec)) is copied with the background that it has; ffmpeg's '-map -0:1' leaves it out"
            ])
        #expect(
            try probe(output, "stream=codec_name:stream_disposition=attached_pic", streams: "v") == [
                "h264,0", "\(codec),1",
            ])
        #expect(try packetHash(input, "0:v:1") == packetHash(output, "0:v:1"))
    }

    @Test(arguments: [("gif", "gif"), ("tif", "tiff"), ("png", "png"), ("jpg", "jpeg")])
    func aCoverIsCalledWhatItIs(name: String, type: String) throws {
        let cover = try scratch.make("front.\(name)", "-f lavfi -i testsrc=s=48x48 -frames:v 1")
        let input = try scratch.make(
            "in.mkv",
            "-f lavfi -i testsrc2=s=96x64:r=25:d=0.4 -attach \(cover) -metadata:s:t mimetype=image/\(type) -c:v libx264 -preset ultrafast"
        )
        let output = scratch.path("out.mkv")
        try transcode(input, to: output)
        #expect(
            try probe(output, "stream=codec_type:stream_tags=filename,mimetype", streams: "v:1")
                == ["video,cover.\(name),image/\(type)"])
    }

    @Test func whatCanNotBeHeldIsNamed() throws {
        let input = try scratch.make(
            "in.mkv",
            "-f lavfi -i testsrc2=s=96x64:r=25:d=0.4 -f lavfi -i sine=d=0.4 -map 0 -map 1 -map 1 -c:v libx264 -preset ultrafast -c:a wmav2 -c:a:1 wavpack"
        )
        let output = scratch.path("out.mp4")
        #expect(
            try transcode(input, to: output) == [
                "stream 1 (audio, wmav2) is left out, because mp4 can't hold it; .mkv can",
                "stream 2 (audio, wavpack) is left out, because mp4 can't hold it; .mkv can",
            ])
        #expect(try probe(output, "stream=codec_type", streams: "") == ["video"])
    }

    /// A file within the file has no codec that FFmpeg knows, and of Opus the list of what QuickTime takes tells more than its muxer does.
    @Test(arguments: [
        ("mp4", ["stream 2 (attachment, none) is left out, because mp4 can't hold it; .mkv can"]),
        (
            "mov",
            [
                "stream 1 (audio, opus) is left out, because mov does not take it as it is; .mkv can",
                "stream 2 (attachment, none) is left out, because mov can't hold it; .mkv can",
            ]
        ),
        ("mkv", []),
    ])
    func whatCouldHoldItIsNamed(container: String, warnings: [String]) throws {
        try Data("text".utf8).write(to: URL(filePath: scratch.path("notes.xyz")))
        let input = try scratch.make(
            "in.mkv",
            "-f lavfi -i testsrc2=s=96x64:r=25:d=0.4 -f lavfi -i sine=d=0.4 -c:v libx264 -preset ultrafast -c:a libopus "
                + "-attach \(scratch.path("notes.xyz")) -metadata:s:t mimetype=text/x-notes")
        #expect(try transcode(input, to: scratch.path("out.\(container)")) == warnings)
    }

    @Test func aTrackOfTimeCodeIsNamedWhereNothingHoldsIt() throws {
        let input = try scratch.make(
            "in.mov", "-f lavfi -i testsrc2=s=96x64:r=25:d=0.2 -c:v libx264 -preset ultrafast -timecode 10:00:00:00")
        #expect(try transcode(input, to: scratch.path("out.mkv")) == [])
        #expect(
            try transcode(input, to: scratch.path("out.ts")) == [
                "stream 1 (data, tmcd) is left out, because mpegts can't hold it; .mov can"
            ])
        #expect(
            try transcode(input, to: scratch.path("out.m4v")) == [
                "stream 1 (data, tmcd) is left out, because ipod can't hold it; .mov can"
            ])
    }

    /// What comes out is what went in, or it is left out with a word.
    @Test(arguments: [
        ("ts", "aac", true), ("ts", "ac3", true), ("ts", "flac", false), ("ts", "pcm_s16le", false),
        ("ts", "truehd -ar 48000", false), ("m2ts", "aac", true), ("m2ts", "flac", false),
        ("mpg", "mp2", true), ("mpg", "aac", false), ("h264", "aac", false),
    ])
    func soundIsKnownAgainOrLeftOut(container: String, sound: String, isHeld: Bool) throws {
        let input = try scratch.make(
            "in.mkv",
            "-f lavfi -i testsrc2=s=96x64:r=25:d=0.4 -f lavfi -i sine=d=0.4 -c:v libx264 -preset ultrafast -ac 2 -strict -2 -c:a \(sound)"
        )
        let output = scratch.path("out.\(container)")
        let warnings = try transcode(input, to: output, settings: .init(codec: "libx264", preset: "ultrafast"))
        let codec = try #require(try probe(input, "stream=codec_name", streams: "a").first)
        let format = ["ts": "mpegts", "m2ts": "mpegts", "mpg": "mpeg"][container] ?? container
        let left = "stream 1 (audio, \(codec)) is left out, because \(format) can't hold it; .mkv can"
        #expect(warnings == (isHeld ? [] : [left]))
        let codecs = try probe(output, "stream=codec_name", streams: "")
        #expect(Set(codecs) == (isHeld ? ["h264", codec] : ["h264"]))
    }

    @Test(arguments: [("m2ts", true), ("ts", false)])
    func soundOfBluRayStaysInItsOwnStreams(container: String, isHeld: Bool) throws {
        let input = try scratch.make(
            "in.m2ts",
            "-f lavfi -i testsrc2=s=96x64:r=25:d=0.4 -f lavfi -i sine=d=0.4 -c:v libx264 -preset ultrafast -ac 2 -c:a pcm_bluray -ar 48000"
        )
        let output = scratch.path("out.\(container)")
        #expect(try transcode(input, to: output).isEmpty == isHeld)
        let codecs = try probe(output, "stream=codec_name", streams: "")
        #expect(Set(codecs) == (isHeld ? ["h264", "pcm_bluray"] : ["h264"]))
    }

    @Test(arguments: ["ts", "mpg"])
    func subtitlesOfTextAreLeftOutOfMPEGStreams(container: String) throws {
        let subtitles = scratch.path("s.srt")
        try "1\n00:00:00,200 --> 00:00:00,700\nWord\n".write(toFile: subtitles, atomically: true, encoding: .utf8)
        let input = try scratch.make(
            "in.mkv",
            "-f lavfi -i testsrc2=s=96x64:r=25:d=0.4 -i \(subtitles) -c:v libx264 -preset ultrafast -c:s srt")
        let output = scratch.path("out.\(container)")
        let format = container == "ts" ? "mpegts" : "mpeg"
        #expect(
            try transcode(input, to: output, settings: .init(codec: "libx264", preset: "ultrafast")) == [
                "stream 1 (subtitle, subrip) is left out, because \(format) can't hold it; .mkv can"
            ])
        #expect(Set(try probe(output, "stream=codec_name", streams: "")) == ["h264"])
    }

    @Test(arguments: ["mp4", "mov", "mkv", "webm"])
    func colourTagsAreKept(container: String) throws {
        let tags = "tv,bt2020nc,arib-std-b67,bt2020,topleft"
        let input = try scratch.make(
            "in.mp4",
            "-f lavfi -i testsrc2=s=96x64:r=25:d=0.12 -vf format=yuv420p10le,setparams=range=tv:colorspace=bt2020nc:color_trc=arib-std-b67:color_primaries=bt2020 -c:v libx264 -preset ultrafast -x264-params chromaloc=2"
        )
        let output = scratch.path("out.\(container)")
        #expect(try transcode(input, to: output, settings: container == "webm" ? .init() : fast) == [])
        let entries = "stream=color_range,color_space,color_transfer,color_primaries,chroma_location"
        #expect(try probe(input, entries) == [tags])
        #expect(try probe(output, entries) == [tags])
        #expect(try videoValue(output, "pix_fmt") == "yuv420p10le")
    }

    /// FFmpeg's decoder of VP8 says BT.601 whatever the file says.
    @Test(arguments: [("-colorspace bt709", nil, "bt709"), ("", "bt709", "bt709"), ("", nil, "bt470bg")])
    func theContainersMatrixOfVP8Counts(tags: String, told: String?, matrix: String) throws {
        let input = try scratch.make(
            "in.webm",
            "-f lavfi -i testsrc2=s=96x64:r=25:d=0.12 -c:v libvpx -deadline realtime -pix_fmt yuv420p \(tags)")
        let output = scratch.path("out.mkv")
        try transcode(input, to: output, options: .init(colorspace: told))
        #expect(try videoValue(output, "color_space") == matrix)
    }

    @Test(arguments: ["pc", "tv"])
    func rangeAloneIsKept(range: String) throws {
        let input = try scratch.make(
            "in.mkv",
            "-f lavfi -i testsrc2=s=96x64:r=25:d=0.12 -vf format=yuv420p,setparams=range=\(range) -c:v libx264")
        for container in ["mp4", "mkv"] {
            let output = scratch.path("out.\(container)")
            try transcode(input, to: output)
            #expect(try videoValue(output, "color_range") == range)
        }
    }

    @Test func lightLevelsOfTheFirstFrameReachTheContainer() throws {
        let input = try scratch.make(
            "in.mkv",
            "-f lavfi -i testsrc2=s=96x64:r=25:d=0.12 -vf format=yuv420p10le,setparams=color_trc=smpte2084 -c:v libx265 -preset ultrafast -x265-params log-level=none:hdr10=1:master-display=G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)L(10000000,50):max-cll=1000,400"
        )
        let output = scratch.path("out.mp4")
        try transcode(input, to: output)
        let text = try run("ffprobe", split("-v error -show_streams -of flat \(output)"))
        #expect(
            text.contains("red_x=\"34000/50000\"") && text.contains("max_content=1000")
                && text.contains("max_average=400"))

        // A bare stream has them from the encoder alone.
        let hevc = scratch.path("bare.hevc")
        try transcode(input, to: hevc, settings: .init(codec: "hevc", preset: "ultrafast"))
        let frame = try run("ffprobe", split("-v error -show_frames -read_intervals %+#1 -of flat \(hevc)"))
        #expect(frame.contains("max_luminance=\"10000000/10000\"") && frame.contains("max_content=1000"))
        #expect(frame.contains("green_x=\"13250/50000\"") && frame.contains("blue_y=\"3000/50000\""))
    }

    /// A mask is as bright as it is, however bright the video was.
    @Test(arguments: ["out.mp4", "out.mkv"])
    func lightLevelsStayWithTheirColours(name: String) throws {
        let input = try scratch.make(
            "in.mkv",
            "-f lavfi -i testsrc2=s=96x64:r=25:d=0.12 -vf format=yuv420p10le,setparams=color_trc=smpte2084:color_primaries=bt2020 -c:v libx265 -preset ultrafast -x265-params log-level=none:hdr10=1:master-display=G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)L(10000000,50):max-cll=1000,400"
        )
        let output = scratch.path(name)
        func facts(_ color: ColorDescription?) throws -> String {
            let settings = EncoderSettings(codec: "hevc", preset: "ultrafast")
            try transcode(input, to: output, settings: settings, overwrite: true) { $0.color = color ?? $0.color }
            return try run("ffprobe", split("-v error -show_streams -show_frames -of flat \(output)"))
        }
        #expect(try facts(nil).contains("max_luminance"))
        let mask = try facts(ColorDescription(range: .full))
        #expect(mask.contains("96") && !mask.contains("max_luminance") && !mask.contains("max_content"))
    }

    @Test func soundOfATransportStreamHasQuickTimesTag() throws {
        let input = try scratch.make(
            "in.ts", "-f lavfi -i testsrc2=s=96x64:r=25:d=0.2 -f lavfi -i sine=d=0.2 -c:v libx264 -c:a ac3")
        #expect(try probe(input, "stream=codec_tag_string", streams: "a").contains("AC-3"))
        let output = scratch.path("out.mov")
        #expect(try transcode(input, to: output) == [])
        #expect(try probe(output, "stream=codec_tag_string", streams: "a") == ["ac-3"])
    }

    @Test func hevcInMP4IsTaggedForApple() throws {
        let input = try scratch.make(
            "in.mp4", "-f lavfi -i testsrc2=s=96x64:r=25:d=0.12 -c:v libx264 -preset ultrafast")
        let output = scratch.path("out.mp4")
        try transcode(input, to: output, settings: .init(codec: "libx265", preset: "ultrafast"))
        #expect(try probe(output, "stream=codec_name,codec_tag_string") == ["hevc,hvc1"])
    }

    @Test func pixelShapeIsKept() throws {
        let input = try scratch.make(
            "in.mp4", "-f lavfi -i testsrc2=s=96x64:r=25:d=0.12 -vf setsar=16/11 -c:v libx264 -preset ultrafast")
        for container in ["mp4", "mov", "mkv", "avi"] {
            let output = scratch.path("out.\(container)")
            #expect(try transcode(input, to: output) == [])
            #expect(try videoValue(output, "sample_aspect_ratio") == "16:11")
        }
    }

    /// The frames' own order and what the stream's headers tell agree.
    @Test(arguments: [("tff", "1,1", "tt"), ("bff", "1,0", "bb")])
    func interlacedStaysInterlaced(field: String, frame: String, order: String) throws {
        let input = try scratch.make(
            "in.mkv",
            "-f lavfi -i testsrc2=s=96x64:r=25:d=0.4 -vf setfield=\(field) -c:v libx264 -preset ultrafast -flags +ildct+ilme -x264-params \(field)=1"
        )
        let output = scratch.path("out.mp4")
        #expect(try transcode(input, to: output) == [])
        #expect(try probe(output, "frame=interlaced_frame,top_field_first").allSatisfy { $0.hasPrefix(frame) })
        #expect(try videoValue(output, "field_order") == order)
        // A player that reads the bare stream has nothing else.
        let bare = try scratch.make("out.h264", "-i \(output) -c copy")
        #expect(try videoValue(bare, "field_order") == order)
    }

    /// What codes no fields gets whole pictures, of which the container still tells that they are interlaced.
    @Test(arguments: ["mjpeg", "mpeg1video", "wmv2", "png"])
    func interlacedPicturesGoIntoCodecsWithoutFields(codec: String) throws {
        let input = try scratch.make(
            "in.mkv", "-f lavfi -i testsrc2=s=96x64:r=25:d=0.12 -vf setfield=tff -c:v ffv1 -flags +ildct")
        let output = scratch.path("out.mkv")
        try transcode(input, to: output, settings: .init(codec: codec))
        #expect(try frames(MediaReader(path: output)).count == 3)
        #expect(try videoValue(output, "field_order") == "tt")
        guard codec == "png" else { return }
        let image = try scratch.make("out.png", "-i \(output) -frames:v 1 -c copy -f image2")
        let interlaceMethod = try Data(contentsOf: URL(filePath: image))[28]
        #expect(interlaceMethod == 0, "Adam7 is no field")
    }

    @Test(arguments: [
        ("webm", "vp9", ["libvpx-vp9"]), ("avi", "ffv1", ["ffv1"]), ("avi", "mpeg4", []), ("mov", "mjpeg", []),
        ("mkv", "vp9", []), ("nut", "rawvideo", []),
    ])
    func interlacedPicturesThatBecomeWholeAreMissed(container: String, codec: String, missing: [String]) throws {
        let input = try scratch.make(
            "in.mkv", "-f lavfi -i testsrc2=s=96x64:r=25:d=0.12 -vf setfield=tff -c:v ffv1 -flags +ildct")
        let warnings = try transcode(input, to: scratch.path("out.\(container)"), settings: .init(codec: codec))
        let expected = missing.map {
            "that the frames are interlaced is left out, because \(container) can't tell it of \($0)'s; .mkv can"
        }
        #expect(warnings == expected)
    }

    @Test(arguments: [
        ("mkv", "libvpx-vp9", nil), ("mkv", "libx264", nil), ("mkv", "ffv1", nil),
        ("mkv", "mpeg4", "the encoder mpeg4 takes no more; libx265 in .mkv does"),
        ("webm", "libvpx", "the encoder libvpx takes no more; libvpx-vp9 does"),
    ])
    func bitsThatAreLostAreMissed(container: String, codec: String, reason: String?) throws {
        let input = try scratch.make(
            "in.mkv", "-f lavfi -i testsrc2=s=96x64:r=25:d=0.12 -pix_fmt yuv420p10le -c:v ffv1")
        let warnings = try transcode(input, to: scratch.path("out.\(container)"), settings: .init(codec: codec))
        #expect(warnings == (reason.map { ["pixels keep 8 bits of more, because \($0)"] } ?? []))
    }

    @Test(arguments: [
        ("webm", nil, "the encoder libvpx-vp9 takes no more with alpha; prores_ks in .mov does"),
        ("webm", "yuva420p", nil), ("mov", nil, nil), ("mkv", nil, nil),
    ])
    func bitsThatAreLostWithAlphaAreMissed(container: String, pixelFormat: String?, reason: String?) throws {
        let input = try scratch.make(
            "in.mkv", "-f lavfi -i testsrc2=s=96x64:r=25:d=0.12,format=yuva444p10le -c:v ffv1")
        var settings = EncoderSettings(keepsAlpha: true)
        settings.pixelFormat = pixelFormat
        let warnings = try transcode(input, to: scratch.path("out.\(container)"), settings: settings)
        #expect(warnings == (reason.map { ["pixels keep 8 bits of more, because \($0)"] } ?? []))
    }

    // Copied video can begin with a key frame alone.
    @Test(arguments: [
        (0.2, 10, "begins 0.2 s late, at its first key frame in the part that was asked for"),
        (0.2, 100, "is empty, because no key frame of it came in what was written"),
        (0.4, 10, nil), (nil, 100, nil),
    ])
    func videoWithoutKeyFramesInThePartIsMissed(start: Double?, interval: Int, fate: String?) throws {
        let input = try scratch.make(
            "in.mkv",
            "-f lavfi -i testsrc2=s=96x64:r=25:d=0.8 -f lavfi -i testsrc=s=64x64:r=25:d=0.8 -map 0 -map 1 "
                + "-c:v:0 ffv1 -c:v:1 libx264 -g:v:1 \(interval) -sc_threshold 0 -bf 0")
        var options = MediaReader.Options()
        options.start = start
        let warnings = try transcode(
            input, to: scratch.path("out.mkv"), options: options, settings: .init(codec: "ffv1"))
        #expect(warnings.dropFirst() == (fate.map { ["stream 1 (video, h264) \($0)"] } ?? []))
    }

    @Test(
        arguments: [
            ("out.gif", nil, "the pictures are HDR, which gif can't tell; .mkv can"),
            ("out.y4m", nil, "the pictures are HDR, which yuv4mpegpipe can't tell; .mkv can"),
            ("out.avi", "ffv1", "the pictures are HDR, which ffv1 in avi can't tell; .mkv can"),
            ("out.nut", "libx265", nil), ("out.mkv", "ffv1", nil), ("out.mov", "prores_ks", nil),
        ] as [(String, String?, String?)])
    func lostHDRIsTold(name: String, codec: String?, warning: String?) throws {
        let input = try scratch.make(
            "in.mkv",
            "-f lavfi -i testsrc2=s=96x64:r=25:d=0.08,format=yuv420p10 -c:v ffv1 -color_trc arib-std-b67 "
                + "-color_primaries bt2020 -colorspace bt2020nc")
        let warnings = try transcode(input, to: scratch.path(name), settings: .init(codec: codec))
        #expect(warnings.filter { $0.contains("HDR") } == (warning.map { [$0] } ?? []))
    }

    @Test(
        arguments: [
            ("out.webp", nil, "webp"), ("out.ivf", "libvpx", "vp8 in ivf"), ("out.flv", "flv", "flv1 in flv"),
            ("out.flv", "libx264", nil), ("out.mkv", "libvpx", nil),
        ] as [(String, String?, String?)])
    func aLostPixelAspectIsTold(name: String, codec: String?, holder: String?) throws {
        let input = try scratch.make(
            "in.mkv", "-f lavfi -i testsrc2=s=96x64:r=25:d=0.08,setsar=4/3 -c:v ffv1 -pix_fmt yuv420p")
        let warnings = try transcode(input, to: scratch.path(name), settings: .init(codec: codec))
        let told = holder.map { "a pixel is 4:3 wide, which \($0) can't tell: it will be shown square; .mkv can" }
        #expect(warnings == (told.map { [$0] } ?? []))
    }

    /// The planes of an RGB picture of HDR become those of its primaries, whatever its size.
    @Test func deepRGBBecomesYUVOfItsPrimaries() throws {
        let input = try scratch.make(
            "in.mkv",
            "-f lavfi -i testsrc2=s=96x64:r=25:d=0.04,format=gbrp12 -c:v ffv1 -color_trc smpte2084 -color_primaries bt2020"
        )
        try transcode(input, to: scratch.path("out.mkv"), settings: .init(codec: "ffv1"))
        #expect(try probe(scratch.path("out.mkv"), "stream=color_space,color_primaries") == ["bt2020nc,bt2020"])
    }

    /// ProRes has a code for BT.601 that FFmpeg's other encoder doesn't find for all of its names.
    @Test(arguments: [("prores", "smpte170m"), ("prores_ks", "bt470bg")])
    func theMatrixOfProResIsThatOfThePicture(codec: String, matrix: String) throws {
        let input = try scratch.make(
            "in.mkv", "-f lavfi -i testsrc2=s=96x64:r=25:d=0.04,format=yuv422p10 -c:v ffv1 -colorspace bt470bg")
        try transcode(input, to: scratch.path("out.mov"), settings: .init(codec: codec))
        #expect(try probe(scratch.path("out.mov"), "stream=color_space") == [matrix])
    }

    /// Which of them libx265 does depends on FFmpeg's version.
    @Test(arguments: [("libx264", true), ("libx265", nil), ("mpeg4", false)])
    func captionsAreKeptOrMissed(codec: String, areKept: Bool?) throws {
        let caption: [UInt8] = [0xFC, 0x94, 0x2C]
        let input = try scratch.make("in.mp4", "-f lavfi -i testsrc2=s=96x64:r=25:d=0.12 -c:v libx264")
        func addCaption(_ frame: inout VideoFrame) {
            guard let picture = (frame.attachments as? FrameProperties)?.frame.pointer else { return }
            let piece = av_frame_new_side_data(picture, AV_FRAME_DATA_A53_CC, caption.count)
            piece?.pointee.data.update(from: caption, count: caption.count)
        }
        let output = scratch.path("out.mkv")
        let warnings = try transcode(input, to: output, settings: .init(codec: codec), change: addCaption)
        let found = try probe(output, "frame=width:side_data=side_data_type").joined().contains("A53")
        if let areKept { #expect(found == areKept) }
        let warning = "the closed captions are left out, because \(codec) can't hold them; --codec h264 can"
        #expect(warnings == (found ? [] : [warning]))
    }

    /// Turned upside down, the lines of each field are in the other's place; where the turn is only told they are not. A quarter
    /// turn leaves no fields.
    @Test(arguments: [
        ("mkv", 180, "1,0", "bb"), ("mp4", 180, "1,1", "tt"), ("mkv", 90, "0,0", "progressive"),
    ])
    func fieldsOfATurnedPictureChangePlaces(container: String, turn: Int, frame: String, order: String) throws {
        let stored = try scratch.make(
            "stored.mp4",
            "-f lavfi -i testsrc2=s=96x64:r=25:d=0.4 -vf setfield=tff -c:v libx264 -preset ultrafast -flags +ildct+ilme -x264-params tff=1"
        )
        let input = try scratch.turn(stored, by: turn)
        let output = scratch.path("out.\(container)")
        #expect(try transcode(input, to: output) == [])
        let frames = try probe(output, "frame=interlaced_frame,top_field_first")
        #expect(frames.count == 10 && frames.allSatisfy { $0.hasPrefix(frame) }, "\(frames)")
        #expect(try videoValue(output, "field_order") == order)
    }

    /// Matroska's keys are in capitals, MP4 has places of their own for what they tell.
    @Test func metadataOfMatroskaFindsItsPlaceInMP4() throws {
        let input = try scratch.make(
            "in.mkv",
            "-f lavfi -i testsrc2=s=96x64:r=25:d=0.12 -c:v libx264 -preset ultrafast -metadata ARTIST=Anna -metadata COMMENT=Fine"
        )
        let output = scratch.path("out.mp4")
        #expect(try transcode(input, to: output) == [])
        let bytes = try Data(contentsOf: URL(filePath: output))
        #expect(bytes.range(of: Data([0xA9] + Array("ART".utf8))) != nil)
        let tags = try run("ffprobe", split("-v error -show_entries format_tags -of default=nk=0:nw=1 \(output)"))
        #expect(tags.contains("TAG:artist=Anna\n") && tags.contains("TAG:comment=Fine\n"))
    }

    /// MOV has a number for each language that it knows; MP4 and Matroska have codes of ISO 639-2, of which some languages have two.
    @Test(arguments: [
        ("mp4", "deu", "ger"), ("mkv", "ger", "ger"), ("mp4", "fra", "fra"), ("mkv", "fre", "fra"),
        ("mp4", "nld", "dut"), ("mkv", "dut", "dut"), ("mp4", "zho", "chi"), ("mkv", "cze", "ces"),
        ("mp4", "swe", "sve"), ("mp4", "eng", "eng"), ("mp4", "que", "que"),
    ])
    func languagesReachQuickTime(container: String, language: String, expected: String) throws {
        let input = try scratch.make(
            "in.\(container)",
            "-f lavfi -i testsrc2=s=96x64:r=25:d=0.12 -f lavfi -i sine=d=0.12 -c:v libx264 -preset ultrafast -c:a aac -metadata:s:v language=\(language) -metadata:s:a language=\(language)"
        )
        let output = scratch.path("out.mov")
        #expect(try transcode(input, to: output) == [])
        #expect(try probe(output, "stream_tags=language", streams: "") == [expected, expected])
    }

    @Test func cameraMetadataReachesQuickTime() throws {
        let input = try scratch.make(
            "in.mov",
            "-f lavfi -i testsrc2=s=96x64:r=25:d=0.12 -c:v libx264 -preset ultrafast -movflags use_metadata_tags -metadata com.apple.quicktime.model=Phone -metadata creation_time=2020-01-02T03:04:05Z"
        )
        let output = scratch.path("out.mp4")
        #expect(try transcode(input, to: output) == [])
        let tags = try run("ffprobe", split("-v error -show_entries format_tags -of default=nk=0:nw=1 \(output)"))
        #expect(tags.contains("TAG:com.apple.quicktime.model=Phone\n"))
        #expect(tags.contains("TAG:creation_time=2020-01-02T03:04:05"))
    }
}
