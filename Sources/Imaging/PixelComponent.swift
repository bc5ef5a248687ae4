/// A whole-number component of a pixel: 8 bits, or up to 16.
public protocol PixelComponent: FixedWidthInteger & UnsignedInteger {
    /// Writes foreground * alpha + background * (1 - alpha) for `count` components, with alpha 255 as 1: the kernel of
    /// every composite.
    ///
    /// Alpha 0 gives exactly the background and alpha 255 exactly the foreground. `target` may be none of the sources.
    static func blend(
        foreground: UnsafePointer<Self>, background: UnsafePointer<Self>, alpha: UnsafePointer<UInt8>,
        into target: UnsafeMutablePointer<Self>, count: Int)

    /// Adds component * weight to each of `count` sums.
    static func addWeighted(
        _ components: UnsafePointer<Self>, weights: UnsafePointer<UInt8>, to sums: UnsafeMutablePointer<UInt32>,
        count: Int)

    /// Writes the foreground that `count` components are a mixture of, as `ForegroundMixture` says, from 0 to `peak`.
    ///
    /// Where alpha is 255 that is exactly the component. `target` may be none of the sources.
    static func separate(
        _ components: UnsafePointer<Self>, alpha: UnsafePointer<UInt8>, mixture: ForegroundMixture, peak: Self,
        into target: UnsafeMutablePointer<Self>, count: Int)
}

extension UInt8: PixelComponent {
    public static func blend(
        foreground: UnsafePointer<UInt8>, background: UnsafePointer<UInt8>, alpha: UnsafePointer<UInt8>,
        into target: UnsafeMutablePointer<UInt8>, count: Int
    ) {
        for x in 0..<count {
            // 0…256 instead of 0…255, so that the division is a shift and both ends stay exact.
            let a = UInt16(alpha[x])
            let weight = a &+ (a &>> 7)
            let sum = UInt16(foreground[x]) &* weight &+ UInt16(background[x]) &* (256 &- weight) &+ 128
            target[x] = UInt8(truncatingIfNeeded: sum &>> 8)
        }
    }

    public static func addWeighted(
        _ components: UnsafePointer<UInt8>, weights: UnsafePointer<UInt8>, to sums: UnsafeMutablePointer<UInt32>,
        count: Int
    ) {
        for x in 0..<count { sums[x] &+= UInt32(UInt16(components[x]) &* UInt16(weights[x])) }
    }

    public static func separate(
        _ components: UnsafePointer<UInt8>, alpha: UnsafePointer<UInt8>, mixture: ForegroundMixture, peak: UInt8,
        into target: UnsafeMutablePointer<UInt8>, count: Int
    ) {
        mixture.separate(components, alpha: alpha, peak: peak, into: target, count: count)
    }
}

extension UInt16: PixelComponent {
    public static func blend(
        foreground: UnsafePointer<UInt16>, background: UnsafePointer<UInt16>, alpha: UnsafePointer<UInt8>,
        into target: UnsafeMutablePointer<UInt16>, count: Int
    ) {
        for x in 0..<count {
            let a = UInt32(alpha[x])
            let weight = a &+ (a &>> 7)
            let sum = UInt32(foreground[x]) &* weight &+ UInt32(background[x]) &* (256 &- weight) &+ 128
            target[x] = UInt16(truncatingIfNeeded: sum &>> 8)
        }
    }

    public static func addWeighted(
        _ components: UnsafePointer<UInt16>, weights: UnsafePointer<UInt8>, to sums: UnsafeMutablePointer<UInt32>,
        count: Int
    ) {
        for x in 0..<count { sums[x] &+= UInt32(components[x]) &* UInt32(weights[x]) }
    }

    public static func separate(
        _ components: UnsafePointer<UInt16>, alpha: UnsafePointer<UInt8>, mixture: ForegroundMixture, peak: UInt16,
        into target: UnsafeMutablePointer<UInt16>, count: Int
    ) {
        mixture.separate(components, alpha: alpha, peak: peak, into: target, count: count)
    }
}
