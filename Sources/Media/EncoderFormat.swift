import CFFmpeg
import Imaging

/// The pixel format, size and colour that an encoder gets.
struct EncoderFormat: Equatable {
    var pixelFormat: AVPixelFormat
    var width: Int
    var height: Int
    var color: ColorDescription
    var sampleAspectRatio: Rational
    /// Whether the chroma is less subsampled than the picture's, because the codec can't hold an odd size otherwise.
    private(set) var isWidenedForSize = false

    /// Exactly this, with square pixels.
    init(pixelFormat: AVPixelFormat, width: Int, height: Int, color: ColorDescription) {
        self.pixelFormat = pixelFormat
        self.width = width
        self.height = height
        self.color = color
        sampleAspectRatio = Rational(1, 1)
    }

    /// What was asked for, or else the nearest that `codec` takes to a frame turned by `rotation`: `own` if that can be.
    ///
    /// RGB becomes 4:2:0 for codecs that lose something anyway, so that every player shows it.
    /// - Throws: `.usage` where the picture's alpha must be kept and can't be, or where it can't have the format that was asked for.
    init(
        codec: UnsafePointer<AVCodec>, choice: PixelFormatChoice, frame: VideoFrame, rotation: Orientation,
        own: AVPixelFormat
    ) throws(MediaError) {
        let source = FrameExporter.rotatedFormat(frame.pixelBuffer.format, by: rotation)
        (width, height) = (frame.pixelBuffer.width, frame.pixelBuffer.height)
        sampleAspectRatio = frame.sampleAspectRatio
        if rotation.swapsAxes {
            swap(&width, &height)
            if sampleAspectRatio.isKnown {
                sampleAspectRatio = Rational(sampleAspectRatio.denominator, sampleAspectRatio.numerator)
            }
        }
        color = frame.color
        color.chromaLocation = FrameExporter.chromaLocation(of: frame, turnedBy: rotation)
        // Turned, an untagged picture may have a size by which players take it for another matrix's.
        let matrix = color.matrix.resolved(width: frame.pixelBuffer.width, height: frame.pixelBuffer.height)
        if source.colorModel == .yuv, matrix != color.matrix.resolved(width: width, height: height) {
            color.matrix = matrix
        }
        pixelFormat = own
        let keepsAlpha = choice.keepsAlpha(of: source)
        if keepsAlpha { try choice.requireAlpha() }
        let accepted = keepsAlpha ? choice.accepted.filter(\.hasAlpha) : choice.accepted

        if let requested = choice.requested {
            pixelFormat = requested
        } else if source.colorModel == .rgb, EncoderChoice.isLossy(codec.pointee.id),
            let usual = [AV_PIX_FMT_YUV420P, AV_PIX_FMT_NV12].first(where: accepted.contains)
        {
            pixelFormat = usual
        } else if !accepted.isEmpty, !accepted.contains(own) {
            let candidates = Self.candidates(accepted, for: source)
            pixelFormat = avcodec_find_best_pix_fmt_of_list(
                candidates + [AV_PIX_FMT_NONE], own, keepsAlpha ? 1 : 0, nil)
        }
        if let size = sizeInChroma(codec.pointee.id) {
            let holding = Self.holdingSize(pixelFormat, accepted, size)
            isWidenedForSize = holding != pixelFormat
            if isWidenedForSize, choice.requested != nil {
                throw choice.oddSizeRefusal(pixelFormat, width: width, height: height)
            }
            pixelFormat = holding
        }
        if source.colorModel == .rgb, !pixelFormat.isRGB {
            color = color.convertedFromRGB(width: width, height: height)
            if pixelFormat.isGray { color.range = .full }
        } else if source.colorModel == .gray, color.range == .unspecified {
            color.range = .full
        }
        if pixelFormat.isFullRangeName { color.range = .full }
        if pixelFormat.isRGB {
            color.matrix = .rgb
            if source.colorModel != .rgb { color.range = .full }
        } else {
            tellFixedColor(of: codec.pointee.id)
            // These tell it as that of RGB.
            if ["prores", "prores_aw"].contains(String(cString: codec.pointee.name)), color.matrix == .bt470bg {
                color.matrix = .smpte170m
            }
        }
    }

    /// Takes back full range, which readers would not learn of; RGB and grey have but one.
    mutating func limitRange() {
        guard color.range == .full, !pixelFormat.isRGB, !pixelFormat.isGray, !pixelFormat.isFullRangeName else {
            return
        }
        color.range = .limited
    }

    /// JPEG and WebP have no tags for their YUV, which is BT.601 by definition (JFIF 1.02; RFC 6386), with JPEG's chroma in the middle.
    private mutating func tellFixedColor(of codec: AVCodecID) {
        guard codec == AV_CODEC_ID_MJPEG || codec == AV_CODEC_ID_WEBP else { return }
        color.range = codec == AV_CODEC_ID_MJPEG ? .full : .limited
        if color.matrix != .bt470bg { color.matrix = .smpte170m }
        if codec == AV_CODEC_ID_MJPEG { color.chromaLocation = .center }
    }

    /// What a picture may be converted to: libswscale's outputs, narrowed as long as something is left.
    private static func candidates(_ accepted: [AVPixelFormat], for source: PixelFormat) -> [AVPixelFormat] {
        let wishes: [(AVPixelFormat) -> Bool] = [
            { sws_isSupportedOutput($0) > 0 },
            // The range is told by the colour tags; the names that tell it too are for encoders that know no others.
            { !$0.isFullRangeName },
            // FFmpeg's measure takes gray for near, since it has the luma.
            { source.colorModel == .gray || !$0.isGray },
            // YUV and gray lose nothing in RGB by FFmpeg's measure, but players expect YUV.
            { source.colorModel == .rgb || !$0.isRGB },
            // A mask needs no chroma, so it gets the least.
            { source.colorModel != .gray || $0.isGray || $0.chromaShift == (1, 1) },
        ]
        return wishes.reduce(accepted) { formats, wish in
            let narrowed = formats.filter(wish)
            return narrowed.isEmpty ? formats : narrowed
        }
    }

    /// The sides that must be whole chroma samples; nil where the codec holds any.
    ///
    /// H.264 and HEVC crop in them, and VC-2 consists of them. libavformat's muxer of Y4M halves the bytes of a row, not its samples, and
    /// so loses the last byte of each row of chroma that has two bytes a sample.
    private func sizeInChroma(_ codec: AVCodecID) -> (width: Int, height: Int)? {
        switch codec {
        case AV_CODEC_ID_H264, AV_CODEC_ID_HEVC, AV_CODEC_ID_DIRAC: (width, height)
        case AV_CODEC_ID_WRAPPED_AVFRAME where pixelFormat.bitDepth > 8: (width, 0)
        default: nil
        }
    }

    /// The format itself, or where it can't have a side the nearest that is less subsampled in that direction.
    private static func holdingSize(
        _ format: AVPixelFormat, _ accepted: [AVPixelFormat], _ size: (width: Int, height: Int)
    ) -> AVPixelFormat {
        let shift = format.chromaShift
        let fits = { (shift: (horizontal: Int, vertical: Int)) in
            size.width & ((1 << shift.horizontal) - 1) == 0 && size.height & ((1 << shift.vertical) - 1) == 0
        }
        guard !fits(shift) else { return format }
        let candidates = accepted.filter {
            fits($0.chromaShift) && !$0.isRGB && !$0.isGray && $0.bitDepth == format.bitDepth
                && $0.isFullRangeName == format.isFullRangeName
        }
        guard !candidates.isEmpty else { return format }
        return avcodec_find_best_pix_fmt_of_list(candidates + [AV_PIX_FMT_NONE], format, 0, nil)
    }
}
