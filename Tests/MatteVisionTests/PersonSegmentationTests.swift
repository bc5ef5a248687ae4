import Imaging
import TestSupport
import Testing

@testable import MatteVision

/// The segmentation network of our own, as set-up builds it.
struct PersonSegmentationTests {
    /// Of a part of a picture, as large as the network's, or as it is turned.
    private func mask(_ library: ModelLibrary, isTurned: Bool) throws -> ScalarMap {
        let source = try library.installed().model("person_segmentation")
        let network = try SegmentationNetwork(isTurned ? #require(source.turned) : source, library: library)
        let input = network.description.input
        var picture = RGBMap(width: input.width, height: input.height)
        FrameSampler().sample(
            try FixturePicture.load("anna_048.png"),
            source: Rectangle(x: 160, y: 40, width: Double(input.width), height: Double(input.height)), into: &picture)
        var state = RecurrentState(network.description)
        var mask = ScalarMap(width: 1, height: 1)
        _ = try network.segment(picture, state: &state, into: &mask)
        return mask
    }

    private func differences(_ first: ScalarMap, _ second: ScalarMap) throws -> (mean: Float, most: Float) {
        try #require(first.width == second.width && first.height == second.height)
        let differences = zip(first.values, second.values).map { abs($0 - $1) }
        return (differences.reduce(0, +) / Float(differences.count), differences.max()!)
    }

    // What ONNX's reference makes of the network (Training/record.py), recorded as 16-bit grey. What differs in the last of 32 bits may
    // be rounded to another of 256 steps.
    @Test(arguments: [("anna_048_person.png", false), ("anna_048_person_turned.png", true)])
    func theMaskIsThatOfTheReference(_ name: String, _ isTurned: Bool) throws {
        let recorded = try FixturePicture.map(name)
        let (mean, most) = try differences(mask(.exact, isTurned: isTurned), recorded)
        #expect(mean < 3e-4 && most < 0.04, "\(mean) \(most)")
        #expect(recorded.values.contains { $0 > 0.9 } && recorded.values.contains { $0 < 0.1 })
    }

    // Where the processor computes in 32 bits alone they are the same.
    @Test(arguments: [(false, 1e-3, 0.1), (true, 2e-3, 0.2)] as [(Bool, Float, Float)])
    func fewerBitsMakeTheSameMask(_ isTurned: Bool, _ meanLimit: Float, _ limit: Float) throws {
        let library = ModelLibrary(directory: Checkout.models)
        let (mean, most) = try differences(mask(library, isTurned: isTurned), mask(.exact, isTurned: isTurned))
        #expect(mean < meanLimit && most < limit, "\(mean) \(most)")
    }
}
