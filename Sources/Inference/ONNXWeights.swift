/// The files beside an ONNX model that its tensors lie in.
///
/// They are named by the entries of `TensorProto.external_data` whose key is `location` (`onnx.proto`). The messages are
/// walked as protocol buffers write them (encoding specification), so that no spelling of an entry is missed.
struct ONNXWeights {
    /// As the model spells them; "" where an entry has a key alone.
    private(set) var names: Set<String> = []
    private var hasGraph = false

    /// Messages nest no deeper than protocol buffers' own readers allow.
    private static let depthLimit = 100

    private enum Message {
        case model, training, graph, node, attribute, tensor, sparseTensor, function, entry
    }

    /// nil where the bytes are no ONNX model.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard walk(bytes, .model, depth: 0), hasGraph else { return nil }
    }

    /// What a field of a message holds, where that leads to a tensor.
    private static func content(of message: Message, field: UInt64) -> Message? {
        switch (message, field) {
        case (.model, 7), (.training, 1), (.training, 2), (.attribute, 6), (.attribute, 11): .graph
        case (.model, 20): .training
        case (.model, 25): .function
        case (.graph, 1), (.function, 7): .node
        case (.node, 5), (.function, 11): .attribute
        case (.graph, 5), (.attribute, 5), (.attribute, 10), (.sparseTensor, 1), (.sparseTensor, 2): .tensor
        case (.graph, 15), (.attribute, 22), (.attribute, 23): .sparseTensor
        case (.tensor, 13): .entry
        default: nil
        }
    }

    /// False where the bytes are no message.
    private mutating func walk(_ bytes: UnsafeRawBufferPointer, _ message: Message, depth: Int) -> Bool {
        guard depth < Self.depthLimit else { return false }
        var rest = bytes[...]
        // The last one of each counts.
        var (key, value) = ("", "")
        while !rest.isEmpty {
            guard let tag = Self.number(&rest), tag <= UInt32.max, tag >> 3 != 0 else { return false }
            switch tag & 7 {
            case 0: guard Self.number(&rest) != nil else { return false }
            case 1: guard Self.take(8, of: &rest) != nil else { return false }
            case 5: guard Self.take(4, of: &rest) != nil else { return false }
            case 2:
                guard let length = Self.number(&rest), let part = Self.take(length, of: &rest) else { return false }
                if message == .entry, tag >> 3 <= 2 {
                    let text = String(decoding: part, as: UTF8.self)
                    if tag >> 3 == 1 { key = text } else { value = text }
                } else if let content = Self.content(of: message, field: tag >> 3) {
                    if message == .model, content == .graph { hasGraph = true }
                    guard walk(UnsafeRawBufferPointer(rebasing: part), content, depth: depth + 1) else { return false }
                }
            // Groups, which ONNX has none of.
            default: return false
            }
        }
        if message == .entry, key == "location" { names.insert(value) }
        return true
    }

    /// A number of up to 64 bits, 7 in each byte, the lowest first.
    private static func number(_ rest: inout Slice<UnsafeRawBufferPointer>) -> UInt64? {
        var number: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 70, by: 7) {
            guard let byte = rest.popFirst() else { return nil }
            number |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return number }
        }
        return nil
    }

    private static func take(
        _ count: UInt64, of rest: inout Slice<UnsafeRawBufferPointer>
    ) -> Slice<UnsafeRawBufferPointer>? {
        guard count <= UInt64(rest.count) else { return nil }
        defer { rest = rest.dropFirst(Int(count)) }
        return rest.prefix(Int(count))
    }
}
