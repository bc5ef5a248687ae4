import Glibc
import Imaging

/// Paints backgrounds that are the same for every frame of a video, to be kept as long as frames stay alike.
///
/// Costs tens of milliseconds for a picture of 1280x720.
public enum BackgroundPainter {
    // Bayer's threshold map of 8 by 8, in steps of a sixty-fourth: hides the steps between neighbouring code values.
    private static let thresholds: [Float] = (0..<64).map { place in
        let (x, y) = (place % 8, place / 8)
        var value = 0
        for bit in 0..<3 {
            let (column, row) = (x >> bit & 1, y >> bit & 1)
            value = value << 2 | ((column ^ row) << 1 | row)
        }
        return (Float(value) + 0.5) / 64
    }

    /// `gradient` as a background for `frame`, dithered; its colours are mixed as the frame's code values are.
    public static func picture(of gradient: LinearGradient, behind frame: VideoFrame) -> PixelBuffer {
        let size = frame.displaySize
        let (width, height) = (Double(size.width), Double(size.height))
        let gradient = LinearGradient(gradient.colors.map { frame.color.placing($0) }, angle: gradient.angle)
        return paint(frame, isDithered: true) { x, y in gradient.color(x: x, y: y, width: width, height: height) }
    }

    /// Squares of two greys, on which holes and fringes of a mask show; for `frame`.
    public static func checkerboard(behind frame: VideoFrame) -> PixelBuffer {
        let side = max(Double(frame.displaySize.height) / 45, 2).rounded()
        let greys = [Float(0.65), 0.45].map { frame.color.placing(RGBColor(red: $0, green: $0, blue: $0)) }
        return paint(frame, isDithered: false) { x, y in greys[(Int(x / side) + Int(y / side)) % 2] }
    }

    // `color` gets places in the upright picture, in the square pixels of a screen.
    private static func paint(
        _ frame: VideoFrame, isDithered: Bool, _ color: (Double, Double) -> RGBColor
    ) -> PixelBuffer {
        let picture = frame.pixelBuffer
        var target = MutablePixelBuffer(format: picture.format, width: picture.width, height: picture.height)
        let size = frame.displaySize
        let toUpright = frame.orientation.uprightToStored.inverse
            .then(.scale(Double(size.width), Double(size.height)))
        let conversion = ColorConversion(of: frame)
        target.withMutablePlanes { planes in
            for (index, plane) in planes.enumerated() {
                let codes = picture.format.codeIndices(ofPlane: index)
                for y in 0..<plane.height {
                    for x in 0..<plane.width {
                        let stored = ((Double(x) + 0.5) / Double(plane.width), (Double(y) + 0.5) / Double(plane.height))
                        let place = toUpright.apply(stored.0, stored.1)
                        let color = color(place.x, place.y)
                        let values = conversion.exactCodeValues(color)
                        let threshold = isDithered ? thresholds[(y & 7) * 8 + x & 7] : 0.5
                        for (component, code) in codes.enumerated() {
                            let value = code.map { values[$0] + threshold } ?? 255
                            set(plane, y, x * codes.count + component, value, picture.format)
                        }
                    }
                }
            }
        }
        return target.publish()
    }

    private static func set(_ plane: MutablePlane, _ y: Int, _ index: Int, _ value: Float, _ format: PixelFormat) {
        // With the bound first, which is what comes of no number.
        let code = min(max(0, value.rounded(.down)), Float((1 << format.bitDepth) - 1))
        if format.bytesPerComponent == 1 {
            plane.row(y, as: UInt8.self)[index] = UInt8(code)
        } else {
            plane.row(y, as: UInt16.self)[index] = UInt16(code)
        }
    }
}
