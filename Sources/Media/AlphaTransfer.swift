import CFFmpeg
import Imaging

/// Carries alpha from one format to another to the bit, so that transparent and opaque stay what they are.
///
/// libswscale shifts alpha from depth to depth: it makes 1020 of 1023 out of an opaque 255.
enum AlphaTransfer {
    /// Where the planes of the picture that is written to lie.
    typealias Target = (_ plane: Int) -> (base: UnsafeMutableRawPointer, bytesPerRow: Int)?

    /// Writes the alpha of `source` into a picture of the same size in `format`; nothing where one of them has none.
    static func copy(_ source: PixelBuffer, to format: AVPixelFormat, _ target: Target) {
        guard let place = Place(of: format), let (base, bytesPerRow) = target(place.plane) else { return }
        let isPacked = source.format.hasPackedAlpha
        guard isPacked || source.format.hasAlphaPlane else { return }
        let codes = place.codes(depth: source.format.bitDepth)
        source.withPlane(isPacked ? 0 : 3) { plane in
            for y in 0..<plane.height {
                let row = base + y * bytesPerRow + place.offset
                if isPacked {
                    write(plane.row(y, as: UInt8.self) + 3, stride: 4, plane.width, codes, to: row, place)
                } else if source.format.bytesPerComponent == 1 {
                    write(plane.row(y, as: UInt8.self), stride: 1, plane.width, codes, to: row, place)
                } else {
                    write(plane.row(y, as: UInt16.self), stride: 1, plane.width, codes, to: row, place)
                }
            }
        }
    }

    private static func write<Component: FixedWidthInteger>(
        _ source: UnsafePointer<Component>, stride: Int, _ count: Int, _ codes: [UInt32],
        to target: UnsafeMutableRawPointer, _ place: Place
    ) {
        codes.withUnsafeBufferPointer { codes in
            for x in 0..<count {
                let code = codes[min(Int(source[x &* stride]), codes.count &- 1)]
                let to = target + x &* place.step
                switch place.byteCount {
                case 1: to.storeBytes(of: UInt8(truncatingIfNeeded: code), as: UInt8.self)
                case 2: to.storeBytes(of: UInt16(truncatingIfNeeded: code), as: UInt16.self)
                default: to.storeBytes(of: code, as: UInt32.self)
                }
            }
        }
    }

    /// Where a format keeps alpha, and how.
    private struct Place {
        let plane: Int
        /// Bytes from one pixel to the next.
        let step: Int
        let offset: Int
        let byteCount: Int
        private let depth: Int
        private let shift: Int
        private let isFloatingPoint: Bool
        private let isBigEndian: Bool

        /// nil where there is no alpha, or none in whole bytes.
        init?(of format: AVPixelFormat) {
            guard format.hasAlpha, let descriptor = av_pix_fmt_desc_get(format)?.pointee else { return nil }
            let component = descriptor.nb_components == 4 ? descriptor.comp.3 : descriptor.comp.1
            plane = Int(component.plane)
            step = Int(component.step)
            offset = Int(component.offset)
            depth = Int(component.depth)
            shift = Int(component.shift)
            isFloatingPoint = descriptor.flags & UInt64(AV_PIX_FMT_FLAG_FLOAT) != 0
            isBigEndian = descriptor.flags & UInt64(AV_PIX_FMT_FLAG_BE) != 0
            byteCount = depth <= 8 ? 1 : depth <= 16 ? 2 : 4
            let isWhole = descriptor.flags & UInt64(AV_PIX_FMT_FLAG_BITSTREAM) == 0
            guard isWhole, isFloatingPoint ? depth == 32 : depth >= 8 && depth <= 16 else { return nil }
        }

        /// The bytes for each code value of `sourceDepth` bits, as a number that is stored as it is.
        func codes(depth sourceDepth: Int) -> [UInt32] {
            let one = (1 << sourceDepth) - 1
            return (0...one).map { value in
                if isFloatingPoint {
                    let bits = (Float(value) / Float(one)).bitPattern
                    return isBigEndian ? bits.bigEndian : bits
                }
                let code = ((2 * value * ((1 << depth) - 1) + one) / (2 * one)) << shift
                return isBigEndian && byteCount == 2 ? UInt32(UInt16(code).bigEndian) : UInt32(code)
            }
        }
    }
}
