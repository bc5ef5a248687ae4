import Dispatch
import Imaging
import MatteVision
import Testing

@testable import Matte

/// The parts of a filter's work on threads of their own.
struct FilterPartsTests {
    /// Each frame's mask and picture, and the faces in it.
    private struct Result: Equatable {
        let mask: [UInt8]
        let picture: [UInt8]
        let faces: [FaceObservation]

        init(_ output: MatteFilter.Output) {
            (mask, picture) = (output.mask.pixelBuffer.luma(), output.frame.pixelBuffer.luma())
            faces = output.faces
        }
    }

    /// A scene, another of another size, and the first again.
    private func frames() throws -> [VideoFrame] {
        let first = try SampleClip.frames(limit: 6)
        return first + (try SampleClip.otherFrames()) + first.prefix(4)
    }

    @Test(arguments: [GeneratePersonSegmentationRequest.QualityLevel.balanced, .accurate])
    func oneThreadMayObserveWhileAnotherRefinesAndComposes(
        _ level: GeneratePersonSegmentationRequest.QualityLevel
    ) throws {
        var configuration = Configuration()
        configuration.qualityLevel = level
        let frames = try frames()
        let alone = MatteFilter(configuration)
        let expected = try frames.map { Result(try alone.process($0)) }
        // Each part is the matter of one thread.
        nonisolated(unsafe) let filter = MatteFilter(configuration)
        let queue = BoundedQueue<MatteFilter.Observed>(capacity: 2)
        DispatchQueue(label: "observe").async {
            for frame in frames {
                guard let observed = try? filter.observe(frame), queue.put(observed) else { break }
            }
            queue.finish()
        }
        var results: [Result] = []
        while let observed = queue.take() { results.append(Result(try filter.compose(filter.refine(observed)))) }
        #expect(results.count == expected.count)
        for (index, (result, expected)) in zip(results, expected).enumerated() {
            #expect(result == expected, "frame \(index)")
        }
    }
}
