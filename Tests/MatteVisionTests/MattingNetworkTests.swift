import Imaging
import TestSupport
import Testing

@testable import MatteVision

struct MattingNetworkTests {
    private func network() throws -> MattingNetwork {
        let library = ModelLibrary(directory: Checkout.models)
        return try MattingNetwork(library.installed().model("matting"), library: library)
    }

    @Test func theInputAndTheOutputAreThoseThatAreNamed() throws {
        let library = ModelLibrary(directory: Checkout.models)
        let source = try library.installed().model("matting")
        var (otherInput, otherOutput) = (source, source)
        otherInput.description.input.name = "photograph"
        otherOutput.description.output.name = "depth"
        for other in [otherInput, otherOutput] {
            #expect(
                throws: VisionError(
                    .invalid,
                    "the model '\(Checkout.models)/matting.onnx' does not have the input and output that its description names"
                )
            ) { try MattingNetwork(other, library: library) }
        }
    }

    // What ONNX's reference makes of the network, recorded as 16-bit grey; in its arithmetic of 8 bits, sums that differ in their
    // last place may round to neighbours. The mask is a coarse one of the whole picture.
    @Test func alphaIsThatOfTheReference() throws {
        let frame = try FixturePicture.load("anna_048.png")
        var picture = RGBMap(width: 512, height: 288)
        FrameSampler().sample(frame, source: Rectangle(x: 0, y: 0, width: 512, height: 288), into: &picture)
        let mask = try FixturePicture.map("anna_048_selfie.png")
        var alpha = ScalarMap(width: 1, height: 1)
        try network().matte(picture, mask: mask, into: &alpha)
        let recorded = try FixturePicture.map("anna_048_matting.png")
        #expect(alpha.width == recorded.width && alpha.height == recorded.height)
        let differences = zip(alpha.values, recorded.values).map { abs($0 - $1) }
        #expect(differences.reduce(0, +) / Float(differences.count) < 5e-4)
        #expect(differences.max()! < 0.06)
        #expect(recorded.values.contains { $0 > 0.1 && $0 < 0.9 }, "the recording shows somebody")
    }

    @Test func workingSizesAreFewAndNearTheWanted() throws {
        let network = try network()
        var sizes: Set<[Int]> = []
        for width in stride(from: 300, through: 1280, by: 20) {
            for height in stride(from: 300, through: 720, by: 20) {
                let (wide, high) = network.workingSize(width: Double(width), height: Double(height), pixels: 100_000)
                #expect(wide % 16 == 0 && high % 16 == 0)
                #expect((45_000...115_000).contains(wide * high), "\(width)x\(height): \(wide)x\(high)")
                let squeeze = Double(wide * height) / Double(high * width)
                #expect((0.8...1.25).contains(squeeze), "\(width)x\(height): \(wide)x\(high)")
                sizes.insert([wide, high])
            }
        }
        #expect(sizes.count <= 16)
        let tiny = network.workingSize(width: 20, height: 10, pixels: 100_000)
        #expect(tiny.width * tiny.height <= 600)
    }
}
