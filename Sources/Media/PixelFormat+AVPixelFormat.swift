import CFFmpeg
import Imaging

extension PixelFormat {
    /// FFmpeg's format whose memory this one describes.
    var av: AVPixelFormat { av_get_pix_fmt(name) }

    /// The format that describes the memory of a decoder's picture as it is; nil where the picture must be converted.
    ///
    /// The `yuvj` names mean full range, which `ColorDescription` tells; the alpha plane of a `yuva` picture is left out.
    static func lending(_ format: AVPixelFormat) -> PixelFormat? { lendable[format.rawValue] }

    /// The format that describes the memory of an encoder's picture, alpha included; nil for what must be converted to.
    static func borrowing(_ format: AVPixelFormat) -> PixelFormat? {
        alphaFormats.first { $0.av == format } ?? (format.hasAlpha ? nil : lending(format))
    }

    /// The grey that is deep enough for a picture whose format FFmpeg calls `name`: 8 bits, 10 or 16.
    package static func gray(deepEnoughFor name: String) -> PixelFormat {
        let bits = av_get_pix_fmt(name).bitDepth
        return bits > 10 ? .gray16 : bits > 8 ? .gray10 : .gray8
    }

    /// Whether a picture of this format can have what is to be added to it.
    func hasRoom(for addition: Addition) -> Bool {
        switch addition {
        case .none: true
        case .color: colorModel != .gray
        case .alpha: withAlpha != nil
        }
    }

    /// The format that a decoder's picture is converted to with the least loss, among those with room for `addition`; nil for what
    /// is no picture.
    static func nearest(to format: AVPixelFormat, for addition: Addition = .none) -> PixelFormat? {
        guard av_pix_fmt_desc_get(format) != nil else { return nil }
        if format.isRGB, format.bitDepth > 8 {
            return format.bitDepth > 10 && addition != .alpha ? .yuv444p12 : .yuv444p10
        }
        switch addition {
        case .color where format.isGray:
            return format.bitDepth > 10 ? .yuv420p12 : format.bitDepth > 8 ? .yuv420p10 : .yuv420p
        case .alpha where format.isGray: return format.bitDepth > 8 ? .yuv444p10 : .yuv444p
        default: break
        }
        let model: ColorModel = format.isRGB ? .rgb : format.isGray ? .gray : .yuv
        let candidates = videoFormats.filter { $0.colorModel == model && $0.hasRoom(for: addition) }
        // FFmpeg's own measure counts depth, subsampling and alpha.
        let best = avcodec_find_best_pix_fmt_of_list(candidates.map(\.av) + [AV_PIX_FMT_NONE], format, 0, nil)
        return candidates.first { $0.av == best }
    }

    private static let lendable: [Int32: PixelFormat] = {
        var formats: [Int32: PixelFormat] = [:]
        for format in videoFormats { formats[format.av.rawValue] = format }
        let sameMemory: [(String, PixelFormat)] = [
            ("yuvj420p", .yuv420p), ("yuvj422p", .yuv422p), ("yuvj444p", .yuv444p),
            ("yuva420p", .yuv420p), ("yuva422p", .yuv422p), ("yuva444p", .yuv444p),
            ("yuva420p10le", .yuv420p10), ("yuva422p10le", .yuv422p10), ("yuva444p10le", .yuv444p10),
            ("yuva422p12le", .yuv422p12), ("yuva444p12le", .yuv444p12),
        ]
        for (name, format) in sameMemory { formats[av_get_pix_fmt(name).rawValue] = format }
        formats[AV_PIX_FMT_NONE.rawValue] = nil
        return formats
    }()
}

extension AVPixelFormat {
    /// FFmpeg's name, "unknown" for none.
    var name: String { av_get_pix_fmt_name(self).map { String(cString: $0) } ?? "unknown" }

    /// Whether the name alone says full range.
    var isFullRangeName: Bool { name.hasPrefix("yuvj") }

    /// The same format by the name that says nothing of the range.
    var withoutRange: AVPixelFormat { isFullRangeName ? av_get_pix_fmt("yuv" + name.dropFirst(4)) : self }

    /// Whether pixels are red, green and blue, in whatever order or packing.
    var isRGB: Bool {
        guard let descriptor = av_pix_fmt_desc_get(self) else { return false }
        return descriptor.pointee.flags & UInt64(AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_PAL) != 0
    }

    /// Whether there is one component only.
    var isGray: Bool {
        guard let descriptor = av_pix_fmt_desc_get(self) else { return false }
        return descriptor.pointee.nb_components <= 2 && !isRGB
    }

    /// Whether both kinds of chroma lie in one plane, apart from luma, as in NV12 and P010.
    var isSemiPlanar: Bool {
        guard let descriptor = av_pix_fmt_desc_get(self), !isGray, !isRGB else { return false }
        let parts = descriptor.pointee.comp
        return parts.0.plane != parts.1.plane && parts.1.plane == parts.2.plane
    }

    /// Whether every pixel has a component of alpha.
    var hasAlpha: Bool {
        guard let descriptor = av_pix_fmt_desc_get(self) else { return false }
        let flags = descriptor.pointee.flags
        return flags & UInt64(AV_PIX_FMT_FLAG_ALPHA) != 0 && flags & UInt64(AV_PIX_FMT_FLAG_PAL) == 0
    }

    /// log2 of the chroma subsampling, across and down.
    var chromaShift: (horizontal: Int, vertical: Int) {
        guard let descriptor = av_pix_fmt_desc_get(self) else { return (0, 0) }
        return (Int(descriptor.pointee.log2_chroma_w), Int(descriptor.pointee.log2_chroma_h))
    }

    /// Significant bits of the first component.
    var bitDepth: Int {
        guard let descriptor = av_pix_fmt_desc_get(self) else { return 0 }
        return Int(descriptor.pointee.comp.0.depth)
    }
}
