/// A whole-number component of a pixel: 8 bits, or up to 16.
public protocol PixelComponent: FixedWidthInteger & UnsignedInteger {
    /// Writes foreground * alpha + background * (1 - alpha) for `count` components, with alpha 255 as 1: the kernel of
    /// every composite.
    ///
    /// Alpha 0 gives exactly the background and alpha 255 exactly the foreground; long stretches of either are copied.
    /// `target` may be none of the sources.
    static func blend(
        foreground: UnsafePointer<Self>, background: UnsafePointer<Self>, alpha: UnsafePointer<UInt8>,
        into target: UnsafeMutablePointer<Self>, count: Int)

    /// The same without a look at the alphas: what `blend` does where they differ.
    static func blendEach(
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

    /// Scales `count` components about `zero`, each by its own factor of `gains`; none becomes greater than `limit`, or than it was.
    /// `target` may be the source.
    static func scale(
        _ components: UnsafePointer<Self>, about zero: Float, by gains: UnsafePointer<Float>, limit: Float,
        into target: UnsafeMutablePointer<Self>, count: Int)

    /// Scales `count` pixels of `step` components about black, each by its own factor of `gains`, with `saturation` of their
    /// colour left; a fourth component stays. None becomes greater than `limit`, or than the greatest of the pixel's was. `target`
    /// may be the source.
    static func scaleRGB(
        _ pixels: UnsafePointer<Self>, step: Int, redGreenBlue: (Int, Int, Int), saturation: Float,
        by gains: UnsafePointer<Float>, limit: Float, into target: UnsafeMutablePointer<Self>, count: Int)

    /// Writes the background that `count` components are a mixture with `foreground` over, from 0 to `peak`.
    ///
    /// Blended with that foreground again it gives the components back; where alpha is 0 it is exactly the component, and
    /// without meaning where alpha is 255.
    static func remainder(
        _ components: UnsafePointer<Self>, foreground: UnsafePointer<Self>, alpha: UnsafePointer<UInt8>, peak: Self,
        into target: UnsafeMutablePointer<Self>, count: Int)

    /// Moves every `step`th of the components towards its colour by its share, `count` of them; `target` may be the source.
    static func mix(
        _ components: UnsafePointer<Self>, with colors: UnsafePointer<Float>, shares: UnsafePointer<Float>, step: Int,
        into target: UnsafeMutablePointer<Self>, count: Int)

    /// Writes `count` values, rounded and clipped to 0…`peak`, to every `step`th component.
    static func write(
        _ values: UnsafePointer<Float>, peak: Self, step: Int, into target: UnsafeMutablePointer<Self>, count: Int)

    /// Writes `count` values on the way from `upper` to `lower`, rounded and clipped to 0…`peak`, to every `step`th component.
    static func interpolate(
        _ upper: UnsafePointer<Float>, _ lower: UnsafePointer<Float>, fraction: Float, peak: Self, step: Int,
        into target: UnsafeMutablePointer<Self>, count: Int)

    /// Writes the weighted sums of four rows.
    static func weighFour(
        _ rows: (UnsafePointer<Self>, UnsafePointer<Self>, UnsafePointer<Self>, UnsafePointer<Self>),
        weights: SIMD4<Float>, into target: UnsafeMutablePointer<Float>, count: Int)
}

extension UInt8: PixelComponent {
    public static func blendEach(
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
    public static func blendEach(
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
