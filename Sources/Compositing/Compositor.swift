import Imaging

/// Puts a background behind the people of a frame, in the frame's own pixel format.
///
/// Where the mask is soft, the old background's share is taken out of the frame's colours first, so that it does not glow
/// around hair and blurred hands. The frame is only read; the result comes from a pool, so that no memory of pixel size is
/// allocated per frame in the steady state. For one thread at a time. Costs about as much as copying the frame where the
/// mask is hard; two or three soft pixels in a hundred treble that, and a blurred background costs about as much again.
public final class Compositor {
    private let pool = PixelBufferPool()
    private let estimator = ForegroundEstimator()
    private let blur = BackgroundBlur()

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
        var target = pool.makeBuffer(format: source.format, width: source.width, height: source.height)
        if source.format.bytesPerComponent == 1 {
            composite(frame, mask, foreground, background, as: UInt8.self, into: &target)
        } else {
            composite(frame, mask, foreground, background, as: UInt16.self, into: &target)
        }
        var result = frame
        result.pixelBuffer = target.publish()
        return result
    }

    private func composite<T: PixelComponent>(
        _ frame: VideoFrame, _ mask: PixelBuffer, _ foreground: RGBMap?, _ background: Background, as type: T.Type,
        into target: inout MutablePixelBuffer
    ) {
        switch background {
        case .color(let color):
            let rows: [[T]] = Self.rows(of: frame, color)
            blend(frame, mask, foreground, into: &target) { plane, _, body in
                rows[plane].withUnsafeBufferPointer { body($0.baseAddress!) }
            }
        case .blur(let radius):
            blur.prepare(frame, mask: mask, radius: radius, as: type)
            let peak = T(truncatingIfNeeded: (1 << frame.pixelBuffer.format.bitDepth) - 1)
            withUnsafeTemporaryAllocation(of: T.self, capacity: 4 * frame.pixelBuffer.width) { line in
                let line = line.baseAddress!
                blend(frame, mask, foreground, into: &target) { plane, y, body in
                    blur.row(y, plane: plane, peak: peak, into: line)
                    body(line)
                }
            }
        }
    }

    // A row of the background for each plane; a fourth component is alpha, and opaque.
    private static func rows<T: PixelComponent>(of frame: VideoFrame, _ color: RGBColor) -> [[T]] {
        let picture = frame.pixelBuffer
        let format = picture.format
        let conversion = ColorConversion(
            format: format, color: frame.color, width: picture.width, height: picture.height)
        let values = conversion.codeValues(red: color.red, green: color.green, blue: color.blue).map {
            T(truncatingIfNeeded: $0)
        }
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

    /// `withBackground` calls what it is given with row `y` of the background's plane.
    private func blend<T: PixelComponent>(
        _ frame: VideoFrame, _ mask: PixelBuffer, _ foreground: RGBMap?, into target: inout MutablePixelBuffer,
        withBackground: (_ plane: Int, _ y: Int, (UnsafePointer<T>) -> Void) -> Void
    ) {
        let layouts = frame.pixelBuffer.format.planes
        target.withMutablePlanes { targets in
            estimator.forEachRow(of: frame, mask: mask, foreground: foreground, as: T.self) { row in
                let plane = targets[row.plane]
                withBackground(row.plane, row.y) { background in
                    T.blend(
                        foreground: row.components, background: background, alpha: row.alpha,
                        into: plane.row(row.y, as: T.self), count: plane.width * layouts[row.plane].componentCount)
                }
            }
        }
    }
}
