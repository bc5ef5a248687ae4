import Foundation
import TestSupport
import Testing

/// `--live` between pipes: nothing but the timing changes, and a run can be told things while it goes on.
struct LiveStreamTests {
    private static let size = 320 * 180 * 3 / 2
    private let folder = TemporaryFolder()

    /// A live run whose frames go in and come out when the test says so.
    private final class Run {
        private let process = Process()
        private let input = Pipe()
        private let output = Pipe()
        private let errors: URL
        let socket: String

        init(_ folder: TemporaryFolder, _ arguments: String...) throws {
            socket = folder.path("control.sock")
            errors = folder.url("errors")
            try Data().write(to: errors)
            process.executableURL = URL(filePath: Checkout.program("matte").program)
            process.arguments =
                [
                    "--live", "--quality", "fast", "--control", socket, "--format", "rawvideo", "--pix-fmt", "yuv420p",
                    "--size", "320x180", "--rate", "24",
                ] + arguments + ["-", "-"]
            process.standardInput = input
            process.standardOutput = output
            process.standardError = try FileHandle(forWritingTo: errors)
            try process.run()
        }

        func write(_ frame: Data) throws { try input.fileHandleForWriting.write(contentsOf: frame) }

        func read(_ count: Int = LiveStreamTests.size) throws -> Data {
            try output.fileHandleForReading.read(upToCount: count) ?? Data()
        }

        /// What a frame becomes.
        func matte(_ frame: Data) throws -> Data {
            try write(frame)
            return try read()
        }

        func control(_ words: String...) throws -> Tool.Result {
            try Checkout.program("matte").run(["control", "--socket", socket] + words)
        }

        /// Ends the input and returns what still came out, how it ended and what it said.
        func finish() throws -> (rest: Data, status: Int32, errors: String) {
            try input.fileHandleForWriting.close()
            let rest = try output.fileHandleForReading.readToEnd() ?? Data()
            process.waitUntilExit()
            return (rest, process.terminationStatus, String(decoding: try Data(contentsOf: errors), as: UTF8.self))
        }
    }

    /// Raw frames of the sample clip, and what a run that is not live makes of them.
    private func frames(_ count: Int) throws -> [Data] {
        let path = folder.path("frames.yuv")
        try Tool.ffmpeg(
            "-v", "error", "-y", "-i", Checkout.sampleClip, "-frames:v", "\(count)", "-vf", "scale=320:180", "-pix_fmt",
            "yuv420p", "-f", "rawvideo", path)
        return split(try Data(contentsOf: URL(filePath: path)))
    }

    private func matted(_ background: String) throws -> [Data] {
        let path = folder.path("matted.yuv")
        try Checkout.program("matte")(
            "--quality", "fast", "--quiet", "--overwrite", "--background", background, "--format", "rawvideo",
            "--pix-fmt",
            "yuv420p", "--size", "320x180", "--rate", "24", "--output-format", "rawvideo", folder.path("frames.yuv"),
            path)
        return split(try Data(contentsOf: URL(filePath: path)))
    }

    private func split(_ data: Data) -> [Data] {
        stride(from: 0, to: data.count, by: Self.size).map { Data(data[$0..<$0 + Self.size]) }
    }

    @Test func framesAreThoseOfARunThatIsNotLive() throws {
        let frames = try frames(5)
        let expected = try matted("teal")
        let run = try Run(folder, "--background", "teal", "--stats", "--quiet")
        for (frame, matted) in zip(frames, expected) { #expect(try run.matte(frame) == matted) }
        let (rest, status, errors) = try run.finish()
        #expect(rest.isEmpty && status == 0)
        #expect(errors.hasPrefix("5 frames in ") && errors.contains(", 0 dropped (0.0 %)"), "\(errors)")
        for line in ["latency  p50 ", "matting  p50 ", "compositing  p50 ", "writing  p50 "] {
            #expect(errors.contains(line))
        }
    }

    @Test func aRunIsToldThingsWhileItGoesOn() throws {
        let frames = try frames(8)
        let (teal, red) = (try matted("teal"), try matted("red"))
        let table = folder.path("pose.jsonl")
        let run = try Run(folder, "--background", "teal", "--pose-output", table)
        #expect(try run.matte(frames[0]) == teal[0])
        let answer = try run.control("background", "red")
        #expect(answer.status == 0)
        #expect(
            answer.output.hasPrefix(
                "ok on background=#ff0000 effects=none quality=fast camera=showing frames=1 dropped=0 seconds="),
            "\(answer.output)")
        #expect(try run.matte(frames[1]) == red[1])
        // The run is in another folder.
        try Tool.ffmpeg(
            "-v", "error", "-f", "lavfi", "-i", "color=red:s=8x8", "-frames:v", "1", folder.path("beach.png"))
        let control = "matte control --socket '\(run.socket)' background beach.png"
        let file = try Checkout.shell(control, in: folder)
        #expect(file.output.contains("background=\(folder.path("beach.png")) "), "\(file.error)")
        #expect(try run.control("off").output.hasPrefix("ok off "))
        #expect(try run.matte(frames[2]) == frames[2], "off shows the picture as it is")
        #expect(try run.control("on").output.hasPrefix("ok on "))
        #expect(try run.matte(frames[3]) != frames[3])
        #expect(try run.control("quality", "balanced").output.contains("quality=balanced"))
        #expect(try run.matte(frames[4]).count == Self.size)

        let refused = try run.control("quality", "best")
        #expect(refused.status == 64 && refused.output.isEmpty)
        #expect(refused.error == "matte: there is no quality 'best': take fast, balanced or accurate\n")
        #expect(try run.control("status").output.contains("quality=balanced"), "a mistake changes nothing")
        #expect(try run.control("quit").output == "ok quit\n")
        #expect(try run.finish().status == 0)
        let rows = try String(contentsOfFile: table, encoding: .utf8).split(separator: "\n")
        let numbers = rows.compactMap { Int($0.dropFirst(#"{"frame":"#.count).prefix { $0 != "," }) }
        #expect(Set(numbers) == Set(0..<5), "a frame has a row whatever is done with it: \(numbers)")
        #expect(!FileManager.default.fileExists(atPath: run.socket))
        let late = try run.control("status")
        #expect(
            late.error
                == "matte: nobody listens at '\(run.socket)': is there a 'matte' that reads a camera or runs with --live?\n"
        )
        #expect(late.status == 69)
    }

    @Test func whatIsTurnedOffKeepsItsFraming() throws {
        let size = 180
        // From left to right it becomes lighter by 1 every second pixel, and nobody is in it.
        let row = (0..<320).map { UInt8(16 + $0 / 2) }
        let frame = Data((0..<180).flatMap { _ in row } + [UInt8](repeating: 128, count: 320 * 180 / 2))
        let run = try Run(folder, "--background", "teal", "--crop-to-person", "--follow", "--aspect", "1:1")
        func shown() throws -> Data {
            try run.write(frame)
            return try run.read(size * size * 3 / 2)
        }
        _ = try shown()
        #expect(try run.control("off").output.hasPrefix("ok off "))
        let picture = [UInt8](try shown())
        for x in 2..<size { #expect(picture[x] == picture[x - 2] + 1, "column \(x)") }
        let (rest, _, errors) = try run.finish()
        #expect(rest.isEmpty && !errors.contains("the picture changes"), "\(errors)")
    }

    @Test func aBackgroundThatWouldBeWaitedForIsRefused() throws {
        let run = try Run(folder, "--background", "teal")
        _ = try run.matte(try frames(1)[0])
        let fifo = folder.path("fifo")
        try #require(mkfifo(fifo, 0o600) == 0)
        // Who opens it to read it all the same finds nothing in it, and who writes is let go in the end.
        let writer = DispatchGroup()
        DispatchQueue.global().async(group: writer) { close(open(fifo, O_WRONLY)) }
        let answer = try run.control("background", fifo)
        let reading = open(fifo, O_RDONLY | O_NONBLOCK)
        writer.wait()
        close(reading)
        #expect(answer.status == 64)
        let remote = try run.control("background", "https://127.0.0.1/a.png")
        #expect(remote.status == 64 && remote.error.contains("it is a stream or a URL"))
        #expect(
            answer.error
                == "matte: can't read the background '\(fifo)': it is a stream or a URL, which a run that goes on does not wait for; "
                + "name a picture or a video file\n")
        #expect(try run.finish().status == 0)
    }

    @Test func theNewestFrameComesFirst() throws {
        let frames = try frames(6)
        let run = try Run(folder, "--background", "teal", "--stats")
        _ = try run.matte(frames[0])
        _ = try run.control("off")
        // Nobody takes the first of them, so that the others come while it is being written.
        for frame in frames[1...] { try run.write(frame) }
        let (rest, status, errors) = try run.finish()
        let shown = split(rest)
        #expect(status == 0)
        #expect(shown.last == frames.last, "what came last is shown last")
        #expect(shown.count < frames.count - 1, "a frame that is late is not shown")
        let order = shown.map { frames.firstIndex(of: $0) ?? -1 }
        #expect(order == order.sorted() && !order.contains(-1))
        let dropped = ", \(frames.count - 1 - shown.count) dropped"
        #expect(errors.contains("fps)\(dropped)\n") && errors.contains("\(dropped) ("), "\(errors)")
    }

    @Test func whereNobodyCanListenNothingIsLeft() throws {
        let result = try Checkout.shell(
            """
            ffmpeg -v error -f lavfi -i testsrc=size=64x64:duration=0.2 -pix_fmt yuv420p in.y4m
            touch taken
            matte --quality fast --models '\(Checkout.models)' --live --control taken --pose-output p.csv in.y4m out.mkv
            """, in: folder)
        #expect(result.status == 73)
        #expect(result.error == "matte: can't listen for commands at 'taken': something that is no socket lies there\n")
        #expect(folder.contents == ["in.y4m", "taken"])
    }

    @Test func whatCanNotBeIsRefused() throws {
        func refuse(_ words: String, _ arguments: String...) throws {
            let result = try Checkout.program("matte").run(arguments)
            #expect(result.status == 64)
            #expect(result.error.contains(words), "\(result.error)")
        }
        let (clip, out) = (Checkout.sampleClip, folder.path("out.mp4"))
        try refuse("--on-demand needs a camera and a virtual camera", "--on-demand", clip, out)
        try refuse("--control needs a camera, a virtual camera or --live", "--control", "/tmp/s", clip, out)
        try refuse("name an output, or look at the result with --preview", clip)
        try refuse("--crf is for files and streams: leave it out", "--preview", "--crf", "20", clip)
        try refuse(
            "--output-pix-fmt is for what is written: leave it out", "--preview", "--output-pix-fmt", "rgba", clip)
        #expect(!folder.contents.contains("out.mp4"))
        let missing = try Checkout.program("matte").run(["/dev/video987", "/dev/video988"])
        #expect(missing.status == 73)
        #expect(
            missing.error
                == "matte: can't write to '/dev/video988': there is no such device; 'matte devices' lists those that there are\n"
        )
    }

    @Test func aClipIsShownAtItsOwnPace() throws {
        // Ten frames of a clip at 24 a second last nine intervals, however fast the machine is.
        let begin = ContinuousClock.now
        try Checkout.program("matte")(
            "--live", "--quiet", "--quality", "fast", "--background", "teal", "--limit", "10", Checkout.sampleClip,
            folder.path("out.mkv"))
        #expect(ContinuousClock.now - begin > .milliseconds(9 * 1000 / 24))
    }

    @Test func aClipMayBeginAtAnyTime() throws {
        try Tool.ffmpeg(
            "-v", "error", "-i", Checkout.sampleClip, "-frames:v", "5", "-c", "copy", "-output_ts_offset", "3600",
            folder.path("late.mkv"))
        // A run that waits for an hour is ended.
        let result = try Checkout.shell(
            "timeout 120 matte --live --quiet --quality fast --background teal late.mkv out.mkv", in: folder)
        #expect(result.status == 0, "\(result.error)")
    }

    @Test func devicesAreListed() throws {
        let text = try Checkout.program("matte")("devices")
        #expect(text.hasPrefix("Cameras:\n") && text.contains("\nVirtual cameras:\n"))
        if !text.contains("/dev/video") { #expect(text.contains("sudo modprobe v4l2loopback exclusive_caps=1")) }
    }
}
