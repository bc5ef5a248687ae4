/// Random numbers that are the same in every run and on every machine: SplitMix64 (G. Steele, D. Lea, C. Flood, "Fast
/// Splittable Pseudorandom Number Generators", OOPSLA 2014).
public struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    /// The sequence that belongs to `seed`, by its FNV-1a hash.
    public init(seed: String) {
        state = seed.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }

    public mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }

    /// A number of mean 0 and standard deviation 1, nearly normally distributed: the sum of four uniform ones.
    public mutating func nextNormal() -> Float {
        let bits = next()
        let sum = (bits & 0xffff) &+ (bits >> 16 & 0xffff) &+ (bits >> 32 & 0xffff) &+ (bits >> 48)
        return (Float(sum) / 65535 - 2) * Float(3).squareRoot()
    }
}
