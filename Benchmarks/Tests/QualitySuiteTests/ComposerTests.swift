import Imaging
import MatteMetrics
import Measuring
import Testing

@testable import QualitySuite

struct ComposerTests {
    private let source: ClipReader.Sample

    init() throws {
        let whole = try #require(try ClipReader(Checkout.sampleClip, limit: 1).next())
        // Small, because tests are built for debugging.
        let alpha = Picture(whole.alpha, width: 160, height: 90).planes[0]
        source = ClipReader.Sample(
            frame: VideoFrame(pixelBuffer: Picture(whole.frame, width: 160, height: 90).rgb24),
            alpha: VideoFrame(pixelBuffer: AlphaMatte(width: 160, height: 90, values: alpha).gray8))
    }

    private func painter(_ name: String) throws -> Painter {
        Painter(try #require(Composition.all.first { $0.name == name }), seed: "a seed")
    }

    private func mass(_ matte: AlphaMatte) -> Double { matte.values.reduce(0) { $0 + Double($1) } }

    @Test func theSameSeedGivesTheSamePictures() throws {
        var (a, b) = (try painter("noisy"), try painter("noisy"))
        for _ in 0..<2 {
            let (first, second) = (a.paint(source), b.paint(source))
            #expect(first.picture.planes == second.picture.planes)
            #expect(first.matte == second.matte)
        }
    }

    @Test func peopleKeepTheirColorsAndTheBackgroundIsNew() throws {
        var painter = try painter("texture")
        let (picture, matte) = painter.paint(source)
        let truth = AlphaMatte(source.alpha)
        let old = Picture(source.frame, width: 160, height: 90)
        #expect(matte.mad(to: truth) < 0.01)
        var (inside, outside, count) = (Float(0), Float(0), Float(0))
        for i in truth.values.indices {
            let difference = abs(picture.planes[1][i] - min(max(old.planes[1][i], 0), 1))
            if truth.values[i] == 1 { inside = max(inside, difference) }
            if truth.values[i] == 0 { (outside, count) = (outside + difference, count + 1) }
        }
        #expect(inside < 1e-5)
        #expect(outside / count > 0.1)
    }

    @Test func theBackgroundMovesAndThePeopleStay() throws {
        var painter = try painter("gradient")
        let (first, second) = (painter.paint(source), painter.paint(source))
        #expect(first.matte == second.matte)
        // 5 pixels to the right and 2 down: the upper right corner shows no one.
        #expect(first.picture.planes[0][5 * 160 + 150] == second.picture.planes[0][7 * 160 + 155])
        #expect(first.picture.planes[0][5 * 160 + 150] != second.picture.planes[0][5 * 160 + 150])
    }

    @Test func aFiguresAreaGoesWithTheSquareOfItsScale() throws {
        let whole = mass(AlphaMatte(source.alpha))
        var small = try painter("small")
        #expect(abs(mass(small.paint(source).matte) / whole - 0.3 * 0.3) < 0.002)
        var large = try painter("720p")
        let (picture, matte) = large.paint(source)
        #expect(picture.width == 1280 && picture.height == 720)
        #expect(abs(mass(matte) / whole - 64) < 0.2)
    }

    @Test func aPassingFigureLeavesOnBothSides() throws {
        var painter = try painter("passing")
        let masses = [0, 24, 48, 72].map { index in
            painter.index = index
            return mass(painter.paint(source).matte)
        }
        #expect(masses[0] > 1000 && abs(masses[2] - masses[0]) < 1)
        #expect(masses[1] == 0 && masses[3] == 0)
    }

    @Test func twoFiguresAreTwoAndTheSecondIsMirrored() throws {
        var painter = try painter("two")
        let matte = painter.paint(source).matte
        let left = mass(AlphaMatte(width: 80, height: 90, values: half(matte, from: 0)))
        let right = mass(AlphaMatte(width: 80, height: 90, values: half(matte, from: 80)))
        let whole = mass(AlphaMatte(source.alpha))
        #expect(abs(left / whole - 0.7 * 0.7) < 0.01)
        #expect(abs(right / whole - 0.6 * 0.6) < 0.01)
    }

    private func half(_ matte: AlphaMatte, from column: Int) -> [Float] {
        (0..<90).flatMap { y in matte.values[y * 160 + column..<y * 160 + column + 80] }
    }

    @Test func aStillHasFreshNoiseOfTheGivenStrength() throws {
        var painter = try painter("still")
        let (first, second) = (painter.paint(source), painter.paint(source))
        #expect(first.matte == second.matte)
        var (sum, squares) = (0.0, 0.0)
        for (a, b) in zip(first.picture.planes[0], second.picture.planes[0]) {
            sum += Double(a - b)
            squares += Double((a - b) * (a - b))
        }
        let count = Double(first.picture.planes[0].count)
        // The difference of two independent noises of 0.04 each.
        #expect(abs(sum / count) < 0.003)
        #expect(abs((squares / count).squareRoot() - 0.04 * 2.0.squareRoot()) < 0.001)
    }

    @Test func blurKeepsTheAlphasMassButSoftensIt() throws {
        var (sharp, blurred) = (try painter("texture"), try painter("blurred"))
        let (a, b) = (sharp.paint(source).matte, blurred.paint(source).matte)
        #expect(abs(mass(a) / mass(b) - 1) < 0.01)
        func soft(_ matte: AlphaMatte) -> Int { matte.values.count { $0 > 0.1 && $0 < 0.9 } }
        #expect(soft(b) > 2 * soft(a))
    }

    @Test func theForegroundsColorIsFoundAtSoftEdges() {
        // A red person over blue with a soft edge: what is blue in the picture there is less than a third as blue in the
        // estimate, and a pixel of the person alone keeps its colour.
        let (width, height) = (60, 240)
        let alpha = (0..<width * height).map { min(max(Float($0 % width - 25) / 8, 0), 1) }
        let mixed = Picture(
            width: width, height: height, planes: [alpha, alpha.map { _ in 0 }, alpha.map { 1 - $0 }])
        let front = mixed.foreground(alpha: alpha)
        for i in alpha.indices where alpha[i] > 0 {
            #expect(abs(front.planes[0][i] - 1) <= (1 - alpha[i]) / 3 + 1e-5)
            #expect(abs(front.planes[2][i]) <= (1 - alpha[i]) / 3 + 1e-5)
        }
    }

    @Test(arguments: ["tiles", "compressed"])
    func composedClipsAreFilesWithExactAlpha(_ name: String) throws {
        let folder = try WorkingFolder()
        let composition = try #require(Composition.all.first { $0.name == name })
        let clip = try Composer(composition, of: Checkout.sampleClip).compose(into: folder.url.path, limit: 2)
        #expect(clip.name == "anna+\(name)")
        let (reader, original) = (try ClipReader(clip), try ClipReader(Checkout.sampleClip))
        for _ in 0..<2 {
            let (sample, source) = (try #require(try reader.next()), try #require(try original.next()))
            #expect(sample.frame.time == source.frame.time)
            #expect(AlphaMatte(sample.alpha).mad(to: AlphaMatte(source.alpha)) < 0.01)
        }
        #expect(try reader.next() == nil)
    }
}
