import Imaging
import TestSupport
import Testing

@testable import MatteVision

/// The masks of the selfie networks against MediaPipe's own, recorded at the networks' size as 16-bit grey.
struct SelfieParityTests {
    @Test(
        arguments: ["selfie_segmentation", "selfie_segmentation_landscape"],
        ["anna_000", "anna_024", "anna_048", "anna_072"])
    func masksAreMediaPipes(network name: String, picture: String) throws {
        let library = ModelLibrary(directory: Checkout.models)
        let description = try #require(try library.manifest().models.first { $0.name == name })
        let network = try SegmentationNetwork(
            description, directory: Checkout.models, library: library, sampling: .cornerAligned)
        let frame = try FixturePicture.load("\(picture).png")
        network.look(at: frame, source: Rectangle(x: 0, y: 0, width: 640, height: 360))
        let mask = try network.segment()

        let suffix = name.hasSuffix("landscape") ? "selfie_landscape" : "selfie"
        let recorded = try FixturePicture.load("\(picture)_\(suffix).png").pixelBuffer
        #expect(recorded.format == .gray16 && recorded.width == mask.width && recorded.height == mask.height)
        var sum: Float = 0
        recorded.withPlane(0) { plane in
            for y in 0..<mask.height {
                let row = plane.row(y, as: UInt16.self)
                for x in 0..<mask.width { sum += abs(mask.values[y * mask.width + x] - Float(row[x]) / 65535) }
            }
        }
        let difference = sum / Float(mask.values.count)
        #expect(difference <= 1e-3, "mean absolute difference \(difference)")
    }
}
