import Foundation
import TestSupport
import Testing

/// The command as a person runs it: its results, its words and its exit codes.
struct CommandTests {
    private let matte = Checkout.program("matte")
    private let folder = TemporaryFolder()

    private func clip(_ name: String = "in.mp4") throws -> String {
        let path = folder.path(name)
        try Clips.make(path)
        return path
    }

    private func succeed(_ arguments: String...) throws -> Tool.Result {
        let result = try matte.run(arguments)
        try #require(result.status == 0, "\(result.error)")
        return result
    }

    @Test(arguments: ["fast", "balanced", "accurate"])
    func everyFrameAndTheSoundComeOut(_ quality: String) throws {
        let (input, output) = (try clip(), folder.path("out.mp4"))
        let result = try succeed("--quality", quality, input, output)
        #expect(result.output.isEmpty)
        #expect(result.error.hasPrefix("wrote \(output): 10 frames in "))
        let (before, after) = (try Probe(input), try Probe(output))
        #expect(try after.frameTimes() == before.frameTimes())
        #expect(try after.packetHashes("a:0") == before.packetHashes("a:0"))
        #expect(after.video?.width == 160 && after.video?.height == 120)
        #expect(folder.contents == ["in.mp4", "out.mp4"], "nothing is left beside the output")
    }

    @Test func aColourStandsBehindThePeople() throws {
        let (input, output) = (try clip(), folder.path("out.mkv"))
        _ = try succeed("--background", "#00b140", "--codec", "ffv1", input, output)
        try Tool.ffmpeg(
            "-v", "error", "-i", output, "-frames:v", "1", "-vf", "crop=2:2:0:0", "-f", "rawvideo",
            folder.path("corner.yuv"))
        // Nobody is in the test picture, so that its corner is #00b140 in BT.601: Y, Cb, Cr.
        #expect(try Data(contentsOf: folder.url("corner.yuv")) == Data([111, 111, 111, 111, 105, 58]))
    }

    @Test func theMaskIsFullRangeGrey() throws {
        let output = folder.path("mask.mkv")
        _ = try succeed("--output-kind", "mask", "--codec", "ffv1", "--limit", "3", Checkout.sampleClip, output)
        let probe = try Probe(output)
        #expect(probe.video?.pixFmt == "gray")
        #expect(probe.video?.colorRange == "pc")
        #expect(try probe.frameTimes().count == 3)
    }

    @Test(arguments: ["libx264", "libx265", "libsvtav1", "libaom-av1", "libvpx-vp9"])
    func quietSaysNothing(encoder: String) throws {
        let result = try succeed(
            "--quiet", "--quality", "fast", "--limit", "2", "--codec", encoder, try clip(), folder.path("out.mkv"))
        #expect(result.error.isEmpty && result.output.isEmpty)
    }

    @Test func limitStartAndDurationChooseFrames() throws {
        let input = Checkout.sampleClip
        _ = try succeed("--quality", "fast", "--limit", "5", input, folder.path("limit.mp4"))
        #expect(try Probe(folder.path("limit.mp4")).frameTimes().count == 5)
        _ = try succeed("--quality", "fast", "--start", "0:01", "--duration", "0.5", input, folder.path("range.mp4"))
        let times = try Probe(folder.path("range.mp4")).frameTimes()
        #expect(times.count == 12)
        #expect(times.first == 0)
    }

    @Test func encoderOptionsReachTheEncoder() throws {
        let input = try clip()
        _ = try succeed("--codec", "mpeg4", "--bitrate", "200k", input, folder.path("a.mkv"))
        #expect(try Probe(folder.path("a.mkv")).video?.codecName == "mpeg4")
        // There is nobody in the pattern, and of one colour both would be of one size.
        for (crf, name) in [("51", "b.mp4"), ("1", "c.mp4")] {
            _ = try succeed("--background", "blur", "--crf", crf, "--preset", "ultrafast", input, folder.path(name))
        }
        func size(_ name: String) throws -> Int { try Data(contentsOf: folder.url(name)).count }
        #expect(try size("b.mp4") < size("c.mp4"))
        _ = try succeed("--encoder-option", "x264-params=keyint=2", "--threads", "1", input, folder.path("d.mp4"))
        let keys = try Tool.ffprobe(
            "-v", "error", "-select_streams", "v", "-skip_frame", "nokey", "-show_entries", "frame=pts", "-of", "csv",
            folder.path("d.mp4"))
        #expect(keys.split(separator: "\n").count == 5)
    }

    @Test(arguments: ["csv", "jsonl"])
    func thePoseOfEveryFrameIsWritten(_ format: String) throws {
        let poses = folder.path("pose.\(format)")
        _ = try succeed(
            "--quality", "fast", "--limit", "3", "--background", "black", "--pose-output", poses, Checkout.sampleClip,
            folder.path("out.mp4"))
        let lines = try String(contentsOfFile: poses, encoding: .utf8).split(separator: "\n").map(String.init)
        let columns = [
            "frame", "time", "face", "x", "y", "width", "height", "confidence", "roll", "pitch", "yaw", "id",
        ]
        if format == "csv" {
            #expect(lines.count == 4)
            #expect(lines[0] == columns.joined(separator: ","))
            #expect(lines[1].hasPrefix("0,0.000000,0,") && lines[3].hasPrefix("2,0.083333,0,"))
        } else {
            #expect(lines.count == 3)
            for line in lines {
                let row = try #require(
                    try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Double])
                #expect(Set(row.keys) == Set(columns))
            }
        }
    }

    @Test func aFrameWithoutAFaceHasARowWithoutValues() throws {
        let poses = folder.path("pose.csv")
        _ = try succeed("--limit", "2", "--pose-output", poses, try clip(), folder.path("out.mp4"))
        let lines = try String(contentsOfFile: poses, encoding: .utf8).split(separator: "\n")
        #expect(lines.dropFirst() == ["0,0.000000,,,,,,,,,,", "1,0.040000,,,,,,,,,,"])
    }

    @Test func oneAngleCanBeShown() throws {
        for angle in ["roll", "pitch", "yaw", "all"] {
            _ = try succeed(
                "--pose-color", angle, "--limit", "2", "--quality", "fast", Checkout.sampleClip,
                folder.path("\(angle).mp4"))
        }
        func frame(_ angle: String) throws -> String {
            try Tool.ffmpeg("-v", "error", "-i", folder.path("\(angle).mp4"), "-map", "0:v", "-f", "framemd5", "-")
        }
        #expect(Set(try ["roll", "pitch", "yaw", "all"].map(frame)).count == 4)
    }

    @Test func anExistingOutputIsReplacedOnlyOnRequest() throws {
        let (input, output) = (try clip(), folder.path("out.mp4"))
        try Data("mine".utf8).write(to: URL(filePath: output))
        let refused = try matte.run([input, output])
        #expect(refused.status == 73)
        #expect(
            refused.error
                == "matte: can't create '\(output)': it exists already; choose another name, or pass --overwrite\n")
        #expect(try String(contentsOfFile: output, encoding: .utf8) == "mine")
        _ = try succeed("--overwrite", input, output)
        #expect(try Probe(output).frameTimes().count == 10)
    }

    @Test func quietSaysNothingAndVerboseSaysMore() throws {
        let input = try clip()
        #expect(try succeed("--quiet", input, folder.path("q.mp4")).error.isEmpty)
        let verbose = try succeed("--verbose", input, folder.path("v.mp4")).error
        #expect(verbose.contains("\(input): h264 160x120 yuv420p"))
        #expect(verbose.contains("stream 1 (audio, aac)"))
    }

    @Test func versionNamesEveryPart() throws {
        let text = try succeed("--version").output
        for part in ["matte ", "libavformat ", "libavcodec ", "OpenVINO 20", "selfie_segmentation"] {
            #expect(text.contains(part))
        }
    }

    @Test func helpAndManualNameEveryOption() throws {
        let help = try succeed("--help").output
        #expect(help.contains("matte in.mp4 out.mp4"))
        let manual = try String(contentsOf: Checkout.root.appending(path: "docs/matte.1"), encoding: .utf8)
            .replacing("\\-", with: "-")
        for option in help.matches(of: #/--[a-z][a-z-]+/#).map({ String($0.output) }) {
            #expect(manual.contains(option), "\(option) is missing in docs/matte.1")
        }
    }

    /// A terminal that closes says so twice.
    @Test(arguments: [[SIGINT], [SIGHUP, SIGHUP]]) func anInterruptEndsWithAPlayableFile(_ signals: [CInt]) throws {
        let (input, output) = (folder.path("long.mp4"), folder.path("out.mp4"))
        try Clips.make(input, seconds: 40)
        let process = Process()
        process.executableURL = URL(filePath: matte.program)
        process.arguments = ["--quality", "fast", "--pose-output", folder.path("pose.csv"), input, output]
        process.standardError = FileHandle.nullDevice
        try process.run()
        // The file beside the output shows when the first frames have been written.
        func written() -> Int {
            let partial = folder.contents.filter { $0.hasPrefix(".") }.map(folder.path)
            return partial.compactMap { try? FileManager.default.attributesOfItem(atPath: $0)[.size] as? Int }.max()
                ?? 0
        }
        while process.isRunning, written() < 1000 {}
        for number in signals {
            kill(process.processIdentifier, number)
            // The second one is not to be merged with the first one.
            while process.isRunning, isPending(number, in: process.processIdentifier) {}
        }
        process.waitUntilExit()
        #expect(process.terminationStatus == 130)
        let frames = try Probe(output).frameTimes().count
        #expect(frames < 1000)
        let rows = try String(contentsOfFile: folder.path("pose.csv"), encoding: .utf8).split(separator: "\n").count
        #expect(rows == frames + 1)
        #expect(folder.contents == ["long.mp4", "out.mp4", "pose.csv"])
    }

    /// Whether a signal has not reached the process yet (proc(5)).
    private func isPending(_ number: CInt, in process: Int32) -> Bool {
        guard let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8) else { return false }
        return status.split(separator: "\n").contains { line in
            guard line.hasPrefix("ShdPnd:"), let mask = UInt64(line.split(separator: "\t").last ?? "", radix: 16)
            else { return false }
            return mask >> (UInt64(number) - 1) & 1 == 1
        }
    }

    @Test func theSampleProgramDoesTheSameJob() throws {
        let (input, output) = (try clip(), folder.path("out.mp4"))
        let result = try Checkout.program("FacePoseSegmentation").run([input, output])
        #expect(result.status == 0, "\(result.error)")
        #expect(try Probe(output).frameTimes() == Probe(input).frameTimes())
        #expect(try Probe(output).packetHashes("a:0") == Probe(input).packetHashes("a:0"))
    }
}
