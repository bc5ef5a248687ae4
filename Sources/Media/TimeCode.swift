import CFFmpeg
import Imaging

/// The time code of a video's first frame (SMPTE 12M), which its metadata tell.
enum TimeCode {
    /// Moves the time code in `metadata` on to the frame that lies `seconds` later, where there is one.
    ///
    /// `rate` is that of the frames. A time code that can't be meant, or a rate that has none, stays as it is.
    static func advance(
        _ metadata: inout OpaquePointer?, by seconds: Double, rate: AVRational
    ) throws(AVError) {
        guard let entry = av_dict_get(metadata, "timecode", nil, 0) else { return }
        var first = AVTimecode()
        guard av_timecode_init_from_string(&first, rate, entry.pointee.value, nil) >= 0,
            let count = CInt(exactly: (seconds * av_q2d(rate)).rounded()),
            !first.start.addingReportingOverflow(count).overflow
        else { return }
        first.flags |= AV_TIMECODE_FLAG_24HOURSMAX.rawValue
        let text = withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(AV_TIMECODE_STR_SIZE)) { text in
            String(cString: av_timecode_make_string(&first, text.baseAddress!, count))
        }
        try AVError.check(av_dict_set(&metadata, String(cString: entry.pointee.key), text, 0))
    }
}
