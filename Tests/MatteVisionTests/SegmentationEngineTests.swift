import Imaging
import TestSupport
import Testing

@testable import MatteVision

struct SegmentationEngineTests {
    /// Where the person of the fixture stands, made smaller, and how much smaller.
    private let left = 230
    private let top = 300
    private let part = 6

    /// Smooth noise of many sizes, in which a network that sees it small finds people.
    private func busy(_ x: Int, _ y: Int, _ seed: Int) -> Double {
        func lattice(_ column: Int, _ row: Int, _ octave: Int) -> Double {
            let place = column &* 73_856_093 ^ row &* 19_349_663 ^ (octave + 8 * seed) &* 83_492_791
            var bits = UInt32(truncatingIfNeeded: place)
            bits = (bits ^ bits >> 15) &* 0x2c1b_3c6d
            bits = (bits ^ bits >> 12) &* 0x297a_2d39
            return Double(bits >> 8) / Double(1 << 23) - 1
        }
        func ease(_ t: Double) -> Double { t * t * (3 - 2 * t) }
        return (0..<5).reduce(0) { sum, octave in
            let step = 120.0 / Double(1 << octave)
            let (u, v) = (Double(x) / step, Double(y) / step)
            let (column, row) = (Int(u), Int(v))
            let (s, t) = (ease(u - Double(column)), ease(v - Double(row)))
            let upper = lattice(column, row, octave) * (1 - s) + lattice(column + 1, row, octave) * s
            let lower = lattice(column, row + 1, octave) * (1 - s) + lattice(column + 1, row + 1, octave) * s
            return sum + (upper * (1 - t) + lower * t) * [1, 0.6, 0.36, 0.216, 0.13][octave]
        }
    }

    private func background(_ x: Int, _ y: Int, seed: Int = 0) -> SIMD3<Double> {
        let tint = busy(x, y, seed + 1)
        var pixel = SIMD3(tint, 0, -tint) * 0.12 + 0.3 * busy(x, y, seed) + 0.45
        pixel.clamp(lowerBound: .zero, upperBound: .one)
        return pixel
    }

    /// A person of a sixth of the frame's height before a busy background, and their alpha.
    private func farAway() throws -> (frame: VideoFrame, alpha: [Float]) {
        let person = try RGBPicture(fixture: "anna_048.png")
        let matte = try FixturePicture.load("anna_048_matting.png").pixelBuffer
        var alpha = [Float](repeating: 0, count: 640 * 360)
        let picture = RGBPicture(width: 640, height: 360) { x, y in
            var pixel = background(x, y)
            let (column, row) = ((x - left) * part, (y - top) * part)
            if column >= 0, row >= 0, column < 640, row < 360 {
                let value = matte.withPlane(0) { plane in
                    Double(plane.row(row * 288 / 360, as: UInt16.self)[column * 512 / 640]) / 65535
                }
                alpha[y * 640 + x] = Float(value)
                let own = person[column, row]
                pixel = pixel * (1 - value) + SIMD3(Double(own.x), Double(own.y), Double(own.z)) / 255 * value
            }
            return SIMD3<UInt8>(pixel * 255)
        }
        return (picture.frame(), alpha)
    }

    @Test(arguments: [GeneratePersonSegmentationRequest.QualityLevel.balanced, .accurate])
    func somebodyFarAwayIsFoundBeforeABusyBackground(_ level: GeneratePersonSegmentationRequest.QualityLevel) throws {
        let (frame, alpha) = try farAway()
        let mask = try GeneratePersonSegmentationRequest(qualityLevel: level).perform(on: frame).pixelBuffer
        var (both, either) = (0, 0)
        mask.withPlane(0) { plane in
            for y in 0..<360 {
                for x in 0..<640 {
                    let (a, b) = (alpha[y * 640 + x] > 0.5, plane.row(y, as: UInt8.self)[x] > 127)
                    if a && b { both += 1 }
                    if a || b { either += 1 }
                }
            }
        }
        #expect(Double(both) / Double(either) > 0.9, "\(both) of \(either)")
    }

    // In these one of the networks, or both at different places, takes the background for people.
    @Test(arguments: [6, 8, 10])
    func aBusyBackgroundAloneIsNobody(_ seed: Int) throws {
        let frame = RGBPicture(width: 640, height: 360) { x, y in
            SIMD3<UInt8>(background(x, y, seed: seed) * 255)
        }.frame()
        for level in [GeneratePersonSegmentationRequest.QualityLevel.balanced, .accurate] {
            let mask = try GeneratePersonSegmentationRequest(qualityLevel: level).perform(on: frame).pixelBuffer
            let sum = mask.withPlane(0) { plane in
                (0..<360).reduce(0) { sum, y in
                    sum + UnsafeBufferPointer(start: plane.row(y, as: UInt8.self), count: 640).reduce(0) { $0 + Int($1) }
                }
            }
            #expect(Double(sum) / (640 * 360 * 255) < 0.002, "\(level)")
        }
    }

    private func networks(_ models: ModelLibrary, witness: Bool) throws -> RegionPass.Networks {
        let known = try models.manifest().models
        func source(_ name: String) throws -> LoadedNetworks.Source {
            (try #require(known.first { $0.name == name }), Checkout.models)
        }
        let (first, second) = (try source("selfie_segmentation_landscape"), try source("selfie_segmentation"))
        let (matting, directory) = try source("matting")
        return try LoadedNetworks(models).networks(
            segmentation: witness ? [first] : [first, second], witnesses: witness ? [second] : [],
            matting: .init(description: matting, directory: directory, threads: 1))
    }

    @Test func aWitnessSaysWhatItWouldHaveSaidAtOnce() throws {
        let models = ModelLibrary(directory: Checkout.models)
        let level = try #require(try models.manifest().levels["balanced"])
        let frame = try farAway().frame
        let region = Rectangle(x: 220, y: 260, width: 180, height: 100)
        func pass(witness: Bool) throws -> RegionPass {
            let pass = RegionPass(level, networks: try networks(models, witness: witness), pixelAspect: 1)
            pass.move(to: region)
            pass.look(at: frame)
            try pass.segment()
            return pass
        }
        let (alone, both) = (try pass(witness: true), try pass(witness: false))
        #expect(alone.map != both.map)
        let first = alone.map
        let (evidence, expected) = (try alone.evidence(of: frame), try both.evidence(of: frame))
        #expect(evidence.map == first && evidence.agreement == expected.agreement && evidence.agreement < 1)
        try alone.reconsider(frame)
        #expect(alone.map == both.map)
    }
}
