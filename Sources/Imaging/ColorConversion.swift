/// The linear map between code values and non-linear RGB in 0…1.
///
/// Y'CbCr as in ITU-R BT.601, BT.709 and BT.2020 (non-constant luminance), with the quantisation of H.273. An unspecified
/// range is limited for Y'CbCr and full for grey and RGB: what players assume. RGB uses the identity with its own
/// depth, and grey the luma alone.
public struct ColorConversion: Sendable {
    /// One row per red, green and blue: r = sum of row * (components) + offset.
    public private(set) var toRGB: [[Float]]
    /// What is added to red, green and blue after that.
    public private(set) var toRGBOffset: [Float]
    private let model: PixelFormat.ColorModel
    var isGray: Bool { model == .gray }
    private let peak: Float
    private let kr: Float
    private let kb: Float
    private let luma: (scale: Float, offset: Float)
    private let chroma: (scale: Float, offset: Float)

    /// For pictures in `format` with the tags `color`; their size in pixels, as stored, settles an unspecified matrix.
    public init(format: PixelFormat, color: ColorDescription, width: Int, height: Int) {
        model = format.colorModel
        let peak = Float((1 << format.bitDepth) - 1)
        self.peak = peak
        let step = Float(1 << (format.bitDepth - 8))
        let isFull = color.isFullRange(in: model)
        luma = isFull ? (peak, 0) : (219 * step, 16 * step)
        chroma = isFull ? (peak, 128 * step) : (224 * step, 128 * step)
        (kr, kb) = Self.lumaCoefficients(color.matrix.resolved(width: width, height: height))
        let kg = 1 - kr - kb
        switch model {
        case .yuv:
            let y = 1 / luma.scale
            let c = 1 / chroma.scale
            toRGB = [
                [y, 0, 2 * (1 - kr) * c],
                [y, -2 * kb * (1 - kb) / kg * c, -2 * kr * (1 - kr) / kg * c],
                [y, 2 * (1 - kb) * c, 0],
            ]
            let (lumaZero, chromaZero) = (luma.offset, chroma.offset)
            toRGBOffset = toRGB.map { row in -(row[0] * lumaZero + (row[1] + row[2]) * chromaZero) }
        case .gray:
            toRGB = Array(repeating: [1 / luma.scale, 0, 0], count: 3)
            toRGBOffset = Array(repeating: -luma.offset / luma.scale, count: 3)
        case .rgb:
            toRGB = (0..<3).map { row in (0..<3).map { $0 == row ? 1 / peak : 0 } }
            toRGBOffset = [0, 0, 0]
        }
    }

    /// For the pictures of `frame` as they are.
    package init(of frame: VideoFrame) {
        let picture = frame.pixelBuffer
        self.init(format: picture.format, color: frame.color, width: picture.width, height: picture.height)
    }

    /// Multiplies red, green and blue with `gains`.
    mutating func multiplyRGB(by gains: SIMD3<Float>) {
        for row in 0..<3 {
            toRGB[row] = toRGB[row].map { $0 * gains[row] }
            toRGBOffset[row] *= gains[row]
        }
    }

    private static func lumaCoefficients(_ matrix: ColorDescription.Matrix) -> (Float, Float) {
        switch matrix {
        case .fcc: (0.30, 0.11)
        case .bt470bg, .smpte170m: (0.299, 0.114)
        case .smpte240m: (0.212, 0.087)
        case .bt2020NonConstantLuminance, .bt2020ConstantLuminance: (0.2627, 0.0593)
        default: (0.2126, 0.0722)
        }
    }

    /// The code values of an RGB colour in 0…1: Y', Cb, Cr; or luma; or red, green, blue. Rounded to the nearest.
    public func codeValues(red: Float, green: Float, blue: Float) -> [UInt16] {
        let values = exactCodeValues(red: red, green: green, blue: blue)
        // Full-range chroma of a pure colour lies half a step beyond the largest code value.
        return (0..<(model == .gray ? 1 : 3)).map { UInt16(min(max(0, values[$0].rounded()), peak)) }
    }

    /// The same before rounding and clipping; of grey only the first counts.
    package func exactCodeValues(_ color: RGBColor) -> SIMD3<Float> {
        exactCodeValues(red: color.red, green: color.green, blue: color.blue)
    }

    /// The same of its parts.
    public func exactCodeValues(red: Float, green: Float, blue: Float) -> SIMD3<Float> {
        let y = kr * red + (1 - kr - kb) * green + kb * blue
        switch model {
        case .yuv:
            return SIMD3(
                luma.offset + luma.scale * y,
                chroma.offset + chroma.scale * (blue - y) / (2 * (1 - kb)),
                chroma.offset + chroma.scale * (red - y) / (2 * (1 - kr)))
        case .gray: return SIMD3(luma.offset + luma.scale * y, 0, 0)
        case .rgb: return SIMD3(red, green, blue) * luma.scale
        }
    }
}
