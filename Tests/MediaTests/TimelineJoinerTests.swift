import Imaging
import Testing

@testable import Media

@Suite struct TimelineJoinerTests {
    /// Packets in units of 1/90000 s, told in milliseconds, on their way through one joiner.
    private struct Recording {
        var joiner = TimelineJoiner()

        /// Where the joiner puts a packet.
        mutating func joined(_ time: Int64, stream: CInt, duration: Int64 = 40, isContinuous: Bool = true) throws
            -> Int64?
        {
            let packet = try Packet()
            packet.pointer.pointee.time_base = Rational(1, 90000).av
            packet.pointer.pointee.stream_index = stream
            packet.pointer.pointee.duration = duration * 90
            (packet.pointer.pointee.pts, packet.pointer.pointee.dts) = (time * 90, time * 90)
            joiner.join(packet, isContinuous: isContinuous)
            return packet.pts.map { $0 / 90 }
        }
    }

    @Test func subtitlesMayBeSilentForLong() throws {
        var recording = Recording()
        for second in 0..<60 as Range<Int64> {
            #expect(try recording.joined(second * 1000, stream: 0, duration: 1000) == second * 1000)
            guard second % 20 == 1 else { continue }
            #expect(
                try recording.joined(second * 1000, stream: 1, duration: 2000, isContinuous: false) == second * 1000)
        }
        // What jumps takes them along.
        #expect(try recording.joined(1_000_000, stream: 0) == 60_000)
        #expect(try recording.joined(1_001_000, stream: 1, isContinuous: false) == 61_000)
    }

    @Test(arguments: [0, 5_000_000]) func aJumpIsClosed(by next: Int64) throws {
        var recording = Recording()
        for frame in 0..<500 as Range<Int64> { #expect(try recording.joined(1000_000 + frame * 40, stream: 0) != nil) }
        for frame in 0..<500 as Range<Int64> {
            #expect(try recording.joined(next + frame * 40, stream: 0) == 1_020_000 + frame * 40)
        }
    }

    // Frames of a second each, say the packets; they come every 40 ms.
    @Test func durationsThatAreTooLongAreNoJumpsBack() throws {
        var recording = Recording()
        for frame in 0..<100 as Range<Int64> {
            #expect(try recording.joined(frame * 40, stream: 0, duration: 1000) == frame * 40)
        }
    }

    @Test func aStreamMayPauseWhileAnotherGoesOn() throws {
        var recording = Recording()
        for second in 0..<60 as Range<Int64> {
            let time = second * 1000
            #expect(try recording.joined(time, stream: 0, duration: 1000) == time)
            if second < 10 || second >= 30 {
                #expect(try recording.joined(time, stream: 1, duration: 1000) == time)
            }
        }
    }

    // The sound stopped long before the first recording ended, and is the first that comes of the second.
    @Test func whatHasPausedGoesOnWithTheOthers() throws {
        var recording = Recording()
        for second in 0..<60 as Range<Int64> {
            #expect(try recording.joined(second * 1000, stream: 0, duration: 1000) == second * 1000)
            if second < 10 { #expect(try recording.joined(second * 1000, stream: 1, duration: 1000) == second * 1000) }
        }
        #expect(try recording.joined(0, stream: 1, duration: 1000) == 60_000)
        #expect(try recording.joined(0, stream: 0, duration: 1000) == 60_000)
    }

    @Test func aStreamThatComesLaterJumpsToo() throws {
        var recording = Recording()
        for second in 0..<60 as Range<Int64> {
            #expect(try recording.joined(second * 1000, stream: 0, duration: 1000) == second * 1000)
        }
        #expect(try recording.joined(58_000, stream: 1, duration: 1000) == 58_000)
        #expect(try recording.joined(900_000, stream: 2, duration: 1000) == 60_000)
        #expect(try recording.joined(901_000, stream: 0, duration: 1000) == 61_000)
    }
}
