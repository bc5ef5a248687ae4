import CFFmpeg
import Imaging

/// A compressed piece of a stream that goes to the output bit for bit.
///
/// Nobody changes it after it has left the reader, so that it may go to several writers; hence `@unchecked Sendable`.
public final class Packet: @unchecked Sendable {
    let pointer: UnsafeMutablePointer<AVPacket>

    /// Index of the stream in the input.
    public var streamIndex: Int { Int(pointer.pointee.stream_index) }
    /// Presentation time stamp in units of `timeBase`; nil where the container has none.
    public var pts: Int64? { pointer.pointee.pts == FFNoTimestamp ? nil : pointer.pointee.pts }
    /// Decoding time stamp in units of `timeBase`; nil where the container has none.
    public var dts: Int64? { pointer.pointee.dts == FFNoTimestamp ? nil : pointer.pointee.dts }
    /// In units of `timeBase`; 0 where unknown.
    public var duration: Int64 { pointer.pointee.duration }
    /// Seconds that one unit of a time stamp lasts.
    public var timeBase: Rational { Rational(pointer.pointee.time_base) }

    init() throws(AVError) {
        pointer = try AVError.allocated(av_packet_alloc())
    }

    deinit {
        var packet: UnsafeMutablePointer<AVPacket>? = pointer
        av_packet_free(&packet)
    }

    /// Another packet with the same bytes, which are not copied, for a muxer to take over.
    func reference() throws(AVError) -> Packet {
        let packet = try Packet()
        try AVError.check(av_packet_ref(packet.pointer, pointer))
        return packet
    }

    /// Seconds at which what it holds begins; nil where the container has no time stamps.
    var start: Double? { (pts ?? dts).map { Double($0) * timeBase.value } }

    /// Seconds at which what it holds is over; nil where the container has no time stamps.
    var end: Double? { (pts ?? dts).map { (Double($0) + Double(duration)) * timeBase.value } }

    /// Moves both time stamps; missing ones stay missing.
    func shift(by offset: Int64) {
        if pointer.pointee.pts != FFNoTimestamp { pointer.pointee.pts &+= offset }
        if pointer.pointee.dts != FFNoTimestamp { pointer.pointee.dts &+= offset }
    }
}

extension Rational {
    init(_ rational: AVRational) { self.init(rational.num, rational.den) }
    var av: AVRational { AVRational(num: numerator, den: denominator) }
}
