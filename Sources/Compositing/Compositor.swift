import Imaging

/// Puts a background behind the people of a frame, in the frame's own pixel format.
///
/// The frame is only read; the result comes from a pool, so that no memory of pixel size is allocated per frame in the steady
/// state. For one thread at a time. Costs about as much as copying the frame.
public final class Compositor {
    private let pool = PixelBufferPool()
    private var alphaRows = AlphaRows()

    public init() {}

    /// The frame where `mask` is 255, the background where it is 0, and a mix in between; everything else travels on.
    ///
    /// `mask` is a `gray8` picture of the stored frame's size, such as `GeneratePersonSegmentationRequest` makes. Chroma planes
    /// use the mask at their own size and siting. A mask of another format or size is a caller's mistake, and traps.
    public func composite(_ frame: VideoFrame, mask: PixelBuffer, over background: Background) -> VideoFrame {
        let source = frame.pixelBuffer
        precondition(mask.format == .gray8, "a mask for compositing is gray8")
        precondition(mask.width == source.width && mask.height == source.height, "the mask has the frame's size")
        precondition(!source.format.isFloatingPoint, "frames have whole-number components")
        let conversion = ColorConversion(
            format: source.format, color: frame.color, width: source.width, height: source.height)
        let values =
            switch background {
            case .color(let color): conversion.codeValues(red: color.red, green: color.green, blue: color.blue)
            }
        var target = pool.makeBuffer(
            format: source.format, width: source.width, height: source.height)
        mask.withPlane(0) { alpha in
            source.withPlanes { planes in
                target.withMutablePlanes { targets in
                    for index in planes.indices {
                        let components = Self.components(of: source.format, plane: index, values: values)
                        let layout = source.format.planes[index]
                        switch source.format.bytesPerComponent {
                        case 1:
                            blend(
                                planes[index], alpha, components.map(UInt8.init), layout, frame.color,
                                into: targets[index])
                        default: blend(planes[index], alpha, components, layout, frame.color, into: targets[index])
                        }
                    }
                }
            }
        }
        var result = frame
        result.pixelBuffer = target.publish()
        return result
    }

    // The background's code values in the order of the plane's components; a fourth one is alpha, and opaque.
    private static func components(of format: PixelFormat, plane: Int, values: [UInt16]) -> [UInt16] {
        switch format.colorModel {
        case .gray: return values
        case .yuv: return format.planes[plane].componentCount == 2 ? [values[1], values[2]] : [values[plane]]
        case .rgb:
            var components = [UInt16](repeating: 255, count: format.planes[plane].componentCount)
            for (place, value) in zip(format.redGreenBlue, values) { components[place] = value }
            return components
        }
    }

    private func blend<T: PixelComponent>(
        _ source: Plane, _ alpha: Plane, _ background: [T], _ layout: PixelFormat.PlaneLayout,
        _ color: ColorDescription, into target: MutablePlane
    ) {
        let count = source.width * layout.componentCount
        let row = (0..<count).map { background[$0 % background.count] }
        row.withUnsafeBufferPointer { row in
            for y in 0..<source.height {
                alphaRows.withRow(
                    y, of: alpha, layout: layout, width: source.width, chromaLocation: color.chromaLocation
                ) { alpha in
                    T.blend(
                        foreground: source.row(y, as: T.self), background: row.baseAddress!, alpha: alpha,
                        into: target.row(y, as: T.self), count: count)
                }
            }
        }
    }
}
