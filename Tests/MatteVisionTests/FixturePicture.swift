import Glibc
import Imaging
import Media
import TestSupport

/// Pictures of the fixtures' folder.
enum FixturePicture {
    /// The picture in the file `name` as a frame.
    static func load(_ name: String) throws -> VideoFrame {
        let reader = try MediaReader(path: Checkout.fixture(name))
        while let item = try reader.next() {
            if case .frame(let frame) = item { return frame }
        }
        throw Missing(name: name)
    }

    /// The 16-bit grey picture in the file `name` as a map of 0…1.
    static func map(_ name: String) throws -> ScalarMap {
        let picture = try load(name).pixelBuffer
        var map = ScalarMap(width: picture.width, height: picture.height)
        picture.withPlane(0) { plane in
            for y in 0..<map.height {
                let row = plane.row(y, as: UInt16.self)
                for x in 0..<map.width { map.values[y * map.width + x] = Float(row[x]) / 65535 }
            }
        }
        return map
    }

    struct Missing: Error {
        let name: String
    }
}

/// A picture of 8-bit red, green and blue that tests cut, turn and put together.
struct RGBPicture {
    let width: Int
    let height: Int
    private var pixels: [SIMD3<UInt8>]

    init(width: Int, height: Int, _ pixel: (Int, Int) -> SIMD3<UInt8>) {
        self.width = width
        self.height = height
        pixels = []
        pixels.reserveCapacity(width * height)
        for y in 0..<height { for x in 0..<width { pixels.append(pixel(x, y)) } }
    }

    /// The picture in the file `name` of the fixtures, which is `rgb24`.
    init(fixture name: String) throws {
        let buffer = try FixturePicture.load(name).pixelBuffer
        precondition(buffer.format == .rgb24)
        self = buffer.withPlane(0) { plane in
            RGBPicture(width: buffer.width, height: buffer.height) { x, y in
                let pixel = plane.row(y, as: UInt8.self) + 3 * x
                return [pixel[0], pixel[1], pixel[2]]
            }
        }
    }

    static func gray(width: Int, height: Int) -> RGBPicture {
        RGBPicture(width: width, height: height) { _, _ in [128, 128, 128] }
    }

    /// The picture on its own ground, smaller and turned clockwise about its middle by `angle` radians.
    func turned(by angle: Double) -> RGBPicture {
        let middle = SIMD2(Double(width), Double(height)) / 2
        return RGBPicture(width: width, height: height) { x, y in
            let place = 1.5 * (SIMD2(Double(x), Double(y)) - middle)
            let source =
                middle + [
                    place.x * cos(angle) + place.y * sin(angle), place.y * cos(angle) - place.x * sin(angle),
                ]
            return self[min(max(Int(source.x), 0), width - 1), min(max(Int(source.y), 0), height - 1)]
        }
    }

    subscript(x: Int, y: Int) -> SIMD3<UInt8> { pixels[y * width + x] }

    var mirrored: RGBPicture { RGBPicture(width: width, height: height) { x, y in self[width - 1 - x, y] } }

    /// The picture turned clockwise by 90 degrees, `quarters` times.
    func turned(_ quarters: Int) -> RGBPicture {
        switch quarters % 4 {
        case 1: RGBPicture(width: height, height: width) { x, y in self[y, height - 1 - x] }
        case 2: RGBPicture(width: width, height: height) { x, y in self[width - 1 - x, height - 1 - y] }
        case 3: RGBPicture(width: height, height: width) { x, y in self[width - 1 - y, x] }
        default: self
        }
    }

    /// The picture in light of such red, green and blue.
    func lit(by light: SIMD3<Double>) -> RGBPicture {
        RGBPicture(width: width, height: height) { x, y in
            let color = SIMD3<Double>(self[x, y]) * light
            return SIMD3<UInt8>(color.clamped(lowerBound: .zero, upperBound: [255, 255, 255]))
        }
    }

    /// The columns from `x` on.
    func columns(from x: Int, count: Int) -> RGBPicture {
        RGBPicture(width: count, height: height) { column, y in self[x + column, y] }
    }

    /// Every so many columns, for pixels that are wider than high when they are shown.
    func squeezed(to count: Int) -> RGBPicture {
        RGBPicture(width: count, height: height) { column, y in self[column * width / count, y] }
    }

    func beside(_ right: RGBPicture) -> RGBPicture {
        RGBPicture(width: width + right.width, height: height) { x, y in x < width ? self[x, y] : right[x - width, y] }
    }

    func frame(
        _ pts: Int64 = 0, orientation: Orientation = .up, sampleAspectRatio: Rational = Rational(0, 1)
    ) -> VideoFrame {
        var buffer = MutablePixelBuffer(format: .rgb24, width: width, height: height)
        buffer.withMutablePlane(0) { plane in
            for y in 0..<height {
                let row = plane.row(y, as: UInt8.self)
                for x in 0..<width {
                    let pixel = self[x, y]
                    (row[3 * x], row[3 * x + 1], row[3 * x + 2]) = (pixel.x, pixel.y, pixel.z)
                }
            }
        }
        return VideoFrame(
            pixelBuffer: buffer.publish(), pts: pts, timeBase: Rational(1, 30), sampleAspectRatio: sampleAspectRatio,
            orientation: orientation)
    }
}
