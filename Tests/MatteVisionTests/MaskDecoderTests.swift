import Foundation
import Imaging
import Testing

@testable import MatteVision

struct MaskDecoderTests {
    private func decoder(_ output: String, layout: String = "NCHW") throws -> MaskDecoder {
        let description = """
            {"name": "net", "file": "net.onnx", "output": \(output),
             "input": {"width": 3, "height": 2, "range": [0, 1], "layout": "\(layout)"}}
            """
        return MaskDecoder(description: try JSONDecoder().decode(ModelDescription.self, from: Data(description.utf8)))
    }

    private func map(_ decoder: MaskDecoder, _ elements: [Float], _ shape: [Int]) throws -> ScalarMap {
        var map = ScalarMap(width: 1, height: 1)
        try elements.withUnsafeBufferPointer { try decoder.decode($0, shape: shape, into: &map) }
        return map
    }

    private func near(_ map: ScalarMap, _ expected: [Float]) -> Bool {
        map.width == 3 && map.height == 2 && zip(map.values, expected).allSatisfy { abs($0 - $1) < 1e-6 }
    }

    private let six: [Float] = [0, 0.2, 0.4, 0.6, 0.8, 1]

    @Test(arguments: [[1, 1, 2, 3], [1, 2, 3], [2, 3]])
    func oneChannelIsTheProbability(_ shape: [Int]) throws {
        #expect(near(try map(decoder(#"{"kind": "probability"}"#), six, shape), six))
        #expect(near(try map(decoder(#"{"kind": "probability"}"#, layout: "NHWC"), six, [1, 2, 3, 1]), six))
    }

    @Test func logitsAreLogarithmicOdds() throws {
        let logits: [Float] = [-20, -1, 0, 1, 2, 20]
        let expected = logits.map { 1 / (1 + exp(-$0)) }
        #expect(near(try map(decoder(#"{"kind": "logits"}"#), logits, [1, 1, 2, 3]), expected))
        #expect(near(try map(decoder(#"{"kind": "logits", "classes": [0]}"#), logits, [1, 1, 2, 3]), expected))
    }

    // Three classes; the last two are people. The same scores in both orders of dimensions.
    @Test func classesAddUpToPeople() throws {
        let scores: [[Float]] = [[1, 2, 3, 0, 0, 9], [2, 1, 0, 0, 5, 9], [0, 0, 1, 0, 5, 100]]
        let expected = (0..<6).map { pixel -> Float in
            let powers = scores.map { exp(Double($0[pixel])) }
            return Float((powers[1] + powers[2]) / powers.reduce(0, +))
        }
        let planar = try map(decoder(#"{"kind": "logits", "classes": [1, 2]}"#), scores.flatMap { $0 }, [1, 3, 2, 3])
        #expect(near(planar, expected))
        let interleaved = (0..<6).flatMap { pixel in scores.map { $0[pixel] } }
        let turned = try map(
            decoder(#"{"kind": "logits", "classes": [1, 2], "layout": "NHWC"}"#), interleaved, [1, 2, 3, 3])
        #expect(near(turned, expected))
        let shares = scores.map { $0.map { $0 / 200 } }
        let sums = (0..<6).map { shares[1][$0] + shares[2][$0] }
        let probabilities = try map(
            decoder(#"{"kind": "probability", "classes": [1, 2]}"#), shares.flatMap { $0 }, [1, 3, 2, 3])
        #expect(near(probabilities, sums))
    }

    @Test func aMapOfClassesIsPeopleOrNot() throws {
        let classes: [Float] = [0, 15, 3, 15, 12, .nan]
        let found = try map(decoder(#"{"kind": "classMap", "classes": [15, 12]}"#), classes, [1, 2, 3])
        #expect(near(found, [0, 1, 0, 1, 1, 0]))
    }

    @Test func whatDoesNotFitIsSaid() throws {
        func cause(_ output: String, _ count: Int, _ shape: [Int]) throws -> String? {
            let error = #expect(throws: VisionError.self) {
                try map(decoder(output), Array(repeating: 0, count: count), shape)
            }
            return error?.description
        }
        let prefix = "the model 'net' does not fit its description: "
        #expect(
            try cause(#"{"kind": "probability"}"#, 18, [1, 3, 2, 3])
                == prefix + "its output has 3 channels, and 'classes' must tell which are people")
        #expect(
            try cause(#"{"kind": "logits", "classes": [3]}"#, 18, [1, 3, 2, 3])
                == prefix + "its output has 3 classes, and no class 3")
        #expect(
            try cause(#"{"kind": "classMap"}"#, 6, [1, 2, 3])
                == prefix + "a map of classes has one channel, and 'classes' must tell which are people")
        #expect(try cause(#"{"kind": "probability"}"#, 6, [6]) == prefix + "its output of [6] is not a picture")
    }
}
