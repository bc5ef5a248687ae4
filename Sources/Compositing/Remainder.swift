import Imaging

/// What of a row is left when the people's share is taken out: the kernel of a background that stays where it is.
enum Remainder {
    /// Writes the background that `components` are a mixture with `foreground` over, from 0 to `peak`, for `count` components.
    ///
    /// Blended with that foreground again it gives the components back; where alpha is 0 it is exactly the component, and
    /// without meaning where alpha is 255.
    @inline(__always)
    static func row<T: PixelComponent>(
        _ components: UnsafePointer<T>, foreground: UnsafePointer<T>, alpha: UnsafePointer<UInt8>, peak: T,
        into target: UnsafeMutablePointer<T>, count: Int
    ) {
        let peak = Float(peak)
        for x in 0..<count {
            // The weight that `PixelComponent.blend` gives to the foreground.
            let weight = Float(alpha[x]) + (alpha[x] > 127 ? 1 : 0)
            let rest = Float(components[x]) * 256 - Float(foreground[x]) * weight
            let value = min(max(rest / max(256 - weight, 1), 0), peak)
            target[x] = T(truncatingIfNeeded: (value + 8_388_608).bitPattern & 0xFFFF)
        }
    }
}
