/// How the samples of a picture lie in memory.
///
/// Names, plane order and meaning are FFmpeg's (`libavutil/pixfmt.h`), little-endian throughout. The set is closed: it holds
/// the formats that the kernels work on directly; other formats are converted at the edge of `Media`.
public struct PixelFormat: Sendable {
    /// What the components of a picture mean.
    public enum ColorModel: Sendable {
        /// Luma or mask alone.
        case gray
        /// Luma and two chroma components, Cb before Cr.
        case yuv
        /// Red, green and blue interleaved in one plane, perhaps with alpha.
        case rgb
    }

    /// How one plane's samples lie.
    public struct PlaneLayout: Hashable, Sendable {
        /// Interleaved components in one sample: 1 for planar, 2 for NV12's chroma, 3 or 4 for RGB.
        public let componentCount: Int
        /// log2 of how many luma columns one sample of this plane covers.
        public let horizontalShift: Int
        /// log2 of how many luma rows one sample of this plane covers.
        public let verticalShift: Int

        /// Whether a sample covers several pixels.
        public var isSubsampled: Bool { horizontalShift > 0 || verticalShift > 0 }

        /// The same sampling, with one component in a sample.
        public var withOneComponent: PlaneLayout {
            PlaneLayout(componentCount: 1, horizontalShift: horizontalShift, verticalShift: verticalShift)
        }
    }

    /// FFmpeg's name of the format, such as `yuv420p10le`.
    public let name: String
    public let colorModel: ColorModel
    /// Significant bits of one component; for floating-point formats the bits that it occupies.
    public let bitDepth: Int
    /// Whether components are floating point (0…1) rather than whole numbers.
    public let isFloatingPoint: Bool
    /// Bytes of one component: 1 up to 8 bits, 2 up to 16 bits, 4 for 32-bit floating point.
    public let bytesPerComponent: Int
    /// Planes in memory order: at most three, and a fourth one for alpha.
    public let planes: [PlaneLayout]
    /// Where red, green and blue stand in a sample of an RGB format; empty for other models.
    public let redGreenBlue: [Int]

    /// How many columns and rows of luma one sample of chroma covers; 1 without subsampling.
    public var subsampling: (width: Int, height: Int) {
        (1 << (planes.map(\.horizontalShift).max() ?? 0), 1 << (planes.map(\.verticalShift).max() ?? 0))
    }

    private init(
        _ name: String, _ colorModel: ColorModel, bits: Int, planes: [PlaneLayout], redGreenBlue: [Int] = [],
        isFloatingPoint: Bool = false
    ) {
        self.name = name
        self.colorModel = colorModel
        self.bitDepth = bits
        self.planes = planes
        self.redGreenBlue = redGreenBlue
        self.isFloatingPoint = isFloatingPoint
        self.bytesPerComponent = (bits + 7) / 8
    }

    private static func gray(_ name: String, bits: Int, isFloatingPoint: Bool = false) -> PixelFormat {
        let luma = PlaneLayout(componentCount: 1, horizontalShift: 0, verticalShift: 0)
        return PixelFormat(name, .gray, bits: bits, planes: [luma], isFloatingPoint: isFloatingPoint)
    }

    private static func planar(
        _ name: String, bits: Int, _ horizontal: Int, _ vertical: Int, hasAlpha: Bool = false
    ) -> PixelFormat {
        let luma = PlaneLayout(componentCount: 1, horizontalShift: 0, verticalShift: 0)
        let chroma = PlaneLayout(componentCount: 1, horizontalShift: horizontal, verticalShift: vertical)
        return PixelFormat(name, .yuv, bits: bits, planes: [luma, chroma, chroma] + (hasAlpha ? [luma] : []))
    }

    private static func packed(_ name: String, components: Int, redGreenBlue: [Int]) -> PixelFormat {
        let pixels = PlaneLayout(componentCount: components, horizontalShift: 0, verticalShift: 0)
        return PixelFormat(name, .rgb, bits: 8, planes: [pixels], redGreenBlue: redGreenBlue)
    }

    public static let gray8 = gray("gray", bits: 8)
    public static let gray10 = gray("gray10le", bits: 10)
    public static let gray16 = gray("gray16le", bits: 16)
    /// One 16-bit half-precision component; FFmpeg 5.1 has no such format, so it stays inside the library.
    public static let grayf16 = gray("grayf16le", bits: 16, isFloatingPoint: true)
    public static let grayf32 = gray("grayf32le", bits: 32, isFloatingPoint: true)
    public static let yuv420p = planar("yuv420p", bits: 8, 1, 1)
    public static let yuv422p = planar("yuv422p", bits: 8, 1, 0)
    public static let yuv444p = planar("yuv444p", bits: 8, 0, 0)
    public static let yuv420p10 = planar("yuv420p10le", bits: 10, 1, 1)
    public static let yuv422p10 = planar("yuv422p10le", bits: 10, 1, 0)
    public static let yuv444p10 = planar("yuv444p10le", bits: 10, 0, 0)
    public static let yuv420p12 = planar("yuv420p12le", bits: 12, 1, 1)
    public static let yuv422p12 = planar("yuv422p12le", bits: 12, 1, 0)
    public static let yuv444p12 = planar("yuv444p12le", bits: 12, 0, 0)
    public static let nv12 = PixelFormat(
        "nv12", .yuv, bits: 8,
        planes: [
            PlaneLayout(componentCount: 1, horizontalShift: 0, verticalShift: 0),
            PlaneLayout(componentCount: 2, horizontalShift: 1, verticalShift: 1),
        ])
    public static let rgb24 = packed("rgb24", components: 3, redGreenBlue: [0, 1, 2])
    public static let bgr24 = packed("bgr24", components: 3, redGreenBlue: [2, 1, 0])
    public static let rgba = packed("rgba", components: 4, redGreenBlue: [0, 1, 2])
    public static let bgra = packed("bgra", components: 4, redGreenBlue: [2, 1, 0])

    public static let yuva420p = planar("yuva420p", bits: 8, 1, 1, hasAlpha: true)
    public static let yuva422p = planar("yuva422p", bits: 8, 1, 0, hasAlpha: true)
    public static let yuva444p = planar("yuva444p", bits: 8, 0, 0, hasAlpha: true)
    public static let yuva420p10 = planar("yuva420p10le", bits: 10, 1, 1, hasAlpha: true)
    public static let yuva422p10 = planar("yuva422p10le", bits: 10, 1, 0, hasAlpha: true)
    public static let yuva444p10 = planar("yuva444p10le", bits: 10, 0, 0, hasAlpha: true)

    /// The formats that a foreground with alpha has; alpha is straight and full-range.
    public static let alphaFormats: [PixelFormat] = [
        .yuva420p, .yuva422p, .yuva444p, .yuva420p10, .yuva422p10, .yuva444p10, .rgba, .bgra,
    ]

    /// Whether the last plane is alpha.
    package var hasAlphaPlane: Bool { planes.count == 4 }

    /// Whether alpha lies beside red, green and blue.
    package var hasPackedAlpha: Bool { colorModel == .rgb && planes[0].componentCount == 4 }

    /// The format with alpha that holds the people of a frame in this one, with nothing of them lost; nil where there is none.
    public var withAlpha: PixelFormat? {
        switch self {
        case .yuv420p, .nv12: .yuva420p
        case .yuv422p: .yuva422p
        case .yuv444p: .yuva444p
        case .yuv420p10: .yuva420p10
        case .yuv422p10: .yuva422p10
        case .yuv444p10: .yuva444p10
        case .rgb24, .rgba: .rgba
        case .bgr24, .bgra: .bgra
        default: nil
        }
    }

    /// How the samples of chroma lie, or those of the only plane.
    package var chroma: PlaneLayout { planes.count > 1 ? planes[1] : planes[0] }

    /// The planar format of as many bits, with alpha where this one has it, that has chroma for every pixel; YUV alone.
    package var withFullChroma: PixelFormat {
        precondition(colorModel == .yuv, "only YUV has chroma")
        return switch (bitDepth, hasAlphaPlane) {
        case (8, false): .yuv444p
        case (8, true): .yuva444p
        case (10, false): .yuv444p10
        case (10, true): .yuva444p10
        default: .yuv444p12
        }
    }

    /// Every format that a decoded frame can have; the floating-point ones are for masks alone, those with a plane of alpha
    /// for foregrounds.
    public static let videoFormats: [PixelFormat] = [
        .yuv420p, .yuv422p, .yuv444p, .nv12, .yuv420p10, .yuv422p10, .yuv444p10, .yuv420p12, .yuv422p12, .yuv444p12,
        .gray8, .gray10, .gray16, .rgb24, .bgr24, .rgba, .bgra,
    ]

    /// The size of plane `index` in samples for a picture of `width` by `height` pixels: odd sizes round up.
    public func planeSize(_ index: Int, width: Int, height: Int) -> (width: Int, height: Int) {
        let plane = planes[index]
        return (
            (width + (1 << plane.horizontalShift) - 1) >> plane.horizontalShift,
            (height + (1 << plane.verticalShift) - 1) >> plane.verticalShift
        )
    }
}

extension PixelFormat: Hashable, CustomStringConvertible {
    public static func == (a: PixelFormat, b: PixelFormat) -> Bool { a.name == b.name }
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
    public var description: String { name }
}
