@testable import Imaging

/// Numbers that look random and are the same in every run (SplitMix64).
struct Noise: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z &>> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z &>> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z &>> 31)
    }
}

extension PixelBuffer {
    /// A picture whose component `c` in sample (x, y) of plane `p` is `value(p, c, x, y)`.
    static func make(
        _ format: PixelFormat, width: Int, height: Int, value: (Int, Int, Int, Int) -> Int
    ) -> PixelBuffer {
        var buffer = MutablePixelBuffer(format: format, width: width, height: height)
        buffer.withMutablePlanes { planes in
            for (index, plane) in planes.enumerated() {
                let count = format.planes[index].componentCount
                for y in 0..<plane.height {
                    for x in 0..<plane.width {
                        for c in 0..<count {
                            let number = value(index, c, x, y)
                            if format.bytesPerComponent == 1 {
                                plane.row(y, as: UInt8.self)[x * count + c] = UInt8(number)
                            } else {
                                plane.row(y, as: UInt16.self)[x * count + c] = UInt16(number)
                            }
                        }
                    }
                }
            }
        }
        return buffer.publish()
    }

    /// A picture of one colour, in 0…1.
    static func make(
        _ format: PixelFormat, width: Int, height: Int, color: RGBColor, description: ColorDescription
    ) -> PixelBuffer {
        let values = ColorConversion(format: format, color: description, width: width, height: height)
            .codeValues(red: color.red, green: color.green, blue: color.blue)
        return make(format, width: width, height: height) { plane, component, _, _ in
            switch format.colorModel {
            case .gray: Int(values[0])
            case .yuv: Int(values[format.planes[plane].componentCount == 2 ? 1 + component : plane])
            case .rgb: format.redGreenBlue.firstIndex(of: component).map { Int(values[$0]) } ?? 255
            }
        }
    }

    func bytes(of plane: Int = 0) -> [UInt8] {
        withPlane(plane) { plane in
            (0..<plane.height).flatMap { y in (0..<plane.width).map { plane.row(y, as: UInt8.self)[$0] } }
        }
    }
}

func sample(_ frame: VideoFrame, _ source: Rectangle, _ width: Int, _ height: Int) -> [Float] {
    var target = [Float](repeating: -1, count: 3 * width * height)
    target.withUnsafeMutableBufferPointer { target in
        FrameSampler().sample(frame, source: source, width: width, height: height, into: target)
    }
    return target
}

func near(_ a: [Float], _ b: [Float], _ tolerance: Float) -> Bool {
    a.count == b.count && zip(a, b).allSatisfy { abs($0 - $1) <= tolerance }
}
