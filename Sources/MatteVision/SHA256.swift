/// The 256-bit hash of FIPS 180-4, by which a model's description tells the model's file.
struct SHA256 {
    /// In hexadecimal digits, lower case.
    let text: String

    private static let blockSize = 64

    /// The hash of all `bytes`.
    init(_ bytes: UnsafeRawBufferPointer) {
        var state: [UInt32] = [
            0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
        ]
        let whole = bytes.count / Self.blockSize * Self.blockSize
        // What is left, a one bit, and the number of bits at the end of a block.
        var tail = Array(bytes[whole...]) + [0x80]
        while tail.count % Self.blockSize != Self.blockSize - 8 { tail.append(0) }
        withUnsafeBytes(of: (UInt64(bytes.count) * 8).bigEndian) { tail.append(contentsOf: $0) }
        state.withUnsafeMutableBufferPointer { state in
            Self.take(UnsafeRawBufferPointer(rebasing: bytes[..<whole]), into: state)
            tail.withUnsafeBytes { Self.take($0, into: state) }
        }
        text = state.map { word in
            let digits = String(word, radix: 16)
            return String(repeating: "0", count: 8 - digits.count) + digits
        }.joined()
    }

    private static let constants: [UInt32] = [
        0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
        0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
        0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
        0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
        0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
        0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
        0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
        0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
    ]

    /// Takes whole blocks into the hash.
    private static func take(_ blocks: UnsafeRawBufferPointer, into state: UnsafeMutableBufferPointer<UInt32>) {
        withUnsafeTemporaryAllocation(of: UInt32.self, capacity: constants.count) { schedule in
            constants.withUnsafeBufferPointer { constants in
                let (w, k) = (schedule.baseAddress!, constants.baseAddress!)
                for start in stride(from: 0, to: blocks.count, by: blockSize) {
                    for i in 0..<16 {
                        w[i] = UInt32(
                            bigEndian: blocks.loadUnaligned(fromByteOffset: start &+ 4 &* i, as: UInt32.self))
                    }
                    for i in 16..<64 {
                        let (x, y) = (w[i &- 15], w[i &- 2])
                        let low = turned(x, 7) ^ turned(x, 18) ^ (x &>> 3)
                        let high = turned(y, 17) ^ turned(y, 19) ^ (y &>> 10)
                        w[i] = w[i &- 16] &+ low &+ w[i &- 7] &+ high
                    }
                    var (a, b, c, d) = (state[0], state[1], state[2], state[3])
                    var (e, f, g, h) = (state[4], state[5], state[6], state[7])
                    // Eight rounds bring each variable back to its own name.
                    for i in stride(from: 0, to: 64, by: 8) {
                        round(a, b, c, &d, e, f, g, &h, k[i] &+ w[i])
                        round(h, a, b, &c, d, e, f, &g, k[i &+ 1] &+ w[i &+ 1])
                        round(g, h, a, &b, c, d, e, &f, k[i &+ 2] &+ w[i &+ 2])
                        round(f, g, h, &a, b, c, d, &e, k[i &+ 3] &+ w[i &+ 3])
                        round(e, f, g, &h, a, b, c, &d, k[i &+ 4] &+ w[i &+ 4])
                        round(d, e, f, &g, h, a, b, &c, k[i &+ 5] &+ w[i &+ 5])
                        round(c, d, e, &f, g, h, a, &b, k[i &+ 6] &+ w[i &+ 6])
                        round(b, c, d, &e, f, g, h, &a, k[i &+ 7] &+ w[i &+ 7])
                    }
                    state[0] &+= a
                    state[1] &+= b
                    state[2] &+= c
                    state[3] &+= d
                    state[4] &+= e
                    state[5] &+= f
                    state[6] &+= g
                    state[7] &+= h
                }
            }
        }
    }

    @inline(__always)
    private static func round(
        _ a: UInt32, _ b: UInt32, _ c: UInt32, _ d: inout UInt32, _ e: UInt32, _ f: UInt32, _ g: UInt32,
        _ h: inout UInt32, _ word: UInt32
    ) {
        let choice = g ^ (e & (f ^ g))
        let majority = (a & b) | (c & (a | b))
        let sum = h &+ (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) &+ choice &+ word
        d &+= sum
        h = sum &+ (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) &+ majority
    }

    @inline(__always)
    private static func turned(_ word: UInt32, _ bits: UInt32) -> UInt32 { word &>> bits | word &<< (32 &- bits) }
}
