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
        let network = try SegmentationNetwork(description, directory: Checkout.models, library: library)
        let frame = try FixturePicture.load("\(picture).png")
        var state = RecurrentState(description)
        let mask = try network.segment(asMediaPipeSees(frame, description.input), state: &state).map

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

    // Bilinear without antialiasing, corners aligned.
    private func asMediaPipeSees(_ frame: VideoFrame, _ input: ModelDescription.Input) -> RGBMap {
        let (width, height) = frame.uprightSize
        var full = RGBMap(width: width, height: height)
        let whole = Rectangle(x: 0, y: 0, width: Double(width), height: Double(height))
        FrameSampler().sample(frame, source: whole, into: &full)
        var picture = RGBMap(width: input.width, height: input.height)
        full.values.withUnsafeBufferPointer { full in
            picture.values.withUnsafeMutableBufferPointer { picture in
                AffineSampler.sample(
                    full, sourceWidth: width, sourceHeight: height,
                    map: .scale(whole.width / Double(input.width), whole.height / Double(input.height)), into: picture,
                    width: input.width, height: input.height)
            }
        }
        return picture
    }
}
