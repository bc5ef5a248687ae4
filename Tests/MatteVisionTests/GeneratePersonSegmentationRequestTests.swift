import Imaging
import TestSupport
import Testing

@testable import MatteVision

struct GeneratePersonSegmentationRequestTests {
    private let models = ModelLibrary(directory: Checkout.models)
    private let person: RGBPicture

    init() throws { person = try RGBPicture(fixture: "anna_000.png") }

    private func request(_ level: GeneratePersonSegmentationRequest.QualityLevel) -> GeneratePersonSegmentationRequest {
        GeneratePersonSegmentationRequest(qualityLevel: level, models: models)
    }

    private func mask(_ request: GeneratePersonSegmentationRequest, _ frame: VideoFrame) throws -> [UInt8] {
        bytes(of: try request.perform(on: frame).pixelBuffer)
    }

    private func bytes(of mask: PixelBuffer) -> [UInt8] {
        mask.withPlane(0) { plane in
            (0..<mask.height).flatMap { y in
                Array(UnsafeBufferPointer(start: plane.row(y, as: UInt8.self), count: mask.width))
            }
        }
    }

    /// The person at half the size on a plain wall, the left edge of the picture that she was cut out of at `left`.
    private func scene(left: Int, isMirrored: Bool = false, wall: UInt8, _ alpha: [UInt8]) -> RGBPicture {
        RGBPicture(width: 640, height: 360) { x, y in
            let (column, row) = (2 * (isMirrored ? left + 319 - x : x - left), 2 * (y - 180))
            guard 0..<640 ~= column, 0..<360 ~= row, alpha[row * 640 + column] > 127 else {
                return SIMD3(repeating: wall &+ UInt8(y / 8))
            }
            return person[column, row]
        }
    }

    // Somebody walks, and the region moves in some of these frames: in each of them a cut may follow.
    @Test func anotherSceneBeginsAnewWheneverItComes() throws {
        let alpha = try mask(request(.accurate), person.frame())
        let other = scene(left: -60, isMirrored: true, wall: 200, alpha)
        let fresh = try mask(request(.balanced), other.frame(9))
        #expect(fresh.contains { $0 > 200 })
        let walking = (0..<7).map { scene(left: 100 + 24 * $0, wall: 60, alpha).frame(Int64($0)) }
        for length in 2...7 {
            let request = request(.balanced)
            for frame in walking.prefix(length) { #expect(try mask(request, frame).contains { $0 > 200 }) }
            #expect(try mask(request, other.frame(9)) == fresh, "after \(length) frames")
        }
    }

    @Test(arguments: [0, -1])
    func aSizeWithoutPixelsIsACallersMistake(_ side: Int) async {
        await #expect(processExitsWith: .failure) { [side] in
            let models = ModelLibrary(directory: Checkout.models)
            try GeneratePersonSegmentationRequest(qualityLevel: .fast, models: models).prepare(width: 64, height: side)
        }
    }

    @Test func anotherOrientationBeginsAnew() throws {
        let request = request(.fast)
        for pts in 0..<2 { _ = try mask(request, person.frame(Int64(pts))) }
        let turned = person.frame(2, orientation: .down)
        #expect(try mask(request, turned) == mask(self.request(.fast), turned))
    }

    @Test func anotherOrientationBeginsAnewAfterTimeWentBackwards() throws {
        let request = request(.fast)
        for pts in [5, 3] { _ = try mask(request, person.frame(Int64(pts))) }
        let turned = person.frame(4, orientation: .down)
        #expect(try mask(request, turned) == mask(self.request(.fast), turned))
    }

    @Test(arguments: [GeneratePersonSegmentationRequest.QualityLevel.fast, .balanced])
    func pixelsThatAreNotSquareAreShownSquare(_ level: GeneratePersonSegmentationRequest.QualityLevel) throws {
        let truth = try mask(request(level), person.frame())
        func error(_ ratio: Rational) throws -> Int {
            let found = try mask(request(level), person.squeezed(to: 320).frame(sampleAspectRatio: ratio))
            return found.indices.reduce(0) { sum, i in
                sum + abs(Int(found[i]) - Int(truth[i / 320 * 640 + i % 320 * 2]))
            }
        }
        let (told, untold) = try (error(Rational(2, 1)), error(Rational(0, 1)))
        #expect(told < untold, "\(told) \(untold)")
    }

    // A view with fewer pixels than the network's input is not enlarged for it: the frame is looked at again.
    @Test func aSmallViewIsNotAllThatANetworkSees() throws {
        let library = models
        let source = try library.installed().model("selfie_segmentation")
        let lane = NetworkLane(SegmentationNetworks(usual: try SegmentationNetwork(source, library: library)))
        let (frame, rectangle) = (person.frame(), Rectangle(x: 150, y: 10, width: 340, height: 340))
        func mask(_ side: Int) throws -> ScalarMap {
            var picture = RGBMap(width: side, height: side)
            FrameSampler().sample(frame, source: rectangle, into: &picture)
            try lane.segment(picture, of: frame, rectangle: rectangle)
            return lane.mask
        }
        let whole = try mask(256)
        #expect(try mask(64) == whole)
        #expect(try mask(320) != whole, "of a larger view its pixels' means are enough")
    }

    // As they are where one thread is ahead of another.
    @Test func masksMayBeRefinedLaterThanTheyAreMade() throws {
        let level = GeneratePersonSegmentationRequest.QualityLevel.accurate
        let alpha = try mask(request(level), person.frame())
        let frames = (0..<4).map { pts in
            scene(left: 100 + 10 * pts, wall: UInt8(60 + 4 * pts), alpha).frame(Int64(pts))
        }
        let atOnce = request(level)
        let expected = try frames.map { try mask(atOnce, $0) }
        #expect(Set(expected).count == frames.count)
        let request = request(level)
        let coarse = try frames.map { try request.unrefinedMask(of: $0) }
        for (mask, (expected, frame)) in zip(coarse, zip(expected, frames)) {
            let observation = mask.refined()
            #expect(bytes(of: observation.pixelBuffer) == expected)
            #expect(observation.pts == frame.pts)
        }
    }
}
