import CV4L2
import Glibc

/// An open Video4Linux2 device, as far as it is asked about itself; libavdevice does the rest.
///
/// The questions are those of the kernel's "Linux Media Userspace API": they take no part in the device's streaming, so they can
/// be asked while somebody else uses it.
struct V4L2Descriptor: ~Copyable {
    private let descriptor: CInt

    /// nil with `errno` set where it can't be opened.
    init?(path: String) {
        // To set the field first would have `deinit` close it, and that sets `errno` anew.
        let opened = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        guard opened >= 0 else { return nil }
        descriptor = opened
    }

    deinit { close(descriptor) }

    /// What the device says of itself; nil where it is no Video4Linux2 device.
    var capability: v4l2_capability? {
        var answer = v4l2_capability()
        return ask(V4L2QueryCapability, &answer) ? answer : nil
    }

    /// Every mode in which pictures can be captured, in the device's own order, each once: FFmpeg calls some formats alike that the
    /// kernel does not, such as YU12 and YV12.
    var modes: [CameraMode] {
        var modes: [CameraMode] = []
        var format = v4l2_fmtdesc()
        format.type = V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue
        while ask(V4L2EnumerateFormats, &format) {
            if let name = CameraMode.formatName(of: format.pixelformat) {
                let own = sizes(of: format.pixelformat).map { size in
                    CameraMode(
                        pixelFormat: name, size: size,
                        rates: rates(of: format.pixelformat, width: size.maximum.width, height: size.maximum.height))
                }
                modes += own.filter { !modes.contains($0) }
            }
            format.index += 1
        }
        return modes
    }

    /// The format in which the device will take pictures, once it was asked for one: another, where a consumer holds it to that.
    ///
    /// nil where the device does not say.
    func settledOutput(format: String, width: Int, height: Int) -> (format: String, width: Int, height: Int)? {
        guard let code = CameraMode.fourCharacterCode(of: format) else { return nil }
        var settled = v4l2_format()
        settled.type = V4L2_BUF_TYPE_VIDEO_OUTPUT.rawValue
        guard ask(V4L2GetFormat, &settled) else { return nil }
        settled.fmt.pix.width = UInt32(width)
        settled.fmt.pix.height = UInt32(height)
        settled.fmt.pix.pixelformat = code
        settled.fmt.pix.field = V4L2_FIELD_NONE.rawValue
        guard ask(V4L2SetFormat, &settled), let name = CameraMode.formatName(of: settled.fmt.pix.pixelformat) else {
            return nil
        }
        return (name, Int(settled.fmt.pix.width), Int(settled.fmt.pix.height))
    }

    /// Makes a virtual camera say again that it can be written to.
    ///
    /// v4l2loopback before 0.13 forgets to where pictures came by write(2), as libavdevice's do, and then refuses the next program with
    /// "Invalid argument". Who has streamed and closes is noticed. Of no effect while somebody streams.
    static func releaseOutput(of path: String) {
        if let device = V4L2Descriptor(path: path) { device.streamOutput() }
        // What may be asked of it follows from what it said last.
        _ = V4L2Descriptor(path: path)?.capability
    }

    private func streamOutput() {
        var type = V4L2_BUF_TYPE_VIDEO_OUTPUT.rawValue
        _ = ask(V4L2StreamOn, &type)
    }

    private func sizes(of format: UInt32) -> [CameraMode.Size] {
        var sizes: [CameraMode.Size] = []
        var entry = v4l2_frmsizeenum()
        entry.pixel_format = format
        while ask(V4L2EnumerateFrameSizes, &entry) {
            guard entry.type == V4L2_FRMSIZE_TYPE_DISCRETE.rawValue else {
                let range = entry.stepwise
                return [
                    CameraMode.Size(
                        minimum: (Int(range.min_width), Int(range.min_height)),
                        maximum: (Int(range.max_width), Int(range.max_height)),
                        step: (max(1, Int(range.step_width)), max(1, Int(range.step_height))))
                ]
            }
            sizes.append(CameraMode.Size(width: Int(entry.discrete.width), height: Int(entry.discrete.height)))
            entry.index += 1
        }
        return sizes
    }

    /// Frames per second that there are at a size, the highest first.
    private func rates(of format: UInt32, width: Int, height: Int) -> CameraMode.Rates {
        var rates: [Double] = []
        var entry = v4l2_frmivalenum()
        (entry.pixel_format, entry.width, entry.height) = (format, UInt32(width), UInt32(height))
        while ask(V4L2EnumerateFrameIntervals, &entry) {
            guard entry.type == V4L2_FRMIVAL_TYPE_DISCRETE.rawValue else {
                // The shortest interval may be told as 0, which is no rate.
                let bounds = [entry.stepwise.max, entry.stepwise.min].map(Self.rate)
                return .all(bounds[0]...max(bounds[0], bounds[1] > 0 ? bounds[1] : 1000))
            }
            rates.append(Self.rate(entry.discrete))
            entry.index += 1
        }
        return .some(Set(rates.filter { $0 > 0 }).sorted(by: >))
    }

    private static func rate(_ interval: v4l2_fract) -> Double {
        interval.numerator > 0 ? Double(interval.denominator) / Double(interval.numerator) : 0
    }

    private func ask<Answer>(_ request: UInt, _ answer: inout Answer) -> Bool {
        withUnsafeMutablePointer(to: &answer) { pointer in
            while true {
                if ioctl(descriptor, request, UnsafeMutableRawPointer(pointer)) == 0 { return true }
                guard errno == EINTR else { return false }
            }
        }
    }
}
