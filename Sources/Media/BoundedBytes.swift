/// Bytes of a file that may lie about itself: what is read beyond their end is nil.
struct BoundedBytes {
    let bytes: [UInt8]
    let isLittleEndian: Bool

    init(_ bytes: [UInt8], isLittleEndian: Bool = false) {
        self.bytes = bytes
        self.isLittleEndian = isLittleEndian
    }

    var count: Int { bytes.count }

    func uint16(at offset: Int) -> Int? { number(at: offset, byteCount: 2) }
    func uint32(at offset: Int) -> Int? { number(at: offset, byteCount: 4) }

    private func number(at offset: Int, byteCount: Int) -> Int? {
        guard let part = slice(offset, byteCount) else { return nil }
        return isLittleEndian
            ? part.reversed().reduce(0) { $0 << 8 | Int($1) } : part.reduce(0) { $0 << 8 | Int($1) }
    }

    /// `count` bytes from `offset` on; nil where they aren't all there.
    func slice(_ offset: Int, _ count: Int) -> ArraySlice<UInt8>? {
        guard offset >= 0, count >= 0, offset <= bytes.count, count <= bytes.count - offset else { return nil }
        return bytes[offset..<offset + count]
    }

    func starts(with prefix: [UInt8], at offset: Int = 0) -> Bool {
        slice(offset, prefix.count).map { $0.elementsEqual(prefix) } ?? false
    }
}
