import Imaging
import TestSupport
import Testing

@testable import MatteVision

struct MaskPropagatorTests {
    private static let (width, height) = (96, 64)
    private let description = LevelDescription.Propagation(frames: 2, motion: 3, difference: 0.06)

    /// A bright person before a dark room, `x` pixels further to the left, and a lamp in the corner.
    private func picture(x: Int = 0, lamp: Float = 0.2) -> RGBMap {
        var picture = RGBMap(width: Self.width, height: Self.height)
        for row in 0..<Self.height {
            for column in 0..<Self.width {
                let isPerson = (40..<64).contains(column + x) && row >= 16
                // Something to be seen of the motion.
                let stripe: Float = (column + x + 2 * row) % 12 < 6 ? 0.15 : 0
                let value = isPerson ? 0.6 + stripe : column < 12 && row < 12 ? lamp : 0.2
                for component in 0..<3 { picture.values[3 * (row * Self.width + column) + component] = value }
            }
        }
        return picture
    }

    private func mask(x: Int = 0) -> ScalarMap {
        ScalarMap(
            width: Self.width, height: Self.height,
            values: (0..<Self.width * Self.height).map {
                (40..<64).contains($0 % Self.width + x) && $0 / Self.width >= 16 ? 1 : 0
            })
    }

    /// Has the networks see `picture`, and then the next one taken along to `next`.
    private func isTakenAlong(_ map: inout ScalarMap, from picture: RGBMap, to next: RGBMap) -> Bool {
        var propagator = MaskPropagator(description)
        let isFirst = propagator.propagate(&map, to: picture)
        #expect(!isFirst, "there is no mask to be taken along yet")
        return propagator.propagate(&map, to: next)
    }

    @Test func theMaskMovesWithThePerson() {
        var map = mask()
        #expect(isTakenAlong(&map, from: picture(), to: picture(x: 2)))
        func difference(_ other: ScalarMap) -> Float {
            zip(map.values, other.values).reduce(0) { $0 + abs($1.0 - $1.1) }
        }
        #expect(difference(mask(x: 2)) < 0.2 * difference(mask()), "\(difference(mask(x: 2))) \(difference(mask()))")
    }

    @Test func whoMovesTooFarIsSeenByTheNetworks() {
        var map = mask()
        #expect(!isTakenAlong(&map, from: picture(), to: picture(x: 6)))
        #expect(map == mask())
    }

    @Test func whatComesInFrontOfThePersonIsSeenByTheNetworks() {
        var next = picture()
        for row in 30..<40 { for i in 3 * (row * Self.width + 44)..<3 * (row * Self.width + 56) { next.values[i] = 0 } }
        var map = mask()
        #expect(!isTakenAlong(&map, from: picture(), to: next))
    }

    @Test func whatHappensFarFromThePersonIsNoMatter() {
        var map = mask()
        #expect(isTakenAlong(&map, from: picture(), to: picture(lamp: 1)))
        #expect(map == mask())
    }

    @Test func networksSeeAFrameAgainAfterSoMany() {
        var (propagator, map) = (MaskPropagator(description), mask())
        let taken = (0..<7).map { _ in propagator.propagate(&map, to: picture()) }
        #expect(taken == [false, true, true, false, true, true, false])
    }

    // What the networks lost sight of for a frame is not lost for some.
    @Test func whereNobodyIsSeenNetworksSeeEveryFrame() {
        var map = ScalarMap(
            width: Self.width, height: Self.height,
            values: Array(repeating: 0.4, count: Self.width * Self.height))
        #expect(!isTakenAlong(&map, from: picture(), to: picture()))
        map.values[20 * Self.width + 50] = 0.6
        #expect(isTakenAlong(&map, from: picture(), to: picture()))
    }

    // Small steps add up to one that is too long.
    @Test func motionIsCountedFromWhatTheNetworksSaw() {
        var propagator = MaskPropagator(.init(frames: 10, motion: 3, difference: 0.06))
        var map = mask()
        let taken = [0, 2, 4].map { propagator.propagate(&map, to: picture(x: $0)) }
        #expect(taken == [false, true, false])
    }

    @Test func nothingIsTakenAlongOfWhatIsForgottenOrOfAnotherSize() {
        var (propagator, map) = (MaskPropagator(description), mask())
        #expect(!propagator.propagate(&map, to: picture()))
        propagator.reset()
        #expect(!propagator.propagate(&map, to: picture()))
        #expect(!propagator.propagate(&map, to: RGBMap(width: 48, height: 32)))
        map = ScalarMap(width: 48, height: 32, values: Array(repeating: 1, count: 48 * 32))
        #expect(propagator.propagate(&map, to: RGBMap(width: 48, height: 32)))
        #expect(!propagator.propagate(&map, to: picture()))
    }

    /// Makes passes, which share their networks, of a region that begins at the left of the fixtures' picture.
    private static func passes(level: String, width: Double) throws -> () -> RegionPass {
        let models = ModelLibrary(directory: Checkout.models)
        let plan = try LevelPlan(level: level, networks: LoadedNetworks(models))
        let networks = try plan.load(LoadedNetworks(models))
        return {
            let pass = RegionPass(plan.level, networks: networks, pixelAspect: 1)
            pass.move(to: Rectangle(x: 0, y: 0, width: width, height: 360))
            return pass
        }
    }

    /// What a region's networks make of a picture and of those after it, one column further each.
    @Test(arguments: ["fast", "balanced", "accurate"])
    func masksTakenAlongAreThoseThatNetworksMake(_ level: String) throws {
        let picture = try RGBPicture(fixture: "anna_048.png")
        let newPass = try Self.passes(level: level, width: 600)
        let pass = newPass()
        pass.presence = .known
        var taken: [Bool] = []
        for column in 0..<5 {
            let frame = picture.columns(from: column, count: 600).frame()
            try pass.segment(frame)
            _ = pass.unrefined(frame)
            taken.append(pass.isPropagated)
            let fresh = newPass()
            fresh.presence = .known
            try fresh.segment(frame)
            #expect(!fresh.isPropagated)
            let difference = zip(pass.map.values, fresh.map.values).reduce(0) { $0 + abs($1.0 - $1.1) }
            #expect(difference / Float(fresh.map.values.count) < 0.006)
        }
        #expect(taken == [false, true, true, false, true])
    }

    @Test func networksThatAreAskedSeeTheFrame() throws {
        let frame = try RGBPicture(fixture: "anna_048.png").frame()
        let pass = try Self.passes(level: "fast", width: 640)()
        pass.presence = .known
        let taken = try [false, false, true, false, false, false].map { asked in
            try pass.segment(frame, asked: asked)
            _ = pass.unrefined(frame)
            return pass.isPropagated
        }
        #expect(taken == [false, true, false, true, true, false])
    }

    @Test func whereNobodyIsKnownNetworksSeeEveryFrame() throws {
        let frame = try RGBPicture(fixture: "anna_048.png").frame()
        let pass = try Self.passes(level: "fast", width: 640)()
        for _ in 0..<4 {
            try pass.segment(frame)
            _ = pass.unrefined(frame)
            #expect(!pass.isPropagated)
        }
    }
}
