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
    private var horizontal = LinearTaps(limit: 1, count: 1)
    private var vertical = LinearTaps(limit: 1, count: 1)
    /// Three rows.
    private var rows: [Float] = []
    /// A row of a chroma plane.
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
        rows = Array(repeating: 0, count: 3 * width)
        guard format.colorModel == .yuv else { return }
        let toPlane = format.planes[1].toPlane(location)
        let size = format.planeSize(1, width: width, height: height)
        // The middle of a pixel, by the middles of the plane's samples.
        horizontal = LinearTaps(
            origin: 0.5 * toPlane.a + toPlane.tx - 0.5, step: toPlane.a, count: width, limit: size.width)
        vertical = LinearTaps(
            origin: 0.5 * toPlane.d + toPlane.ty - 0.5, step: toPlane.d, count: height, limit: size.height)
        line = Array(repeating: 0, count: size.width)
    }

    /// Reads `columns` of row `y` from `planes`, those of the frame; the row is valid only inside of `body`.
    func withRow(_ y: Int, columns: Range<Int>, of planes: [Plane], _ body: (Row) -> Void) {
        rows.withUnsafeMutableBufferPointer { rows in
            let luma = rows.baseAddress!
            let (blue, red) = (luma + width, luma + 2 * width)
            if format.colorModel == .rgb {
                readRGB(planes[0].row(y, as: UInt8.self), columns, into: (luma, blue, red))
            } else {
                Luma.row(
                    y, of: planes[0], columns: columns, format: format, into: luma + columns.lowerBound)
            }
            if format.colorModel == .yuv {
                let layout = format.planes[1]
                let second = planes[layout.componentCount == 2 ? 1 : 2]
                readChroma(y, columns, planes[1], component: 0, into: blue)
                readChroma(y, columns, second, component: layout.componentCount - 1, into: red)
            }
            body(Row(luma: luma, blue: blue, red: red))
        }
    }

    private func readRGB(
        _ source: UnsafePointer<UInt8>, _ columns: Range<Int>,
        into target: (luma: UnsafeMutablePointer<Float>, blue: UnsafeMutablePointer<Float>, red: UnsafeMutablePointer<Float>)
    ) {
        let step = format.planes[0].componentCount
        let (red, green, blue) = (format.redGreenBlue[0], format.redGreenBlue[1], format.redGreenBlue[2])
        for x in columns {
            let sample = source + x &* step
            let color =
                Self.components(red: Float(sample[red]), green: Float(sample[green]), blue: Float(sample[blue])) * (1 / 255)
            (target.luma[x], target.blue[x], target.red[x]) = (color[0], color[1], color[2])
        }
    }

    private func readChroma(
        _ y: Int, _ columns: Range<Int>, _ plane: Plane, component: Int, into target: UnsafeMutablePointer<Float>
    ) {
        if format.bytesPerComponent == 1 {
            mixRows(y, columns, plane, UInt8.self, component)
        } else {
            mixRows(y, columns, plane, UInt16.self, component)
        }
        line.withUnsafeBufferPointer { line in
            horizontal.withPointers { first, second, fraction in
                for x in columns {
                    let a = line[Int(first[x])]
                    target[x] = a + (line[Int(second[x])] - a) * fraction[x]
                }
            }
        }
    }

    // The samples that `columns` lie between, from the two rows that row `y` lies between.
    private func mixRows<T: FixedWidthInteger>(
        _ y: Int, _ columns: Range<Int>, _ plane: Plane, _ type: T.Type, _ component: Int
    ) {
        guard let last = columns.last else { return }
        let step = format.planes[1].componentCount
        let scale = 1 / Float((1 << format.bitDepth) - 1)
        let down = vertical.fraction[y]
        let upper = plane.row(Int(vertical.first[y]), as: type) + component
        let lower = plane.row(Int(vertical.second[y]), as: type) + component
        line.withUnsafeMutableBufferPointer { line in
            for i in Int(horizontal.first[columns.lowerBound])...Int(horizontal.second[last]) {
                let a = Float(upper[i &* step])
                line[i] = (a + (Float(lower[i &* step]) - a) * down) * scale
            }
        }
    }
}
