import TestSupport
import Testing

@testable import Inference

struct DeviceTests {
    private let network = "\(Checkout.models)/selfie_segmentation.tflite"

    private func device(_ name: String) -> Device {
        var options = Model.Options()
        options.device = name
        return Device(options)
    }

    private func outputs(_ name: String) throws -> [Float] {
        var options = Model.Options()
        options.device = name
        let model = try Model(path: network, options: options)
        let input = Tensor(shape: model.inputs[0].shape)
        input.withUnsafeMutableElements { for i in $0.indices { $0[i] = Float(i % 89) / 88 } }
        try model.setInput(model.inputs[0].name, to: input)
        try model.infer()
        return try model.withOutput(model.outputs[0].name) { elements, _ in Array(elements) }
    }

    /// What chooses among devices gives what the device gives.
    @Test(arguments: ["AUTO:CPU", "MULTI:CPU", "HETERO:CPU"])
    func virtualDevice(name: String) throws {
        #expect(try outputs(name) == outputs("CPU"))
    }

    @Test func bestDeviceIsFound() throws {
        let automatic = try outputs("AUTO")
        #expect(zip(automatic, try outputs("CPU")).allSatisfy { abs($0 - $1) < 0.01 })
    }

    @Test(arguments: ["ABACUS", "cpu", "GPU.77", "AUTO:ABACUS", "HETERO:ABACUS,CPU"])
    func absentDeviceIsNamedWithThoseThatAreThere(name: String) throws {
        let available = try Runtime.shared(for: device("CPU"), file: "").availableDevices
        #expect(available.contains("CPU"))
        var options = Model.Options()
        options.device = name
        let error = #expect(throws: InferenceError.self) { try Model(path: network, options: options) }
        let missing = name.hasSuffix("ABACUS") || name.hasPrefix("HETERO") ? "ABACUS" : name
        #expect(
            error?.description
                == "can't compile the model '\(network)': there is no device '\(missing)' here, only "
                + "\(available.joined(separator: ", ")); choose another, or install its driver")
    }

    // A device runs as many streams side by side, which share its threads.
    @Test func inferencesSideBySideHaveThreadsOfTheirOwn() {
        var options = Model.Options()
        (options.threads, options.inferences) = (2, 3)
        let properties = Dictionary(uniqueKeysWithValues: Device(options).properties)
        #expect(properties["NUM_STREAMS"] == "3" && properties["INFERENCE_NUM_THREADS"] == "6")
        options.device = "AUTO:GPU,CPU"
        #expect(Device(options).virtualProperties.contains("NUM_STREAMS:3,INFERENCE_NUM_THREADS:6,"))
        for (name, count) in [("GPU.1", "3"), ("NPU", "1")] {
            options.device = name
            #expect(Device(options).properties.contains { $0 == ("NUM_STREAMS", count) }, "\(name)")
        }
        (options.device, options.threads) = ("CPU", .max)
        #expect(Device(options).properties.contains { $0 == ("INFERENCE_NUM_THREADS", "\(Int.max)") })
    }

    @Test func namesInAVirtualDevice() {
        #expect(device("CPU").named == ["CPU"])
        #expect(device("GPU.1").named == ["GPU.1"])
        #expect(device("AUTO").named == [])
        #expect(device("AUTO:GPU,CPU").named == ["GPU", "CPU"])
        #expect(device("AUTO:-GPU,CPU").named == ["CPU"])
        #expect(device("MULTI:CPU(4)").named == ["CPU"])
        #expect(Device.isThere("GPU", among: ["CPU", "GPU.0", "GPU.1"]))
        #expect(Device.isThere("GPU.0", among: ["CPU", "GPU"]))
        #expect(!Device.isThere("GPU.1", among: ["CPU", "GPU"]))
        #expect(!Device.isThere("GPU", among: ["CPU"]))
    }
}
