/// A map of the plane that keeps parallels parallel: x' = a x + b y + tx, y' = c x + d y + ty.
public struct AffineTransform: Hashable, Sendable {
    public var a, b, tx: Double
    public var c, d, ty: Double

    public init(a: Double, b: Double, tx: Double, c: Double, d: Double, ty: Double) {
        self.a = a
        self.b = b
        self.tx = tx
        self.c = c
        self.d = d
        self.ty = ty
    }

    /// The map that leaves every point where it is.
    public static let identity = AffineTransform(a: 1, b: 0, tx: 0, c: 0, d: 1, ty: 0)

    /// Stretches by `x` across and `y` down, from the origin.
    public static func scale(_ x: Double, _ y: Double) -> AffineTransform {
        AffineTransform(a: x, b: 0, tx: 0, c: 0, d: y, ty: 0)
    }

    /// Moves by `x` across and `y` down.
    public static func shift(_ x: Double, _ y: Double) -> AffineTransform {
        AffineTransform(a: 1, b: 0, tx: x, c: 0, d: 1, ty: y)
    }

    /// Where the point (x, y) comes to lie.
    public func apply(_ x: Double, _ y: Double) -> (x: Double, y: Double) {
        (a * x + b * y + tx, c * x + d * y + ty)
    }

    /// First `self`, then `next`.
    public func then(_ next: AffineTransform) -> AffineTransform {
        AffineTransform(
            a: next.a * a + next.b * c, b: next.a * b + next.b * d, tx: next.a * tx + next.b * ty + next.tx,
            c: next.c * a + next.d * c, d: next.c * b + next.d * d, ty: next.c * tx + next.d * ty + next.ty)
    }

    /// The map back; the determinant must not be 0.
    public var inverse: AffineTransform {
        let determinant = a * d - b * c
        precondition(determinant != 0, "the map has no inverse")
        let (ia, ib, ic, id) = (d / determinant, -b / determinant, -c / determinant, a / determinant)
        return AffineTransform(
            a: ia, b: ib, tx: -(ia * tx + ib * ty), c: ic, d: id, ty: -(ic * tx + id * ty))
    }
}
