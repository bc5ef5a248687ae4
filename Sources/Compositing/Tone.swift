import Imaging

/// How the light and the colour of a frame's code values are scaled, plane by plane.
///
/// Black and neutral chroma stay what they are: luma is scaled about the code value of black, chroma about that of grey, and
/// red, green and blue about 0.
struct Tone {
    /// What of the colour is left: 1 is all, 0 leaves grey.
    private let saturation: Float
    /// Code values of black, as luma and chroma, and of what is white without being a light (BT.2408: 203 cd/m2).
    private let black: SIMD3<Float>
    private let white: Float
    private let format: PixelFormat

    /// For pictures like `frame`.
    init(_ frame: VideoFrame, saturation: Double) {
        format = frame.pixelBuffer.format
        self.saturation = Float(saturation)
        let conversion = ColorConversion(of: frame)
        black = conversion.exactCodeValues(red: 0, green: 0, blue: 0)
        white = conversion.exactCodeValues(frame.color.placing(RGBColor(red: 1, green: 1, blue: 1))).x
    }

    /// Scales a row of plane `plane` with `width` samples by the factors `gains`, one for each sample; `target` may be `row`.
    ///
    /// Where factors may be above 1, `brightens` says so, and nothing becomes brighter than white that was not.
    func apply<T: PixelComponent>(
        _ row: UnsafePointer<T>, plane: Int, gains: UnsafePointer<Float>, brightens: Bool,
        into target: UnsafeMutablePointer<T>, width: Int
    ) {
        let count = format.planes[plane].componentCount
        let peak = Float((1 << format.bitDepth) - 1)
        if format.colorModel == .rgb {
            let places = (format.redGreenBlue[0], format.redGreenBlue[1], format.redGreenBlue[2])
            return T.scaleRGB(
                row, step: count, redGreenBlue: places, saturation: saturation, by: gains,
                limit: brightens ? white : peak, into: target, count: width)
        }
        let isChroma = format.colorModel == .yuv && plane > 0
        let limit = brightens && !isChroma ? white : peak
        guard isChroma, saturation < 1 || count > 1 else {
            return T.scale(
                row, about: isChroma ? black.y : black.x, by: gains, limit: limit, into: target, count: width)
        }
        withUnsafeTemporaryAllocation(of: Float.self, capacity: width * count) { factors in
            for x in 0..<width {
                for component in 0..<count { factors[x &* count &+ component] = gains[x] * saturation }
            }
            T.scale(
                row, about: black.y, by: factors.baseAddress!, limit: limit, into: target, count: width * count)
        }
    }
}
