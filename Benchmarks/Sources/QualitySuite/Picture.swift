import Imaging
import MatteMetrics

/// A picture to compute with: red, green and blue as planes of numbers, 0 black and 1 full.
struct Picture {
    let width: Int
    let height: Int
    /// Red, green and blue; rows from the top without padding.
    var planes: [[Float]]

    init(width: Int, height: Int, planes: [[Float]]) {
        precondition(planes.count == 3 && planes.allSatisfy { $0.count == width * height })
        self.width = width
        self.height = height
        self.planes = planes
    }

    /// A black picture.
    init(width: Int, height: Int) {
        let plane = [Float](repeating: 0, count: width * height)
        self.init(width: width, height: height, planes: [plane, plane, plane])
    }

    /// The upright `frame`, resampled to `width` by `height` pixels.
    init(_ frame: VideoFrame, width: Int, height: Int) {
        self.init(width: width, height: height)
        let size = frame.uprightSize
        let whole = Rectangle(x: 0, y: 0, width: Double(size.width), height: Double(size.height))
        var pixels = [Float](repeating: 0, count: 3 * width * height)
        pixels.withUnsafeMutableBufferPointer {
            FrameSampler().sample(frame, source: whole, width: width, height: height, into: $0)
        }
        for component in 0..<3 {
            for i in 0..<width * height { planes[component][i] = pixels[3 * i + component] }
        }
    }

    /// Gray, as bright as `matte` is opaque.
    init(_ matte: AlphaMatte) {
        self.init(width: matte.width, height: matte.height, planes: [matte.values, matte.values, matte.values])
    }

    /// The picture as 8-bit RGB.
    var rgb24: PixelBuffer {
        var target = MutablePixelBuffer(format: .rgb24, width: width, height: height)
        target.withMutablePlane(0) { plane in
            for y in 0..<height {
                let row = plane.row(y, as: UInt8.self)
                for component in 0..<3 {
                    planes[component].withUnsafeBufferPointer { values in
                        for x in 0..<width {
                            row[3 * x + component] = UInt8(min(max(values[y * width + x], 0), 1) * 255 + 0.5)
                        }
                    }
                }
            }
        }
        return target.publish()
    }

    /// The picture moved right and down; what leaves on one side comes in on the other.
    func rolled(right: Int, down: Int) -> Picture {
        var result = self
        for y in 0..<height {
            let source = ((y - down) % height + height) % height * width
            for x in 0..<width {
                let i = source + ((x - right) % width + width) % width
                for component in 0..<3 { result.planes[component][y * width + x] = planes[component][i] }
            }
        }
        return result
    }
}
