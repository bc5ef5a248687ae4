import MatteMetrics

extension AlphaMatte {
    /// A matte from its rows.
    init(_ rows: [[Float]]) {
        self.init(width: rows[0].count, height: rows.count, values: Array(rows.joined()))
    }

    /// `width` x `height` values of `value(x, y)`.
    init(_ width: Int, _ height: Int, _ value: (Int, Int) -> Float) {
        self.init((0..<height).map { y in (0..<width).map { x in value(x, y) } })
    }
}

/// 8-bit mattes of the generator x' = 1103515245 x + 12345 mod 2^31 (bits 16 to 23), which other languages have too.
struct RandomMattes {
    private var state: UInt32 = 12345

    mutating func next(_ width: Int, _ height: Int) -> AlphaMatte {
        let values = (0..<width * height).map { _ in
            state = (state &* 1_103_515_245 &+ 12345) & 0x7fff_ffff
            return Float(state >> 16 & 255) / 255
        }
        return AlphaMatte(width: width, height: height, values: values)
    }
}

func isNear(_ a: Double, _ b: Double, _ tolerance: Double = 1e-6) -> Bool { abs(a - b) <= tolerance }
