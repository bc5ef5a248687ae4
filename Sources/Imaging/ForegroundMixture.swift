/// What the foreground and the background are expected to be along a row, between two rows of a coarse grid.
///
/// A component is taken as alpha * foreground + (1 - alpha) * background, as in Forte, "Approximate Fast Foreground Colour
/// Estimation" (ICIP 2021): what the two expected colours don't explain goes to the foreground in part. That part grows
/// smoothly with alpha, from nothing to everything: it says how likely a strand or an edge that the grid is too coarse for
/// belongs to the foreground. It is never above 1, so that a frame's noise is not amplified.
///
/// A view on other memory, valid as long as that is.
public struct ForegroundMixture {
    /// Expected foreground at the grid's row above.
    public var upperForeground: UnsafePointer<Float>
    /// Expected foreground at the grid's row below.
    public var lowerForeground: UnsafePointer<Float>
    /// Expected background at the grid's row above.
    public var upperBackground: UnsafePointer<Float>
    /// Expected background at the grid's row below.
    public var lowerBackground: UnsafePointer<Float>
    /// How far the row is on the way from the upper to the lower row of the grid, 0…1.
    public var fraction: Float

    public init(
        upperForeground: UnsafePointer<Float>, lowerForeground: UnsafePointer<Float>,
        upperBackground: UnsafePointer<Float>, lowerBackground: UnsafePointer<Float>, fraction: Float
    ) {
        self.upperForeground = upperForeground
        self.lowerForeground = lowerForeground
        self.upperBackground = upperBackground
        self.lowerBackground = lowerBackground
        self.fraction = fraction
    }

    @inline(__always)
    func separate<T: FixedWidthInteger & UnsignedInteger>(
        _ components: UnsafePointer<T>, alpha: UnsafePointer<UInt8>, peak: T, into target: UnsafeMutablePointer<T>,
        count: Int
    ) {
        let peak = Float(peak)
        for x in 0..<count {
            let foreground = upperForeground[x] + (lowerForeground[x] - upperForeground[x]) * fraction
            let background = upperBackground[x] + (lowerBackground[x] - upperBackground[x]) * fraction
            let a = Float(alpha[x]) * (1 / 255)
            let rest = Float(components[x]) - background - a * (foreground - background)
            let share = a * a * (3 - 2 * a)
            let value = min(max(foreground + share * rest, 0), peak)
            target[x] = T(nearest: value)
        }
    }
}
