/// What a few neighbouring alphas are.
public enum AlphaStretch {
    case clear, opaque, mixed

    /// How many are looked at together.
    static let step = 64

    /// What the first `step` of `count` alphas are; fewer count as mixed.
    @inline(__always)
    static func kind(_ alpha: UnsafePointer<UInt8>, count: Int) -> AlphaStretch {
        guard count >= step else { return .mixed }
        let words = UnsafeRawPointer(alpha)
        var (all, any) = (UInt64.max, UInt64.zero)
        for offset in stride(from: 0, to: step, by: 8) {
            let word = words.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            all &= word
            any |= word
        }
        return any == 0 ? .clear : all == .max ? .opaque : .mixed
    }

    /// Joins to `bits` the bits of alpha + 1 of `count` alphas: 0 or 1 as long as all are 0 or 255, something larger else.
    public static func add(_ alpha: UnsafePointer<UInt8>, to bits: UnsafeMutablePointer<UInt8>, count: Int) {
        var x = 0
        while x < count {
            let end = min(x + step, count)
            // Where all are clear or all opaque nothing that counts can come of it.
            if kind(alpha + x, count: count - x) == .mixed { for i in x..<end { bits[i] |= alpha[i] &+ 1 } }
            x = end
        }
    }

    /// Whether all of `count` alphas are clear.
    public static func isClear(_ alpha: UnsafePointer<UInt8>, count: Int) -> Bool {
        var x = 0
        while count - x >= step {
            guard kind(alpha + x, count: count - x) == .clear else { return false }
            x += step
        }
        return (x..<count).allSatisfy { alpha[$0] == 0 }
    }

    /// The columns of a row of `width` alphas outside of which all are clear, by whole stretches.
    static func unclear(_ alpha: UnsafePointer<UInt8>, _ width: Int) -> Range<Int> {
        var (start, end) = (0, width)
        while start < width, kind(alpha + start, count: width - start) == .clear { start += step }
        while end - step >= start, kind(alpha + (end - step), count: step) == .clear { end -= step }
        return start..<end
    }
}

extension Range<Int> {
    /// The smallest range that holds both.
    func union(_ other: Range) -> Range {
        Swift.min(lowerBound, other.lowerBound)..<Swift.max(upperBound, other.upperBound)
    }
}
