import Foundation
import Testing

/// Elements of Matroska files (RFC 8794), whose sizes are told in 8 bytes.
enum Matroska {
    static func element(_ id: [UInt8], _ content: Data) -> Data {
        let size = withUnsafeBytes(of: (UInt64(content.count) | 1 << 56).bigEndian, Array.init)
        return Data(id) + Data(size) + content
    }

    /// The size that is told at `position`, and where the content begins.
    static func size(in bytes: Data, at position: Int) throws -> (size: Int, content: Int) {
        let first = bytes[position]
        try #require(first != 0)
        let count = first.leadingZeroBitCount + 1
        let size = bytes[position + 1..<position + count].reduce(Int(first) & ((1 << (8 - count)) - 1)) {
            $0 << 8 | Int($1)
        }
        return (size, position + count)
    }
}
