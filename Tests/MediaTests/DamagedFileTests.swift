import CFFmpeg
import Foundation
import Imaging
import TestSupport
import Testing

@testable import Media

/// Files that tell what can't be are read as far as they can be, or refused in one sentence; nothing in them ends the program.
@Suite struct DamagedFileTests {
    private let scratch = TemporaryFolder()

    /// A fragmented MP4 whose fragments begin at `time` in units of the track's time base.
    private func fragments(at time: UInt64) throws -> String {
        let whole = try scratch.make(
            "whole.mp4",
            "-f lavfi -i testsrc2=s=64x48:r=25:d=0.24 -f lavfi -i sine=d=0.24 -c:v libx264 -preset ultrafast -g 2 -c:a aac "
                + "-movflags +frag_keyframe+empty_moov")
        var bytes = try Data(contentsOf: URL(filePath: whole))
        var place = bytes.startIndex
        var count = 0
        while let box = bytes.range(of: Data("tfdt".utf8), in: place..<bytes.endIndex) {
            // Version 1 has a time of 64 bits after its flags (ISO/IEC 14496-12, 8.8.12).
            try #require(bytes[box.upperBound] == 1)
            let value = box.upperBound + 4
            for index in 0..<8 { bytes[value + index] = UInt8(truncatingIfNeeded: time >> (56 - 8 * UInt64(index))) }
            (place, count) = (value + 8, count + 1)
        }
        try #require(count > 2)
        try bytes.write(to: scratch.url("in.mp4"))
        return scratch.path("in.mp4")
    }

    @Test(
        arguments: [
            0x7FFF_FFFF_FFFF_FFFF, 0x7FFF_FFFF_FFFF_FFFE, 0x7FFF_FFFF_FFFF_F000, 0x4000_0000_0000_0000, 1 << 60,
            1 << 52,
            0x8000_0000_0000_0000, 0xFFFF_FFFF_FFFF_0000,
        ] as [UInt64])
    func timesPastAllMeaning(_ time: UInt64) throws {
        let path = try fragments(at: time)
        for options in [
            MediaReader.Options(threads: 1), .init(threads: 1, start: 0.04, duration: 0.1, runIn: 0.04),
            .init(threads: 1, frameLimit: 2),
        ] {
            // Refused or read: either is an answer.
            do {
                let reader = try MediaReader(path: path, options: options)
                let writer = try MediaWriter(
                    path: scratch.path("out.mkv"), settings: fast, reader: reader, overwrite: true)
                while let item = try reader.next() { try writer.write(item) }
                try writer.finish()
            } catch {
                #expect(error.description.hasPrefix("can't "))
            }
        }
    }

    @Test func framesWithImpossibleTimesFollowEachOther() throws {
        let reader = try MediaReader(path: try fragments(at: 0x7FFF_FFFF_FFFF_0000), options: .init(threads: 1))
        let times = try frames(reader).compactMap(\.pts)
        #expect(times.count == 6)
        #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
    }

    @Test(arguments: [1e9, 1e18, 9.3e18, 1e30, .greatestFiniteMagnitude])
    func partPastAllMeaning(_ seconds: Double) throws {
        let path = try scratch.make("in.mp4", "-f lavfi -i testsrc2=s=64x48:r=25:d=0.24 -c:v libx264 -preset ultrafast")
        let error = try mediaError { _ = try MediaReader(path: path, options: .init(start: seconds)) }
        #expect(error.kind == .usage)
        #expect(
            error.description
                == "can't read '\(path)': no frame lies within the part that was asked for; choose an earlier start")
        #expect(try frames(MediaReader(path: path, options: .init(duration: seconds))).count == 6)
        let settled = try MediaReader(path: path, options: .init(start: 0.12, runIn: seconds))
        #expect(try frames(settled).count == 3)
    }

    /// Matroska tells the display's colours as floating-point numbers, of which FFmpeg makes x/0 where they are infinite.
    @Test(arguments: [0, 1, 2]) func lightThatIsNoNumber(_ place: Int) {
        var display = AVMasteringDisplayMetadata()
        let half = AVRational(num: 1, den: 2)
        display.display_primaries = ((half, half), (half, half), (half, half))
        display.white_point = (half, half)
        (display.min_luminance, display.max_luminance) = (half, half)
        (display.has_primaries, display.has_luminance) = (1, 1)
        func parameters() -> [String] {
            let bytes = withUnsafeBytes(of: display) { Array($0) }
            let piece = StreamSideData(type: AV_PKT_DATA_MASTERING_DISPLAY_METADATA, bytes: bytes)
            return LightLevels(sideData: [piece], firstFrame: nil).x265Parameters
        }
        #expect(
            parameters() == [
                "master-display=G(25000,25000)B(25000,25000)R(25000,25000)WP(25000,25000)L(5000,5000)"
            ])
        switch place {
        case 0: display.display_primaries.1.0 = AVRational(num: 1, den: 0)
        case 1: display.white_point.1 = AVRational(num: 0, den: 0)
        default: display.max_luminance = AVRational(num: -1, den: 0)
        }
        #expect(parameters().isEmpty)
    }

    @Test func boundsHoldWhatFilesTell() {
        let ticks = AVRational(num: 1, den: 90000)
        #expect(TimeBounds.holdsTime(90000 * 1_800_000_000, ticks), "a time since 1970 can be meant")
        #expect(!TimeBounds.holdsTime(.max, ticks) && !TimeBounds.holdsTime(.min, ticks))
        #expect(!TimeBounds.holdsTime(1 << 40, AVRational(num: 1, den: 1)))
        #expect(TimeBounds.holdsDuration(0, ticks) && TimeBounds.holdsDuration(90000 * 86400, ticks))
        #expect(!TimeBounds.holdsDuration(-1, ticks) && !TimeBounds.holdsDuration(.max, ticks))
        #expect(TimeBounds.units(1.5, ticks) == 135_000)
        #expect(TimeBounds.units(-1e300, ticks) == -TimeBounds.units(1e300, ticks))
        #expect(TimeBounds.units(1e300, AVRational(num: 1, den: .max)) == 1 << 60)
        #expect(TimeBounds.units(microseconds: .min, ticks) == 0 && TimeBounds.units(microseconds: 100, ticks) == 9)
    }

    @Test(arguments: [1e300, -1e300, .infinity, .nan, 1e19])
    func qualityPastAllMeaning(_ crf: Double) throws {
        let path = try scratch.make("in.mp4", "-f lavfi -i testsrc2=s=64x48:r=25:d=0.08 -c:v libx264 -preset ultrafast")
        let error = try mediaError {
            try transcode(path, to: scratch.path("out.mp4"), settings: EncoderSettings(crf: crf))
        }
        #expect(error.kind == .usage)
        #expect(!FileManager.default.fileExists(atPath: scratch.path("out.mp4")))
    }
}
