import Foundation
import MatteVision
import Measuring

/// Counts what the program allocates for a frame in the steady state, its libraries included.
///
/// A counter is preloaded into the program, which makes a short run and a longer one; what the longer one allocates on top,
/// divided by its further frames, leaves the start out.
public struct AllocationBenchmark {
    /// A place in the program that allocates 64 KiB or more at a time.
    public struct Place: Encodable, Sendable {
        public let level: String
        public let countPerFrame: Double
        public let kibibytesPerFrame: Double
        /// Functions, the innermost first.
        public let callers: [String]
    }

    private static let frameCounts = (short: 60, long: 160)
    private static let callerCount = 8

    private let program: String
    private let video: String
    private let counter: String
    private let folder: WorkingFolder
    private let picture: String

    /// Counts with `clip`; the counter is built in `folder`.
    ///
    /// - Throws: `BenchmarkError` where it can't be built or where the clip is too short.
    public init(program: String, clip: SpeedClip, folder: WorkingFolder) throws {
        guard clip.frameCount >= Self.frameCounts.long else {
            throw BenchmarkError(
                "can't count allocations with '\(clip.path)': it has \(clip.frameCount) frames; "
                    + "name one of \(Self.frameCounts.long) or more")
        }
        (self.program, video, self.folder, picture) = (program, clip.path, folder, clip.name)
        counter = folder.path("allocations.so")
        try Self.buildCounter(counter)
    }

    /// Builds the counter as `path`, with the compiler of Swift's toolchain.
    static func buildCounter(_ path: String) throws {
        try ExternalCommand("clang").run([
            "-O2", "-fPIC", "-shared", "-o", path, Checkout.path("Benchmarks/Preload/allocations.c"),
        ])
    }

    /// The figures of every level, and the places that make large allocations, the largest first.
    ///
    /// - Throws: `BenchmarkError` where the program can't be run or fails.
    public func measure() throws -> (figures: [Figure], places: [Place]) {
        var figures: [Figure] = []
        var places: [Place] = []
        let frames = Double(Self.frameCounts.long - Self.frameCounts.short)
        for level in QualityLevel.allCases.map(\.rawValue) {
            // So that the networks are compiled and kept from here on.
            _ = try count(level, frames: 1)
            let short = try count(level, frames: Self.frameCounts.short)
            let steady = try count(level, frames: Self.frameCounts.long).since(short)
            func add(_ measure: String, travels: Bool = false, _ value: Int, _ unit: Double = 1) {
                figures.append(
                    Figure(
                        .init(.allocations, picture, level, measure), better: .less, travels: travels,
                        [Double(value) / unit / frames]))
            }
            add("per frame", steady.all.count)
            add("KiB per frame", steady.all.bytes, 1024)
            add("by the program's own code per frame", travels: true, steady.own.count)
            add("of 64 KiB or more per frame", travels: true, steady.large.count)
            add("KiB per frame in those of 64 KiB or more", travels: true, steady.large.bytes, 1024)
            places += Self.places(of: steady, level, frames)
        }
        return (figures, places)
    }

    private func count(_ level: String, frames: Int) throws -> AllocationCount {
        let file = folder.path("allocations.txt")
        try? FileManager.default.removeItem(atPath: file)
        let command = ExternalCommand(program, environment: ["LD_PRELOAD": counter, "ALLOCATIONS_FILE": file])
        try command.run(
            ["--quiet", "--overwrite", "--quality", level, "--limit", String(frames)]
                + TranscodeBenchmark.matteEncoder + [video, folder.path("counted.mp4")])
        guard let data = FileManager.default.contents(atPath: file) else {
            throw BenchmarkError("can't count allocations: the counter was not loaded; does the program use glibc?")
        }
        return try AllocationCount(String(decoding: data, as: UTF8.self))
    }

    // Stacks that are alike in what is shown of them are one.
    private static func places(of count: AllocationCount, _ level: String, _ frames: Double) -> [Place] {
        let addresses = Set(count.places.keys.flatMap { $0 })
        let names = Symbols(addresses)
        var sums: [[String]: AllocationCount.Sum] = [:]
        for (place, sum) in count.places {
            // Whoever allocates in Swift does so through its runtime.
            let callers = Array(place.map { names[$0] }.drop { $0.hasPrefix("swift_") }.prefix(callerCount))
            sums[callers] = sums[callers, default: .init()] + sum
        }
        // Less than one in twenty frames is not the steady state.
        return sums.filter { Double($0.value.count) / frames >= 0.05 }
            .sorted { ($0.value.bytes, $1.key.joined()) > ($1.value.bytes, $0.key.joined()) }
            .map { callers, sum in
                Place(
                    level: level, countPerFrame: Double(sum.count) / frames,
                    kibibytesPerFrame: Double(sum.bytes) / 1024 / frames, callers: callers)
            }
    }
}
