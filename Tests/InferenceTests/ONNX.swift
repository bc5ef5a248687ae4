import Foundation

/// Small ONNX models, message by message (`onnx.proto`).
enum ONNX {
    static func bytes(_ field: UInt8, _ content: Data) -> Data {
        precondition(content.count < 128 * 128)
        let length = [UInt8(content.count & 0x7F) | 0x80, UInt8(content.count >> 7)]
        return Data([field << 3 | 2]) + Data(length) + content
    }

    static func text(_ field: UInt8, _ text: String) -> Data { bytes(field, Data(text.utf8)) }

    /// A field whose number does not fit into a byte's five bits for it.
    static func far(_ field: UInt64, _ content: Data) -> Data {
        let tag = field << 3 | 2
        return Data([UInt8(tag & 0x7F) | 0x80, UInt8(tag >> 7)]) + bytes(0, content).dropFirst()
    }

    static func entry(_ key: String, _ value: String) -> Data { text(1, key) + text(2, value) }

    static func tensor(_ entry: Data) -> Data { bytes(13, entry) }

    /// A model whose one tensor lies in the file `weights`.
    static func model(weights: String) -> Data { bytes(7, bytes(5, tensor(entry("location", weights)))) }
}
