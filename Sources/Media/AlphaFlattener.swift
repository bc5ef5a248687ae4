import CFFmpeg
import Imaging

/// Makes pictures opaque by laying them over black.
///
/// Colours are multiplied with their alpha before anything is scaled, so that what is hidden doesn't shine through at the
/// edges. Memory is kept from picture to picture; used by one thread at a time.
final class AlphaFlattener {
    private let converter = FrameConverter()
    private var target: FrameReference?

    /// The picture itself where it is opaque and can be cut anywhere, else an RGBA one of 8 or 16 bits that is valid until the
    /// next call; `color` is what its numbers mean.
    func flatten(
        _ source: FrameReference, color: ColorDescription
    ) throws(AVError) -> FrameReference {
        let format = source.pixelFormat
        guard format.hasAlpha || format.isIndivisible else { return source }
        let isDeep = format.bitDepth > 8
        let (width, height) = (source.pointer.pointee.width, source.pointer.pointee.height)
        let target = try memory(isDeep ? AV_PIX_FMT_RGBA64LE : AV_PIX_FMT_RGBA, width: width, height: height)
        let from = FrameConverter.Layout(
            format: format, width: Int(width), height: Int(height), matrix: color.matrix,
            isFullRange: color.range == .full, chromaLocation: color.chromaLocation)
        var to = from
        to.format = target.pixelFormat
        to.isFullRange = true
        try converter.convert(from, PlanePointers(source), to: to, PlanePointers(target))
        if isDeep { Self.multiply(target, as: UInt16.self) } else { Self.multiply(target, as: UInt8.self) }
        return target
    }

    private func memory(_ format: AVPixelFormat, width: CInt, height: CInt) throws(AVError) -> FrameReference {
        if let target, target.pixelFormat == format, target.pointer.pointee.width == width,
            target.pointer.pointee.height == height
        {
            return target
        }
        let target = try FrameReference(allocating: format, width: width, height: height)
        self.target = target
        return target
    }

    /// Multiplies red, green and blue with alpha, which becomes opaque.
    private static func multiply<T: FixedWidthInteger & UnsignedInteger>(_ picture: FrameReference, as type: T.Type) {
        guard let base = picture.data(0) else { return }
        let (width, height) = (Int(picture.pointer.pointee.width), Int(picture.pointer.pointee.height))
        let bytesPerRow = picture.bytesPerRow(0)
        let peak = UInt32(T.max)
        for y in 0..<height {
            let row = UnsafeMutableRawPointer(base + y &* bytesPerRow).assumingMemoryBound(to: T.self)
            for x in 0..<width {
                let pixel = row + 4 &* x
                let alpha = UInt32(pixel[3])
                guard alpha != peak else { continue }
                for component in 0..<3 {
                    let value = UInt32(pixel[component]) &* alpha &+ peak / 2
                    pixel[component] = T(truncatingIfNeeded: value / peak)
                }
                pixel[3] = T.max
            }
        }
    }
}

extension AVPixelFormat {
    /// Whether a picture can't be cut by moving its planes' first bytes: palettes, pixels smaller than a byte, and chroma that
    /// several interleaved pixels share.
    var isIndivisible: Bool {
        guard let descriptor = av_pix_fmt_desc_get(self) else { return true }
        let flags = descriptor.pointee.flags
        if flags & UInt64(AV_PIX_FMT_FLAG_PAL | AV_PIX_FMT_FLAG_BITSTREAM) != 0 { return true }
        return flags & UInt64(AV_PIX_FMT_FLAG_PLANAR) == 0 && chromaShift != (0, 0)
    }
}
