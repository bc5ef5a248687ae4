import Imaging

/// How the light and the colour of a frame's code values are scaled, plane by plane.
///
/// Black and neutral chroma stay what they are: luma is scaled about the code value of black, chroma about that of grey, and
/// red, green and blue about 0.
struct Tone {
    /// What of the colour is left: 1 is all, 0 leaves grey.
    let saturation: Float
    /// Code values of black, as luma and chroma, and of white.
    private let black: SIMD3<Float>
    private let white: Float
    private let peak: Float
    private let format: PixelFormat

    /// For pictures like `frame`.
    init(_ frame: VideoFrame, saturation: Double) {
        let picture = frame.pixelBuffer
        format = picture.format
        self.saturation = Float(saturation)
        let conversion = ColorConversion(
            format: format, color: frame.color, width: picture.width, height: picture.height)
        black = conversion.exactCodeValues(red: 0, green: 0, blue: 0)
        white = conversion.exactCodeValues(red: 1, green: 1, blue: 1).x
        peak = Float((1 << format.bitDepth) - 1)
    }

    /// Scales a row of plane `plane` with `width` samples by `light`, which has row `y`; `target` may be `row`.
    func apply<T: PixelComponent>(
        _ row: UnsafePointer<T>, y: Int, plane: Int, light: LightField, into target: UnsafeMutablePointer<T>,
        width: Int
    ) {
        let layout = format.planes[plane]
        if let gain = light.uniform {
            scale(row, plane, layout, { _ in gain }, light.brightens, into: target, width)
        } else {
            light.withRow(y, isSubsampled: layout.isSubsampled) { gains in
                scale(row, plane, layout, { gains[$0] }, light.brightens, into: target, width)
            }
        }
    }

    /// Scales a row of plane `plane` with `width` samples by the factors `gains`; `target` may be `row`.
    func apply<T: PixelComponent>(
        _ row: UnsafePointer<T>, plane: Int, gains: UnsafePointer<Float>, into target: UnsafeMutablePointer<T>,
        width: Int
    ) {
        scale(row, plane, format.planes[plane], { gains[$0] }, false, into: target, width)
    }

    @inline(__always)
    private func scale<T: PixelComponent>(
        _ row: UnsafePointer<T>, _ plane: Int, _ layout: PixelFormat.PlaneLayout, _ gain: (Int) -> Float,
        _ brightens: Bool, into target: UnsafeMutablePointer<T>, _ width: Int
    ) {
        if format.colorModel == .rgb {
            return scaleRGB(row, layout.componentCount, gain, into: target, width)
        }
        let isChroma = format.colorModel == .yuv && plane > 0
        let zero = isChroma ? black.y : black.x
        let limit = isChroma || !brightens ? peak : white
        let share = isChroma ? saturation : 1
        if layout.componentCount == 1 {
            for x in 0..<width { target[x] = Self.scaled(row[x], gain(x) * share, zero, limit) }
        } else {
            for x in 0..<width {
                let factor = gain(x) * share
                target[2 &* x] = Self.scaled(row[2 &* x], factor, zero, limit)
                target[2 &* x &+ 1] = Self.scaled(row[2 &* x &+ 1], factor, zero, limit)
            }
        }
    }

    @inline(__always)
    private func scaleRGB<T: PixelComponent>(
        _ row: UnsafePointer<T>, _ count: Int, _ gain: (Int) -> Float, into target: UnsafeMutablePointer<T>,
        _ width: Int
    ) {
        let (red, green, blue) = (format.redGreenBlue[0], format.redGreenBlue[1], format.redGreenBlue[2])
        for x in 0..<width {
            let (source, pixel) = (row + x &* count, target + x &* count)
            let (r, g, b) = (Float(source[red]), Float(source[green]), Float(source[blue]))
            let gray = (1 - saturation) * (0.2126 * r + 0.7152 * g + 0.0722 * b)
            let factor = gain(x)
            if count == 4 { pixel[3] = source[3] }
            pixel[red] = Self.scaled(gray + saturation * r, factor, peak)
            pixel[green] = Self.scaled(gray + saturation * g, factor, peak)
            pixel[blue] = Self.scaled(gray + saturation * b, factor, peak)
        }
    }

    @inline(__always)
    private static func scaled<T: PixelComponent>(_ value: T, _ factor: Float, _ zero: Float, _ limit: Float) -> T {
        rounded(min(max(zero + (Float(value) - zero) * factor, 0), limit))
    }

    @inline(__always)
    private static func scaled<T: PixelComponent>(_ value: Float, _ factor: Float, _ limit: Float) -> T {
        rounded(min(max(value * factor, 0), limit))
    }

    // Adding 2^23 rounds without a conversion that could trap.
    @inline(__always)
    private static func rounded<T: PixelComponent>(_ value: Float) -> T {
        T(truncatingIfNeeded: (value + 8_388_608).bitPattern & 0xFFFF)
    }
}
