import Foundation
import Testing

@testable import Measuring

struct ProgramBenchmarkTests {
    // Run by a shell, because a file just written can't always be run while other tests start programs.
    private let shell = "/bin/sh"

    private func script(_ text: String, in folder: WorkingFolder) throws -> String {
        let path = folder.path("script-\(UUID().uuidString)")
        try Data(text.utf8).write(to: URL(filePath: path))
        return path
    }

    @Test func theProgramRunsOnceForEachListOfArgumentsInEachRound() throws {
        let folder = try WorkingFolder()
        let script = try script("echo $1 $2 $3 $4 >>\(folder.path("log")); echo noise; echo noise >&2", in: folder)
        let video = Checkout.sampleVideo
        let benchmark = try ProgramBenchmark(video: video, folder: folder)
        let jobs = try ["-a", "-b"].map { try ProgramBenchmark.Job(matte: shell, [script, $0]) }
        let speeds = try benchmark.framesPerSecond(of: jobs, Rounds(1))
        #expect(speeds.count == 2 && speeds.allSatisfy { $0 > 0 && $0.isFinite })
        let log = String(decoding: try Data(contentsOf: folder.url.appending(path: "log")), as: UTF8.self)
        let calls = ["-a", "-b", "-a", "-b"].map { "\($0) --quiet --overwrite \(video)\n" }
        #expect(log == calls.joined())
    }

    @Test func aProgramThatFailsIsNamedWithItsLastWords() throws {
        let folder = try WorkingFolder()
        let benchmark = try ProgramBenchmark(video: Checkout.sampleVideo, folder: folder)
        let failing = try script("echo first >&2; echo 'no luck' >&2; exit 3", in: folder)
        #expect(throws: BenchmarkError("can't run '/bin/sh': no luck")) {
            try benchmark.run(.init(matte: shell, [failing]))
        }
        let silent = try script("exit 3", in: folder)
        #expect(throws: BenchmarkError("can't run '/bin/sh': it ended with 3")) {
            try benchmark.run(.init(matte: shell, [silent]))
        }
        let missing = folder.path("none")
        #expect(
            throws: BenchmarkError("can't run '\(missing)': it is not there; run 'make build' or name another program")
        ) { try ProgramBenchmark.Job(matte: missing, []) }
    }

    @Test func aProgramThatIsNotThereIsNamed() throws {
        #expect(throws: BenchmarkError("can't run 'no-such-program': No such file or directory")) {
            try ExternalCommand("no-such-program").run([])
        }
    }

    @Test func aProgramThatASignalEndsFails() throws {
        #expect(throws: BenchmarkError("can't run '/bin/sh': signal 9 ended it")) {
            try ExternalCommand(shell).run(["-c", "kill -9 $$"])
        }
    }

    @Test func whatAProgramSaysAndUsesIsTold() throws {
        let work = "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done; echo out; echo said >&2"
        let outcome = try ExternalCommand(shell).run(["-c", work])
        #expect(outcome.messages == "said\n")
        #expect(outcome.cpuSeconds > 0 && outcome.seconds > 0)
        #expect(try ExternalCommand(shell, environment: ["NAME": "x y"]).output(["-c", "echo $NAME; cat"]) == "x y\n")
    }

    @Test func aProgramReadsAndWritesThePipesThatItIsGiven() throws {
        let (input, output) = (try DescriptorPipe(), try DescriptorPipe(capacity: 1 << 16))
        let running = try ExternalCommand("cat").start([], input: input.readEnd, output: output.writeEnd)
        input.closeReadEnd()
        output.closeWriteEnd()
        #expect(write(input.writeEnd, "frames", 6) == 6)
        // It has no other copy of the end, so this is the end of its input.
        input.closeWriteEnd()
        #expect(output.readToEnd() == "frames")
        _ = try running.finish()
    }

    @Test func peakMemoryIsReadFromTheSystemsLine() {
        #expect(PeakMemory.bytes(inLine: "VmHWM:\t    2048 kB\n") == 2_097_152)
        #expect(PeakMemory.bytes(inLine: "VmRSS:\t    2048 kB\n") == nil)
        #expect(PeakMemory.bytes(inLine: "VmHWM:\n") == nil)
    }
}
