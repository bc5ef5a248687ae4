/// One way in which a camera can be run: a format of its pictures, a size, and the rates that it has for them.
public struct CameraMode: Hashable, Sendable, CustomStringConvertible {
    /// The sizes that a mode has: one, or all in steps between two.
    public struct Size: Hashable, Sendable, CustomStringConvertible {
        private let minimumWidth: Int
        private let minimumHeight: Int
        private let maximumWidth: Int
        private let maximumHeight: Int
        private let stepWidth: Int
        private let stepHeight: Int

        init(minimum: (width: Int, height: Int), maximum: (width: Int, height: Int), step: (width: Int, height: Int)) {
            (minimumWidth, minimumHeight) = minimum
            (maximumWidth, maximumHeight) = maximum
            (stepWidth, stepHeight) = step
        }

        init(width: Int, height: Int) {
            self.init(minimum: (width, height), maximum: (width, height), step: (1, 1))
        }

        /// The largest size in pixels.
        public var maximum: (width: Int, height: Int) { (maximumWidth, maximumHeight) }

        /// The size nearest to `width` by `height`.
        public func nearest(width: Int, height: Int) -> (width: Int, height: Int) {
            (
                Self.clamp(width, minimumWidth, maximumWidth, stepWidth),
                Self.clamp(height, minimumHeight, maximumHeight, stepHeight)
            )
        }

        private static func clamp(_ value: Int, _ minimum: Int, _ maximum: Int, _ step: Int) -> Int {
            let bounded = min(max(value, minimum), maximum)
            return minimum + (bounded - minimum) / step * step
        }

        /// Such as "1280x720" or "48x32…8192x8192".
        public var description: String {
            let largest = "\(maximumWidth)x\(maximumHeight)"
            let isOne = minimumWidth == maximumWidth && minimumHeight == maximumHeight
            return isOne ? largest : "\(minimumWidth)x\(minimumHeight)…\(largest)"
        }
    }

    /// The frames per second that a mode has.
    public enum Rates: Hashable, Sendable, CustomStringConvertible {
        /// These alone, the highest first; none where the camera doesn't tell.
        case some([Double])
        /// All between two.
        case all(ClosedRange<Double>)

        /// The rate nearest to `rate`; nil where the camera tells none.
        func nearest(to rate: Double) -> Double? {
            switch self {
            case .some(let rates): rates.min { abs($0 - rate) < abs($1 - rate) }
            case .all(let range): min(max(rate, range.lowerBound), range.upperBound)
            }
        }

        /// Such as "30, 15 fps"; empty where the camera tells none.
        public var description: String {
            switch self {
            case .some([]): ""
            case .some(let rates): rates.map(CameraMode.text(ofRate:)).joined(separator: ", ") + " fps"
            case .all(let range):
                "\(CameraMode.text(ofRate: range.lowerBound))…\(CameraMode.text(ofRate: range.upperBound)) fps"
            }
        }
    }

    /// FFmpeg's name of the pixel format, such as `yuyv422`, or of the codec of compressed pictures, such as `mjpeg`.
    public let pixelFormat: String
    /// Width and height of the pictures.
    public let size: Size
    /// How many pictures it gives a second.
    public let rates: Rates

    init(pixelFormat: String, size: Size, rates: Rates) {
        self.pixelFormat = pixelFormat
        self.size = size
        self.rates = rates
    }

    /// Such as "yuyv422 1280x720 at 10, 5 fps".
    public var description: String {
        let rates = rates.description
        return "\(pixelFormat) \(size)" + (rates.isEmpty ? "" : " at \(rates)")
    }

    /// A rate with two decimals at most.
    static func text(ofRate rate: Double) -> String {
        let hundredths = Int((rate * 100).rounded())
        let (whole, rest) = (hundredths / 100, hundredths % 100)
        if rest == 0 { return "\(whole)" }
        return rest % 10 == 0 ? "\(whole).\(rest / 10)" : "\(whole).\(rest < 10 ? "0" : "")\(rest)"
    }

    /// Whether pictures come compressed, so that each must be decoded.
    var isCompressed: Bool { Self.codecs.contains(pixelFormat) }

    private static let codecs: Set = ["mjpeg", "h264", "hevc", "mpeg4", "vp8", "vp9"]

    /// What libavdevice reads, by the four characters that Video4Linux2 calls it.
    private static let names: [String: String] = [
        "YUYV": "yuyv422", "UYVY": "uyvy422", "NV12": "nv12", "YU12": "yuv420p", "YV12": "yuv420p", "422P": "yuv422p",
        "411P": "yuv411p", "YUV9": "yuv410p", "GREY": "gray", "RGB3": "rgb24", "BGR3": "bgr24", "BGR4": "bgr0",
        "RGBP": "rgb565le", "RGBO": "rgb555le", "MJPG": "mjpeg", "JPEG": "mjpeg", "H264": "h264", "HEVC": "hevc",
        "MPG4": "mpeg4", "VP80": "vp8", "VP90": "vp9",
    ]

    static func formatName(of fourCharacterCode: UInt32) -> String? {
        let bytes = withUnsafeBytes(of: fourCharacterCode.littleEndian) { Array($0) }
        return names[String(decoding: bytes, as: UTF8.self)]
    }

    static func fourCharacterCode(of formatName: String) -> UInt32? {
        // Two codes mean the same to FFmpeg; that of the plain order comes first.
        guard let code = names.filter({ $0.value == formatName }).keys.sorted().first else { return nil }
        return code.utf8.reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }
}
