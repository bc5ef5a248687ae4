/// A way of damaging a file.
enum Mutation: CaseIterable {
    case flipBits, replaceBytes, cut, removePiece, repeatPiece, zeroPiece, setWord

    /// What fields of 32 bits are set to: the least and the largest, which sizes and counts are not made for.
    static let words: [UInt32] = [0, 1, 0x7FFF_FFFF, 0xFFFF_FFFF, 0x8000_0000, 0xFFFF]

    /// `bytes` with one damage to eight, rather fewer, of kinds that `generator` draws.
    static func damaged(_ bytes: [UInt8], _ generator: inout Generator) -> [UInt8] {
        var result = bytes
        let count = 1 << min(Int.random(in: 0...3, using: &generator), Int.random(in: 0...3, using: &generator))
        for _ in 0..<count {
            guard !result.isEmpty else { break }
            allCases.randomElement(using: &generator)!.apply(to: &result, &generator)
        }
        return result
    }

    func apply(to bytes: inout [UInt8], _ generator: inout Generator) {
        let place = Self.place(in: bytes, &generator)
        let end = min(bytes.count, place + (1 << Int.random(in: 0...10, using: &generator)))
        switch self {
        case .flipBits: bytes[place] ^= 1 << UInt8.random(in: 0...7, using: &generator)
        case .replaceBytes:
            for index in place..<min(end, place + 8) { bytes[index] = .random(in: 0...255, using: &generator) }
        case .cut: bytes.removeSubrange(place...)
        case .removePiece: bytes.removeSubrange(place..<end)
        case .repeatPiece: bytes.insert(contentsOf: Array(bytes[place..<end]), at: end)
        case .zeroPiece: for index in place..<end { bytes[index] = 0 }
        case .setWord:
            let word = Self.words.randomElement(using: &generator)!
            let isLittle = Bool.random(using: &generator)
            for index in 0..<min(4, bytes.count - place) {
                bytes[place + index] = UInt8(truncatingIfNeeded: word >> UInt32(8 * (isLittle ? index : 3 - index)))
            }
        }
    }

    /// Every second place is in a header: the first 512 bytes, or the last, where indices lie.
    private static func place(in bytes: [UInt8], _ generator: inout Generator) -> Int {
        let any = Int.random(in: 0..<bytes.count, using: &generator)
        return switch Int.random(in: 0..<8, using: &generator) {
        case 0...2: any % min(512, bytes.count)
        case 3: bytes.count - 1 - any % min(1024, bytes.count)
        default: any
        }
    }
}
