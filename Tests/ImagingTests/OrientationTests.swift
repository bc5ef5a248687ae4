import Testing

@testable import Imaging

struct OrientationTests {
    // Where the upright picture's upper left, upper right and lower left corners lie in the stored one (EXIF 2.32, 4.6.4).
    @Test(arguments: [
        (Orientation.up, [0.0, 0, 1, 0, 0, 1]), (.upMirrored, [1, 0, 0, 0, 1, 1]), (.down, [1, 1, 0, 1, 1, 0]),
        (.downMirrored, [0, 1, 1, 1, 0, 0]), (.leftMirrored, [0, 0, 0, 1, 1, 0]), (.right, [0, 1, 0, 0, 1, 1]),
        (.rightMirrored, [1, 1, 1, 0, 0, 1]), (.left, [1, 0, 1, 1, 0, 0]),
    ])
    func cornersLieWhereExifSays(_ orientation: Orientation, _ corners: [Double]) {
        let map = orientation.uprightToStored
        let found = [map.apply(0, 0), map.apply(1, 0), map.apply(0, 1)].flatMap { [$0.x, $0.y] }
        #expect(found == corners)
    }

    @Test(arguments: Orientation.allCases)
    func mapsAndPicturesAgree(_ orientation: Orientation) {
        let (width, height) = (3, 2)
        let upright = ScalarMap(width: width, height: height, values: [1, 2, 3, 4, 5, 6])
        var stored = ScalarMap(width: 1, height: 1)
        stored.copy(upright, storedAs: orientation)
        #expect(stored.width == (orientation.swapsAxes ? height : width))
        for y in 0..<height {
            for x in 0..<width {
                let place = orientation.uprightToStored.apply(
                    (Double(x) + 0.5) / Double(width), (Double(y) + 0.5) / Double(height))
                let column = Int(place.x * Double(stored.width))
                let row = Int(place.y * Double(stored.height))
                #expect(stored.values[row * stored.width + column] == upright.values[y * width + x])
            }
        }
    }

    @Test(arguments: Orientation.allCases)
    func whatIsTurnedOnceMoreIsShownTurned(_ orientation: Orientation) {
        for quarters in -5...5 {
            let turned = orientation.turned(by: quarters).uprightToStored
            for (x, y) in [(0.0, 0.0), (1, 0), (0.25, 0.75)] {
                // Where a point of the picture comes to lie when it is turned clockwise.
                let (column, row) = [(x, y), (1 - y, x), (1 - x, 1 - y), (y, 1 - x)][(quarters + 8) % 4]
                #expect(turned.apply(column, row) == orientation.uprightToStored.apply(x, y))
            }
        }
    }

    @Test func aTurnedFrameIsTheSameButForThat() {
        let buffer = MutablePixelBuffer(format: .gray8, width: 8, height: 4).publish()
        let frame = VideoFrame(pixelBuffer: buffer, pts: 7, sampleAspectRatio: Rational(2, 1), orientation: .left)
        let turned = frame.turned(by: 1)
        #expect(turned.orientation == .up && turned.pts == 7 && turned.sampleAspectRatio == frame.sampleAspectRatio)
        #expect(turned.uprightSize == (8, 4) && turned.uprightPixelAspect == 2 && frame.uprightPixelAspect == 0.5)
    }

    @Test func inverseUndoesAMap() {
        let map = AffineTransform(a: 1.5, b: -0.25, tx: 3, c: 0.5, d: 2, ty: -7)
        let back = map.then(map.inverse).apply(12, -5)
        #expect(abs(back.x - 12) < 1e-12 && abs(back.y + 5) < 1e-12)
    }
}
