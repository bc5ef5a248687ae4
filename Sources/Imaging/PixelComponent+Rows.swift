import Glibc

/// What is done to whole rows of components in floating point, for both widths; being what the protocol asks for, each is
/// compiled for its own type.
extension PixelComponent {
    public static func scale(
        _ components: UnsafePointer<Self>, about zero: Float, by gains: UnsafePointer<Float>, limit: Float,
        into target: UnsafeMutablePointer<Self>, count: Int
    ) {
        for x in 0..<count {
            let source = Float(components[x])
            let scaled = Swift.max(zero + (source - zero) * gains[x], 0)
            target[x] = Self(nearest: Swift.min(scaled, Swift.max(source, limit)))
        }
    }

    public static func remainder(
        _ components: UnsafePointer<Self>, foreground: UnsafePointer<Self>, alpha: UnsafePointer<UInt8>, peak: Self,
        into target: UnsafeMutablePointer<Self>, count: Int
    ) {
        let peak = Float(peak)
        var first = 0
        while first < count {
            let end = Swift.min(first + 64, count)
            defer { first = end }
            // Most of a row is one or the other alone, and nothing is taken out there.
            let length = (end - first) * MemoryLayout<Self>.size
            if memcmp(components + first, foreground + first, length) == 0 {
                (target + first).update(from: components + first, count: end - first)
                continue
            }
            for x in first..<end {
                // The weight that `blend` gives to the foreground.
                let weight = Float(UInt16(alpha[x]) &+ UInt16(alpha[x] &>> 7))
                let rest = Float(components[x]) * 256 - Float(foreground[x]) * weight
                target[x] = Self(nearest: Swift.min(Swift.max(rest / Swift.max(256 - weight, 1), 0), peak))
            }
        }
    }

    public static func mix(
        _ components: UnsafePointer<Self>, with colors: UnsafePointer<Float>, shares: UnsafePointer<Float>, step: Int,
        into target: UnsafeMutablePointer<Self>, count: Int
    ) {
        func mix(_ step: Int) {
            for x in 0..<count {
                let value = Float(components[x &* step])
                target[x &* step] = Self(nearest: Swift.max(value + (colors[x] - value) * shares[x], 0))
            }
        }
        // With the usual step as a constant the loop vectorises.
        if step == 1 { mix(1) } else { mix(step) }
    }

    public static func write(
        _ values: UnsafePointer<Float>, peak: Self, step: Int, into target: UnsafeMutablePointer<Self>, count: Int
    ) {
        let limit = Float(peak)
        func write(_ step: Int) {
            for x in 0..<count { target[x &* step] = Self(nearest: Swift.min(Swift.max(values[x], 0), limit)) }
        }
        if step == 1 { write(1) } else { write(step) }
    }

    public static func interpolate(
        _ upper: UnsafePointer<Float>, _ lower: UnsafePointer<Float>, fraction: Float, peak: Self, step: Int,
        into target: UnsafeMutablePointer<Self>, count: Int
    ) {
        let limit = Float(peak)
        func interpolate(_ step: Int) {
            for x in 0..<count {
                let value = upper[x] + (lower[x] - upper[x]) * fraction
                target[x &* step] = Self(nearest: Swift.min(Swift.max(value, 0), limit))
            }
        }
        if step == 1 { interpolate(1) } else { interpolate(step) }
    }

    public static func scaleRGB(
        _ pixels: UnsafePointer<Self>, step: Int, redGreenBlue: (Int, Int, Int), saturation: Float,
        by gains: UnsafePointer<Float>, limit: Float, into target: UnsafeMutablePointer<Self>, count: Int
    ) {
        let (red, green, blue) = redGreenBlue
        for x in 0..<count {
            let (source, pixel) = (pixels + x &* step, target + x &* step)
            let (r, g, b) = (Float(source[red]), Float(source[green]), Float(source[blue]))
            let limit = Swift.max(limit, r, g, b)
            let gray = (1 - saturation) * (0.2126 * r + 0.7152 * g + 0.0722 * b)
            if step == 4 { pixel[3] = source[3] }
            pixel[red] = Self(nearest: Swift.min((gray + saturation * r) * gains[x], limit))
            pixel[green] = Self(nearest: Swift.min((gray + saturation * g) * gains[x], limit))
            pixel[blue] = Self(nearest: Swift.min((gray + saturation * b) * gains[x], limit))
        }
    }

    public static func weighFour(
        _ rows: (UnsafePointer<Self>, UnsafePointer<Self>, UnsafePointer<Self>, UnsafePointer<Self>),
        weights: SIMD4<Float>,
        into target: UnsafeMutablePointer<Float>, count: Int
    ) {
        for x in 0..<count {
            let outer = Float(rows.0[x]) * weights[0] + Float(rows.3[x]) * weights[3]
            target[x] = outer + Float(rows.1[x]) * weights[1] + Float(rows.2[x]) * weights[2]
        }
    }
}
