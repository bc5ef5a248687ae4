import Imaging
import TestSupport
import Testing

@testable import MatteVision

/// The masks of the selfie network against MediaPipe's own, recorded at the network's size as 16-bit grey.
struct SelfieParityTests {
    @Test(arguments: ["anna_000", "anna_024", "anna_048", "anna_072"])
    func masksAreMediaPipes(picture: String) throws {
        let library = ModelLibrary(directory: Checkout.models)
        let network = try SegmentationNetwork(library.installed().model("selfie_segmentation"), library: library)
        let description = network.description
        let frame = try FixturePicture.load("\(picture).png")
        var state = RecurrentState(description)
        var mask = ScalarMap(width: 1, height: 1)
        _ = try network.segment(asMediaPipeSees(frame, description.input), state: &state, into: &mask)

        let recorded = try FixturePicture.load("\(picture)_selfie.png").pixelBuffer
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
                let plane = Plane(
                    base: full.baseAddress!, bytesPerRow: 3 * width * MemoryLayout<Float>.stride, width: width,
                    height: height)
                for component in 0..<3 {
                    var map = ScalarMap(width: input.width, height: input.height)
                    map.values.withUnsafeMutableBufferPointer {
                        AffineSampler.sample(
                            plane, as: Float.self, step: 3, component: component,
                            map: .scale(whole.width / Double(input.width), whole.height / Double(input.height)),
                            into: $0.baseAddress!, width: input.width, height: input.height)
                    }
                    for i in map.values.indices { picture[3 * i + component] = map.values[i] }
                }
            }
        }
        return picture
    }
}
