extension PixelComponent {
    public static func blend(
        foreground: UnsafePointer<Self>, background: UnsafePointer<Self>, alpha: UnsafePointer<UInt8>,
        into target: UnsafeMutablePointer<Self>, count: Int
    ) {
        var start = 0
        while start < count {
            let kind = AlphaStretch.kind(alpha + start, count: count - start)
            var end = Swift.min(start + AlphaStretch.step, count)
            while end < count, AlphaStretch.kind(alpha + end, count: count - end) == kind {
                end = Swift.min(end + AlphaStretch.step, count)
            }
            switch kind {
            case .clear: (target + start).update(from: background + start, count: end - start)
            case .opaque: (target + start).update(from: foreground + start, count: end - start)
            case .mixed:
                blendEach(
                    foreground: foreground + start, background: background + start, alpha: alpha + start,
                    into: target + start, count: end - start)
            }
            start = end
        }
    }
}

/// What a few neighbouring alphas are.
private enum AlphaStretch {
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
}
