/// Which red, green and blue a colour is mixed of; their white is D65.
enum ColorPrimaries: Hashable, Sendable, CaseIterable {
    /// ITU-R BT.709, sRGB; it stands for BT.601 too, which differs by less than screens do.
    case bt709
    /// ITU-R BT.2020, BT.2100.
    case bt2020
    /// SMPTE EG 432-1: Display P3; it stands for the cinema's P3 (RP 431-2) too, whose white is another.
    case p3

    /// What an H.273 ColourPrimaries code point stands for; BT.709 where none of the three is meant.
    init(codePoint: UInt8) {
        switch codePoint {
        case 9: self = .bt2020
        case 11, 12: self = .p3
        default: self = .bt709
        }
    }

    /// The CIE 1931 chromaticities x and y of red, green and blue (H.273, table 2).
    private var chromaticities: [(x: Double, y: Double)] {
        switch self {
        case .bt709: [(0.640, 0.330), (0.300, 0.600), (0.150, 0.060)]
        case .bt2020: [(0.708, 0.292), (0.170, 0.797), (0.131, 0.046)]
        case .p3: [(0.680, 0.320), (0.265, 0.690), (0.150, 0.060)]
        }
    }

    private static let white = (x: 0.3127, y: 0.3290)

    /// Linear red, green and blue to CIE XYZ, with white's Y as 1.
    var toXYZ: Matrix3x3 {
        func xyz(_ point: (x: Double, y: Double)) -> SIMD3<Double> {
            SIMD3(point.x / point.y, 1, (1 - point.x - point.y) / point.y)
        }
        let columns = chromaticities.map { xyz($0) }
        let primaries = Matrix3x3(columns: columns[0], columns[1], columns[2])
        // As much of each as makes white.
        let amounts = primaries.inverse * xyz(Self.white)
        return Matrix3x3(columns: columns[0] * amounts.x, columns[1] * amounts.y, columns[2] * amounts.z)
    }

    /// Linear red, green and blue of these primaries to those of `target`.
    func matrix(to target: ColorPrimaries) -> Matrix3x3 {
        self == target ? .identity : target.toXYZ.inverse * toXYZ
    }

    /// The same light mixed of `target`'s primaries; components may lie outside 0…1.
    func convert(_ light: SIMD3<Float>, to target: ColorPrimaries) -> SIMD3<Float> {
        self == target ? light : SIMD3<Float>(matrix(to: target) * SIMD3<Double>(light))
    }
}
