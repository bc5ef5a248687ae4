import Foundation
import Imaging
import TestSupport
import Testing

@testable import Media

/// Time stamps come out as they went in: no frame added, lost or moved.
@Suite struct TimingTests {
    private let scratch = TemporaryFolder()

    @Test(arguments: ["mp4", "mov", "mkv"])
    func constantRate(container: String) throws {
        let input = try scratch.make(
            "in.mp4", "-f lavfi -i testsrc2=s=96x64:r=30000/1001:d=1 -c:v libx264 -preset ultrafast -bf 2")
        let output = scratch.path("out.\(container)")
        #expect(try transcode(input, to: output) == [])
        let tolerance = container == "mkv" ? 0.0005001 : 0.0000011  // Matroska counts milliseconds.
        try expectEqualTimes(input, output, tolerance: tolerance)
        if container != "mkv" { #expect(try videoValue(input, "duration") == videoValue(output, "duration")) }
    }

    // FFmpeg's own encoders take a unit of time for a frame where they share out bits.
    @Test(arguments: ["mpeg4", "mjpeg", "wmv2", "flv", "libx264"])
    func aBitRateIsHeld(codec: String) throws {
        let input = try scratch.make(
            "in.mp4",
            "-f lavfi -i testsrc2=s=320x240:r=30000/1001:d=4,noise=alls=20:allf=t -c:v libx264 -preset ultrafast -crf 12"
        )
        let output = scratch.path("out.mkv")
        try transcode(input, to: output, settings: .init(codec: codec, bitrate: 1_500_000))
        let bytes = try probe(output, "packet=size").compactMap(Int.init).reduce(0, +)
        #expect((0.75...1.35).contains(Double(bytes) * 8 / 4 / 1_500_000), "\(bytes)")
        try expectEqualTimes(input, output, tolerance: 0.0005001)
    }

    // Its own bit rate is that of `ffmpeg`, whose unit of time is a frame.
    @Test func vc2KeepsThePicture() throws {
        let input = try scratch.make(
            "in.mkv", "-f lavfi -i color=black:s=640x360:r=25:d=0.04,format=yuv420p,geq=lum=16+mod(X\\,200) -c:v ffv1")
        try transcode(input, to: scratch.path("out.mkv"), settings: .init(codec: "vc2"))
        let before = try #require(try frames(MediaReader(path: input)).first).pixelBuffer
        let after = try #require(try frames(MediaReader(path: scratch.path("out.mkv"))).first).pixelBuffer
        let rows = [before, after].map { picture in
            picture.withPlane(0) { plane in (0..<640).map { Int(plane.row(180, as: UInt8.self)[$0]) } }
        }
        #expect(zip(rows[0], rows[1]).allSatisfy { abs($0 - $1) <= 4 })
    }

    @Test func whatIsCancelledAtTheEndGetsNoName() throws {
        let input = try scratch.make(
            "in.mp4", "-f lavfi -i testsrc2=s=96x64:r=25:d=0.4 -c:v libx264 -preset ultrafast")
        for name in ["out.mp4", "out-%d.png"] {
            let reader = try MediaReader(path: input)
            let writer = try MediaWriter(path: scratch.path(name), settings: .init(), reader: reader)
            while let item = try reader.next() { try writer.write(item) }
            let isFinished = try writer.finish { true }
            #expect(!isFinished && scratch.contents == ["in.mp4"])
        }
    }

    @Test func variableRate() throws {
        let input = try scratch.make(
            "in.mkv",
            "-f lavfi -i testsrc2=s=96x64:r=30:d=2 -vf select=not(eq(mod(n\\,7)\\,3)+between(n\\,20\\,31)) -fps_mode vfr -c:v libx264 -preset veryfast"
        )
        let output = scratch.path("out.mp4")
        #expect(try transcode(input, to: output, settings: .init(preset: "veryfast")) == [])
        // Matroska's times are rounded to milliseconds.
        try expectEqualTimes(input, output, tolerance: 0.00051)
        #expect(try frameTimes(output).count == 41)
    }

    // What a caller may give: arithmetic with it would not end well.
    @Test(arguments: ["mp4", "y4m"])
    func timesThatCannotBeMeantAreGuessed(container: String) throws {
        let input = try scratch.make(
            "in.mp4", "-f lavfi -i testsrc2=s=96x64:r=25:d=0.4 -c:v libx264 -preset ultrafast")
        let output = scratch.path("out.\(container)")
        var count = 0
        let warnings = try transcode(input, to: output, settings: .init()) { frame in
            if count == 3 { frame.pts = .max }
            if count == 5 { frame.pts = .min }
            if count == 7 { frame.duration = .max }
            count += 1
        }
        #expect(warnings == [])
        try expectEqualTimes(input, output)
    }

    @Test func lateStartIsKept() throws {
        let input = try scratch.make(
            "in.mp4",
            "-f lavfi -i testsrc2=s=96x64:r=25:d=1 -f lavfi -i sine=d=1.5 -filter:v setpts=PTS+0.2/TB -c:v libx264 -preset ultrafast -c:a aac"
        )
        let output = scratch.path("out.mp4")
        #expect(try transcode(input, to: output) == [])
        #expect(try frameTimes(input).first == 0.2)
        try expectEqualTimes(input, output)
        let before = try probe(input, "packet=pts_time", streams: "a:0").map { try #require(Double($0)) }
        let after = try probe(output, "packet=pts_time", streams: "a:0").map { try #require(Double($0)) }
        try #require(before.count == after.count)
        for (a, b) in zip(before, after) { #expect(abs(a - b) < 0.0002) }
    }

    /// Encoders of AAC and Opus begin before 0; where that can't be told, all streams move together.
    @Test(arguments: [
        ("mp4", "aac", "mkv"), ("mkv", "libopus", "mp4"), ("mkv", "libopus", "mkv"), ("mp4", "aac", "ts"),
        ("webm", "libopus", "webm"), ("webm", "libopus", "mkv"),
    ])
    func audioPrimingKeepsSync(container: String, codec: String, target: String) throws {
        let input = try scratch.make(
            "in.\(container)",
            "-f lavfi -i testsrc2=s=96x64:r=25:d=1 -f lavfi -i sine=r=48000:d=1 "
                + "-c:v \(container == "webm" ? "libvpx -deadline realtime" : "libx264 -preset ultrafast") -c:a \(codec)"
        )
        let output = scratch.path("out.\(target)")
        #expect(try transcode(input, to: output, settings: target == "webm" ? .init(codec: "vp8") : fast) == [])
        // Matroska tells Opus's delay, so that nothing need move.
        if container != "mp4", target != "mp4" { try expectEqualTimes(input, output) }
        let lags = { (path: String) in
            let audio = try probe(path, "packet=pts_time", streams: "a:0").map { try #require(Double($0)) }
            let start = try frameTimes(path)[0]
            return audio.map { $0 - start }
        }
        let before = try lags(input)
        let after = try lags(output)
        try #require(before.count == after.count)
        for (a, b) in zip(before, after) { #expect(abs(a - b) < 0.0011) }
    }

    @Test func transportStreamBeginsAtZeroInSync() throws {
        let input = try scratch.make(
            "in.ts",
            "-f lavfi -i testsrc2=s=96x64:r=25:d=1 -f lavfi -i sine=d=1 -c:v libx264 -preset ultrafast -c:a mp2")
        let output = scratch.path("out.mkv")
        #expect(try transcode(input, to: output) == [])
        let difference = { (path: String) in
            let audio = try #require(try probe(path, "packet=pts_time", streams: "a:0").first.flatMap { Double($0) })
            return try frameTimes(path)[0] - audio
        }
        #expect(abs(try difference(input) - difference(output)) < 0.0011)
        #expect(try min(frameTimes(output)[0], 0.04) == frameTimes(output)[0])
    }

    @Test func jumpingTransportStreamIsJoined() throws {
        let first = try scratch.make("a.ts", "-f lavfi -i testsrc2=s=96x64:r=25:d=1 -c:v libx264 -preset ultrafast")
        let later = try scratch.make(
            "b.ts", "-f lavfi -i testsrc2=s=96x64:r=25:d=1 -c:v libx264 -preset ultrafast -output_ts_offset 1000")
        let input = scratch.path("both.ts")
        try run("sh", ["-c", "cat '\(first)' '\(later)' > '\(input)'"])
        let output = scratch.path("out.mp4")
        #expect(try transcode(input, to: output) == [])
        let times = try frameTimes(output)
        #expect(times.count == 50)
        for (a, b) in zip(times, times.dropFirst()) { #expect(b - a > 0.01 && b - a < 0.2) }
    }

    @Test(arguments: [1, 2, 3, 5], ["libx264", "libx265"])
    func fewFramesAreDecodedInTime(count: Int, codec: String) throws {
        let input = try scratch.make("in.mkv", "-f lavfi -i testsrc2=s=96x64:r=25:d=1 -c:v libx264 -preset ultrafast")
        let output = scratch.path("out.mp4")
        let settings = EncoderSettings(codec: codec, preset: "medium")
        #expect(try transcode(input, to: output, options: .init(frameLimit: count), settings: settings) == [])
        #expect(try frameTimes(output) == (0..<count).map { Double($0 * 40) / 1000 })
        let delays = try probe(output, "packet=pts,dts").map { line in
            let times = line.split(separator: ",").compactMap { Int($0) }
            return times.count == 2 ? times[0] - times[1] : -1
        }
        #expect(delays.count == count && delays.allSatisfy { $0 >= 0 })
    }

    @Test func aLateStartIsNoMissingEnd() throws {
        let input = try scratch.make(
            "in.mkv", "-f lavfi -i testsrc2=s=96x64:r=25:d=1 -c:v libx264 -preset ultrafast -output_ts_offset 3")
        let reader = try MediaReader(path: input, options: .init(isStrict: true))
        while try reader.next() != nil {}
        #expect(reader.damage == Damage())
    }

    // It is a track of its own in MP4, which no reader of the pictures comes to the end of.
    @Test func chaptersThatGoOnLongerAreNoMissingEnd() throws {
        try Data(";FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/10\nSTART=0\nEND=40\ntitle=all\n".utf8)
            .write(to: URL(filePath: scratch.path("chapters.txt")))
        let plain = try scratch.make("plain.mp4", "-f lavfi -i testsrc2=s=96x64:r=25:d=1 -c:v libx264")
        let input = try scratch.make(
            "in.mp4", "-i \(plain) -f ffmetadata -i \(scratch.path("chapters.txt")) -map_chapters 1 -c copy")
        let reader = try MediaReader(path: input, options: .init(isStrict: true))
        while try reader.next() != nil {}
        #expect(reader.damage == Damage())
    }

    // What B-frames refer to comes before them in the file, but is shown after.
    @Test(arguments: ["mpeg2video", "mpeg4", "libx264"]) func liveFramesComeInTheirOrder(codec: String) throws {
        let input = try scratch.make("in.mkv", "-f lavfi -i testsrc2=s=96x64:r=25:d=1 -c:v \(codec) -bf 2")
        let whole = try frames(MediaReader(path: input))
        let live = try frames(MediaReader(path: input, options: .init(isLive: true)))
        #expect(live.map(lumaSum) == whole.map(lumaSum))
        #expect(live.map(\.pts) == whole.map(\.pts))
    }

    @Test func missingTimesFollowTheFrameRate() throws {
        let input = try scratch.make("in.264", "-f lavfi -i testsrc2=s=96x64:r=25:d=1 -c:v libx264 -preset ultrafast")
        let output = scratch.path("out.mp4")
        #expect(try transcode(input, to: output) == [])
        #expect(try frameTimes(output) == (0..<25).map { Double($0 * 40) / 1000 })
    }

    @Test func timesThatDoNotGrowAreMendedWithOneWarning() throws {
        let input = try scratch.make("in.mp4", "-f lavfi -i testsrc2=s=96x64:r=25:d=0.4 -c:v libx264 -preset ultrafast")
        let output = scratch.path("out.mp4")
        var count = 0
        var last: Int64?
        let warnings = try transcode(input, to: output) { frame in
            if count == 2 { frame.pts = last }
            if count == 5 || count == 6 { frame.pts = 0 }
            last = frame.pts
            count += 1
        }
        #expect(warnings == ["frames whose time did not grow were moved, the first of them to 0.04 s"])
        let times = try frameTimes(output)
        #expect(times.count == 10 && zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
    }

    @Test func aviIsInStepWithItsFrames() throws {
        let input = try scratch.make(
            "in.mp4",
            "-f lavfi -i testsrc2=s=96x64:r=30:d=1 -vf select=not(eq(mod(n\\,5)\\,2)) -fps_mode vfr -c:v libx264 -preset ultrafast"
        )
        let output = scratch.path("out.avi")
        #expect(try transcode(input, to: output, settings: .init(preset: "veryfast")) == [])
        try expectEqualTimes(input, output)
    }

    /// Players and editors take an MP4 whose frames last 41 or 42 ms for one of a varying rate.
    @Test(arguments: ["24000/1001", "24", "30000/1001", "60"], ["mkv", "flv"])
    func aConstantRateRoundedToMillisecondsIsConstantInMP4(rate: String, kind: String) throws {
        let input = try scratch.make(
            "in.\(kind)",
            "-f lavfi -i testsrc2=s=96x64:r=\(rate):d=1 -output_ts_offset 0.021 -c:v libx264 -preset ultrafast")
        let output = scratch.path("out.mp4")
        #expect(try transcode(input, to: output, settings: .init()) == [])
        #expect(try videoValue(output, "avg_frame_rate") == (rate.contains("/") ? rate : rate + "/1"))
        #expect(try Set(probe(output, "packet=duration")).count == 1)
        try expectEqualTimes(input, output, tolerance: 0.0011)
    }

    @Test func framesThatACodecCountsHaveTheirPlacesInMOV() throws {
        let input = try scratch.make("in.mkv", "-f lavfi -i testsrc2=s=96x64:r=24:d=1 -c:v libx264 -preset ultrafast")
        let output = scratch.path("out.mov")
        #expect(try transcode(input, to: output, settings: .init(codec: "mpeg2video")) == [])
        try expectEqualTimes(input, output, tolerance: 0.0011)
    }

    /// Times of Matroska are rounded, and here half a frame behind the grid on which AVI counts.
    @Test func framesBetweenTwoPlacesAreCountedOneByOne() throws {
        let input = try scratch.make(
            "in.mkv", "-f lavfi -i testsrc2=s=96x64:r=24:d=1 -output_ts_offset 0.021 -c:v libx264 -preset ultrafast")
        let output = scratch.path("out.avi")
        #expect(try transcode(input, to: output, settings: .init(preset: "veryfast")) == [])
        #expect(try frameTimes(output).count == 24)
    }

    @Test(arguments: [("out.h264", nil), ("out.hevc", "hevc"), ("out.m2v", "mpeg2video")] as [(String, String?)])
    func aBareStreamTellsItsRate(name: String, codec: String?) throws {
        let input = try scratch.make("in.mp4", "-f lavfi -i testsrc2=s=96x64:r=24:d=0.5 -c:v libx264 -preset ultrafast")
        let output = scratch.path(name)
        #expect(try transcode(input, to: output, settings: .init(codec: codec)) == [])
        #expect(try videoValue(output, "r_frame_rate") == "24/1")
    }

    /// Players show a frame of a GIF that is to last a hundredth of a second for ten of them.
    @Test(arguments: [(50, 50, []), (60, 40, ["gif can't show more than 50 frames a second: the others are left out"])])
    func aGIFIsNoSlowerThanItsInput(rate: Int, count: Int, warnings: [String]) throws {
        let input = try scratch.make(
            "in.mp4", "-f lavfi -i testsrc2=s=96x64:r=\(rate):d=1 -c:v libx264 -preset ultrafast")
        let output = scratch.path("out.gif")
        #expect(try transcode(input, to: output, settings: .init()) == warnings)
        let times = try frameTimes(output)
        #expect(times.count == count)
        #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 < 0.035 })
    }

    @Test func partOfAFile() throws {
        let input = try scratch.make(
            "in.mp4",
            "-f lavfi -i testsrc2=s=96x64:r=25:d=4 -f lavfi -i sine=d=4 -c:v libx264 -preset veryfast -g 30 -c:a aac")
        let whole = try frames(MediaReader(path: input))
        let part = try frames(MediaReader(path: input, options: .init(start: 1.5, duration: 0.8)))
        #expect(part.count == 20)
        #expect(part.compactMap(\.time) == (0..<20).map { Double($0 * 40) / 1000 })
        // The first frame at or after 1.5 s is that of 1.52 s.
        for (a, b) in zip(part, whole[38...]) { #expect(lumaSum(a) == lumaSum(b)) }

        let output = scratch.path("out.mp4")
        #expect(try transcode(input, to: output, options: .init(start: 1.5, duration: 0.8)) == [])
        #expect(try frameTimes(output).count == 20)
        let audio = try probe(output, "packet=pts_time", streams: "a:0").map { try #require(Double($0)) }
        #expect(try #require(audio.first) >= 0 && audio[0] < 0.0233)
        #expect(try #require(audio.last) < 0.8 && audio.last! > 0.77)
    }

    @Test func everyStartFindsItsFrame() throws {
        let input = try scratch.make(
            "in.mkv", "-f lavfi -i testsrc2=s=96x64:r=25:d=3 -c:v libx264 -preset medium -g 20 -x264-params open-gop=1")
        let whole = try frames(MediaReader(path: input))
        for index in stride(from: 1, to: whole.count, by: 6) {
            let start = try #require(whole[index].time)
            let part = try frames(MediaReader(path: input, options: .init(start: start, frameLimit: 2)))
            #expect(part.first.map(lumaSum) == lumaSum(whole[index]), "start at \(start)")
            #expect(part.first?.pts == 0)
        }
    }

    @Test func limitStopsTheOtherStreamsToo() throws {
        let input = try scratch.make(
            "in.mp4",
            "-f lavfi -i testsrc2=s=96x64:r=25:d=3 -f lavfi -i sine=d=3 -c:v libx264 -preset ultrafast -c:a aac")
        let output = scratch.path("out.mp4")
        #expect(try transcode(input, to: output, options: .init(frameLimit: 10)) == [])
        #expect(try frameTimes(output).count == 10)
        let audio = try probe(output, "packet=pts_time", streams: "a:0").map { try #require(Double($0)) }
        #expect(audio.allSatisfy { $0 < 0.4 })
        #expect(try #require(audio.last) > 0.37)
    }

    @Test func descriptionCountsWhatWillCome() throws {
        let input = try scratch.make("in.mp4", "-f lavfi -i testsrc2=s=96x64:r=25:d=4 -c:v libx264 -preset ultrafast")
        let whole = try MediaReader(path: input).video
        #expect(whole.frameCount == 100)
        #expect(whole.duration == 4)
        #expect(whole.frameRate == Rational(25, 1))
        let part = try MediaReader(path: input, options: .init(start: 1, duration: 2)).video
        #expect(part.frameCount == 50)
        #expect(part.duration == 2)
        let few = try MediaReader(path: input, options: .init(start: 3.5, frameLimit: 50)).video
        #expect(few.frameCount == 13 || few.frameCount == 12)
        #expect(few.duration == 0.5)
    }

    private func expectEqualTimes(_ a: String, _ b: String, tolerance: Double = 0.0000011) throws {
        let before = try frameTimes(a)
        let after = try frameTimes(b)
        try #require(before.count == after.count)
        for (x, y) in zip(before, after) { #expect(abs(x - y) <= tolerance) }
    }

    private func lumaSum(_ frame: VideoFrame) -> Int {
        frame.pixelBuffer.withPlane(0) { plane in
            var sum = 0
            for y in 0..<plane.height {
                let row = plane.row(y, as: UInt8.self)
                for x in 0..<plane.width { sum += (x * 7 + y * 13 + 1) * Int(row[x]) }
            }
            return sum
        }
    }
}
