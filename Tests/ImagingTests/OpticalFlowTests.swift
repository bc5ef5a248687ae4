import Glibc
import Testing

@testable import Imaging

struct OpticalFlowTests {
    /// A picture of waves of several lengths, seen `x` to the right and `y` further down.
    private static func waves(
        width: Int = 96, height: Int = 64, x: Double = 0, y: Double = 0, noise: Float = 0, seed: UInt64 = 1
    ) -> RGBMap {
        var generator = Noise(state: seed)
        return map(width: width, height: height) { column, row in
            let (u, v) = (Double(column) + x, Double(row) + y)
            let value = 0.5 + 0.2 * sin(u / 4) * cos(v / 5) + 0.2 * cos(u / 7 + v / 4)
            return Float(value) + (noise > 0 ? Float.random(in: -noise...noise, using: &generator) : 0)
        }
    }

    private static func map(width: Int, height: Int, _ value: (Int, Int) -> Float) -> RGBMap {
        var map = RGBMap(width: width, height: height)
        for y in 0..<height {
            for x in 0..<width {
                let value = value(x, y)
                for component in 0..<3 { map.values[3 * (y * width + x) + component] = value }
            }
        }
        return map
    }

    /// The cells whose neighbours the border does not touch.
    private func inner(_ flow: OpticalFlow) -> [OpticalFlow.Cell] {
        (2..<flow.rows - 2).flatMap { row in
            (2..<flow.columns - 2).map { flow.cells[row * flow.columns + $0] }
        }
    }

    private func length(_ motion: SIMD2<Float>) -> Float { (motion * motion).sum().squareRoot() }

    private func flow(from reference: RGBMap, to picture: RGBMap) -> OpticalFlow {
        var flow = OpticalFlow()
        flow.see(reference)
        flow.see(picture)
        flow.estimate()
        return flow
    }

    @Test(arguments: [(0, 0), (1, 0), (0, -1.5), (-2.5, 1.25), (3, 3), (0.4, -0.3)] as [(Double, Double)])
    func aMotionOfSomePixelsIsFound(_ motion: (x: Double, y: Double)) {
        let flow = flow(from: Self.waves(), to: Self.waves(x: motion.x, y: motion.y))
        #expect((flow.columns, flow.rows) == (12, 8))
        for cell in inner(flow) {
            #expect(abs(Double(cell.motion.x) - motion.x) < 0.2 && abs(Double(cell.motion.y) - motion.y) < 0.2)
            #expect(cell.difference < 0.01)
        }
    }

    @Test func noiseIsNoMotion() {
        let flow = flow(from: Self.waves(noise: 0.08, seed: 3), to: Self.waves(noise: 0.08, seed: 4))
        for cell in inner(flow) { #expect(length(cell.motion) < 1) }
    }

    @Test func whatShowsNothingDoesNotMove() {
        let flat = Self.map(width: 64, height: 64) { _, _ in 0.5 }
        #expect(flow(from: flat, to: flat).cells.allSatisfy { $0 == OpticalFlow.Cell() })
    }

    @Test func whatIsNewDiffersWhereItIs() {
        let before = Self.waves()
        let after = Self.map(width: 96, height: 64) { x, y in
            (40..<56).contains(x) && (24..<40).contains(y) ? 1 : before.values[3 * (y * 96 + x)]
        }
        let flow = flow(from: before, to: after)
        for row in 3..<5 { for column in 5..<7 { #expect(flow.cells[row * 12 + column].difference > 0.1) } }
        #expect(flow.cells[0].difference < 0.001 && flow.cells[flow.cells.count - 1].difference < 0.001)
    }

    @Test func motionIsToldFromTheReferenceUntilAnotherIsKept() {
        var flow = OpticalFlow()
        for x in [0, 1, 2] as [Double] { flow.see(Self.waves(x: x)) }
        flow.estimate()
        #expect(inner(flow).allSatisfy { abs($0.motion.x - 2) < 0.2 })
        flow.keep()
        flow.see(Self.waves(x: 3))
        flow.estimate()
        #expect(inner(flow).allSatisfy { abs($0.motion.x - 1) < 0.2 })
    }

    @Test(arguments: [(2, 2), (3, 5), (17, 9), (96, 66)])
    func aPictureOfAnotherSizeIsItsOwnReference(_ size: (width: Int, height: Int)) {
        var flow = OpticalFlow()
        flow.see(Self.waves())
        flow.see(Self.waves(width: size.width, height: size.height, x: 3))
        flow.estimate()
        #expect(flow.columns == (size.width + 7) / 8 && flow.rows == (size.height + 7) / 8)
        #expect(flow.cells.count == flow.columns * flow.rows)
        #expect(flow.cells.allSatisfy { $0 == OpticalFlow.Cell() })
    }

    // As far as a cell may go in any direction, at the border too.
    @Test func whatNobodyCanFollowStaysWithinReach() {
        var noise = Noise(state: 8)
        let pictures = (0..<2).map { _ in
            Self.map(width: 64, height: 48) { _, _ in Float.random(in: 0...1, using: &noise) }
        }
        let flow = flow(from: pictures[0], to: pictures[1])
        #expect(flow.cells.allSatisfy { length($0.motion) <= 8 * 1.4143 && $0.difference.isFinite })
    }
}

struct MotionCompensatorTests {
    /// A soft disc before waves, both moved to the left.
    private func scene(x: Double, width: Int, height: Int) -> (picture: RGBMap, mask: ScalarMap) {
        var (picture, mask) = (RGBMap(width: width, height: height), ScalarMap(width: width, height: height))
        for row in 0..<height {
            for column in 0..<width {
                let (u, v) = (Double(column) + x, Double(row))
                let distance = ((u - 50) * (u - 50) + (v - 34) * (v - 34)).squareRoot()
                let alpha = Float(min(max((20 - distance) / 4, 0), 1))
                let waves = Float(0.4 + 0.2 * sin(u / 5) * cos(v / 6))
                mask.values[row * width + column] = alpha
                for component in 0..<3 {
                    picture.values[3 * (row * width + column) + component] = waves * (1 - alpha) + 0.9 * alpha
                }
            }
        }
        return (picture, mask)
    }

    private func distance(_ a: ScalarMap, _ b: ScalarMap) -> Float {
        zip(a.values, b.values).reduce(0) { max($0, abs($1.0 - $1.1)) }
    }

    // Some have cells that go on beyond the picture.
    @Test(arguments: [(96, 64), (101, 70), (97, 65)])
    func aMapMovesWithThePicture(_ size: (width: Int, height: Int)) {
        let (before, after) = (
            scene(x: 0, width: size.width, height: size.height), scene(x: 2.5, width: size.width, height: size.height)
        )
        var (flow, compensator) = (OpticalFlow(), MotionCompensator())
        flow.see(before.picture)
        flow.see(after.picture)
        flow.estimate()
        compensator.take(before.mask, of: flow)
        var moved = ScalarMap(width: 1, height: 1)
        compensator.move(by: flow, into: &moved)
        #expect(distance(before.mask, after.mask) > 0.5)
        #expect(distance(moved, after.mask) < 0.12, "\(distance(moved, after.mask))")
    }

    @Test func aMapOfAStillPictureStays() {
        let scene = scene(x: 0, width: 96, height: 64)
        var (flow, compensator) = (OpticalFlow(), MotionCompensator())
        for _ in 0..<2 { flow.see(scene.picture) }
        flow.estimate()
        compensator.take(scene.mask, of: flow)
        var moved = ScalarMap(width: 1, height: 1)
        compensator.move(by: flow, into: &moved)
        #expect(moved == scene.mask)
    }

    @Test func aCellKnowsTheLargestValueAround() {
        var flow = OpticalFlow()
        flow.see(RGBMap(width: 40, height: 24))
        var map = ScalarMap(width: 40, height: 24)
        map.values[9 * 40 + 17] = 0.7
        var compensator = MotionCompensator()
        compensator.take(map, of: flow)
        for row in 0..<3 {
            for column in 0..<5 {
                #expect(compensator.peaks[row * 5 + column] == ((1...3).contains(column) ? 0.7 : 0))
            }
        }
    }
}
