/// How a stored picture is turned or mirrored so that it is shown upright.
///
/// Raw values are those of the EXIF 2.32 tag Orientation, the names those of Core Graphics: `right` means that the stored
/// picture is shown upright after a clockwise turn of 90 degrees, so that its first row is seen on the right.
public enum Orientation: UInt8, Hashable, Sendable, CaseIterable {
    case up = 1
    case upMirrored = 2
    case down = 3
    case downMirrored = 4
    case leftMirrored = 5
    case right = 6
    case rightMirrored = 7
    case left = 8

    /// Whether the upright picture is as wide as the stored one is high.
    public var swapsAxes: Bool { rawValue >= 5 }

    /// The map from upright unit coordinates (0…1, x right, y down) to stored unit coordinates.
    public var uprightToStored: AffineTransform {
        switch self {
        case .up: AffineTransform(a: 1, b: 0, tx: 0, c: 0, d: 1, ty: 0)
        case .upMirrored: AffineTransform(a: -1, b: 0, tx: 1, c: 0, d: 1, ty: 0)
        case .down: AffineTransform(a: -1, b: 0, tx: 1, c: 0, d: -1, ty: 1)
        case .downMirrored: AffineTransform(a: 1, b: 0, tx: 0, c: 0, d: -1, ty: 1)
        case .leftMirrored: AffineTransform(a: 0, b: 1, tx: 0, c: 1, d: 0, ty: 0)
        case .right: AffineTransform(a: 0, b: 1, tx: 0, c: -1, d: 0, ty: 1)
        case .rightMirrored: AffineTransform(a: 0, b: -1, tx: 1, c: -1, d: 0, ty: 1)
        case .left: AffineTransform(a: 0, b: -1, tx: 1, c: 1, d: 0, ty: 0)
        }
    }

    /// The orientation of which the upright picture is this one's, turned clockwise by `quarters`.
    public func turned(by quarters: Int) -> Orientation {
        let turns: [Orientation] =
            isMirrored ? [.upMirrored, .rightMirrored, .downMirrored, .leftMirrored] : [.up, .right, .down, .left]
        return turns[(turns.firstIndex(of: self)! + quarters % 4 + 4) % 4]
    }

    private var isMirrored: Bool {
        switch self {
        case .upMirrored, .leftMirrored, .downMirrored, .rightMirrored: true
        case .up, .right, .down, .left: false
        }
    }
}
