import Foundation
import Measuring
import SpeedSuite

/// One run of the parts that are wanted.
struct Measurement {
    let program: String
    /// Paths; empty for the usual ones.
    let clips: [String]
    let parts: Set<Part>
    let rounds: Int

    // More of these would tell no more: every run is ten seconds long.
    private static let mostLatencyRounds = 3
    private static let mostStageRounds = 3

    /// Measures, and says meanwhile what.
    func run() throws -> SpeedReport {
        let folder = try WorkingFolder()
        guard FileManager.default.isExecutableFile(atPath: program) else {
            throw BenchmarkError("can't run '\(program)': it is not there; run 'make build' or name another program")
        }
        // A program that ends early closes the pipe that it is fed through.
        signal(SIGPIPE, SIG_IGN)
        let clips = try clips(folder)
        for clip in clips where clip.frameCount < SpeedClip.usualFrameCount {
            say("warning: '\(clip.path)' has \(clip.frameCount) frames alone, so that the program's start counts much")
        }
        let largest = clips.max { $0.width * $0.height < $1.width * $1.height }
        // The sample clip itself rather than what was made of it.
        let video = (self.clips.isEmpty ? nil : largest?.path) ?? Checkout.sampleVideo
        var figures: [Figure] = []
        var places: [AllocationBenchmark.Place] = []

        let transcodes = parts.intersection([.program, .peer])
        if !transcodes.isEmpty {
            let benchmark = TranscodeBenchmark(program: program, peer: peer())
            for clip in clips {
                say("measuring the whole program on \(clip.name)")
                figures += try benchmark.figures(
                    on: clip, parts: transcodes, Rounds(rounds, warmsUp: false), folder)
            }
        }
        if parts.contains(.pipes) {
            say("measuring pipes")
            let benchmark = try PipeBenchmark(program: program, video: video, folder: folder)
            figures += try benchmark.figures(Rounds(rounds, warmsUp: false))
        }
        if parts.contains(.latency) {
            say("measuring the latency of live frames")
            let benchmark = try LatencyBenchmark(program: program, video: video, folder: folder)
            figures += try benchmark.figures(Rounds(min(rounds, Self.mostLatencyRounds), warmsUp: false))
        }
        if parts.contains(.memory) {
            say("measuring memory")
            figures += try MemoryBenchmark(program: program, video: video, folder: folder).figures()
        }
        if parts.contains(.allocations), let largest {
            say("counting allocations")
            let counted = try AllocationBenchmark(program: program, clip: largest, folder: folder).measure()
            figures += counted.figures
            places = counted.places
        }
        if parts.contains(.stages) {
            say("measuring stages")
            let benchmark = StageBenchmark(video: video, models: Checkout.models, folder: folder)
            figures += try benchmark.figures(Rounds(min(rounds, Self.mostStageRounds)))
        }
        if parts.contains(.kernels) {
            say("measuring kernels")
            figures += try KernelBenchmark(models: Checkout.models, folder: folder).figures(Rounds(rounds))
        }
        return SpeedReport(
            machine: Machine.description, versions: versions, rounds: rounds, clips: clips, figures: figures,
            allocationPlaces: places)
    }

    private func clips(_ folder: WorkingFolder) throws -> [SpeedClip] {
        guard clips.isEmpty else { return try clips.map(SpeedClip.init(path:)) }
        // No other part needs as many frames.
        return parts.isDisjoint(with: [.program, .peer, .allocations]) ? [] : try SpeedClip.usual(in: folder)
    }

    private func peer() -> Peer? {
        guard parts.contains(.peer) else { return nil }
        say("preparing the Python program")
        do {
            return try Peer()
        } catch {
            say("leaving out the Python program: \(error)")
            return nil
        }
    }

    private var versions: [String: String] {
        func first(_ program: String, _ argument: String) -> String {
            let text = try? ExternalCommand(program).output([argument])
            return text?.split(whereSeparator: \.isNewline).first.map(String.init) ?? "unknown"
        }
        return ["matte": first(program, "--version"), "ffmpeg": first("ffmpeg", "-version")]
    }

    // Standard output has the figures alone.
    private func say(_ what: String) {
        FileHandle.standardError.write(Data("\(what)\n".utf8))
    }
}
