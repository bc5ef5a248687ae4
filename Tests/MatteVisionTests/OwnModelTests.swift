import Foundation
import Imaging
import TestSupport
import Testing

@testable import MatteVision

/// A user's own network, described by a manifest entry: here a recurrent one whose mask is the mean of the picture's
/// brightness and of the mask before it.
struct OwnModelTests {
    private let folder = TemporaryFolder()

    private func description(name: String = "mean", input: String = "image", width: Int = 8) -> String {
        """
        {"name": "\(name)", "file": "mean.xml",
         "input": {"name": "\(input)", "width": \(width), "height": 8, "range": [0, 1], "layout": "NCHW"},
         "output": {"name": "mask", "kind": "probability"},
         "state": [{"input": "past", "output": "next", "shape": [1, 1, 8, 8]}]}
        """
    }

    private func write(_ description: String, factor: Float = 0.5) throws -> ModelLibrary {
        try Data(description.utf8).write(to: folder.url("mean.json"))
        try Data(Self.network.utf8).write(to: folder.url("mean.xml"))
        var weights = Data()
        for axis in [Int64(1)] { withUnsafeBytes(of: axis) { weights.append(contentsOf: $0) } }
        for factor in [factor, 1] { withUnsafeBytes(of: factor) { weights.append(contentsOf: $0) } }
        try weights.write(to: folder.url("mean.bin"))
        return ModelLibrary(directory: Checkout.models, segmentationModel: folder.path("mean.json"))
    }

    private func grey(_ value: UInt8, pts: Int64) -> VideoFrame {
        var buffer = MutablePixelBuffer(format: .gray8, width: 16, height: 16)
        buffer.withMutablePlane(0) { plane in
            for y in 0..<16 { plane.row(y, as: UInt8.self).update(repeating: value, count: 16) }
        }
        return VideoFrame(pixelBuffer: buffer.publish(), pts: pts, color: ColorDescription(range: .full))
    }

    private func value(_ request: GeneratePersonSegmentationRequest, _ frame: VideoFrame) throws -> Float {
        try request.perform(on: frame).pixelBuffer.withPlane(0) { Float($0.row(8, as: UInt8.self)[8]) / 255 }
    }

    @Test func stateGoesFromFrameToFrameAndIsForgotten() throws {
        let request = GeneratePersonSegmentationRequest(qualityLevel: .fast, models: try write(description()))
        let bright = 255 as UInt8
        #expect(abs(try value(request, grey(bright, pts: 0)) - 0.5) < 0.01)
        // A network with a memory is not smoothed.
        #expect(abs(try value(request, grey(bright, pts: 1)) - 0.75) < 0.01)
        for pts in 2..<9 { _ = try value(request, grey(bright, pts: Int64(pts))) }
        #expect(try value(request, grey(bright, pts: 9)) > 0.95)
        request.reset()
        #expect(abs(try value(request, grey(bright, pts: 10)) - 0.5) < 0.01)
    }

    @Test func whatIsNoNumberIsForgotten() throws {
        let request = GeneratePersonSegmentationRequest(
            qualityLevel: .fast, models: try write(description(), factor: 1e4))
        // What is remembered grows beyond all numbers; the picture darkens slowly, so that it is one scene.
        let levels =
            [Int](repeating: 255, count: 12) + stride(from: 255, through: 0, by: -15) + [Int](repeating: 0, count: 12)
        var last: Float = 1
        for (pts, level) in levels.enumerated() { last = try value(request, grey(UInt8(level), pts: Int64(pts))) }
        #expect(last == 0)
    }

    @Test func barsAreForgottenWithTheVideo() throws {
        /// 64 by 64 pixels with a picture between two bars, which a thin light reaches over.
        func boxed(_ picture: UInt8, light: UInt8, pts: Int64) -> VideoFrame {
            var buffer = MutablePixelBuffer(format: .gray8, width: 64, height: 64)
            buffer.withMutablePlane(0) { plane in
                for y in 0..<64 {
                    let row = plane.row(y, as: UInt8.self)
                    row.update(repeating: (8..<56).contains(y) ? picture : 0, count: 64)
                    for x in 30..<33 { row[x] = max(row[x], light) }
                }
            }
            return VideoFrame(pixelBuffer: buffer.publish(), pts: pts, color: ColorDescription(range: .full))
        }
        func request() throws -> GeneratePersonSegmentationRequest {
            GeneratePersonSegmentationRequest(qualityLevel: .fast, models: try write(description()))
        }
        func mask(_ request: GeneratePersonSegmentationRequest, _ pts: Int64) throws -> [UInt8] {
            try request.perform(on: boxed(0, light: 255, pts: pts)).pixelBuffer.withPlane(0) { plane in
                (0..<64).flatMap { y in (0..<64).map { plane.row(y, as: UInt8.self)[$0] } }
            }
        }
        let (used, other) = (try request(), try request())
        for request in [used, other] { _ = try request.perform(on: boxed(255, light: 0, pts: 0)) }
        let fresh = try mask(try request(), 1)
        #expect(fresh[4 * 64 + 31] > 0)
        #expect(try mask(other, 1)[4 * 64 + 31] == 0, "one video's bars stay")
        used.reset()
        #expect(try mask(used, 1) == fresh)
    }

    private func memoryless() throws -> String {
        let memoryless = description().replacing(try Regex(#",\s*"state": \[.*\]"#), with: "")
        #expect(memoryless != description())
        return memoryless
    }

    // It may mean something else than people.
    @Test func itsMaskIsWhatItSays() throws {
        let plan = try LevelPlan(level: "accurate", networks: LoadedNetworks(try write(memoryless())))
        #expect(plan.level.closeUps == nil && plan.level.matting == nil)
    }

    @Test func itSeesEveryFrameIfItRemembersThemOrGivesTheirColors() throws {
        func propagation(_ description: String) throws -> LevelDescription.Propagation? {
            try LevelPlan(level: "accurate", networks: LoadedNetworks(try write(description))).level
                .propagation
        }
        let colorful = try memoryless().replacing(
            #""probability""#, with: #""probability", "foreground": "colors""#)
        #expect(try propagation(description()) == nil)
        #expect(try propagation(colorful) == nil)
        #expect(try propagation(memoryless()) != nil)
    }

    @Test func aDescriptionThatDoesNotFitTheFileIsAnError() throws {
        let wrongName = GeneratePersonSegmentationRequest(models: try write(description(input: "picture")))
        #expect(
            throws: VisionError(
                .invalid,
                "the model '\(folder.path("mean.xml"))' does not have the input and output that its description names")
        ) { try wrongName.perform(on: grey(1, pts: 0)) }
        let wrongSize = GeneratePersonSegmentationRequest(models: try write(description(width: 9)))
        #expect(
            throws: VisionError(
                .invalid,
                "the model '\(folder.path("mean.xml"))' takes an input of [1, 3, 8, 8], "
                    + "but its description says [1, 3, 8, 9]")
        ) { try wrongSize.perform(on: grey(1, pts: 0)) }
    }

    @Test func aFileThatIsMissingIsWantedBesideItsDescription() throws {
        let models = try write(description())
        try FileManager.default.removeItem(at: folder.url("mean.xml"))
        #expect(
            throws: VisionError(
                .unavailable,
                "the model '\(folder.path("mean.xml"))' is missing: its description names a file that lies beside it")
        ) { try GeneratePersonSegmentationRequest(models: models).perform(on: grey(1, pts: 0)) }
    }

    private func refusal(_ description: String) throws -> VisionError? {
        let request = GeneratePersonSegmentationRequest(models: try write(description))
        return #expect(throws: VisionError.self) { try request.perform(on: grey(1, pts: 0)) }
    }

    @Test func inputsAndOutputsAreThoseOfTheFile() throws {
        let path = folder.path("mean.xml")
        func sentence(_ words: String) -> VisionError { VisionError(.invalid, "the model '\(path)' \(words)") }
        let sound = description()
        #expect(
            try refusal(sound.replacing("\"past\"", with: "\"future\""))
                == sentence("has no input 'future', which its description names"))
        #expect(
            try refusal(sound.replacing("\"next\"", with: "\"last\""))
                == sentence("has no output 'last', which its description names"))
        #expect(
            try refusal(sound.replacing("[1, 1, 8, 8]", with: "[1, 1, 8, 9]"))
                == sentence("takes an input of [1, 1, 8, 8], but its description says [1, 1, 8, 9]"))
        #expect(
            try refusal(sound.replacing("\"probability\"", with: "\"probability\", \"foreground\": \"colors\""))
                == sentence("has no output 'colors', which its description names"))
        let stateless = sound.replacing(/"state".*\]/, with: "\"state\": []")
        #expect(try refusal(stateless) == sentence("has an input 'past', which its description does not tell of"))
        #expect(
            try refusal(sound.replacing("\"probability\"", with: "\"landmarks\""))
                == VisionError(
                    .invalid,
                    "the model 'mean' does not fit its description: "
                        + "a segmentation network's output is probability, logits or classMap"))
    }

    @Test func aFileIsTheOneThatItsHashTells() throws {
        let sound = description()
        _ = try write(sound)
        let hash = try Tool("sha256sum")(folder.path("mean.xml")).prefix(64)
        func told(_ hash: some StringProtocol) -> String {
            sound.replacing("\"input\": {\"name\"", with: "\"sha256\": \"\(hash)\", \"input\": {\"name\"")
        }
        for hash in [String(hash), hash.uppercased()] {
            let request = GeneratePersonSegmentationRequest(qualityLevel: .fast, models: try write(told(hash)))
            #expect(throws: Never.self) { try request.perform(on: grey(1, pts: 0)) }
        }
        #expect(
            try refusal(told(hash.dropLast() + (hash.hasSuffix("0") ? "1" : "0")))
                == VisionError(
                    .invalid,
                    "the model '\(folder.path("mean.xml"))' was changed, its SHA-256 is not that of its description: "
                        + "run 'make setup' in a checkout of matte, or get the file anew from where it came"))
    }

    // The halving network takes any size.
    @Test func aTurnableNetworkSeesWhatIsHigherThanWideUpright() throws {
        let stateless = description(width: 16).replacing(/,\s*"state".*\]/, with: "")
        func lane(_ description: String) throws -> NetworkLane {
            let networks = LoadedNetworks(try write(description))
            try Data(Self.halvingNetwork.utf8).write(to: folder.url("mean.xml"))
            return NetworkLane(try LevelPlan(level: "fast", networks: networks).load(networks).segmentation)
        }
        let turnable = try lane(stateless.replacing("\"NCHW\"", with: "\"NCHW\", \"turnable\": true"))
        let frame = grey(100, pts: 0)
        for (width, height, seen) in [(30.0, 40.0, (4, 8)), (40, 30, (8, 4)), (40, 40, (8, 4))] {
            try turnable.turn(toWidth: width, height: height)
            #expect((turnable.width, turnable.height) == (2 * seen.0, 2 * seen.1))
            try turnable.segment(
                RGBMap(width: 1, height: 1), of: frame, rectangle: Rectangle(x: 0, y: 0, width: 16, height: 16))
            #expect((turnable.mask.width, turnable.mask.height) == seen, "\(width)x\(height)")
            #expect(turnable.mask.values.allSatisfy { abs($0 - 100 / 255) < 1e-3 })
        }
        // The file's own size is 8x8.
        #expect(throws: VisionError.self) { try lane(stateless) }
    }

    @Test func aNetworkThatCanNotBeTurnedIsAnError() throws {
        // Its memory has one size.
        let description = try memoryless().replacing("\"NCHW\"", with: "\"NCHW\", \"turnable\": true")
            .replacing("\"width\": 8", with: "\"width\": 16")
        let error = try refusal(description)
        #expect(error?.kind == .invalid)
        #expect(error?.description.hasPrefix("can't reshape the model '\(folder.path("mean.xml"))': ") == true)
    }

    // Only what is higher than wide would be seen so, which may not come before the end of a video.
    @Test func aNetworkThatCanNotBeTurnedIsAnErrorFromTheStart() throws {
        let wide = Self.halvingNetwork.replacing("shape=\"1,3,8,8\"", with: "shape=\"1,3,8,16\"")
            .replacing("kernel=\"2,2\"", with: "kernel=\"2,10\"")
        func value(_ layout: String) throws -> Float {
            let stateless = description(width: 16).replacing(/,\s*"state".*\]/, with: "")
            let models = try write(stateless.replacing("\"NCHW\"", with: layout))
            try Data(wide.utf8).write(to: folder.url("mean.xml"))
            return try self.value(GeneratePersonSegmentationRequest(models: models), grey(100, pts: 0))
        }
        #expect(abs(try value("\"NCHW\"") - 100 / 255) < 0.01)
        let error = #expect(throws: VisionError.self) { try value("\"NCHW\", \"turnable\": true") }
        #expect(error?.kind == .invalid)
        #expect(error?.description.hasPrefix("can't reshape the model '\(folder.path("mean.xml"))': ") == true)
    }

    @Test func aMaskOfAnotherSizeIsSteadiedToo() throws {
        let stateless = description().replacing(/"state".*\]/, with: "\"state\": []")
        let models = try write(stateless)
        try Data(Self.halvingNetwork.utf8).write(to: folder.url("mean.xml"))
        let request = GeneratePersonSegmentationRequest(qualityLevel: .fast, models: models)
        #expect(abs(try value(request, grey(200, pts: 0)) * 255 - 200) < 1)
        // Alone it would be 206.
        #expect(try value(request, grey(206, pts: 1)) * 255 < 205)
    }

    private static func port(_ id: Int, _ shape: [Int], name: String? = nil, precision: String = "FP32") -> String {
        let names = name.map { " names=\"\($0)\"" } ?? ""
        let dimensions = shape.map { "<dim>\($0)</dim>" }.joined()
        return "<port id=\"\(id)\" precision=\"\(precision)\"\(names)>\(dimensions)</port>"
    }

    /// OpenVINO IR: mask = mean over channels and two by two pixels of image.
    private static var halvingNetwork: String {
        let (picture, plane, half) = ([1, 3, 8, 8], [1, 1, 8, 8], [1, 1, 4, 4])
        return """
            <?xml version="1.0"?>
            <net name="mean" version="11"><layers>
            <layer id="0" name="image" type="Parameter" version="opset1"><data shape="1,3,8,8" element_type="f32"/>
            <output>\(port(0, picture, name: "image"))</output></layer>
            <layer id="1" name="axis" type="Const" version="opset1">
            <data element_type="i64" shape="1" offset="0" size="8"/>
            <output>\(port(0, [1], precision: "I64"))</output></layer>
            <layer id="2" name="mean" type="ReduceMean" version="opset1"><data keep_dims="true"/>
            <input>\(port(0, picture))\(port(1, [1], precision: "I64"))</input><output>\(port(2, plane))</output></layer>
            <layer id="3" name="mask" type="AvgPool" version="opset1">
            <data kernel="2,2" strides="2,2" pads_begin="0,0" pads_end="0,0" exclude-pad="true" \
            rounding_type="floor" auto_pad="explicit"/>
            <input>\(port(0, plane))</input><output>\(port(1, half, name: "mask"))</output></layer>
            <layer id="4" name="result" type="Result" version="opset1"><input>\(port(0, half))</input></layer>
            </layers><edges>
            <edge from-layer="0" from-port="0" to-layer="2" to-port="0"/>
            <edge from-layer="1" from-port="0" to-layer="2" to-port="1"/>
            <edge from-layer="2" from-port="2" to-layer="3" to-port="0"/>
            <edge from-layer="3" from-port="1" to-layer="4" to-port="0"/>
            </edges></net>
            """
    }

    /// OpenVINO IR: next = mask = (mean over channels of image + past) * 0.5.
    private static var network: String {
        let (picture, plane, scalar) = ([1, 3, 8, 8], [1, 1, 8, 8], [Int]())
        func parameter(_ id: Int, _ name: String, _ shape: [Int]) -> String {
            """
            <layer id="\(id)" name="\(name)" type="Parameter" version="opset1">
            <data shape="\(shape.map(String.init).joined(separator: ","))" element_type="f32"/>
            <output>\(port(0, shape, name: name))</output></layer>
            """
        }
        func constant(_ id: Int, _ type: String, _ shape: [Int], offset: Int, size: Int, precision: String) -> String {
            """
            <layer id="\(id)" name="constant\(id)" type="Const" version="opset1">
            <data element_type="\(type)" shape="\(shape.map(String.init).joined(separator: ","))" \
            offset="\(offset)" size="\(size)"/>
            <output>\(port(0, shape, precision: precision))</output></layer>
            """
        }
        func multiply(_ id: Int, _ name: String) -> String {
            """
            <layer id="\(id)" name="\(name)" type="Multiply" version="opset1"><data auto_broadcast="numpy"/>
            <input>\(port(0, plane))\(port(1, scalar))</input><output>\(port(2, plane, name: name))</output></layer>
            """
        }
        func result(_ id: Int) -> String {
            """
            <layer id="\(id)" name="result\(id)" type="Result" version="opset1"><input>\(port(0, plane))</input></layer>
            """
        }
        let layers = [
            parameter(0, "image", picture), parameter(1, "past", plane),
            constant(2, "i64", [1], offset: 0, size: 8, precision: "I64"),
            """
            <layer id="3" name="mean" type="ReduceMean" version="opset1"><data keep_dims="true"/>
            <input>\(port(0, picture))\(port(1, [1], precision: "I64"))</input><output>\(port(2, plane))</output></layer>
            """,
            """
            <layer id="4" name="sum" type="Add" version="opset1"><data auto_broadcast="numpy"/>
            <input>\(port(0, plane))\(port(1, plane))</input><output>\(port(2, plane))</output></layer>
            """,
            constant(5, "f32", scalar, offset: 8, size: 4, precision: "FP32"), multiply(6, "mask"),
            constant(7, "f32", scalar, offset: 12, size: 4, precision: "FP32"), multiply(8, "next"), result(9),
            result(10),
        ]
        // From layer and port to layer and port.
        let edges = [
            (0, 0, 3, 0), (2, 0, 3, 1), (3, 2, 4, 0), (1, 0, 4, 1), (4, 2, 6, 0), (5, 0, 6, 1), (6, 2, 8, 0),
            (7, 0, 8, 1),
            (6, 2, 9, 0), (8, 2, 10, 0),
        ].map { "<edge from-layer=\"\($0.0)\" from-port=\"\($0.1)\" to-layer=\"\($0.2)\" to-port=\"\($0.3)\"/>" }
        return """
            <?xml version="1.0"?>
            <net name="mean" version="11"><layers>\(layers.joined(separator: "\n"))</layers>
            <edges>\(edges.joined(separator: "\n"))</edges></net>
            """
    }
}
