/// A whole-number component of a pixel: 8 bits, or up to 16.
public protocol PixelComponent: FixedWidthInteger & UnsignedInteger {
    /// Writes foreground * alpha + background * (1 - alpha) for `count` components, with alpha 255 as 1: the kernel of
    /// every composite.
    ///
    /// Alpha 0 gives exactly the background and alpha 255 exactly the foreground. `target` may be none of the sources.
    static func blend(
        foreground: UnsafePointer<Self>, background: UnsafePointer<Self>, alpha: UnsafePointer<UInt8>,
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
}
