import Imaging

/// Puts a background behind the people of a frame, in the frame's own pixel format.
///
/// Where the mask is soft, the old background's share is taken out of the frame's colours first, so that it does not glow
/// around hair and blurred hands. The frame is only read; the result comes from a pool, so that no memory of pixel size is
/// allocated per frame in the steady state. For one thread at a time. Costs about as much as copying the frame where the
/// mask is hard; two or three soft pixels in a hundred treble that.
public final class Compositor {
    private let pool = PixelBufferPool()
    private let estimator = ForegroundEstimator()

    public init() {}

    /// The frame where `mask` is 255, the background where it is 0, and a mix of people and background in between;
    /// everything else travels on.
    ///
    /// `mask` is a `gray8` picture of the stored frame's size, such as `GeneratePersonSegmentationRequest` makes. Chroma planes
    /// use the mask at their own size and siting. A mask of another format or size is a caller's mistake, and traps.
    /// `foreground` holds the people's own colours, upright and at any size, from a network that gives them; without them they
    /// are estimated.
    public func composite(
        _ frame: VideoFrame, mask: PixelBuffer, foreground: RGBMap? = nil, over background: Background
    ) -> VideoFrame {
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
        if source.format.bytesPerComponent == 1 {
            blend(frame, mask, foreground, Self.rows(of: source, values: values.map(UInt8.init)), into: &target)
        } else {
            blend(frame, mask, foreground, Self.rows(of: source, values: values), into: &target)
        }
        var result = frame
        result.pixelBuffer = target.publish()
        return result
    }

    // A row of the background for each plane; a fourth component is alpha, and opaque.
    private static func rows<T: PixelComponent>(of picture: PixelBuffer, values: [T]) -> [[T]] {
        let format = picture.format
        return format.planes.indices.map { plane in
            let count = format.planes[plane].componentCount
            var components = [T](repeating: 255, count: count)
            switch format.colorModel {
            case .gray: components = values
            case .yuv: components = count == 2 ? [values[1], values[2]] : [values[plane]]
            case .rgb: for (place, value) in zip(format.redGreenBlue, values) { components[place] = value }
            }
            let width = format.planeSize(plane, width: picture.width, height: picture.height).width
            return (0..<width * count).map { components[$0 % count] }
        }
    }

    private func blend<T: PixelComponent>(
        _ frame: VideoFrame, _ mask: PixelBuffer, _ foreground: RGBMap?, _ background: [[T]],
        into target: inout MutablePixelBuffer
    ) {
        target.withMutablePlanes { targets in
            estimator.forEachRow(of: frame, mask: mask, foreground: foreground, as: T.self) { row in
                let background = background[row.plane]
                T.blend(
                    foreground: row.components, background: background, alpha: row.alpha,
                    into: targets[row.plane].row(row.y, as: T.self), count: background.count)
            }
        }
    }
}
