import Foundation
import TestSupport
import Testing

@testable import Media

/// The sound of a background, over and over.
@Suite struct BackgroundSoundTests {
    private let scratch = TemporaryFolder()

    /// Seconds at which packets begin, from `first` up to `end`.
    private func times(_ sound: BackgroundSound, from first: Double = 0, until end: Double) throws -> [Double] {
        var times: [Double] = []
        while let packet = try sound.next(from: first, before: end) { times.append(try #require(packet.start)) }
        return times
    }

    /// Sound of 0.1 s a packet, longer than its video of one second.
    @Test func aLoopIsAsLongAsTheVideo() throws {
        let path = try scratch.make(
            "in.mkv",
            "-f lavfi -i color=s=32x32:r=10:d=1 -f lavfi -i sine=r=8000:d=1.5:samples_per_frame=800 -c:v ffv1 "
                + "-c:a pcm_s16le")
        let whole = try times(BackgroundSound(path: path), until: 2.5)
        #expect(whole.map { Int(($0 * 10).rounded()) } == Array(0..<25))
        // As if it had run for so long before.
        let later = try times(BackgroundSound(path: path, start: 1.35), until: 1)
        #expect(later.map { Int(($0 * 100).rounded()) } == stride(from: 5, to: 100, by: 10).map { $0 })
    }

    // Cameras that tell the time of day begin years after 0.
    @Test(.timeLimit(.minutes(1))) func aVideoMayBeginLongAfterTheSound() throws {
        let path = try scratch.make(
            "in.mkv", "-f lavfi -i sine=r=8000:d=1:samples_per_frame=800 -c:a pcm_s16le")
        let late = 1_700_000_000.0
        let times = try times(BackgroundSound(path: path), from: late, until: late + 2.5)
        #expect(times.map { Int((($0 - late) * 10).rounded()) } == Array(0..<25))
    }

    /// Matroska tells where a track ends, not how long it is.
    @Test func aLoopIsNoLongerWhereTheFileBeginsLater() throws {
        let path = try scratch.make(
            "in.mkv",
            "-f lavfi -i color=s=32x32:r=10:d=1 -f lavfi -i sine=r=8000:d=1:samples_per_frame=800 -c:v ffv1 "
                + "-c:a pcm_s16le -output_ts_offset 0.5")
        #expect(try MediaReader(path: path).video.duration == 1)
        let whole = try times(BackgroundSound(path: path), until: 2.5)
        #expect(whole.map { Int(($0 * 10).rounded()) } == Array(0..<25))
    }

    // Picture and sound of the background are those of one moment, then as always.
    @Test func soundIsThatOfTheMomentWhereThePicturesBeginLate() throws {
        let behind = try scratch.make(
            "behind.mkv",
            "-f lavfi -i color=s=32x32:r=10:d=1 -f lavfi -i sine=r=8000:d=1:beep_factor=3:samples_per_frame=800 "
                + "-c:v ffv1 -c:a pcm_s16le")
        let input = try scratch.make(
            "in.mkv", "-f lavfi -i testsrc2=s=96x64:r=25:d=1 -c:v libx264 -preset ultrafast -output_ts_offset 0.55")
        let output = scratch.path("out.mkv")
        let reader = try MediaReader(path: input)
        let writer = try MediaWriter(
            path: output, settings: fast, reader: reader, sound: BackgroundSound(path: behind)
        ) { Issue.record("\($0)") }
        while let item = try reader.next() { try writer.write(item) }
        try writer.finish()
        func packets(_ path: String) throws -> [String] {
            try run(
                "ffprobe",
                split(
                    "-v error -select_streams a -show_entries packet=pts_time,data_hash -show_data_hash md5 -of csv=p=0"
                )
                    + [path]
            ).split(separator: "\n").map(String.init)
        }
        #expect(try frameTimes(output).first == 0.55)
        #expect(try packets(output).prefix(4) == packets(behind)[6...9])
    }

    /// Packets of 24 ms in a file whose times begin at 1.4 s.
    @Test func soundBeginsAtOnceWhereverItsTimesBegin() throws {
        let path = try scratch.make(
            "in.ts",
            "-f lavfi -i color=s=32x32:r=10:d=1 -f lavfi -i sine=r=48000:d=1 -c:v mpeg2video -c:a mp2 -muxdelay 0.7")
        for start in [0, 0.5] {
            let first = try #require(try times(BackgroundSound(path: path, start: start), until: 0.3).first)
            #expect((0..<0.1).contains(first), "\(start)")
        }
    }

    /// Packets of 0.1 s, some of which lie in zeros; of those behind them none can be found where all are in one cluster.
    @Test(arguments: [(100, [0, 1, 2, 28, 29, 30, 31, 32, 58, 59]), (5000, [0, 1, 2, 30, 31, 32])])
    func whatIsDamagedIsPassedOver(clusterLength: Int, heard: [Int]) throws {
        let path = try scratch.make(
            "in.mkv",
            "-f lavfi -i sine=r=8000:d=3:samples_per_frame=800 -c:a pcm_s16le -cluster_time_limit \(clusterLength)")
        var bytes = try Data(contentsOf: URL(filePath: path))
        bytes.resetBytes(in: bytes.count / 2..<bytes.count * 11 / 20)
        try bytes.write(to: URL(filePath: path))
        let found = try Set(times(BackgroundSound(path: path), until: 6).map { Int(($0 * 10).rounded()) })
        #expect(found.isSuperset(of: heard))
        #expect(!found.contains(15))
    }
}
