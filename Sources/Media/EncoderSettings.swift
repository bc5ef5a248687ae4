/// How the video is to be encoded; what is left out is chosen after the container and the encoder.
public struct EncoderSettings: Sendable {
    /// An encoder's name such as `libx264`, or a codec's such as `h264`, `hevc` or `vp9`; nil for the container's usual one.
    public var codec: String?
    /// FFmpeg's name of the container, such as `matroska` or `rawvideo`; nil for what the file's name tells, and for a stream
    /// that is raw frames or Y4M in the input for the same again.
    public var format: String?
    /// FFmpeg's name of the pixel format that the encoder gets or that raw frames have; nil for the nearest to the picture's.
    public var pixelFormat: String?
    /// Whether pictures have alpha that must be kept: the usual encoder is then one that holds it, and a container or an encoder
    /// that can't is an error. A plane of alpha is kept in any case; where this is false, the alpha of packed RGB goes where the
    /// usual pixel format has none.
    public var keepsAlpha: Bool
    /// Whether colours are multiplied by the alpha that is kept. No container that FFmpeg writes has a tag for it, so whoever reads
    /// the file must know; formats that define straight alpha (PNG, WebP, AVIF, JPEG XL, TIFF, VP8 and VP9) refuse the other.
    public var alpha: AlphaKind
    /// Constant quality on the encoder's own scale: 0…51 for x264 and x265, 0…63 for VP9 and AV1; less is better.
    public var crf: Double?
    /// The encoder's name for how much time it takes, such as `veryfast`.
    public var preset: String?
    /// Bits per second on average.
    public var bitrate: Int64?
    /// Any further options of the encoder, by the names that `ffmpeg -h encoder=…` lists.
    public var options: [(key: String, value: String)]
    /// Threads of the encoder; 0 leaves the number to it.
    public var threads: Int
    /// FFmpeg's name of the device that a hardware encoder works on, such as `/dev/dri/renderD128`; nil for the first one.
    public var hwaccelDevice: String?

    /// Whether the encoder that is named works on a device.
    package var takesHardwareDevice: Bool {
        codec.flatMap { EncoderChoice.named($0) }.map { !$0.hardwareConfigurations.isEmpty } ?? false
    }

    /// Settings of which only those are given that are not to be chosen.
    public init(
        codec: String? = nil, crf: Double? = nil, preset: String? = nil, bitrate: Int64? = nil,
        options: [(key: String, value: String)] = [], threads: Int = 0, format: String? = nil,
        pixelFormat: String? = nil, keepsAlpha: Bool = false, alpha: AlphaKind = .straight,
        hwaccelDevice: String? = nil
    ) {
        self.codec = codec
        self.crf = crf
        self.preset = preset
        self.bitrate = bitrate
        self.options = options
        self.threads = threads
        self.format = format
        self.pixelFormat = pixelFormat
        self.keepsAlpha = keepsAlpha
        self.alpha = alpha
        self.hwaccelDevice = hwaccelDevice
    }
}
