/// The colours of a frame's rows as a guide for a mask: luma and two components of chroma, as fractions of the largest code value.
///
/// Subsampled chroma is enlarged bilinearly, from where it is sited; that of a gray frame is 0. Of an RGB frame they are green, and
/// half of what blue and red have more than it. Keeps its working memory, and is therefore for one thread at a time.
final class ColorGuide {
    /// One row; each pointer is to the frame's first column.
    struct Row {
        let luma: UnsafePointer<Float>
        /// Cb, or what blue has more.
        let blue: UnsafePointer<Float>
        /// Cr, or what red has more.
        let red: UnsafePointer<Float>

        /// The same from `column` on.
        func from(_ column: Int) -> Row { Row(luma: luma + column, blue: blue + column, red: red + column) }
    }

    private var format = PixelFormat.gray8
    private var width = 0
    private var height = 0
    private var location = ColorDescription.ChromaLocation.unspecified

    // What follows from these.
    private var places: [PixelFormat.ComponentPlace] = []
    private var scale: Float = 1
    private var isWide = false
    private var isRGB = false
    private var isSubsampledAcross = false
    /// How much of a pixel's chroma is that of the sample before, at even columns, and that of the sample after, at odd ones.
    private var neighbour: (before: Float, after: Float) = (0, 0)
    private var vertical = LinearTaps(limit: 1, count: 1)

    /// Three rows, each of whole pairs of columns.
    private var rows: [Float] = []
    private var stride = 0
    /// A row of a chroma plane, with its first and last samples once more at the ends.
    private var line: [Float] = []

    /// The guide's components of a colour of an RGB frame.
    @inline(__always)
    static func components(red: Float, green: Float, blue: Float) -> SIMD3<Float> {
        SIMD3(green, 0.5 * (blue - green), 0.5 * (red - green))
    }

    /// Takes on the shape of `frame`.
    func prepare(_ frame: VideoFrame) {
        let buffer = frame.pixelBuffer
        let wanted = (buffer.format, buffer.width, buffer.height, frame.color.chromaLocation)
        guard wanted != (format, width, height, location) else { return }
        (format, width, height, location) = wanted
        (isWide, isRGB) = (format.bytesPerComponent > 1, format.colorModel == .rgb)
        scale = 1 / Float((1 << format.bitDepth) - 1)
        places = format.componentPlaces
        stride = (width + 1) / 2 * 2
        rows = Array(repeating: 0, count: 3 * stride)
        guard format.colorModel == .yuv else { return }
        let (layout, size) = (format.planes[1], format.planeSize(1, width: width, height: height))
        isSubsampledAcross = layout.horizontalShift > 0
        // The middle of the first pixel, by the middles of the plane's samples.
        let toPlane = layout.toPlane(location)
        let (column, row) = (0.5 * toPlane.a + toPlane.tx - 0.5, 0.5 * toPlane.d + toPlane.ty - 0.5)
        neighbour = (Float(-column), Float(column + toPlane.a))
        vertical = LinearTaps(origin: row, step: toPlane.d, count: height, limit: size.height)
        line = Array(repeating: 0, count: size.width + 2)
    }

    /// Reads `columns` of row `y` from `planes`, those of the frame; the row is valid only inside of `body`.
    func withRow(_ y: Int, columns: Range<Int>, of planes: [Plane], _ body: (Row) -> Void) {
        if isWide {
            read(y, columns, planes, as: UInt16.self)
        } else {
            read(y, columns, planes, as: UInt8.self)
        }
        rows.withUnsafeBufferPointer { rows in
            let luma = rows.baseAddress!
            body(Row(luma: luma, blue: luma + stride, red: luma + 2 * stride))
        }
    }

    @inline(__always)
    private func read<T: FixedWidthInteger>(_ y: Int, _ columns: Range<Int>, _ planes: [Plane], as type: T.Type) {
        rows.withUnsafeMutableBufferPointer { rows in
            let luma = rows.baseAddress!
            if isRGB { return readRGB(planes[0].row(y, as: type), columns, into: luma) }
            let source = planes[0].row(y, as: type)
            for x in columns { luma[x] = Float(source[x]) * scale }
            if places.count > 1 {
                readChroma(y, columns, planes[places[1].plane], places[1], as: type, into: luma + stride)
                readChroma(y, columns, planes[places[2].plane], places[2], as: type, into: luma + 2 * stride)
            }
        }
    }

    private func readRGB<T: FixedWidthInteger>(
        _ source: UnsafePointer<T>, _ columns: Range<Int>, into luma: UnsafeMutablePointer<Float>
    ) {
        let (blue, red) = (luma + stride, luma + 2 * stride)
        let (step, places) = (places[0].step, (places[0].component, places[1].component, places[2].component))
        for x in columns {
            let sample = source + x &* step
            let color = Self.components(
                red: Float(sample[places.0]), green: Float(sample[places.1]), blue: Float(sample[places.2]))
            luma[x] = color[0] * scale
            blue[x] = color[1] * scale
            red[x] = color[2] * scale
        }
    }

    // The samples around the columns, from the two rows that row `y` lies between, and then those across.
    @inline(__always)
    private func readChroma<T: FixedWidthInteger>(
        _ y: Int, _ columns: Range<Int>, _ plane: Plane, _ place: PixelFormat.ComponentPlace, as type: T.Type,
        into target: UnsafeMutablePointer<Float>
    ) {
        let (scale, down, step) = (scale, vertical.fraction[y], place.step)
        let upper = plane.row(Int(vertical.first[y]), as: type) + place.component
        let lower = plane.row(Int(vertical.second[y]), as: type) + place.component
        line.withUnsafeMutableBufferPointer { line in
            let samples = line.baseAddress! + 1
            @inline(__always)
            func mix(_ range: Range<Int>, step: Int) {
                for i in range {
                    let above = Float(upper[i &* step])
                    samples[i] = (above + (Float(lower[i &* step]) - above) * down) * scale
                }
            }
            guard isSubsampledAcross else {
                mix(columns, step: step)
                (target + columns.lowerBound).update(from: samples + columns.lowerBound, count: columns.count)
                return
            }
            let pairs = columns.lowerBound / 2..<(columns.upperBound + 1) / 2
            let reach = max(0, pairs.lowerBound - 1)..<min(plane.width, pairs.upperBound + 1)
            // With the usual step as a constant the loop vectorises.
            if step == 1 { mix(reach, step: 1) } else { mix(reach, step: step) }
            samples[-1] = samples[0]
            samples[plane.width] = samples[plane.width - 1]
            let (before, after) = neighbour
            for i in pairs {
                let here = samples[i]
                target[2 &* i] = here + (samples[i &- 1] - here) * before
                target[2 &* i &+ 1] = here + (samples[i &+ 1] - here) * after
            }
        }
    }
}
