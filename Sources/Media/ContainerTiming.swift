import CFFmpeg

/// What a container tells of the time at which a frame is shown.
enum ContainerTiming {
    /// Each frame's time.
    case times
    /// Each frame's number at one rate, from any number on (Ogg).
    case numbers
    /// Each frame's number at one rate, from 0 on and in the order of coding (AVI).
    case numbersFromZero
    /// One rate, at which each frame lasts until the next one, beside other streams (MXF, GXF, DV, SWF, RealMedia, AMV).
    case rate
    /// The order of frames at a rate that is told once, or not at all (Y4M, raw frames, a codec's bare stream).
    case order

    init(_ format: UnsafePointer<AVOutputFormat>) {
        switch format.name {
        case "ogg", "ogv": self = .numbers
        case "avi": self = .numbersFromZero
        case "mxf", "mxf_d10", "mxf_opatom", "gxf", "dv", "swf", "rm", "amv": self = .rate
        case "yuv4mpegpipe": self = .order
        default:
            let tellsNone = format.pointee.flags & AVFMT_NOTIMESTAMPS != 0
            self = tellsNone && format.pointee.audio_codec == AV_CODEC_ID_NONE ? .order : .times
        }
    }

    /// Whether no frame can be shown for longer than the others.
    var leavesNoGaps: Bool { self == .rate || self == .order }

    /// Whether all streams begin at once: where audio begins later, that can't be told.
    var beginsTogether: Bool { self == .rate || self == .numbersFromZero }

    /// Whether frames may be coded in another order than they are shown in.
    var allowsReordering: Bool { self != .numbersFromZero }
}
