import Imaging
import MatteMetrics

extension AlphaMatte {
    /// The luma of `frame` as alpha: from black to white, in whichever range its colour tags give; gray and RGB are
    /// full-range where nothing is said.
    public init(_ frame: VideoFrame) {
        let buffer = frame.pixelBuffer
        let conversion = ColorConversion(
            format: buffer.format, color: frame.color, width: buffer.width, height: buffer.height)
        let black = Float(conversion.codeValues(red: 0, green: 0, blue: 0)[0])
        let white = Float(conversion.codeValues(red: 1, green: 1, blue: 1)[0])
        let step = buffer.format.planes[0].componentCount
        var values: [Float] = []
        values.reserveCapacity(buffer.width * buffer.height)
        func append<T: FixedWidthInteger>(_ plane: Plane, _ type: T.Type) {
            for y in 0..<plane.height {
                let row = plane.row(y, as: type)
                for x in 0..<plane.width {
                    values.append(min(max((Float(row[x &* step]) - black) / (white - black), 0), 1))
                }
            }
        }
        buffer.withPlane(0) { plane in
            if buffer.format.bytesPerComponent == 1 { append(plane, UInt8.self) } else { append(plane, UInt16.self) }
        }
        self.init(width: buffer.width, height: buffer.height, values: values)
    }

    /// The matte as an 8-bit gray picture.
    public var gray8: PixelBuffer {
        var target = MutablePixelBuffer(format: .gray8, width: width, height: height)
        target.withMutablePlane(0) { plane in
            for y in 0..<height {
                let row = plane.row(y, as: UInt8.self)
                for x in 0..<width { row[x] = UInt8((min(max(values[y * width + x], 0), 1) * 255).rounded()) }
            }
        }
        return target.publish()
    }
}
