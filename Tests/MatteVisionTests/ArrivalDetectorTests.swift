import Imaging
import Testing

@testable import MatteVision

struct ArrivalDetectorTests {
    private typealias Box = (x: Range<Int>, y: Range<Int>)

    /// A gray scene of 64 by 36 parts, brighter by `change` in `boxes`.
    private func scene(_ boxes: Box..., light: Float = 0.4, change: Float = 0.1) -> ScalarMap {
        var map = ScalarMap(width: 64, height: 36)
        for y in 0..<36 {
            for x in 0..<64 {
                map.values[y * 64 + x] =
                    boxes.contains { $0.x.contains(x) && $0.y.contains(y) } ? light + change : light
            }
        }
        return map
    }

    private func detector(_ thumbnails: ScalarMap...) -> ArrivalDetector {
        var detector = ArrivalDetector()
        for thumbnail in thumbnails { detector.see(thumbnail) }
        return detector
    }

    /// Those who come in with the last of `thumbnails`.
    private func arrivals(_ thumbnails: ScalarMap..., besides known: [Rectangle] = []) -> [Rectangle] {
        var detector = ArrivalDetector()
        for thumbnail in thumbnails { detector.see(thumbnail) }
        return detector.arrivals(in: frame, besides: known)
    }

    /// Each part of the scene is 10 pixels wide and high.
    private let frame = RGBPicture.gray(width: 640, height: 360).frame()
    private let atTheRight: Box = (56..<64, 12..<36)

    @Test func whatChangesAtTheFramesEdgeComesIn() {
        #expect(arrivals(scene(), scene()).isEmpty)
        #expect(arrivals(scene(), scene(atTheRight)) == [Rectangle(x: 560, y: 120, width: 80, height: 240)])
        // What is there from the first frame on has not come in.
        #expect(arrivals(scene(atTheRight), scene(atTheRight)).isEmpty)
    }

    @Test func inLittleLightLessIsAChange() {
        func arrivals(_ change: Float, light: Float) -> Int {
            self.arrivals(scene(light: light), scene(atTheRight, light: light, change: change)).count
        }
        #expect(arrivals(0.03, light: 0.4) == 0)
        #expect(arrivals(0.03, light: 0.08) == 1 && arrivals(-0.03, light: 0.08) == 1)
        #expect(arrivals(0.005, light: 0.02) == 0, "noise, even in the dark")
    }

    @Test(arguments: [0..<8, 24..<32, 56..<64], [0..<12, 12..<24, 24..<36])
    func whatChangesWithinTheFrameDoesNot(_ columns: Range<Int>, _ rows: Range<Int>) {
        let isInside = columns == 24..<32 && rows == 12..<24
        #expect(arrivals(scene(), scene((columns, rows))).isEmpty == isInside)
    }

    @Test func whereTheCameraOrTheLightMovesNobodyCanBeTold() {
        #expect(arrivals(scene(), scene(atTheRight, light: 0.5)).isEmpty)
        let few: Box = (20..<30, 4..<26)
        let many: Box = (20..<33, 4..<29)
        #expect(arrivals(scene(), scene(atTheRight, few)).count == 1)
        #expect(arrivals(scene(), scene(atTheRight, many)).isEmpty)
        let known = Rectangle(x: 190, y: 30, width: 150, height: 260)
        #expect(arrivals(scene(), scene(atTheRight, many), besides: [known]).count == 1)
    }

    /// Stripes, `shift` parts further to the right, behind what is in `boxes`.
    private func stripes(_ boxes: Box..., shift: Int) -> ScalarMap {
        var map = ScalarMap(width: 64, height: 36)
        for y in 0..<36 {
            for x in 0..<64 {
                let isInBox = boxes.contains { $0.x.contains(x) && $0.y.contains(y) }
                map.values[y * 64 + x] = isInBox ? 0.8 : (x - shift + 64) % 8 < 4 ? 0.3 : 0.5
            }
        }
        return map
    }

    @Test func theCameraMaySway() {
        for shift in [-1, 1] {
            let arrivals = arrivals(stripes(shift: 0), stripes(atTheRight, shift: shift))
            #expect(arrivals == [Rectangle(x: 560, y: 120, width: 80, height: 240)])
            #expect(self.arrivals(stripes(shift: 0), stripes(shift: shift)).isEmpty)
        }
        #expect(arrivals(stripes(shift: 0), stripes(atTheRight, shift: 4)).isEmpty, "more than a part of the frame")
    }

    @Test func whoIsKnownDoesNotComeIn() {
        let known = Rectangle(x: 540, y: 100, width: 100, height: 260)
        #expect(arrivals(scene(), scene(atTheRight), besides: [known]).isEmpty)
    }

    @Test func whatIsLowIsNobody() {
        #expect(arrivals(scene(), scene((40..<64, 32..<36))).isEmpty)
        #expect(!arrivals(scene(), scene((40..<64, 28..<36))).isEmpty)
    }

    @Test func whatStaysBelongsToTheScene() {
        var detector = detector(scene(), scene(atTheRight))
        for _ in 0..<8 { detector.see(scene(atTheRight)) }
        #expect(detector.arrivals(in: frame, besides: []).isEmpty)
        detector.see(scene())
        #expect(!detector.arrivals(in: frame, besides: []).isEmpty, "it has gone")
        detector.reset()
        detector.see(scene(atTheRight))
        #expect(detector.arrivals(in: frame, besides: []).isEmpty, "another scene")
    }

    @Test func whoWasNoPersonIsLeftAloneForAWhile() {
        var detector = detector(scene(), scene(atTheRight))
        detector.deny(Rectangle(x: 600, y: 200, width: 40, height: 160))
        #expect(detector.arrivals(in: frame, besides: []).isEmpty)
        for _ in 0..<147 { detector.see(scene()) }
        detector.see(scene(atTheRight, (0..<8, 12..<36)))
        #expect(
            detector.arrivals(in: frame, besides: []) == [Rectangle(x: 0, y: 120, width: 80, height: 240)])
        detector.see(scene())
        detector.see(scene(atTheRight))
        #expect(detector.arrivals(in: frame, besides: []).count == 1)
    }

    /// Has the detector see that something comes in every fourth frame, and be told that it was nobody whom it knows; in which of
    /// `count` times it asked.
    private func looksInVain(_ detector: inout ArrivalDetector, _ count: Int) -> [Int] {
        (0..<count).filter { _ in
            for _ in 0..<3 { detector.see(scene()) }
            detector.see(scene(atTheRight))
            let arrivals = detector.arrivals(in: frame, besides: [])
            for arrival in arrivals { detector.lookedInVain(at: arrival) }
            return !arrivals.isEmpty
        }
    }

    @Test func whatWasLookedAtInVainIsLeftForTwiceAsLongEveryTime() {
        var detector = detector(scene())
        #expect(looksInVain(&detector, 9) == [0, 1, 2, 4, 6, 8])
        for _ in 0..<12 { detector.see(scene()) }
        #expect(looksInVain(&detector, 5) == [0, 2, 4], "which is not forgotten at once")
        for _ in 0..<16 { detector.see(scene()) }
        #expect(looksInVain(&detector, 5) == [0, 1, 2, 4], "but then")
    }

    @Test func whatHasComeFurtherInIsNotLeft() {
        func isLeft(_ box: Box) -> Bool {
            var detector = detector(scene(), scene(atTheRight))
            for arrival in detector.arrivals(in: frame, besides: []) { detector.lookedInVain(at: arrival) }
            detector.see(scene(box))
            return detector.arrivals(in: frame, besides: []).isEmpty
        }
        #expect(isLeft(atTheRight))
        #expect(isLeft((58..<64, 12..<36)), "less of it")
        #expect(!isLeft((56..<64, 8..<36)))
        #expect(!isLeft((0..<8, 12..<36)), "elsewhere")
    }

    @Test func whatWasLookedAtInPartsIsLeftAsAWhole() {
        var detector = detector(scene())
        detector.lookedInVain(at: Rectangle(x: 560, y: 120, width: 80, height: 240))
        detector.lookedInVain(at: Rectangle(x: 520, y: 200, width: 120, height: 160))
        detector.see(scene((52..<64, 12..<36)))
        #expect(detector.arrivals(in: frame, besides: []).isEmpty)
    }

    @Test func theFrameMayBeTurned() {
        let stored = RGBPicture.gray(width: 640, height: 360).frame()
        for quarters in 0...3 {
            let frame = stored.turned(by: quarters)
            var detector = detector(scene(), scene((52..<64, 20..<36)))
            let arrivals = detector.arrivals(in: frame, besides: [])
            let expected = Rectangle(x: 520, y: 200, width: 120, height: 160)
                .applying(frame.uprightToStored.inverse)
            #expect(arrivals.count == 1 && arrivals[0].intersectionOverUnion(expected) > 0.999)
            #expect(detector.arrivals(in: frame, besides: [expected]).isEmpty, "known")
        }
    }

    @Test func aMaskHasToShowWhatHasChanged() {
        var detector = detector(scene(), scene(atTheRight))
        #expect(detector.arrivals(in: frame, besides: []).count == 1)
        let window = Rectangle(x: 280, y: 0, width: 360, height: 360)
        func mask(_ part: Rectangle) -> ScalarMap {
            var mask = ScalarMap(width: 72, height: 72)
            for y in 0..<72 {
                for x in 0..<72 where part.contains(x: 280 + 5 * Double(x), y: 5 * Double(y)) {
                    mask.values[y * 72 + x] = 1
                }
            }
            return mask
        }
        let region = Rectangle(x: 400, y: 0, width: 240, height: 360)
        func agrees(_ part: Rectangle, besides known: [Rectangle] = []) -> Bool {
            detector.agrees(with: mask(part), of: window, in: region, frame: frame, besides: known)
        }
        #expect(agrees(Rectangle(x: 560, y: 120, width: 80, height: 240)))
        #expect(agrees(Rectangle(x: 600, y: 120, width: 40, height: 240)), "half of it")
        #expect(!agrees(Rectangle(x: 610, y: 120, width: 30, height: 240)))
        #expect(!agrees(Rectangle(x: 470, y: 120, width: 170, height: 240)), "more than it by more")
        let left = Rectangle(x: 280, y: 0, width: 280, height: 360)
        #expect(agrees(Rectangle(x: 470, y: 120, width: 170, height: 240), besides: [left]), "and somebody known")
        #expect(!agrees(Rectangle(x: 420, y: 120, width: 80, height: 240)))
        #expect(!agrees(Rectangle(x: 0, y: 0, width: 1, height: 1)), "nobody")
    }
}
