/// Cuts a rectangle out of a frame and enlarges it, to a fraction of a pixel and in the frame's own format.
///
/// Interpolates with Catmull-Rom splines (Keys' cubic with a = -1/2, "Cubic Convolution Interpolation for Digital Image
/// Processing", 1981), each plane at its own siting, the fields of an interlaced picture each by itself, and colours that
/// have alpha weighted by it (Porter and Duff, "Compositing Digital Images", 1984). A rectangle of whole samples of every
/// plane at its own size is copied exactly. Takes its pictures from a pool and keeps its working memory; for one thread at a
/// time.
public final class FrameScaler {
    private let pool = PixelBufferPool()
    private var line: [Float] = []
    private var shares: [Float] = []
    private var alpha = AlphaWeights()

    public init() {}

    /// The part of `frame` inside `region`, in pixels of the stored picture, as a picture of `width` by `height`.
    ///
    /// The region is not larger than that by more than a pixel: shrinking would alias. What of it lies outside of the frame
    /// repeats the frame's edge. Where alpha comes to 0, luma, red, green and blue are 0 and chroma is neutral.
    public func cut(_ region: Rectangle, of frame: VideoFrame, width: Int, height: Int) -> VideoFrame {
        let source = frame.pixelBuffer
        precondition(!source.format.isFloatingPoint, "frames have whole-number components")
        precondition(
            region.width <= Double(width) + 1 && region.height <= Double(height) + 1, "a region is not made smaller")
        var target = pool.makeBuffer(format: source.format, width: width, height: height)
        let place = Placement(
            region: region, width: width, height: height, location: frame.color.chromaLocation,
            isInterlaced: frame.isInterlaced)
        source.withPlanes { planes in
            target.withMutablePlanes { targets in
                for index in planes.indices {
                    if source.format.bytesPerComponent == 1 {
                        cut(place, planes, source.format, index, into: targets[index], UInt8.self)
                    } else {
                        cut(place, planes, source.format, index, into: targets[index], UInt16.self)
                    }
                }
            }
        }
        var result = frame
        result.pixelBuffer = target.publish()
        // Where no matrix is told the size tells it, and that of a part may tell another.
        let matrix = frame.color.matrix.resolved(width: source.width, height: source.height)
        if source.format.colorModel == .yuv, matrix != frame.color.matrix.resolved(width: width, height: height) {
            result.color.matrix = matrix
        }
        return result
    }

    private struct Placement {
        let region: Rectangle
        let width: Int
        let height: Int
        let location: ColorDescription.ChromaLocation
        let isInterlaced: Bool

        func columns(_ layout: PixelFormat.PlaneLayout, _ source: Plane, _ target: MutablePlane) -> CubicTaps {
            CubicTaps(
                origin: region.x, scale: region.width / Double(width), shift: layout.horizontalShift,
                middle: layout.horizontalShift == 0 || location.isOnColumn ? 0.5 : 1, count: target.width,
                limit: source.width)
        }

        /// Those of one field, or of the whole plane for nil. Chroma of fields lies where that of left siting does: a quarter
        /// of its height towards the other field (ITU-T H.262, 6.1.1.8).
        func rows(
            _ layout: PixelFormat.PlaneLayout, _ source: Plane, _ target: MutablePlane, field: Int?
        ) -> CubicTaps {
            let row = field == nil ? location.row.map { Double($0) + 0.5 } ?? 1 : 1
            return CubicTaps(
                origin: region.y, scale: region.height / Double(height), shift: layout.verticalShift,
                middle: layout.verticalShift == 0 ? 0.5 : row, count: target.height, limit: source.height, field: field)
        }
    }

    private func cut<T: PixelComponent>(
        _ place: Placement, _ planes: [Plane], _ format: PixelFormat, _ index: Int, into target: MutablePlane,
        _ type: T.Type
    ) {
        let (source, layout) = (planes[index], format.planes[index])
        let columns = place.columns(layout, source, target)
        let isWeighted = format.hasPackedAlpha || (format.hasAlphaPlane && index < 3)
        if isWeighted {
            alpha.update(
                planes, format, layout, width: source.width, height: source.height, isInterlaced: place.isInterlaced,
                type)
        }
        let isChroma = format.colorModel == .yuv && index > 0
        let scale = Scale<T>(
            columns: columns, components: layout.componentCount, peak: Float((1 << format.bitDepth) - 1),
            neutral: isChroma ? 1 << (format.bitDepth - 1) : 0)
        func scaleRows(_ source: Plane, _ weights: Plane?, _ target: MutablePlane, field: Int?) {
            let rows = place.rows(layout, source, target, field: field)
            if let left = columns.copied, let top = rows.copied {
                return Self.copy(source, left * layout.componentCount, top, into: target, layout.componentCount, type)
            }
            makeRoom(for: source.width, layout.componentCount)
            if let weights {
                scaleWeighted(source, weights, target, rows, scale)
            } else {
                self.scale(source, target, rows, scale)
            }
        }
        func scaleFields(_ weights: Plane?) {
            guard place.isInterlaced, source.height > 1, target.height > 1 else {
                return scaleRows(source, weights, target, field: nil)
            }
            for field in 0...1 {
                scaleRows(
                    source.everyOtherRow(from: field), weights?.everyOtherRow(from: field),
                    target.everyOtherRow(from: field), field: field)
            }
        }
        if isWeighted { alpha.withPlane { scaleFields($0) } } else { scaleFields(nil) }
    }

    private static func copy<T: PixelComponent>(
        _ source: Plane, _ left: Int, _ top: Int, into target: MutablePlane, _ components: Int, _ type: T.Type
    ) {
        for y in 0..<target.height {
            target.row(y, as: type).update(from: source.row(top + y, as: type) + left, count: target.width * components)
        }
    }

    private func makeRoom(for width: Int, _ components: Int) {
        if line.count < width * components { line = Array(repeating: 0, count: width * components) }
        if shares.count < width { shares = Array(repeating: 0, count: width) }
    }

    /// What all rows of a plane have in common.
    private struct Scale<T: PixelComponent> {
        let columns: CubicTaps
        let components: Int
        let peak: Float
        /// What stands where alpha is 0.
        let neutral: T
    }

    private func scale<T: PixelComponent>(
        _ source: Plane, _ target: MutablePlane, _ rows: CubicTaps, _ scale: Scale<T>
    ) {
        let read = scale.columns.read(of: source.width)
        let (start, count) = (read.lowerBound * scale.components, read.count * scale.components)
        line.withUnsafeMutableBufferPointer { line in
            let line = line.baseAddress!
            for y in 0..<target.height {
                let four = rows.four(y, of: source, as: T.self)
                T.weighFour(
                    (four.0 + start, four.1 + start, four.2 + start, four.3 + start), weights: rows.weights[y],
                    into: line + start, count: count)
                Self.gather(line, scale, limit: source.width - 1, into: target.row(y, as: T.self), count: target.width)
            }
        }
    }

    private static func gather<T: PixelComponent>(
        _ line: UnsafePointer<Float>, _ scale: Scale<T>, limit: Int, into target: UnsafeMutablePointer<T>, count: Int
    ) {
        let (components, peak) = (scale.components, scale.peak)
        scale.columns.withTaps { first, weights in
            for x in 0..<count {
                let (start, weight) = (Int(first[x]), weights[x])
                let a = min(max(start, 0), limit) &* components
                let b = min(max(start &+ 1, 0), limit) &* components
                let c = min(max(start &+ 2, 0), limit) &* components
                let d = min(max(start &+ 3, 0), limit) &* components
                for component in 0..<components {
                    let line = line + component
                    let outer = line[a] * weight.x + line[d] * weight.w
                    let sum = outer + line[b] * weight.y + line[c] * weight.z
                    target[x &* components &+ component] = T(nearest: min(max(sum, 0), peak))
                }
            }
        }
    }

    /// Colours count as much as they cover; alpha inside of pixels is what is left of their weights.
    private func scaleWeighted<T: PixelComponent>(
        _ source: Plane, _ weights: Plane, _ target: MutablePlane, _ rows: CubicTaps, _ scale: Scale<T>
    ) {
        let read = scale.columns.read(of: source.width)
        line.withUnsafeMutableBufferPointer { line in
            shares.withUnsafeMutableBufferPointer { shares in
                let (line, shares) = (line.baseAddress!, shares.baseAddress!)
                for y in 0..<target.height {
                    let colors = rows.four(y, of: source, as: T.self)
                    let covers = rows.four(y, of: weights, as: Float.self)
                    let weight = rows.weights[y]
                    for x in read {
                        let cover = SIMD4(covers.0[x], covers.1[x], covers.2[x], covers.3[x]) * weight
                        shares[x] = cover.sum()
                        for i in x * scale.components..<(x + 1) * scale.components {
                            let color = SIMD4(
                                Float(colors.0[i]), Float(colors.1[i]), Float(colors.2[i]), Float(colors.3[i]))
                            line[i] = (color * cover).sum()
                        }
                    }
                    Self.gatherWeighted(
                        line, shares, scale, limit: source.width - 1, into: target.row(y, as: T.self),
                        count: target.width)
                }
            }
        }
    }

    private static func gatherWeighted<T: PixelComponent>(
        _ line: UnsafePointer<Float>, _ shares: UnsafePointer<Float>, _ scale: Scale<T>, limit: Int,
        into target: UnsafeMutablePointer<T>, count: Int
    ) {
        let components = scale.components
        let colors = components == 4 ? 3 : components
        scale.columns.withTaps { first, weights in
            for x in 0..<count {
                let start = Int(first[x])
                let (a, b) = (min(max(start, 0), limit), min(max(start + 1, 0), limit))
                let (c, d) = (min(max(start + 2, 0), limit), min(max(start + 3, 0), limit))
                let share = (SIMD4(shares[a], shares[b], shares[c], shares[d]) * weights[x]).sum()
                for component in 0..<colors {
                    let line = line + component
                    let color = SIMD4(
                        line[a * components], line[b * components], line[c * components], line[d * components])
                    let sum = (color * weights[x]).sum()
                    target[x * components + component] =
                        share < 0.5 ? scale.neutral : T(nearest: min(max(sum / share, 0), scale.peak))
                }
                if colors < components { target[x * components + colors] = T(nearest: min(max(share, 0), scale.peak)) }
            }
        }
    }
}
