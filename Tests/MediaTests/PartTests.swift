import Foundation
import Imaging
import TestSupport
import Testing

@testable import Media

/// Parts of a file: every frame once where they follow each other, and a run-in before them.
@Suite struct PartTests {
    private let scratch = TemporaryFolder()

    private func clip(_ name: String = "in.mp4", filter: String = "null") throws -> String {
        try scratch.make(
            name,
            "-f lavfi -i testsrc2=s=96x64:r=25:d=4 -f lavfi -i sine=d=4 -vf \(filter) -fps_mode vfr -c:v libx264 "
                + "-preset veryfast -g 30 -c:a aac")
    }

    private func items(_ path: String, _ options: MediaReader.Options) throws -> [MediaItem] {
        let reader = try MediaReader(path: path, options: options)
        var items: [MediaItem] = []
        while let item = try reader.next() { items.append(item) }
        return items
    }

    private func frames(_ items: [MediaItem]) -> [VideoFrame] {
        items.compactMap { if case .frame(let frame) = $0 { frame } else { nil } }
    }

    private func runIn(_ items: [MediaItem]) -> [VideoFrame] {
        items.compactMap { if case .runIn(let frame) = $0 { frame } else { nil } }
    }

    private func hash(_ frame: VideoFrame) -> Int {
        frame.pixelBuffer.withPlane(0) { plane in
            var hasher = Hasher()
            for y in 0..<plane.height {
                hasher.combine(bytes: UnsafeRawBufferPointer(start: plane.row(y, as: UInt8.self), count: plane.width))
            }
            return hasher.finalize()
        }
    }

    /// Cuts between frames, on frames and in gaps; the first frame of a part may come long after its start.
    @Test(arguments: ["null", "select=not(eq(mod(n\\,7)\\,3)+between(n\\,20\\,31))"])
    func partsThatFollowEachOtherHaveEveryFrameOnce(_ filter: String) throws {
        let input = try clip(filter: filter)
        let whole = try frames(items(input, .init())).map(hash)
        let cuts = [0, 0.7, 1.41, 1.45, 2, 2.999, 4]
        var parts: [Int] = []
        for (start, end) in zip(cuts, cuts.dropFirst()) {
            parts += try frames(items(input, .init(start: start, duration: end - start))).map(hash)
        }
        #expect(parts == whole)
    }

    /// Whatever the file is searched by: an index, decoding times, or nothing; a key frame may come long before the start, or
    /// be the only one.
    @Test(arguments: [
        ("in.mp4", "-c:v libx264 -preset veryfast -g 50"), ("in.mkv", "-c:v libx264 -preset veryfast -g 50"),
        ("in.ts", "-c:v libx264 -preset veryfast -g 50"), ("in.ts", "-c:v libx264 -preset veryfast -g 999"),
        ("in.264", "-c:v libx264 -preset veryfast -g 50"), ("in.264", "-c:v libx264 -preset veryfast -g 999"),
        ("in.hevc", "-c:v libx265 -preset ultrafast -x265-params log-level=none:bframes=3:keyint=50"),
        ("in.mpg", "-c:v mpeg2video -bf 2 -g 50"), ("in.m2v", "-c:v mpeg2video -bf 2 -g 50"),
        ("in.avi", "-c:v mpeg4 -bf 2 -g 50"), ("in.webm", "-c:v libvpx -g 50"),
    ])
    func everyStartGivesTheFramesOfTheWhole(_ name: String, _ codec: String) throws {
        let input = try scratch.make(name, "-f lavfi -i testsrc2=s=96x64:r=25:d=4 \(codec)")
        let all = try frames(items(input, .init()))
        let whole = all.map(hash)
        #expect(whole.count == 100)
        for index in [1, 5, 24, 49, 51, 60, 99] {
            let options = MediaReader.Options(start: try #require(all[index].time) - 0.02, runIn: 0.08, frameLimit: 3)
            let part = try items(input, options)
            #expect(frames(part).map(hash) == Array(whole[index..<min(index + 3, 100)]), "frame \(index)")
            #expect(runIn(part).map(hash) == Array(whole[max(index - 2, 0)..<index]), "before frame \(index)")
        }
    }

    @Test func aSubtitleEndsWithThePart() throws {
        let subtitles = scratch.path("s.srt")
        try "1\n00:00:00,500 --> 00:00:02,000\nWord\n".write(toFile: subtitles, atomically: true, encoding: .utf8)
        let input = try scratch.make(
            "in.mkv", "-f lavfi -i testsrc2=s=96x64:r=25:d=4 -i \(subtitles) -c:v libx264 -preset ultrafast -c:s srt")
        let output = scratch.path("out.mkv")
        for (options, cue) in [
            (MediaReader.Options(duration: 1), "0.500000,0.500000"), (.init(duration: 3), "0.500000,1.500000"),
            (.init(start: 1, duration: 0.4), "0.000000,0.400000"), (.init(start: 1), "0.000000,1.000000"),
            (.init(frameLimit: 25), "0.500000,0.500000"), (.init(frameLimit: 75), "0.500000,1.500000"),
            (.init(start: 1, frameLimit: 10), "0.000000,0.400000"),
        ] {
            try transcode(input, to: output, options: options, overwrite: true)
            #expect(try probe(output, "packet=pts_time,duration_time", streams: "s") == [cue])
        }
    }

    /// The nearest place from which pictures can be decoded lies behind where the subtitle does.
    @Test(arguments: [("mkv", "srt"), ("mp4", "mov_text")])
    func aSubtitleThatIsStillToBeSeenIsFound(container: String, codec: String) throws {
        let subtitles = scratch.path("s.srt")
        try "1\n00:00:03,000 --> 00:00:12,500\nWord\n".write(toFile: subtitles, atomically: true, encoding: .utf8)
        let input = try scratch.make(
            "in.\(container)",
            "-f lavfi -i testsrc2=s=96x64:r=25:d=13 -i \(subtitles) -c:v libx264 -preset ultrafast -g 5 -c:s \(codec)")
        let output = scratch.path("out.mkv")
        try transcode(input, to: output, options: .init(start: 12))
        #expect(try probe(output, "packet=pts_time,duration_time", streams: "s") == ["0.000000,0.500000"])
    }

    /// The time code is that of the first frame; with drop frames (`;`) minutes begin with frame 2, but for each tenth.
    @Test(arguments: [
        ("25", "10:00:00:20", 5, "10:00:01:00"), ("50", "10:00:00:40", 15, "10:00:01:05"),
        ("30000/1001", "00:00:59;20", 10, "00:01:00;02"), ("30000/1001", "00:09:59;20", 10, "00:10:00;00"),
        ("30000/1001", "00:00:59:20", 10, "00:01:00:00"), ("25", "23:59:59:20", 5, "00:00:00:00"),
        ("25", "10:00:00:20", 0, "10:00:00:20"),
    ])
    func theTimeCodeIsThatOfTheFirstFrame(rate: String, code: String, frame: Int, expected: String) throws {
        let input = try scratch.make(
            "in.mov",
            "-f lavfi -i testsrc2=s=96x64:r=\(rate):d=1 -c:v libx264 -preset ultrafast -timecode \(code)")
        let time = try frameTimes(input)[frame]
        for name in ["out.mov", "out.mp4", "out.mkv"] {
            let output = scratch.path(name)
            #expect(try transcode(input, to: output, options: .init(start: time - 0.01)) == [])
            #expect(try probe(output, "stream_tags=timecode") == [expected], "\(name)")
            guard name != "out.mkv" else { continue }
            #expect(try probe(output, "stream_tags=timecode", streams: "d") == [expected], "\(name)")
        }
    }

    @Test func aTimeCodeOfMatroskaMovesOn() throws {
        let input = try scratch.make(
            "in.mkv",
            "-f lavfi -i testsrc2=s=96x64:r=25:d=1 -c:v libx264 -preset ultrafast -metadata timecode=01:00:00:00")
        let output = scratch.path("out.mov")
        #expect(try transcode(input, to: output, options: .init(start: 0.4)) == [])
        #expect(try probe(output, "stream_tags=timecode") == ["01:00:00:10"])
    }

    // It counts from the first frame, which may come after the sound.
    @Test func theTimeCodeOfPicturesThatBeginLateIsTheirs() throws {
        let input = try scratch.make(
            "in.mkv",
            "-f lavfi -i anullsrc -itsoffset 1.53 -f lavfi -i testsrc2=s=96x64:r=25:d=1 -c:v libx264 "
                + "-preset ultrafast -c:a aac -t 2.5 -metadata timecode=01:00:00:00")
        let output = scratch.path("out.mov")
        #expect(try transcode(input, to: output, options: .init(start: 1.92)) == [])
        #expect(try probe(output, "stream_tags=timecode") == ["01:00:00:10"])
    }

    // As mkvmerge counts them.
    @Test func whatIsCountedOfACopiedStreamIsThatOfTheWhole() throws {
        let told = [
            "BPS=64000", "NUMBER_OF_FRAMES-eng=43", "NUMBER_OF_BYTES=8000", "_STATISTICS_TAGS=BPS", "LYRICIST=B",
        ]
        let input = try scratch.make(
            "in.mkv",
            "-f lavfi -i testsrc2=s=96x64:r=25:d=1 -f lavfi -i sine=d=1 -c:v libx264 -preset ultrafast -c:a aac "
                + told.map { "-metadata:s:a \($0)" }.joined(separator: " "))
        func tags(_ name: String, _ options: MediaReader.Options) throws -> Set<String> {
            #expect(try transcode(input, to: scratch.path(name), options: options, overwrite: true) == [])
            let lines = try run(
                "ffprobe",
                split("-v error -select_streams a -show_entries stream_tags -of default=nw=1 \(scratch.path(name))"))
            return Set(lines.split(separator: "\n").map { String($0.dropFirst("TAG:".count)) })
        }
        #expect(try tags("whole.mkv", .init()).isSuperset(of: told))
        for options in [MediaReader.Options(start: 0.5), .init(duration: 0.5), .init(frameLimit: 9)] {
            #expect(try tags("part.mkv", options).intersection(told) == ["LYRICIST=B"])
        }
    }

    // As of a still picture that a phone keeps beside the video, or of data.
    @Test func aPacketThatLastsLongEndsWithThePart() throws {
        let input = try scratch.make(
            "in.mkv",
            "-f lavfi -i testsrc2=s=96x64:r=25:d=4 -f lavfi -i testsrc2=s=96x64:r=1/4:d=4 -map 0 -map 1 -c:v libx264 "
                + "-preset ultrafast")
        for (name, options) in [
            ("out.mkv", MediaReader.Options(duration: 1)), ("limited.mkv", .init(frameLimit: 25)),
            ("out.mp4", .init(duration: 1)),
            ("limited.mp4", .init(frameLimit: 25)),
        ] {
            let output = scratch.path(name)
            try transcode(input, to: output, options: options)
            let length = try run("ffprobe", split("-v error -show_entries format=duration -of csv=p=0 \(output)"))
            #expect(length == "1.000000\n", "\(name)")
            #expect(try probe(output, "packet=pts_time", streams: "v:1") == ["0.000000"])
            #expect(try frameTimes(output).count == 25)
        }
    }

    /// A player could show nothing of what comes before it.
    @Test func aCopiedVideoBeginsWithAKeyFrame() throws {
        let input = try scratch.make(
            "in.mkv",
            "-f lavfi -i testsrc2=s=96x64:r=25:d=3 -map 0 -map 0 -c:v libx264 -preset ultrafast -g:v:0 5 -g:v:1 50")
        let output = scratch.path("out.mkv")
        try transcode(input, to: output, options: .init(start: 1, duration: 1.5))
        let packets = try probe(output, "packet=pts_time,flags", streams: "v:1")
        #expect(packets.count == 13 && packets[0].hasPrefix("1.000000,K"), "\(packets)")
    }

    @Test func theRunInComesBeforeTheStart() throws {
        let input = try clip()
        let whole = try frames(items(input, .init())).map(hash)
        let part = try items(input, .init(start: 1.5, duration: 0.8))
        let settled = try items(input, .init(start: 1.5, duration: 0.8, runIn: 0.5))
        // The first frame at or after 1.5 s is that of 1.52 s, which counts as 0.
        let before = runIn(settled)
        #expect(before.map { $0.time.map { ($0 * 100).rounded() } } == stride(from: -48, to: 0, by: 4).map { $0 })
        #expect(before.map(hash) == Array(whole[26..<38]))
        // The rest is as if there were none.
        #expect(frames(settled).map(hash) == Array(whole[38..<58]))
        #expect(frames(settled).map(\.time) == frames(part).map(\.time))
        let count = { (items: [MediaItem]) in items.filter { if case .packet = $0 { true } else { false } }.count }
        #expect(count(settled) == count(part) && count(part) > 0)
        #expect(runIn(part).isEmpty)
    }

    @Test func aRunInTakesWhatThereIs() throws {
        let input = try clip()
        #expect(try runIn(items(input, .init(start: 0.2, runIn: 5, frameLimit: 2))).count == 5)
        let first = try items(input, .init(start: 0, runIn: 5, frameLimit: 2))
        #expect(runIn(first).isEmpty && frames(first).count == 2)
    }

    @Test func theOffsetIsTheFirstFramesTime() throws {
        let input = try clip()
        #expect(try MediaReader(path: input).offset == 0)
        #expect(try abs(MediaReader(path: input, options: .init(start: 1.5)).offset - 1.52) < 1e-6)
        #expect(try abs(MediaReader(path: input, options: .init(start: 1.5, runIn: 1)).offset - 1.52) < 1e-6)
    }

    @Test func theRunInIsNotWritten() throws {
        let input = try clip()
        let outputs = ["out.mp4", "again.mp4"].map(scratch.path)
        for (output, runIn) in zip(outputs, [nil, 1.0]) {
            let reader = try MediaReader(path: input, options: .init(start: 1.5, duration: 0.8, runIn: runIn))
            let writer = try MediaWriter(path: output, settings: fast, reader: reader)
            while let item = try reader.next() { try writer.write(item) }
            try writer.finish()
        }
        #expect(try pictureHash(outputs[0]) == pictureHash(outputs[1]))
        #expect(try packetHash(outputs[0], "0:a") == packetHash(outputs[1], "0:a"))
        #expect(try frameTimes(outputs[1]).count == 20)
    }

    /// What comes before a part is dropped as it is read where nothing can be gone back to.
    @Test func aPartOfAStreamIsThatOfAFile() throws {
        let input = try scratch.make(
            "in.ts",
            "-f lavfi -i testsrc2=s=96x64:r=25:d=4 -f lavfi -i sine=d=4 -c:v libx264 -preset ultrafast -g 100 -c:a mp2")
        let pipe = try scratch.makeFIFO("pipe")
        let feeder = Process()
        feeder.executableURL = URL(filePath: "/bin/sh")
        feeder.arguments = ["-c", "cat \"$0\" >\"$1\"", input, pipe]
        feeder.standardError = FileHandle.nullDevice
        try feeder.run()
        let part = MediaReader.Options(threads: 1, start: 2.5, duration: 0.8)
        for (path, output) in [(pipe, "stream.mkv"), (input, "file.mkv")] {
            try transcode(path, to: scratch.path(output), options: part)
        }
        feeder.waitUntilExit()
        #expect(try pictureHash(scratch.path("stream.mkv")) == pictureHash(scratch.path("file.mkv")))
        #expect(
            try packetHash(scratch.path("stream.mkv"), "0:a") == packetHash(scratch.path("file.mkv"), "0:a"))
        #expect(try frameTimes(scratch.path("stream.mkv")).count == 20)
    }

    @Test func aStreamHasNoRunIn() throws {
        let pipe = scratch.path("pipe")
        #expect(mkfifo(pipe, 0o600) == 0)
        let input = try scratch.make("in.ts", "-f lavfi -i testsrc2=s=96x64:r=25:d=4 -c:v libx264 -preset ultrafast")
        let feeder = Process()
        feeder.executableURL = URL(filePath: "/bin/sh")
        feeder.arguments = ["-c", "cat \"$0\" >\"$1\"", input, pipe]
        feeder.standardError = FileHandle.nullDevice
        try feeder.run()
        let error = try mediaError { _ = try MediaReader(path: pipe, options: .init(start: 1, runIn: 1)) }
        feeder.waitUntilExit()
        #expect(error.kind == .usage)
        #expect(
            error.description
                == "can't read '\(pipe)': a run-in must go back in it, which only a file lets; leave --run-in out")
    }
}
