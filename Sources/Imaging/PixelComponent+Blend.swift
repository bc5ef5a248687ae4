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
