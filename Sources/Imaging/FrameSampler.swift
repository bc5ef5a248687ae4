/// Reads a rectangle of a frame as a small upright RGB picture: what a network is fed with.
///
/// The planes are resampled first (antialiased, sample centres and chroma siting respected) and converted to RGB at the small
/// size, so that the cost is one pass over the rectangle's samples in the frame's own format. Keeps its working memory, and
/// is therefore for one thread at a time.
public final class FrameSampler {
    private struct Geometry: Equatable {
        let format: PixelFormat
        let width: Int
        let height: Int
        let source: Rectangle
        let targetWidth: Int
        let targetHeight: Int
        let chromaLocation: ColorDescription.ChromaLocation
    }

    private struct PlaneTaps {
        let horizontal: ResampleTaps
        let vertical: ResampleTaps
    }

    private var geometry: Geometry?
    private var taps: [PlaneTaps] = []
    private var components = [[Float]](repeating: [], count: 3)
    private var row: [Float] = []

    public init() {}

    /// Writes `width` x `height` pixels of red, green, blue (0…1, not clipped) for the rectangle `source` of the upright frame.
    ///
    /// `source` is in upright pixels and may reach beyond the frame: the border is repeated there. `target` holds
    /// `3 * width * height` elements, rows from the top, pixels interleaved.
    public func sample(
        _ frame: VideoFrame, source: Rectangle, width: Int, height: Int, into target: UnsafeMutableBufferPointer<Float>
    ) {
        precondition(target.count >= 3 * width * height, "the target holds three components a pixel")
        let swaps = frame.orientation.swapsAxes
        prepare(frame, source: source, width: swaps ? height : width, height: swaps ? width : height)
        resampleComponents(frame.pixelBuffer)
        convert(frame, width: width, height: height, into: target)
    }

    /// As above, filling `picture` at the size that it has.
    public func sample(_ frame: VideoFrame, source: Rectangle, into picture: inout RGBMap) {
        let (width, height) = (picture.width, picture.height)
        picture.values.withUnsafeMutableBufferPointer {
            sample(frame, source: source, width: width, height: height, into: $0)
        }
    }

    /// Writes what `Luma` says of the last picture that was sampled from `frame`, as it is stored, at the picture's size.
    public func luma(of frame: VideoFrame, into map: inout ScalarMap) {
        let format = frame.pixelBuffer.format
        precondition(map.values.count == components[0].count, "the map has the picture's size")
        let scale = 1 / Float((1 << format.bitDepth) - 1)
        components[format.colorModel == .rgb ? 1 : 0].withUnsafeBufferPointer { source in
            map.values.withUnsafeMutableBufferPointer { target in
                for i in target.indices { target[i] = source[i] * scale }
            }
        }
    }

    private func prepare(_ frame: VideoFrame, source: Rectangle, width: Int, height: Int) {
        let buffer = frame.pixelBuffer
        let upright = frame.uprightSize
        let stored = source.applying(
            AffineTransform.scale(1 / Double(upright.width), 1 / Double(upright.height))
                .then(frame.orientation.uprightToStored)
                .then(.scale(Double(buffer.width), Double(buffer.height))))
        let wanted = Geometry(
            format: buffer.format, width: buffer.width, height: buffer.height, source: stored, targetWidth: width,
            targetHeight: height, chromaLocation: frame.color.chromaLocation)
        guard wanted != geometry else { return }
        geometry = wanted
        taps = buffer.format.planes.indices.map { index in
            let plane = buffer.format.planes[index]
            let size = buffer.format.planeSize(index, width: buffer.width, height: buffer.height)
            let (across, down) = (Double(1 << plane.horizontalShift), Double(1 << plane.verticalShift))
            let shift = Self.sitingShift(plane, frame.color.chromaLocation)
            return PlaneTaps(
                horizontal: ResampleTaps(
                    origin: stored.x / across + shift.x, length: stored.width / across, count: width, limit: size.width),
                vertical: ResampleTaps(
                    origin: stored.y / down + shift.y, length: stored.height / down, count: height, limit: size.height))
        }
        let count = width * height
        if components[0].count != count { components = Array(repeating: Array(repeating: 0, count: count), count: 3) }
    }

    /// How far a subsampled plane's samples lie before the middle of the pixels that they cover, in that plane's samples.
    private static func sitingShift(
        _ plane: PixelFormat.PlaneLayout, _ location: ColorDescription.ChromaLocation
    ) -> (x: Double, y: Double) {
        let isLeft = [.unspecified, .left, .topLeft, .bottomLeft].contains(location)
        let isTop = [.top, .topLeft].contains(location)
        let isBottom = [.bottom, .bottomLeft].contains(location)
        return (
            plane.horizontalShift > 0 && isLeft ? 0.25 : 0,
            plane.verticalShift == 0 ? 0 : isTop ? 0.25 : isBottom ? -0.25 : 0
        )
    }

    private func resampleComponents(_ buffer: PixelBuffer) {
        buffer.withPlanes { planes in
            var next = 0
            for (index, plane) in planes.enumerated() {
                let step = buffer.format.planes[index].componentCount
                let picked = buffer.format.colorModel == .rgb ? buffer.format.redGreenBlue : Array(0..<step)
                switch buffer.format.bytesPerComponent {
                case 1: resample(plane, UInt8.self, step: step, picked: picked, taps: taps[index], first: next)
                default: resample(plane, UInt16.self, step: step, picked: picked, taps: taps[index], first: next)
                }
                next += picked.count
            }
        }
    }

    @inline(__always)
    private func resample<T: FixedWidthInteger>(
        _ plane: Plane, _ type: T.Type, step: Int, picked: [Int], taps: PlaneTaps, first: Int
    ) {
        let (horizontal, vertical) = (taps.horizontal, taps.vertical)
        let columns = horizontal.starts.count
        // Only the columns that some target sample reads.
        let left = horizontal.starts.min()! * step
        let span = (horizontal.starts.max()! + horizontal.tapCount) * step - left
        if row.count < span { row = Array(repeating: 0, count: span) }
        row.withUnsafeMutableBufferPointer { row in
            let row = row.baseAddress!
            for y in vertical.starts.indices {
                row.update(repeating: 0, count: span)
                vertical.weights.withUnsafeBufferPointer { weights in
                    Self.add(
                        plane, type, from: vertical.starts[y], left: left,
                        weights.baseAddress! + y * vertical.tapCount, tapCount: vertical.tapCount, to: row,
                        count: span)
                }
                for (offset, component) in picked.enumerated() {
                    components[first + offset].withUnsafeMutableBufferPointer { target in
                        horizontal.weights.withUnsafeBufferPointer { weights in
                            Self.gather(
                                row + (component - left), step: step, starts: horizontal.starts,
                                weights: weights.baseAddress!,
                                tapCount: horizontal.tapCount, into: target.baseAddress! + y * columns, count: columns)
                        }
                    }
                }
            }
        }
    }

    // Adds the weighted sum of `tapCount` rows, two or four at a time, so that the sums are read and written less often. Rows of
    // bytes that weigh the same are added up as whole numbers first, which costs a fraction of floating point.
    @inline(__always)
    private static func add<T: FixedWidthInteger>(
        _ plane: Plane, _ type: T.Type, from first: Int, left: Int, _ weights: UnsafePointer<Float>, tapCount: Int,
        to row: UnsafeMutablePointer<Float>, count: Int
    ) {
        func source(_ tap: Int) -> UnsafePointer<T> { plane.row(first + tap, as: type) + left }
        var tap = 0
        while tap < tapCount {
            let (a, weight) = (source(tap), weights[tap])
            var alike = 1
            while T.bitWidth == 8, alike < 4, tap + alike < tapCount, weights[tap + alike] == weight { alike += 1 }
            switch alike {
            case 4:
                let (b, c, d) = (source(tap + 1), source(tap + 2), source(tap + 3))
                for x in 0..<count { row[x] += weight * Float(sum(a[x], b[x]) &+ sum(c[x], d[x])) }
                tap += 4
            case 2, 3:
                let b = source(tap + 1)
                for x in 0..<count { row[x] += weight * Float(sum(a[x], b[x])) }
                tap += 2
            default:
                guard tap + 1 < tapCount, weights[tap + 1] != 0 else {
                    if weight != 0 { for x in 0..<count { row[x] += weight * Float(a[x]) } }
                    tap += 1
                    continue
                }
                let (b, other) = (source(tap + 1), weights[tap + 1])
                for x in 0..<count { row[x] += weight * Float(a[x]) + other * Float(b[x]) }
                tap += 2
            }
        }
    }

    @inline(__always)
    private static func sum<T: FixedWidthInteger>(_ a: T, _ b: T) -> UInt16 {
        UInt16(truncatingIfNeeded: a) &+ UInt16(truncatingIfNeeded: b)
    }

    @inline(__always)
    private static func gather(
        _ row: UnsafePointer<Float>, step: Int, starts: [Int], weights: UnsafePointer<Float>, tapCount: Int,
        into target: UnsafeMutablePointer<Float>, count: Int
    ) {
        starts.withUnsafeBufferPointer { starts in
            let starts = starts.baseAddress!
            if step == 1 {
                for x in 0..<count {
                    target[x] = dot(row + starts[x], weights + x &* tapCount, count: tapCount)
                }
                return
            }
            for x in 0..<count {
                var sum: Float = 0
                let source = row + starts[x] &* step
                let weight = weights + x &* tapCount
                for tap in 0..<tapCount { sum += weight[tap] * source[tap &* step] }
                target[x] = sum
            }
        }
    }

    @inline(__always)
    private static func dot(_ a: UnsafePointer<Float>, _ b: UnsafePointer<Float>, count: Int) -> Float {
        var sums = SIMD4<Float>.zero
        var i = 0
        while i &+ 4 <= count {
            let left = UnsafeRawPointer(a + i).loadUnaligned(as: SIMD4<Float>.self)
            let right = UnsafeRawPointer(b + i).loadUnaligned(as: SIMD4<Float>.self)
            sums += left * right
            i &+= 4
        }
        var sum = (sums[0] + sums[1]) + (sums[2] + sums[3])
        while i < count {
            sum += a[i] * b[i]
            i &+= 1
        }
        return sum
    }

    private func convert(
        _ frame: VideoFrame, width: Int, height: Int, into target: UnsafeMutableBufferPointer<Float>
    ) {
        let conversion = ColorConversion(
            format: frame.pixelBuffer.format, color: frame.color, width: frame.pixelBuffer.width,
            height: frame.pixelBuffer.height)
        let isGray = frame.pixelBuffer.format.colorModel == .gray
        let walk = StoredWalk(frame.orientation, width: width, height: height)
        let (m, o) = (conversion.toRGB, conversion.toRGBOffset)
        let (m00, m01, m02) = (m[0][0], m[0][1], m[0][2])
        let (m10, m11, m12) = (m[1][0], m[1][1], m[1][2])
        let (m20, m21, m22) = (m[2][0], m[2][1], m[2][2])
        let (o0, o1, o2) = (o[0], o[1], o[2])
        let out = target.baseAddress!
        components[0].withUnsafeBufferPointer { first in
            components[isGray ? 0 : 1].withUnsafeBufferPointer { second in
                components[isGray ? 0 : 2].withUnsafeBufferPointer { third in
                    for y in 0..<height {
                        for x in 0..<width {
                            let index = walk.origin &+ y &* walk.perRow &+ x &* walk.perColumn
                            let (c0, c1, c2) = (first[index], second[index], third[index])
                            let pixel = out + 3 &* (y &* width &+ x)
                            pixel[0] = m00 * c0 + m01 * c1 + m02 * c2 + o0
                            pixel[1] = m10 * c0 + m11 * c1 + m12 * c2 + o1
                            pixel[2] = m20 * c0 + m21 * c1 + m22 * c2 + o2
                        }
                    }
                }
            }
        }
    }
}

/// Where the pixels of an upright picture lie in the stored one, as index = origin + y * perRow + x * perColumn.
public struct StoredWalk: Hashable, Sendable {
    public let origin: Int
    public let perRow: Int
    public let perColumn: Int

    /// For an upright picture of `width` x `height` pixels whose stored rows follow each other without padding.
    public init(_ orientation: Orientation, width: Int, height: Int) {
        let storedWidth = orientation.swapsAxes ? height : width
        let storedHeight = orientation.swapsAxes ? width : height
        let map = AffineTransform.scale(1 / Double(width), 1 / Double(height)).then(orientation.uprightToStored)
            .then(.scale(Double(storedWidth), Double(storedHeight)))
        func index(_ x: Int, _ y: Int) -> Int {
            let point = map.apply(Double(x) + 0.5, Double(y) + 0.5)
            return Int(point.y.rounded(.down)) * storedWidth + Int(point.x.rounded(.down))
        }
        origin = index(0, 0)
        perRow = height > 1 ? index(0, 1) - origin : 0
        perColumn = width > 1 ? index(1, 0) - origin : 0
    }
}
