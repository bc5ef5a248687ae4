import CFFmpeg
import Foundation
import TestSupport
import Testing

@testable import Media

/// Subtitles of text in containers that hold them in other codecs.
@Suite struct SubtitleTests {
    private let scratch = TemporaryFolder()

    /// A clip of four seconds with three texts, the third of which follows the second at once.
    private func clip(_ name: String, inputs: String = "", _ arguments: String) throws -> String {
        let texts = scratch.path("texts.srt")
        try """
        1
        00:00:00,500 --> 00:00:01,200
        First <b>bold</b>, then plain

        2
        00:00:01,300 --> 00:00:02,100
        Zweite
        <i>Zeile</i> äöü

        3
        00:00:02,100 --> 00:00:03,800
        Third

        """.write(toFile: texts, atomically: true, encoding: .utf8)
        return try scratch.make(
            name,
            "-f lavfi -i testsrc2=s=96x64:r=25:d=4 -i \(texts) \(inputs) -c:v libx264 -preset ultrafast \(arguments)")
    }

    /// Start, length and size of each packet of the subtitles.
    private func packets(_ path: String) throws -> [String] {
        try probe(path, "packet=pts_time,duration_time,size", streams: "s")
    }

    private func texts(_ path: String) throws -> String {
        try run("ffmpeg", ["-v", "error", "-i", path, "-map", "0:s:0", "-f", "srt", "-"])
    }

    @Test(arguments: [
        ("in.mp4", "mov_text", "mkv", "subrip"), ("in.mp4", "mov_text", "webm", "webvtt"),
        ("in.mkv", "subrip", "mp4", "mov_text"), ("in.mkv", "subrip", "mov", "mov_text"),
        ("in.mkv", "subrip", "m4v", "mov_text"), ("in.mkv", "subrip", "webm", "webvtt"),
        ("in.mkv", "ass", "mp4", "mov_text"), ("in.mkv", "ass", "webm", "webvtt"),
        ("in.mkv", "webvtt", "mp4", "mov_text"),
    ])
    func textsTakeTheCodecOfTheContainer(name: String, codec: String, container: String, other: String) throws {
        let input = try clip(name, "-c:s \(codec)")
        let output = scratch.path("out.\(container)")
        #expect(try transcode(input, to: output, settings: container == "webm" ? .init() : fast) == [])
        #expect(try probe(output, "stream=codec_name", streams: "s") == [other])
        // What FFmpeg's program makes of them; it has MP4's times in microseconds.
        let expected = try scratch.make(
            "expected.\(container == "webm" ? "mkv" : container)", "-i \(input) -c:v copy -c:s \(other)")
        #expect(try packetHash(output, "0:s") == packetHash(expected, "0:s"))
        #expect(try packets(output) == packets(expected))
        #expect(try texts(output) == texts(expected))
        // How lines within a text end depends on FFmpeg's version.
        let lines = try texts(output).replacing("\r\n", with: "\n")
        #expect(lines.contains("00:00:01,300 --> 00:00:02,100\nZweite\n<i>Zeile</i> äöü\n"))
    }

    @Test(arguments: [("in.mkv", "subrip", "out.mkv"), ("in.mkv", "ass", "out.mkv"), ("in.mp4", "mov_text", "out.mov")])
    func textsThatTheContainerHoldsStayAsTheyAre(name: String, codec: String, outputName: String) throws {
        let input = try clip(name, "-c:s \(codec)")
        let output = scratch.path(outputName)
        #expect(try transcode(input, to: output) == [])
        #expect(try probe(output, "stream=codec_name", streams: "s") == [codec])
        #expect(try packetHash(output, "0:s") == packetHash(input, "0:s"))
        #expect(try packets(output) == packets(input))
    }

    @Test(arguments: [("in.mp4", "mov_text", "mkv", "subrip"), ("in.mkv", "subrip", "mp4", "mov_text")])
    func languageTitleAndFlagsStay(name: String, codec: String, container: String, other: String) throws {
        let input = try clip(
            name,
            "-map 0 -map 1 -map 1 -c:s \(codec) -metadata:s:s:0 language=deu -disposition:s:0 default -metadata:s:s:1 language=fra -disposition:s:1 forced+hearing_impaired"
        )
        let output = scratch.path("out.\(container)")
        #expect(try transcode(input, to: output) == [])
        #expect(
            try probe(
                output, "stream=codec_name:stream_disposition=default,forced,hearing_impaired:stream_tags=language",
                streams: "s") == ["\(other),1,0,0,deu", "\(other),0,1,1,fra"])
    }

    @Test func signsThatMeanSomethingElseInWebVTTAreWrittenAsItWantsThem() throws {
        let text = "<i>Mostly</i> I <3 you & me"
        try "1\n00:00:00,000 --> 00:00:01,000\n\(text)\n".write(
            toFile: scratch.path("s.srt"), atomically: true, encoding: .utf8)
        let input = try scratch.make(
            "in.mkv", "-f lavfi -i testsrc2=s=96x64:r=25:d=1 -i \(scratch.path("s.srt")) -c:v libx264 -c:s srt")
        let output = scratch.path("out.webm")
        #expect(try transcode(input, to: output, settings: .init()) == [])
        try run("ffmpeg", split("-v error -i \(output) -map 0:s -c copy \(scratch.path("s.vtt"))"))
        let cues = try String(contentsOfFile: scratch.path("s.vtt"), encoding: .utf8)
        #expect(cues.contains("\n<i>Mostly</i> I &lt;3 you &amp; me\n"), "\(cues)")
    }

    @Test func theTitleStaysInMatroska() throws {
        let input = try clip("in.mkv", "-c:s ass -metadata:s:s title=Signs")
        let output = scratch.path("out.webm")
        #expect(try transcode(input, to: output, settings: .init()) == [])
        #expect(try probe(output, "stream=codec_name:stream_tags=title", streams: "s") == ["webvtt,Signs"])
    }

    @Test(arguments: [("in.mp4", "mov_text", "mkv"), ("in.mkv", "subrip", "mp4")])
    func textsFollowThePart(name: String, codec: String, container: String) throws {
        let input = try clip(name, "-c:s \(codec)")
        for (options, cues) in [
            (MediaReader.Options(start: 1), ["0.000,0.200", "0.300,1.100", "1.100,2.800"]),
            (.init(start: 1.4, duration: 1), ["0.000,0.700", "0.700,1.000"]),
            (.init(duration: 1), ["0.500,1.000"]), (.init(frameLimit: 40), ["0.500,1.200", "1.300,1.600"]),
        ] {
            let output = scratch.path("out.\(container)")
            #expect(try transcode(input, to: output, options: options, overwrite: true) == [])
            let times = try texts(output).components(separatedBy: "\n").filter { $0.contains("-->") }.map {
                $0.replacing("00:00:0", with: "").replacing(",", with: ".").replacing(" --> ", with: ",")
            }
            #expect(times == cues)
        }
    }

    /// Players take a text for over where a packet of nothing begins, and some show none that begins at the same time.
    @Test func nothingLiesBetweenTextsThatFollowAtOnce() throws {
        let input = try clip("in.mkv", inputs: "-f lavfi -i sine=d=4", "-map 0 -map 1 -map 2 -c:a aac -c:s srt")
        let output = scratch.path("out.mp4")
        #expect(try transcode(input, to: output) == [])
        #expect(try packets(output).allSatisfy { !$0.contains("N/A") })
    }

    @Test func whatIsNoTextIsCounted() throws {
        let texts = scratch.path("texts.srt")
        try Data(
            Array("1\n00:00:00,100 --> 00:00:00,200\nGood\n\n2\n00:00:00,200 --> 00:00:00,300\nM".utf8) + [0xFC]
                + Array("nchen\n".utf8)
        ).write(to: URL(filePath: texts))
        let input = try scratch.make(
            "in.mkv",
            "-f lavfi -i testsrc2=s=96x64:r=25:d=0.4 -i \(texts) -c:v libx264 -preset ultrafast -c:s copy")
        func write(_ options: MediaReader.Options) throws -> Damage {
            let output = scratch.path("out.mp4")
            let reader = try MediaReader(path: input, options: options)
            let writer = try MediaWriter(path: output, settings: fast, reader: reader, overwrite: true)
            while let item = try reader.next() { try writer.write(item) }
            try writer.finish()
            #expect(try self.texts(output).contains("Good"))
            return writer.damage
        }
        #expect(try write(.init()) == Damage(packetCount: 1, firstTime: 0.2))
        let error = try mediaError { _ = try write(.init(isStrict: true)) }
        #expect(error.kind == .badData)
        #expect(error.description.contains("stream 1 is damaged at 0.2 s"))
    }

    /// One picture of Blu-ray's subtitles, which shows nothing.
    private var pictureOfSubtitles: Data {
        func segment(_ kind: UInt8, _ body: [UInt8]) -> [UInt8] {
            Array("PG".utf8) + [0, 0, 0x46, 0x50, 0, 0, 0, 0, kind, 0, UInt8(body.count)] + body
        }
        return Data(segment(0x16, [0, 96, 0, 64, 0x10, 0, 0, 0, 0, 0, 0]) + segment(0x80, []))
    }

    @Test(arguments: ["mkv", "m2ts", "mp4", "webm"])
    func subtitlesOfPicturesAreCopiedOrLeftOut(container: String) throws {
        let pictures = scratch.path("pictures.sup")
        try pictureOfSubtitles.write(to: URL(filePath: pictures))
        let input = try scratch.make(
            "in.mkv",
            "-f lavfi -i testsrc2=s=96x64:r=25:d=0.4 -i \(pictures) -c:v libx264 -preset ultrafast -c:s copy")
        let output = scratch.path("out.\(container)")
        let warnings = try transcode(input, to: output, settings: container == "webm" ? .init() : fast)
        let isHeld = ["mkv", "m2ts"].contains(container)
        #expect(
            warnings
                == (isHeld
                    ? []
                    : [
                        "stream 1 (subtitle, hdmv_pgs_subtitle) is left out, because \(container) can't hold it; .mkv can"
                    ]))
        #expect(Set(try probe(output, "stream=codec_name", streams: "s")) == (isHeld ? ["hdmv_pgs_subtitle"] : []))
    }
}
