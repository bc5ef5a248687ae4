import Foundation
import Imaging
import TestSupport

@testable import Media

extension TemporaryFolder {
    /// Writes a picture without loss whose pixel (x, y) has the components that `value` gives, four of them with alpha.
    func draw(_ name: String, width: Int, height: Int, _ value: (Int, Int) -> [UInt8]) throws -> String {
        let depth = value(0, 0).count
        let kind = depth == 4 ? "RGB_ALPHA" : "RGB"
        var bytes = Data(
            "P7\nWIDTH \(width)\nHEIGHT \(height)\nDEPTH \(depth)\nMAXVAL 255\nTUPLTYPE \(kind)\nENDHDR\n".utf8)
        for y in 0..<height { for x in 0..<width { bytes.append(contentsOf: value(x, y)) } }
        try bytes.write(to: url(name))
        return path(name)
    }

    /// Red tells the column and green the row, both from 0 to 255.
    func ramps(_ name: String, width: Int, height: Int) throws -> String {
        try draw(name, width: width, height: height) { x, y in
            [UInt8(255 * (2 * x + 1) / (2 * width)), UInt8(255 * (2 * y + 1) / (2 * height)), 128]
        }
    }
}

/// A frame to put something behind.
func makeFrame(
    _ format: PixelFormat, width: Int, height: Int, color: ColorDescription = .unspecified,
    pixel: Rational = Rational(1, 1), orientation: Orientation = .up
) -> VideoFrame {
    VideoFrame(
        pixelBuffer: MutablePixelBuffer(format: format, width: width, height: height).publish(), color: color,
        sampleAspectRatio: pixel, orientation: orientation)
}

extension PixelBuffer {
    /// The code values of the pixel (x, y): of luma and chroma, of gray or of red, green and blue.
    func codes(_ x: Int, _ y: Int) -> [Int] {
        withPlanes { planes in
            var values: [Int] = []
            for (plane, layout) in zip(planes, format.planes) {
                let (column, row) = (x >> layout.horizontalShift, y >> layout.verticalShift)
                for component in 0..<layout.componentCount {
                    let index = column * layout.componentCount + component
                    values.append(
                        format.bytesPerComponent == 1
                            ? Int(plane.row(row, as: UInt8.self)[index]) : Int(plane.row(row, as: UInt16.self)[index]))
                }
            }
            return format.colorModel == .rgb ? format.redGreenBlue.map { values[$0] } : values
        }
    }

    /// Where it lies in memory.
    var address: UnsafeRawPointer { withPlane(0) { $0.base } }
}

/// The colour, 0…1, that is seen at (u, v) of the upright unit square where `picture` is shown as `frame` is.
func shown(_ picture: PixelBuffer, as frame: VideoFrame, _ u: Double, _ v: Double) -> [Float] {
    let place = frame.orientation.uprightToStored.apply(u, v)
    let codes = picture.codes(
        min(picture.width - 1, Int(place.x * Double(picture.width))),
        min(picture.height - 1, Int(place.y * Double(picture.height))))
    let conversion = ColorConversion(
        format: picture.format, color: frame.color, width: picture.width, height: picture.height)
    let values = (0..<3).map { Float(codes[min($0, codes.count - 1)]) }
    return zip(conversion.toRGB, conversion.toRGBOffset).map { row, offset in
        row[0] * values[0] + row[1] * values[1] + row[2] * values[2] + offset
    }
}
