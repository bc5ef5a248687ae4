/// A 64-bit hash that tells contents apart: every bit of them changes about half of its own.
///
/// Fast rather than safe from someone who looks for two contents with one hash. Each step is a multiplication and a shift, as
/// in MurmurHash64A.
struct ContentHash {
    private(set) var value: UInt64

    init(seed: UInt64 = 0x9E37_79B9_7F4A_7C15) { value = seed }

    private mutating func mix(_ word: UInt64) {
        value = (value ^ word) &* 0xC6A4_A793_5BD1_E995
        value ^= value &>> 32
    }

    /// Adds the bytes and their number.
    mutating func add(_ bytes: UnsafeRawBufferPointer) {
        var offset = 0
        while offset + 8 <= bytes.count {
            mix(bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            offset += 8
        }
        var tail: UInt64 = 0
        for index in offset..<bytes.count { tail = tail << 8 | UInt64(bytes[index]) }
        mix(tail)
        mix(UInt64(bytes.count))
    }

    mutating func add(_ text: String) { Array(text.utf8).withUnsafeBytes { add($0) } }
}
