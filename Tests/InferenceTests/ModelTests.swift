import Dispatch
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Inference

struct ModelTests {
    private let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../models").path

    @Test func portsAreNamedAndShapedAsInTheFile() throws {
        let model = try Model(path: "\(folder)/selfie_segmentation.tflite")
        #expect(model.inputs.map(\.shape) == [[1, 256, 256, 3]])
        #expect(model.outputs.map(\.shape) == [[1, 256, 256, 1]])
        #expect(!model.inputs[0].name.isEmpty)
    }

    @Test func anInputTakesTheShapeThatItIsGiven() throws {
        var options = Model.Options()
        options.inputShape = [1, 3, 64, 32]
        let model = try Model(path: "\(folder)/person_segmentation.onnx", options: options)
        #expect(model.inputs.map(\.shape) == [[1, 3, 64, 32]])
        #expect(model.outputs.map(\.shape) == [[1, 1, 64, 32]])
        options.inputShape = [1, 3, 64]
        let error = #expect(throws: InferenceError.self) {
            try Model(path: "\(folder)/person_segmentation.onnx", options: options)
        }
        #expect(error?.kind == .invalid && error?.operation == "reshape")
    }

    @Test func sameInputGivesSameOutput() throws {
        let model = try Model(path: "\(folder)/selfie_segmentation.tflite")
        let input = Tensor(shape: model.inputs[0].shape)
        input.withUnsafeMutableElements { for i in $0.indices { $0[i] = Float(i % 97) / 96 } }
        try model.setInput(model.inputs[0].name, to: input)
        var runs: [[Float]] = []
        for _ in 0..<2 {
            try model.infer()
            runs.append(try model.withOutput(model.outputs[0].name) { elements, _ in Array(elements) })
        }
        #expect(runs[0] == runs[1])
        #expect(runs[0].count == 256 * 256)
        #expect(runs[0].allSatisfy { (0...1).contains($0) })
    }

    // A runtime that fails on one thread would say nothing, and do it again for the next network, whose memory that is not.
    @Test func aNetworkThatFailsTellsAndHarmsNoOther() throws {
        func output(width: Int) throws -> [Float] {
            let model = try Model(path: "\(folder)/matting.onnx")
            let input = Tensor(shape: [1, 4, 96, width])
            input.withUnsafeMutableElements { for i in $0.indices { $0[i] = Float(i % 97) / 96 } }
            try model.setInput(model.inputs[0].name, to: input)
            try model.infer()
            return try model.withOutput(model.outputs[0].name) { elements, _ in Array(elements) }
        }
        let expected = try output(width: 96)
        for _ in 0..<3 {
            let error = #expect(throws: InferenceError.self) { try output(width: 100) }
            #expect(error?.kind == .invalid, "its layers do not fit together at this width")
            #expect(try output(width: 96) == expected)
        }
    }

    @Test func tensorLivesAsLongAsItIsRead() throws {
        let model = try Model(path: "\(folder)/selfie_segmentation.tflite")
        weak var first: Tensor?
        func set() throws -> Tensor? {
            let input = Tensor(shape: model.inputs[0].shape)
            try model.setInput(model.inputs[0].name, to: input)
            return input
        }
        first = try set()
        try model.infer()
        #expect(first != nil)
        weak let second = try set()
        #expect(first == nil && second != nil)
    }

    // With one inference for all, those who come at the same time wait.
    @Test(arguments: [1, 3])
    func twinsGiveWhatTheModelGivesEachOfItsOwnInput(inferences: Int) throws {
        func run(_ model: Model, _ seed: Int) throws -> [Float] {
            let input = Tensor(shape: model.inputs[0].shape)
            input.withUnsafeMutableElements { for i in $0.indices { $0[i] = Float(i * seed % 97) / 96 } }
            try model.setInput(model.inputs[0].name, to: input)
            for _ in 0..<3 { try model.infer() }
            return try model.withOutput(model.outputs[0].name) { elements, _ in Array(elements) }
        }
        let path = "\(folder)/selfie_segmentation.tflite"
        let alone = try (1...3).map { try run(try Model(path: path), $0) }
        #expect(Set(alone).count == 3)

        var options = Model.Options()
        options.inferences = inferences
        func family() throws -> [Model] {
            let model = try Model(path: path, options: options)
            return [model, try model.makeTwin(), try model.makeTwin()]
        }
        let models = try family()
        #expect(
            models.allSatisfy { $0.path == path && $0.inputs == models[0].inputs && $0.outputs == models[0].outputs })
        nonisolated(unsafe) let (together, run) = (models, run)
        let outputs = Mutex<[Int: [Float]]>([:])
        DispatchQueue.concurrentPerform(iterations: 3) { index in
            let output = try? run(together[index], index + 1)
            outputs.withLock { $0[index] = output }
        }
        #expect(outputs.withLock { outputs in (0..<3).map { outputs[$0] } } == alone)
        let last = try family()[2]
        #expect(try run(last, 2) == alone[1], "the model that it was made of is gone")
    }

    @Test func missingFileIsNamed() {
        let error = #expect(throws: InferenceError.self) { try Model(path: "/nowhere/net.tflite") }
        #expect(error?.kind == .unavailable)
        #expect(error?.description == "can't read the model '/nowhere/net.tflite': no such file or directory")
    }

    // Its first bytes are right, so that the runtime has to find out.
    @Test(arguments: ["selfie_segmentation.tflite", "matting.onnx"], [nil, "AUTO:CPU"])
    func damagedFileIsInvalid(_ name: String, _ device: String?) throws {
        let temporary = TemporaryFolder()
        var bytes = try Data(contentsOf: URL(filePath: "\(folder)/\(name)"))
        for place in stride(from: 1000, to: bytes.count, by: 1000) { bytes[place] ^= 0xFF }
        try bytes.write(to: temporary.url(name))
        var options = Model.Options()
        options.device = device ?? options.device
        let error = #expect(throws: InferenceError.self) { try Model(path: temporary.path(name), options: options) }
        #expect(error?.kind == .invalid)
        #expect(error?.description.hasPrefix("can't read the model '\(temporary.path(name))': ") == true)
    }

    // Debian has each in a package of its own.
    @Test func aFrontendThatIsNotInstalledIsNamed() {
        func problem(_ path: String, _ frontends: String) -> InferenceError? {
            ModelCompiler.missingFrontend(
                path, "Unable to read the model: \"\(path)\" Please check it. Available frontends: \(frontends) ")
        }
        let error = problem("a.b/net.tflite", "onnx ir")
        #expect(error?.kind == .unavailable)
        #expect(error?.cause == "OpenVINO's frontend 'tflite' is not here, only onnx, ir; install it")
        #expect(problem("net.xml", "onnx tflite")?.cause.contains("'ir'") == true)
        #expect(problem("net.onnx", "onnx tflite ir") == nil, "the file is damaged")
        #expect(ModelCompiler.missingFrontend("net.onnx", "Model can't be parsed") == nil)
    }

    @Test func unknownDeviceIsAnError() {
        var options = Model.Options()
        options.device = "ABACUS"
        let error = #expect(throws: InferenceError.self) {
            try Model(path: "\(folder)/selfie_segmentation.tflite", options: options)
        }
        #expect(error?.description.contains("ABACUS") == true)
    }

    @Test func unknownInputNameIsAnError() throws {
        let model = try Model(path: "\(folder)/selfie_segmentation.tflite")
        let error = #expect(throws: InferenceError.self) { try model.setInput("nothing", to: Tensor(shape: [1])) }
        #expect(error?.operation == "set input 'nothing' of")
    }
}
