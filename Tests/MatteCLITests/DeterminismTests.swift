import Foundation
import TestSupport
import Testing

/// The same input and the same options give the same output, bit for bit, however many cores and threads there are.
struct DeterminismTests {
    private let folder = TemporaryFolder()

    @Test(arguments: ["fast", "balanced", "accurate"])
    func everyRunGivesTheSameFile(_ level: String) throws {
        // The second line leaves the run one core to do everything on.
        let runs = ["", "taskset -c 0", "", ""]
        let threads = ["", "", "--threads 1", "--threads 5"]
        var files: [Data] = []
        for (number, (before, option)) in zip(runs, threads).enumerated() {
            let result = try Checkout.shell(
                "\(before) matte --quiet --quality \(level) --codec ffv1 --pose-output \(number).csv \(option) --limit 12 "
                    + "'\(Checkout.sampleClip)' \(number).mkv", in: folder)
            try #require(result.status == 0, "\(result.error)")
            files.append(try Data(contentsOf: folder.url("\(number).csv")))
            files.append(try Data(contentsOf: folder.url("\(number).mkv")))
        }
        for index in stride(from: 2, to: files.count, by: 2) {
            #expect(files[index] == files[0], "faces, run \(index / 2)")
            #expect(files[index + 1] == files[1], "pictures, run \(index / 2)")
        }
    }

    /// What `make endurance` looks at for an hour of frames.
    @Test func noFrameIsLostAndMemoryStaysAsItIs() throws {
        let script = Checkout.root.appending(path: "scripts/endurance").path
        let result = try Checkout.shell(
            "'\(script)' --program \"$(command -v matte)\" --frames 400 --quality fast", in: folder)
        #expect(result.status == 0, "\(result.error)")
        #expect(result.output.contains("400 frames in and out"))
        let broken = try Checkout.shell("'\(script)' --program false --frames 400", in: folder)
        #expect(broken.status == 1)
        #expect(broken.error.contains("endurance: 400 frames went in and 0 came out, and matte ended with 1"))
    }
}
