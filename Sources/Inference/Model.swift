import COpenVINO

/// A neural network, compiled for a device, with one inference under way at a time.
///
/// Made from a file in any format that the runtime reads (OpenVINO IR, ONNX, TensorFlow Lite). Inputs are 32-bit floating
/// point, whole numbers in outputs are read as such, and both are named as in the file. Compiling takes some tenths of a
/// second, less when a cache folder is given. Not safe to use from two threads at once; several models run side by side on
/// threads of their own.
package final class Model {
    /// Where and how a model runs.
    package struct Options: Hashable, Sendable {
        /// The arithmetic inside the network; `bfloat16` is faster where the CPU has it, and less exact.
        package enum Precision: Hashable, Sendable {
            case float32, bfloat16

            /// As the runtime calls it.
            var name: String { self == .float32 ? "f32" : "bf16" }
        }

        /// The runtime's name of the device, such as `CPU`, `GPU`, `GPU.1` or `NPU`, or of what chooses among several, such as
        /// `AUTO` or `AUTO:GPU,CPU`.
        package var device = "CPU"
        /// What the device is asked for; an NPU takes what it has.
        package var precision = Precision.float32
        /// CPU threads that one inference uses, on a CPU.
        package var threads = 1
        /// How many inferences can be under way at a time: the model's and those of its twins. What more there are wait.
        package var inferences = 1
        /// A folder that keeps compiled models between runs; nil for none. It is made if it is missing, and used only if it
        /// belongs to this user and nobody else may write there; at most 256 MB are kept. What chooses among devices keeps none.
        package var cacheDirectory: String?
        /// The shape that the network's only input is given in place of the file's, for a network that takes any; nil for the file's.
        package var inputShape: [Int]?

        package init() {}
    }

    /// An input or output of the network.
    package struct Port: Hashable, Sendable {
        /// As in the file.
        package let name: String
        /// Sizes of the dimensions, outermost first; -1 where the network accepts any.
        package let shape: [Int]
    }

    /// The largest file that is read, in bytes.
    package static let sizeLimit = ModelFiles.sizeLimit

    /// The file that the network was read from.
    package let path: String
    package let inputs: [Port]
    package let outputs: [Port]
    private let compiled: CompiledModel
    private let request: OpaquePointer
    /// What the inputs read, whose memory the runtime does not keep.
    private var tensors: [String: Tensor] = [:]
    /// The shapes of inputs with which it ran once.
    private var provenShapes: Set<[String: [Int]]> = []
    /// Whether those that are set now are among them.
    private var isProven = false

    /// Reads and compiles the model at `path`.
    ///
    /// The file may come from anybody: it and its weights are regular files of at most 1 GB each, and weights lie beside it.
    ///
    /// - Throws: `InferenceError` when the file can't be read or understood, the device is not there, or an input is not
    ///   32-bit floating point, or an output neither that nor whole numbers.
    package init(path: String, options: Options = Options()) throws(InferenceError) {
        let compiled = try ModelCompiler(options, file: path).compile(path)
        inputs = try Self.ports(
            of: compiled, count: ov_compiled_model_inputs_size, port: ov_compiled_model_input_by_index,
            types: [F32], file: path)
        outputs = try Self.ports(
            of: compiled, count: ov_compiled_model_outputs_size, port: ov_compiled_model_output_by_index,
            types: [F32, I32, I64, U8], file: path)
        request = try compiled.makeRequest(file: path)
        self.path = path
        self.compiled = compiled
    }

    private init(twinOf other: Model) throws(InferenceError) {
        (path, inputs, outputs, compiled) = (other.path, other.inputs, other.outputs, other.compiled)
        request = try compiled.makeRequest(file: path)
    }

    deinit { ov_infer_request_free(request) }

    /// The same network with inputs and outputs of its own, to run beside this one on another thread, as far as
    /// `Options.inferences` allows; the weights are there once for all.
    ///
    /// - Throws: `InferenceError` when the runtime fails, as where memory is short.
    package func makeTwin() throws(InferenceError) -> Model { try Model(twinOf: self) }

    private static func ports(
        of model: CompiledModel, count: (OpaquePointer, UnsafeMutablePointer<Int>) -> ov_status_e,
        port: (OpaquePointer, Int, UnsafeMutablePointer<OpaquePointer?>) -> ov_status_e, types: [ov_element_type_e],
        file: String
    ) throws(InferenceError) -> [Port] {
        var size = 0
        try check(count(model.pointer, &size), "look into", file: file)
        var ports: [Port] = []
        for index in 0..<size {
            var pointer: OpaquePointer?
            try check(port(model.pointer, index, &pointer), "look into", file: file)
            guard let pointer else { continue }
            defer { ov_output_const_port_free(pointer) }
            ports.append(try Self.describe(pointer, types: types, file: file))
        }
        return ports
    }

    private static func describe(
        _ port: OpaquePointer, types: [ov_element_type_e], file: String
    ) throws(InferenceError) -> Port {
        var type = DYNAMIC
        try check(ov_port_get_element_type(port, &type), "look into", file: file)
        var name: UnsafeMutablePointer<CChar>?
        try check(ov_port_get_any_name(port, &name), "look into", file: file)
        defer { if let name { ov_free(name) } }
        let title = name.map { String(cString: $0) } ?? ""
        guard types.contains(type) else {
            throw InferenceError(
                .invalid, operation: "use", file: file, cause: "'\(title)' is not 32-bit floating point")
        }
        var shape = ov_partial_shape_t()
        try check(ov_port_get_partial_shape(port, &shape), "look into", file: file)
        defer { ov_partial_shape_free(&shape) }
        let dimensions = (0..<Int(max(shape.rank.max, 0))).map { index in
            let dimension = shape.dims[index]
            return dimension.min == dimension.max ? Int(dimension.min) : -1
        }
        return Port(name: title, shape: dimensions)
    }

    /// Makes `tensor` what input `name` reads from now on: each `infer()` takes what the tensor holds then. The model keeps the
    /// tensor until the next `setInput` of that name.
    ///
    /// - Throws: `InferenceError` when there is no input `name` or the tensor's shape is not its shape.
    package func setInput(_ name: String, to tensor: Tensor) throws(InferenceError) {
        var dimensions = tensor.shape.map(Int64.init)
        var handle: OpaquePointer?
        let status = dimensions.withUnsafeMutableBufferPointer { dimensions in
            ov_tensor_create_from_host_ptr(
                F32, ov_shape_t(rank: Int64(dimensions.count), dims: dimensions.baseAddress), tensor.elements, &handle)
        }
        try check(status, "set input '\(name)' of", file: path)
        defer { ov_tensor_free(handle) }
        try check(ov_infer_request_set_tensor(request, name, handle), "set input '\(name)' of", file: path)
        if tensors[name]?.shape != tensor.shape { isProven = false }
        tensors[name] = tensor
    }

    /// Runs the network on the inputs that were set, and returns when the outputs are there.
    ///
    /// - Throws: `InferenceError` when the runtime fails, such as for an input that was never set to a shape that it can use.
    package func infer() throws(InferenceError) {
        if !isProven {
            let shapes = tensors.mapValues(\.shape)
            guard provenShapes.contains(shapes) else { return try prove(shapes) }
            isProven = true
        }
        try check(ov_infer_request_infer(request), "run", file: path)
    }

    /// Runs the network where the runtime tells what fails, as a shape that its layers can't use. In `ov_infer_request_infer` a CPU
    /// says nothing of it, and keeps what failed: the next network on that thread would run it, in memory that is given back.
    private func prove(_ shapes: [String: [Int]]) throws(InferenceError) {
        let takesAnyShape = inputs.contains { $0.shape.contains(-1) }
        let kind: InferenceError.Kind = takesAnyShape ? .invalid : .unavailable
        try check(ov_infer_request_start_async(request), "run", file: path, kind: kind)
        try check(ov_infer_request_wait(request), "run", file: path, kind: kind)
        provenShapes.insert(shapes)
        isProven = true
    }

    /// Calls `body` with the elements and the shape of output `name` as the last `infer()` left them; they are valid only
    /// during the call.
    ///
    /// - Throws: `InferenceError` when there is no output `name`.
    package func withOutput<R>(
        _ name: String, _ body: (UnsafeBufferPointer<Float>, [Int]) -> R
    ) throws(InferenceError) -> R {
        var handle: OpaquePointer?
        try check(ov_infer_request_get_tensor(request, name, &handle), "read output '\(name)' of", file: path)
        defer { ov_tensor_free(handle) }
        var shape = ov_shape_t()
        try check(ov_tensor_get_shape(handle, &shape), "read output '\(name)' of", file: path)
        defer { ov_shape_free(&shape) }
        var data: UnsafeMutableRawPointer?
        try check(ov_tensor_data(handle, &data), "read output '\(name)' of", file: path)
        var type = DYNAMIC
        try check(ov_tensor_get_element_type(handle, &type), "read output '\(name)' of", file: path)
        let dimensions = (0..<Int(shape.rank)).map { Int(shape.dims[$0]) }
        let count = dimensions.reduce(1, *)
        switch type {
        case I32: return Self.widened(data, Int32.self, count) { body($0, dimensions) }
        case I64: return Self.widened(data, Int64.self, count) { body($0, dimensions) }
        case U8: return Self.widened(data, UInt8.self, count) { body($0, dimensions) }
        default:
            return body(UnsafeBufferPointer(start: data?.assumingMemoryBound(to: Float.self), count: count), dimensions)
        }
    }

    private static func widened<T: BinaryInteger & Sendable, R>(
        _ data: UnsafeMutableRawPointer?, _ type: T.Type, _ count: Int, _ body: (UnsafeBufferPointer<Float>) -> R
    ) -> R {
        let elements = UnsafeBufferPointer(start: data?.assumingMemoryBound(to: type), count: count)
        return elements.map(Float.init).withUnsafeBufferPointer(body)
    }
}
