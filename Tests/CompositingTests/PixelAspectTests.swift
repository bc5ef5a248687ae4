import Imaging
import Testing

@testable import Compositing

/// Pixels that are not square change nothing of what a screen shows.
struct PixelAspectTests {
    private let width = 320
    private let height = 180

    /// A person before a room with lights, in square pixels.
    private func value(_ x: Int, _ y: Int) -> Int {
        if isPerson(x, y) { return 160 }
        return x % 80 < 8 && y % 60 < 8 ? 250 : 40 + (x / 40 + y / 30) % 2 * 80
    }

    private func isPerson(_ x: Int, _ y: Int) -> Bool { 120..<200 ~= x && y >= 60 }

    /// What a screen shows, each row of it as pixels twice as wide as high.
    private func shown(
        _ orientation: Orientation, isSquare: Bool, _ background: (VideoFrame) -> Background, _ effects: [Effect]
    ) -> [Double] {
        let columns = isSquare ? width : width / 2
        let step = width / columns
        let (across, down) = orientation.swapsAxes ? (height, columns) : (columns, height)
        let toUpright = orientation.uprightToStored.inverse
        func place(_ x: Int, _ y: Int) -> (Int, Int) {
            let place = toUpright.apply((Double(x) + 0.5) / Double(across), (Double(y) + 0.5) / Double(down))
            return (Int(place.x * Double(columns)) * step, Int(place.y * Double(height)))
        }
        let frame = VideoFrame(
            pixelBuffer: picture(.gray8, width: across, height: down) { _, _, x, y in
                let place = place(x, y)
                return value(place.0, place.1)
            },
            color: ColorDescription(range: .full),
            sampleAspectRatio: isSquare ? Rational(1, 1) : orientation.swapsAxes ? Rational(1, 2) : Rational(2, 1),
            orientation: orientation)
        let people = mask(width: across, height: down) { x, y in
            let place = place(x, y)
            return isPerson(place.0, place.1) ? 255 : 0
        }
        let values = Compositor().composite(frame, mask: people, over: background(frame), effects: effects)
            .pixelBuffer.components(of: 0)
        var sums = [Double](repeating: 0, count: width / 2 * height)
        for y in 0..<down {
            for x in 0..<across {
                let place = place(x, y)
                sums[place.1 * width / 2 + place.0 / 2] += Double(values[y * across + x] * step) / 2
            }
        }
        return sums
    }

    @Test(arguments: [Orientation.up, .right, .leftMirrored], 0..<9)
    func aScreenShowsTheSame(_ orientation: Orientation, _ look: Int) {
        let (black, white) = (RGBColor(red: 0, green: 0, blue: 0), RGBColor(red: 1, green: 1, blue: 1))
        let looks: [((VideoFrame) -> Background, [Effect])] = [
            ({ .picture(BackgroundPainter.checkerboard(behind: $0)) }, []),
            ({ .picture(BackgroundPainter.picture(of: LinearGradient([black, white], angle: 45), behind: $0)) }, []),
            ({ _ in .blur(radius: 32) }, []), ({ _ in .bokeh(radius: 64) }, []),
            ({ _ in .original }, [.pixelate(side: 80)]), ({ _ in .original }, [.spotlight(stops: 3)]),
            ({ _ in .color(white) }, [.shadow(opacity: 1)]),
            ({ _ in .color(black) }, [.outline(width: 32, color: white)]),
            ({ _ in .color(white) }, [.lightWrap(amount: 1)]),
        ]
        let (background, effects) = looks[look]
        let square = shown(orientation, isSquare: true, background, effects)
        let wide = shown(orientation, isSquare: false, background, effects)
        let differences = zip(square, wide).map { abs($0 - $1) }
        let mean = differences.reduce(0, +) / Double(differences.count)
        #expect(mean < 0.6, "look \(look): \(mean), \(differences.max()!)")
    }
}
