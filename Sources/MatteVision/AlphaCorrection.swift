import Imaging

/// What a matting network's output does to the coarse mask's logit.
enum AlphaCorrection {
    /// The logit of a coarse mask of 1; that of 0 is its opposite.
    static let maskLogit: Float = 3

    /// Turns `map` from the mask's logit into alpha, 0…1.
    ///
    /// `correction` holds four planes of half the map's width and height: for its pixels at even rows and columns, even rows and
    /// odd columns, odd rows and even columns, odd rows and columns.
    static func apply(_ correction: UnsafeBufferPointer<Float>, to map: inout ScalarMap) {
        let (columns, rows) = (map.width / 2, map.height / 2)
        let width = map.width
        map.values.withUnsafeMutableBufferPointer { values in
            for row in 0..<2 * rows {
                let even = correction.baseAddress! + (2 * (row % 2) * rows + row / 2) * columns
                let odd = even + rows * columns
                let target = values.baseAddress! + row * width
                for column in 0..<columns {
                    target[2 &* column] += even[column]
                    target[2 &* column &+ 1] += odd[column]
                }
                for x in 0..<2 * columns { target[x] = alpha(target[x]) }
            }
        }
    }

    /// The sigmoid, stretched by 0.03 beyond both ends and cut off there: 0 and 1 are reached.
    ///
    /// An odd polynomial, nowhere further from it than 0.0001.
    @inline(__always)
    static func alpha(_ logit: Float) -> Float {
        // In this order what is no number becomes the lower end.
        let x = min(3.5362, max(-3.5362, logit))
        let y = x * x
        var sum: Float = -1.3309970e-7
        sum = sum * y + 6.5547159e-6
        sum = sum * y - 1.4353759e-4
        sum = sum * y + 1.9830042e-3
        sum = sum * y - 2.1791353e-2
        sum = sum * y + 2.6490257e-1
        return min(max(x * sum + 0.5, 0), 1)
    }
}
