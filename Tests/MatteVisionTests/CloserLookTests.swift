import Imaging
import TestSupport
import Testing

@testable import MatteVision

/// What a second look from nearer by changes, at the level that takes one.
struct CloserLookTests {
    private let models = ModelLibrary(directory: Checkout.models)
    private let loaded: LoadedNetworks
    /// Somebody from the waist up, in a picture of 640 by 360 pixels.
    private let picture: RGBPicture
    private let region = Rectangle(x: 100, y: 0, width: 440, height: 360)

    init() throws {
        loaded = LoadedNetworks(models)
        picture = try RGBPicture(fixture: "anna_048.png")
    }

    /// Alpha of the region `rectangle` of `frame`.
    private func mask(
        _ frame: VideoFrame, in rectangle: Rectangle, level: String = "accurate", pixelAspect: Double = 1,
        closer: Bool = true
    ) throws -> ScalarMap {
        let pass = try pass(in: rectangle, level: level, pixelAspect: pixelAspect, closer: closer)
        return try mask(frame, by: pass)
    }

    private func pass(
        in rectangle: Rectangle, level: String = "accurate", pixelAspect: Double = 1, closer: Bool = true
    ) throws -> RegionPass {
        let plan = try LevelPlan(level: level, networks: LoadedNetworks(models))
        #expect(plan.level.closeUps?.isEmpty == false)
        var networks = try plan.load(loaded)
        if !closer { networks.closeUps = [] }
        let pass = RegionPass(plan.level, networks: networks, pixelAspect: pixelAspect)
        pass.move(to: rectangle)
        return pass
    }

    private func mask(_ frame: VideoFrame, by pass: RegionPass) throws -> ScalarMap {
        try pass.segment(frame)
        return pass.map
    }

    /// The mean absolute difference in `rows`.
    private func difference(_ a: ScalarMap, _ b: ScalarMap, rows: Range<Int>? = nil) -> Float {
        #expect(a.width == b.width && a.height == b.height)
        let rows = rows ?? 0..<a.height
        let range = rows.lowerBound * a.width..<rows.upperBound * a.width
        return zip(a.values[range], b.values[range]).reduce(0) { $0 + abs($1.0 - $1.1) } / Float(range.count)
    }

    @Test func headAndShouldersAreSeenAnewAndTheRestIsNot() throws {
        let with = try mask(picture.frame(), in: region, closer: true)
        let without = try mask(picture.frame(), in: region, closer: false)
        let upper = difference(with, without, rows: 0..<with.height / 2)
        let lowest = difference(with, without, rows: with.height * 9 / 10..<with.height)
        #expect(upper > 10 * lowest && upper > 1e-4, "\(upper) \(lowest)")
        // Seen from nearer by, it is still the same person.
        #expect(difference(with, without) < 0.02)
    }

    // Where somebody was seen last is where the next look goes, and a moment later that may be the wrong place.
    @Test func whoHasMovedIsSeenWhereTheyAre() throws {
        let pass = try pass(in: region)
        let first = try mask(picture.frame(), by: pass)
        let moved = picture.columns(from: 60, count: 580).frame()
        let second = try mask(moved, by: pass)
        #expect(second != first)
        #expect(second == (try mask(moved, in: region, closer: true)))
        #expect(second != (try mask(moved, in: region, closer: false)))
        #expect(try mask(picture.frame(), by: pass) == first)
    }

    @Test func inColouredLightNobodyLosesTheirHair() throws {
        let picture = try RGBPicture(fixture: "anna_024.png")
        let region = Rectangle(x: 0, y: 0, width: 640, height: 360)
        let expected = try mask(picture.frame(), in: region, level: "balanced")
        let found = try mask(picture.lit(by: [1, 0.4, 1.4]).frame(), in: region, level: "balanced")
        let pairs = zip(found.values, expected.values).map { ($0 > 0.5, $1 > 0.5) }
        #expect(Double(pairs.count { $0 && $1 }) > 0.95 * Double(pairs.count { $0 || $1 }))
    }

    // A network sees all of such a region already.
    @Test func whereThereAreNoMorePixelsNothingIsLookedAtAgain() throws {
        let small = Rectangle(x: 180, y: 20, width: 260, height: 260)
        #expect(
            try mask(picture.frame(), in: small, closer: true) == mask(picture.frame(), in: small, closer: false))
    }

    @Test func howTheFrameIsStoredIsNoMatter() throws {
        let upright = try mask(picture.frame(), in: region, closer: true)
        let turned = try mask(picture.turned(3).frame(orientation: .right), in: region, closer: true)
        let change = difference(upright, try mask(picture.frame(), in: region, closer: false))
        #expect(difference(upright, turned) < change / 10, "\(difference(upright, turned)) \(change)")
    }

    @Test func pixelsThatAreNotSquareAreShownSquare() throws {
        let half = Rectangle(x: region.x / 2, y: region.y, width: region.width / 2, height: region.height)
        let squeezed = try mask(picture.squeezed(to: 320).frame(), in: half, pixelAspect: 2, closer: true)
        #expect(difference(try mask(picture.frame(), in: region, closer: true), squeezed) < 0.01)
    }
}
