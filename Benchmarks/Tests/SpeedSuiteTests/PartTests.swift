import Foundation
import Glibc
import Measuring
import Testing

@testable import SpeedSuite

struct PartTests {
    @Test func theLatencyIsReadFromTheProgramsAccount() {
        let said = """
            300 frames in 10.0 s, 30.0 a second, 0 dropped (0.0 %)
              latency  p50 9.2 ms  p99 14.0 ms  max 15.5 ms   (frame read to frame written)
              matting  p50 8.0 ms  p99 12.0 ms  max 13.0 ms
            """
        let latency = ProgramLatency(said)
        #expect(latency?.p50 == 9.2 && latency?.p99 == 14)
        #expect(ProgramLatency("  matting  p50 8.0 ms  p99 12.0 ms") == nil)
        #expect(ProgramLatency("  latency  p50 x ms") == nil)
    }

    @Test func thePythonProgramsRateIsReadFromItsLastLine() {
        #expect(Peer.framesPerSecond("warning: 3 frames in\n100 frames in 4.000 seconds\n") == 25)
        #expect(Peer.framesPerSecond("100 frames in 0.000 seconds") == nil)
        #expect(Peer.framesPerSecond("") == nil)
    }

    @Test func whatComesOnTopOfTheShortRunIsTheSteadyState() throws {
        let short = try AllocationCount("all 100 5000\nown 10 500\nlarge 1 70000 a+1 b+2\n")
        let long = try AllocationCount("all 160 8000\nown 12 600\nlarge 3 210000 a+1 b+2\nlarge 2 140000 a+3\n")
        let steady = long.since(short)
        #expect(steady.all == .init(count: 60, bytes: 3000) && steady.own == .init(count: 2, bytes: 100))
        #expect(
            steady.places == [["a+1", "b+2"]: .init(count: 2, bytes: 140000), ["a+3"]: .init(count: 2, bytes: 140000)])
        #expect(steady.large == .init(count: 4, bytes: 280000))
        #expect(long.since(long).places.isEmpty)
    }

    @Test func aCounterThatWroteNothingIsSaid() {
        #expect(throws: BenchmarkError("can't count allocations: the counter wrote 'all of it'")) {
            try AllocationCount("all of it")
        }
        #expect(throws: BenchmarkError.self) { try AllocationCount("") }
    }

    @Test func theCounterCountsWhatAProgramAllocates() throws {
        let folder = try WorkingFolder()
        let (source, program) = (folder.path("program.c"), folder.path("program"))
        let code = """
            #include <stdlib.h>
            #include <string.h>
            int main(int count, char **words) {
                for (int i = 0; i < atoi(words[1]); i++) {
                    char *small = malloc(10), *large = calloc(1, 100000);
                    large = realloc(large, 200000);
                    void *aligned;
                    if (posix_memalign(&aligned, 64, 65536)) return 1;
                    memset(large, small != 0, 10);
                    free(small); free(large); free(aligned);
                }
                return 0;
            }
            """
        try Data(code.utf8).write(to: URL(filePath: source))
        try ExternalCommand("clang").run(["-O0", "-o", program, source])
        let counter = folder.path("counter.so")
        try AllocationBenchmark.buildCounter(counter)
        func count(_ times: Int) throws -> AllocationCount {
            let file = folder.path("count.txt")
            // By a shell, because a file just written can't always be run while other tests start programs.
            try ExternalCommand("/bin/sh", environment: ["LD_PRELOAD": counter, "ALLOCATIONS_FILE": file])
                .run(["-c", "exec \(program) \(times)"])
            return try AllocationCount(String(decoding: Data(contentsOf: URL(filePath: file)), as: UTF8.self))
        }
        let steady = try count(30).since(count(10))
        #expect(steady.all == .init(count: 80, bytes: 20 * 365_546))
        #expect(steady.own == steady.all)
        #expect(steady.large == .init(count: 60, bytes: 20 * 365_536))
        #expect(steady.places.count == 3)
    }

    @Test func framesGoToAndFro() throws {
        let folder = try WorkingFolder()
        let frames = try RawFrames(of: Checkout.sampleVideo, width: 64, height: 36, frameCount: 3, in: folder)
        #expect(frames.frameCount == 3 && frames.bytesPerFrame == 3456)
        #expect((0..<7).map(frames.place) == [0, 1, 2, 1, 0, 1, 2])
        let pipe = try DescriptorPipe()
        let file = open(frames.path, O_RDONLY | O_CLOEXEC)
        defer { close(file) }
        for index in [2, 3] { #expect(frames.feed(index, from: file, to: pipe.writeEnd)) }
        var read = [UInt8](repeating: 0, count: 2 * frames.bytesPerFrame)
        #expect(Glibc.read(pipe.readEnd, &read, read.count) == read.count)
        let data = try Data(contentsOf: URL(filePath: frames.path))
        #expect(Data(read) == data[6912..<10368] + data[3456..<6912])
    }

    @Test func aClipTellsItsSizeAndLength() throws {
        let clip = try SpeedClip(path: Checkout.sampleVideo)
        #expect(clip.name == "anna" && clip.size == "640x360" && clip.frameCount == 96)
    }
}
