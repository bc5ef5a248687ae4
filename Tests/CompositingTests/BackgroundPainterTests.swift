import Imaging
import Testing

@testable import Compositing

struct BackgroundPainterTests {
    private let black = RGBColor(red: 0, green: 0, blue: 0)
    private let white = RGBColor(red: 1, green: 1, blue: 1)

    /// The value at a place of the upright picture, in fractions of its sides.
    private func value(_ picture: PixelBuffer, _ orientation: Orientation, _ x: Double, _ y: Double) -> Int {
        let place = orientation.uprightToStored.apply(x, y)
        let (column, row) = (Int(place.x * Double(picture.width)), Int(place.y * Double(picture.height)))
        return picture.components(of: 0)[row * picture.width + column]
    }

    @Test(arguments: Orientation.allCases)
    func aGradientPointsWhereItSays(_ orientation: Orientation) {
        let (width, height) = orientation.swapsAxes ? (60, 100) : (100, 60)
        let frame = VideoFrame(
            pixelBuffer: noise(.gray8, width: width, height: height), color: ColorDescription(range: .full),
            orientation: orientation)
        let corners: [(angle: Double, dark: (Double, Double), light: (Double, Double))] = [
            (0, (0.5, 0.99), (0.5, 0.01)), (90, (0.01, 0.5), (0.99, 0.5)), (180, (0.5, 0.01), (0.5, 0.99)),
            (45, (0.01, 0.99), (0.99, 0.01)),
        ]
        for (angle, dark, light) in corners {
            let picture = BackgroundPainter.picture(of: LinearGradient([black, white], angle: angle), behind: frame)
            #expect(value(picture, orientation, dark.0, dark.1) < 10, "\(angle)")
            #expect(value(picture, orientation, light.0, light.1) > 245, "\(angle)")
            #expect(abs(value(picture, orientation, 0.5, 0.5) - 128) < 4, "\(angle)")
        }
    }

    @Test(arguments: PixelFormat.videoFormats)
    func anyFormatIsPaintedToHalfAStep(_ format: PixelFormat) {
        let color = ColorDescription(matrix: .bt709, range: .limited)
        let frame = VideoFrame(pixelBuffer: noise(format, width: 18, height: 10), color: color)
        let teal = RGBColor(red: 0, green: 0.5, blue: 0.5)
        let picture = BackgroundPainter.picture(of: LinearGradient([teal, teal]), behind: frame)
        let exact = ColorConversion(format: format, color: color, width: 18, height: 10)
            .exactCodeValues(red: 0, green: 0.5, blue: 0.5)
        for (plane, layout) in format.planes.enumerated() {
            for (place, value) in picture.components(of: plane).enumerated() {
                let component = place % layout.componentCount
                let code: Float =
                    switch format.colorModel {
                    case .gray: exact[0]
                    case .yuv: exact[layout.componentCount == 2 ? 1 + component : plane]
                    case .rgb: format.redGreenBlue.firstIndex(of: component).map { exact[$0] } ?? 255
                    }
                // Dithered: one of the two code values around it.
                #expect(abs(Float(value) - code) < 1)
            }
        }
    }

    @Test func ditheringKeepsTheMean() {
        let frame = VideoFrame(
            pixelBuffer: noise(.gray8, width: 64, height: 64), color: ColorDescription(range: .full))
        let level = RGBColor(red: 100.3 / 255, green: 100.3 / 255, blue: 100.3 / 255)
        let values = BackgroundPainter.picture(of: LinearGradient([level, level]), behind: frame).components(of: 0)
        #expect(Set(values) == [100, 101])
        #expect(abs(Double(values.reduce(0, +)) / 4096 - 100.3) < 0.02)
    }

    @Test func aGradientRunsThroughAllItsColours() {
        let gradient = LinearGradient([black, white, black], angle: 90)
        #expect(gradient.color(x: 50, y: 5, width: 100, height: 10) == white)
        #expect(gradient.color(x: 25, y: 5, width: 100, height: 10).red == 0.5)
        #expect(gradient.color(x: 100, y: 5, width: 100, height: 10) == black)
    }

    @Test func aCheckerboardHasSquaresOfTwoGreys() {
        let frame = VideoFrame(
            pixelBuffer: noise(.gray8, width: 360, height: 180), color: ColorDescription(range: .full))
        let values = BackgroundPainter.checkerboard(behind: frame).components(of: 0)
        let expected = (0..<180).flatMap { y in (0..<360).map { x in (x / 4 + y / 4) % 2 == 0 ? 166 : 115 } }
        #expect(values == expected)
    }
}
