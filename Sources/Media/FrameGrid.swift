import CFFmpeg

/// The places of a constant frame rate, from which Matroska and FLV move frames when they round their times to milliseconds.
///
/// Containers that tell a time as finely as the rate needs it are to have the frames back in their places: readers take one of
/// QuickTime's family whose frames last 41 or 42 ms for one of a varying rate.
struct FrameGrid {
    /// A unit of which both a millisecond and the time between two places are multiples.
    let timeBase: AVRational
    /// From place to place.
    private let interval: Int64
    /// What the first frame and any other can be moved by together: a millisecond.
    private let tolerance: Int64

    /// nil where times are not rounded, the rate is not known or too odd, or the container is none that tells times so finely.
    init?(of input: AVRational, rate: AVRational, format: UnsafePointer<AVOutputFormat>) {
        guard input.num == 1, input.den == 1000, rate.num > 0, rate.den > 0,
            OutputContainer.isQuickTimeFamily(format)
        else { return nil }
        let (milliseconds, numerator) = (Int64(1000), Int64(rate.num))
        let units = milliseconds / av_gcd(milliseconds, numerator) * numerator
        // MPEG-4 part 2 counts time in 16 bits.
        guard units <= UInt16.max else { return nil }
        timeBase = AVRational(num: 1, den: CInt(units))
        interval = units / numerator * Int64(rate.den)
        tolerance = units / milliseconds
    }

    /// The place that a distance from the first frame is rounded from, or the distance itself where it lies by none.
    func place(_ distance: Int64) -> Int64 {
        let place = (distance + interval / 2) / interval * interval
        return abs(place - distance) <= tolerance ? place : distance
    }
}
