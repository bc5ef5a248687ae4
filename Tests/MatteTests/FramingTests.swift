import Imaging
import Testing

@testable import Matte

/// What of the picture comes out when it is cropped to people.
struct FramingTests {
    private func frame(
        _ width: Int, _ height: Int, _ orientation: Orientation = .up, aspect: Rational = Rational(1, 1)
    ) -> VideoFrame {
        var buffer = MutablePixelBuffer(format: .gray8, width: width, height: height)
        buffer.withMutablePlane(0) { plane in
            for y in 0..<height { for x in 0..<width { plane.row(y, as: UInt8.self)[x] = UInt8((x + 3 * y) % 251) } }
        }
        return VideoFrame(
            pixelBuffer: buffer.publish(), pts: 0, sampleAspectRatio: aspect, orientation: orientation)
    }

    private func mask(_ width: Int, _ height: Int, _ people: Rectangle) -> PixelBuffer {
        var buffer = MutablePixelBuffer(format: .gray8, width: width, height: height)
        buffer.withMutablePlane(0) { plane in
            for y in 0..<height {
                for x in 0..<width {
                    let isIn = people.x..<people.maxX ~= Double(x) && people.y..<people.maxY ~= Double(y)
                    plane.row(y, as: UInt8.self)[x] = isIn ? 255 : 0
                }
            }
        }
        return buffer.publish()
    }

    @Test(arguments: Orientation.allCases)
    func aRegionIsCutOutOfTheShownPicture(_ orientation: Orientation) {
        let (width, height) = orientation.swapsAxes ? (60, 80) : (80, 60)
        let source = frame(width, height, orientation)
        let region = Rectangle(x: 20, y: 8, width: 32, height: 40)
        let cut = Framer(.region(region)).frame(source, mask: source.pixelBuffer)
        #expect(cut.uprightSize == (32, 40))
        let (whole, part) = (source.pixelBuffer.luma(), cut.pixelBuffer.luma())
        // A pixel of the shown picture, found in both.
        for (x, y) in [(0, 0), (31, 0), (0, 39), (11, 27)] {
            func value(_ pixels: [UInt8], _ picture: VideoFrame, _ x: Int, _ y: Int) -> UInt8 {
                let size = picture.uprightSize
                let place = orientation.uprightToStored.apply(
                    (Double(x) + 0.5) / Double(size.width), (Double(y) + 0.5) / Double(size.height))
                let buffer = picture.pixelBuffer
                return pixels[Int(place.y * Double(buffer.height)) * buffer.width + Int(place.x * Double(buffer.width))]
            }
            #expect(value(part, cut, x, y) == value(whole, source, x + 20, y + 8))
        }
    }

    @Test(arguments: [(PixelFormat.yuv420p, ColorDescription.Matrix.bt709), (.rgba, .unspecified)])
    func aPartHasTheColoursOfTheWhole(_ format: PixelFormat, _ expected: ColorDescription.Matrix) {
        // Of high definition, and of less.
        let whole = MutablePixelBuffer(format: format, width: 1280, height: 720)
        let picture = VideoFrame(pixelBuffer: whole.publish(), pts: 0)
        func matrix(_ picture: VideoFrame, _ region: Rectangle) -> ColorDescription.Matrix {
            Framer(.region(region)).frame(picture, mask: nil).color.matrix
        }
        #expect(matrix(picture, Rectangle(x: 400, y: 100, width: 480, height: 400)) == expected)
        #expect(matrix(picture, Rectangle(x: 400, y: 100, width: 480, height: 600)) == .unspecified)
        var told = picture
        told.color.matrix = .bt2020NonConstantLuminance
        #expect(matrix(told, Rectangle(x: 400, y: 100, width: 480, height: 400)) == .bt2020NonConstantLuminance)
    }

    @Test func aRegionIsRoundedToWholeChromaSamplesOfBothFields() {
        let source = frame(81, 61)
        let cut = Framer(.region(Rectangle(x: 7, y: 5, width: 30.4, height: 56)))
            .frame(source, mask: source.pixelBuffer)
        #expect(cut.uprightSize == (28, 56))
        #expect(cut.pixelBuffer.luma()[0] == source.pixelBuffer.luma()[4 * 81 + 8])
        let all = Framer(.region(Rectangle(x: 0, y: 0, width: 81, height: 61))).frame(source, mask: source.pixelBuffer)
        #expect(all.uprightSize == (81, 61))
        let middle = Framer(.middle(aspect: 1)).frame(source, mask: source.pixelBuffer)
        #expect(middle.uprightSize == (60, 60))
        let last = Framer(.region(Rectangle(x: 55, y: 33, width: 28, height: 28)))
            .frame(frame(83, 61), mask: source.pixelBuffer)
        #expect(last.uprightSize == (28, 28) && last.pixelBuffer.luma()[0] == UInt8((52 + 3 * 32) % 251))
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity, -1, 0, 1e300])
    func anyNumberGivesSomePartOfThePicture(_ number: Double) {
        let source = frame(80, 60)
        for framing: Framing in [
            .middle(aspect: number), .follow(aspect: number),
            .region(Rectangle(x: number, y: number, width: 20, height: 20)),
            .region(Rectangle(x: 0, y: 0, width: number, height: number)),
        ] {
            let size = Framer(framing).frame(source, mask: source.pixelBuffer).uprightSize
            #expect(4...80 ~= size.width && 4...60 ~= size.height, "\(framing)")
        }
    }

    @Test(arguments: [
        (1280, 720, Optional(9.0 / 16), Rational(1, 1), Orientation.up, 404, 720),
        (1280, 720, 1, Rational(1, 1), .up, 720, 720),
        (1280, 720, nil, Rational(1, 1), .up, 1280, 720),
        (720, 576, 16.0 / 9, Rational(16, 15), .up, 720, 432),
        (1280, 720, 1, Rational(1, 1), .right, 720, 720),
    ])
    func theLargestSizeOfAnAspect(
        _ width: Int, _ height: Int, _ aspect: Double?, _ pixel: Rational, _ orientation: Orientation, _ wide: Int,
        _ high: Int
    ) {
        let size = Framing.size(aspect: aspect, of: frame(width, height, orientation, aspect: pixel))
        #expect(size == (wide, high))
    }

    /// People all over a rectangle of a picture 1280 pixels wide.
    private func extent(_ rectangle: Rectangle) -> PersonExtent {
        PersonExtent(
            rectangle: rectangle,
            columns: (0..<1280).map { rectangle.x..<rectangle.maxX ~= Double($0) ? rectangle.height : 0 })
    }

    @Test func aTightCropHoldsThePeopleAndHasItsAspect() {
        let rectangle = Rectangle(x: 100, y: 200, width: 200, height: 400)
        let people = extent(rectangle)
        let bounds = (width: 1280, height: 720)
        let tight = PersonExtentSearch.widen(people, to: nil, in: bounds)
        #expect(tight == Rectangle(x: 92, y: 192, width: 216, height: 416))
        let wide = PersonExtentSearch.widen(people, to: 1.5, in: bounds)
        #expect(abs(wide.width / wide.height - 1.5) < 1e-9)
        #expect(wide.x == 0 && wide.union(rectangle) == wide, "moved into the picture")
        let flat = PersonExtentSearch.widen(people, to: 4, in: bounds)
        #expect(flat.width == 1280 && flat.height == 320, "as large as the picture allows")
        #expect(flat.y == 192, "heads rather than feet")
        let reaching = PersonExtentSearch.widen(people, to: nil, in: bounds, reach: (20, 20))
        #expect(reaching == Rectangle(x: 72, y: 172, width: 256, height: 456))
    }

    @Test func whereNotEverybodyFitsMostOfThemAreShown() {
        var two = extent(Rectangle(x: 100, y: 100, width: 150, height: 500))
        two.add(extent(Rectangle(x: 900, y: 60, width: 250, height: 600)))
        let crop = PersonExtentSearch.widen(two, to: 9.0 / 16, in: (width: 1280, height: 720))
        #expect(crop.x <= 900 && crop.maxX >= 1150, "\(crop)")
        var camera = CameraOperator(size: (404, 720), bounds: (1280, 720))
        let shown = camera.rectangle(around: two, at: 0)
        #expect(shown.x <= 900 && shown.maxX >= 1150)
    }

    @Test func aCutIsNoReasonToMove() {
        var camera = CameraOperator(size: (404, 720), bounds: (1280, 720))
        _ = camera.rectangle(around: extent(Rectangle(x: 100, y: 100, width: 200, height: 600)), at: 0)
        let shown = camera.rectangle(around: extent(Rectangle(x: 900, y: 100, width: 200, height: 600)), at: 0.04)
        #expect(shown.x <= 900 && shown.maxX >= 1100)
    }

    @Test func whatMovedBeforeACutRestsAfterIt() {
        let walk = (0..<20).map { Rectangle(x: 400 + 15 * Double($0), y: 100, width: 200, height: 600) }
        let shown = film(walk + Array(repeating: Rectangle(x: 100, y: 100, width: 200, height: 600), count: 3))
        #expect(shown[19].x - shown[18].x > 5, "on its way")
        #expect(shown[20] == shown[21] && shown[21] == shown[22])
    }

    /// Rectangles that are shown while people walk as `path` tells, 30 a second.
    private func film(_ path: [Rectangle?]) -> [Rectangle] {
        var camera = CameraOperator(size: (720, 720), bounds: (1280, 720))
        return path.enumerated().map { camera.rectangle(around: $1.map(extent), at: Double($0) / 30) }
    }

    @Test func thePictureRestsWhilePeopleBarelyMove() {
        let path = (0..<90).map { Optional(Rectangle(x: 500 + Double($0 % 5), y: 100, width: 200, height: 600)) }
        let shown = film(path)
        #expect(shown.allSatisfy { $0 == shown[0] })
        #expect(shown[0].width == shown[0].height)
    }

    @Test func peopleWhoWalkStayInThePictureAndItMovesWithoutAJerk() {
        let path = (0..<150).map {
            Rectangle(x: 200 + min(max(Double($0 - 30), 0), 80) * 8, y: 120, width: 180, height: 560)
        }
        let shown = film(path)
        for (people, shown) in zip(path, shown) {
            #expect(shown.x <= people.x && people.maxX <= shown.maxX, "\(people) \(shown)")
            #expect(shown.x >= 0 && shown.maxX <= 1280 && shown.y >= 0 && shown.maxY <= 720)
        }
        let speeds = zip(shown, shown.dropFirst()).map { $1.x - $0.x }
        let jerks = zip(speeds, speeds.dropFirst()).map { abs($1 - $0) }
        #expect(speeds.max()! > 6 && jerks.max()! < 2.5)
        #expect(abs(shown.last!.midX - path.last!.midX) < 0.07 * 720)
    }

    @Test func someoneSmallIsShownLarger() {
        let shown = film(Array(repeating: Rectangle(x: 600, y: 400, width: 60, height: 200), count: 3))
        #expect(shown[0].width == 0.4 * 720)
        let gone = film([Rectangle(x: 600, y: 400, width: 60, height: 200), nil, nil])
        #expect(gone[2] == gone[0], "and stays where they were last")
    }

    @Test func theSpringDoesNotDependOnTheFrameRate() {
        func last(_ steps: Int) -> Rectangle {
            var camera = CameraOperator(size: (720, 720), bounds: (1280, 720))
            _ = camera.rectangle(around: extent(Rectangle(x: 100, y: 100, width: 400, height: 600)), at: 0)
            var shown: Rectangle?
            for step in 1...steps {
                shown = camera.rectangle(
                    around: extent(Rectangle(x: 400, y: 100, width: 400, height: 600)),
                    at: 0.8 * Double(step) / Double(steps))
            }
            return shown!
        }
        #expect(abs(last(48).x - last(8).x) < 1 && abs(last(48).x - last(1).x) < 1)
    }

    @Test func timeThatGoesBackBeginsAnew() {
        var camera = CameraOperator(size: (720, 720), bounds: (1280, 720))
        // So near that it could be the same scene.
        let left = extent(Rectangle(x: 400, y: 100, width: 200, height: 600))
        let right = extent(Rectangle(x: 550, y: 100, width: 200, height: 600))
        _ = camera.rectangle(around: left, at: 5)
        var fresh = CameraOperator(size: (720, 720), bounds: (1280, 720))
        #expect(camera.rectangle(around: right, at: 0) == fresh.rectangle(around: right, at: 0))
    }

    @Test func theSizeOfWhatIsFollowedNeverChanges() {
        let framer = Framer(.follow(aspect: 1))
        for (index, x) in [0.0, 40, 90].enumerated() {
            var source = frame(160, 90)
            source.pts = Int64(index) * 500_000
            let shown = framer.frame(source, mask: mask(160, 90, Rectangle(x: x, y: 30, width: 20, height: 50)))
            #expect(shown.uprightSize == (88, 88))
        }
    }

    @Test func aPictureOfAnotherSizeIsFramedAnew() {
        let framer = Framer(.follow(aspect: 1))
        _ = framer.frame(frame(160, 90), mask: mask(160, 90, Rectangle(x: 0, y: 30, width: 20, height: 50)))
        let (large, people) = (frame(240, 180), mask(240, 180, Rectangle(x: 20, y: 30, width: 40, height: 90)))
        let (shown, fresh) = (
            framer.frame(large, mask: people), Framer(.follow(aspect: 1)).frame(large, mask: people)
        )
        #expect(shown.uprightSize == fresh.uprightSize && shown.pixelBuffer.luma() == fresh.pixelBuffer.luma())
    }
}
