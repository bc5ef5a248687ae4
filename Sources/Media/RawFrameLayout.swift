import CFFmpeg
import Glibc

/// How many bytes an uncompressed frame takes, and where frames of a stream end.
struct RawFrameLayout {
    /// Bytes of a frame's picture.
    let byteCount: Int
    /// Whole frames that were read.
    private(set) var frameCount = 0
    /// Where the last whole frame ends, or the header where there is none yet.
    private var end: Int64
    /// Bytes before each picture, such as Y4M's line `FRAME`.
    private var headerByteCount: Int

    /// The pictures of `stream`, the first of which begins at `position`, line included.
    init(_ stream: UnsafeMutablePointer<AVStream>, isY4M: Bool, position: Int64) {
        let parameters = stream.pointee.codecpar.pointee
        byteCount = Int(
            av_image_get_buffer_size(AVPixelFormat(rawValue: parameters.format), parameters.width, parameters.height, 1)
        )
        end = position
        headerByteCount = isY4M ? "FRAME\n".utf8.count : 0
    }

    /// Notes that a whole frame ends at `position`.
    mutating func note(position: Int64) {
        if headerByteCount > 0 { headerByteCount = max(6, Int(position - end) - byteCount) }
        frameCount += 1
        end = position
    }

    /// Notes that reading goes on at `position`, after a seek.
    mutating func restart(position: Int64) { end = position }

    /// How many bytes of the picture are missing where the input ends at `position`; 0 where it ends with a whole frame.
    func missingByteCount(position: Int64) -> Int {
        let rest = Int(position - end)
        return rest == 0 ? 0 : byteCount - max(0, rest - headerByteCount)
    }

    /// How many pictures the threads of a program may hold at once; they must fit the machine's memory.
    private static let picturesInFlight = 16

    /// Why there can be no frames of this size, in words; nil if there can.
    static func problem(format: AVPixelFormat, width: Int, height: Int) -> String? {
        let text = "a frame of \(width)x\(height) \(format.name)"
        let byteCount = av_image_get_buffer_size(format, CInt(clamping: width), CInt(clamping: height), 1)
        guard av_image_check_size(UInt32(clamping: width), UInt32(clamping: height), 0, nil) >= 0, byteCount > 0 else {
            return "\(text) is larger than FFmpeg can hold"
        }
        let memory = sysconf(CInt(_SC_PHYS_PAGES)) * sysconf(CInt(_SC_PAGESIZE))
        guard memory <= 0 || Int(byteCount) <= memory / picturesInFlight else {
            return
                "\(text) takes \(Int(byteCount) >> 20) MiB, and \(picturesInFlight) of them don't fit this machine's memory"
        }
        return nil
    }
}
