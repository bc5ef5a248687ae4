/// Where a window around a pixel of a mask holds both what is surely people and what is surely background.
struct WindowSides {
    private static let both: UInt8 = 3

    private let width: Int
    private let height: Int
    private let radius: Int
    /// 1 where there are people, 2 where there is background: of pixels, of columns of them, of windows.
    private var pixels: [UInt8]
    private var columns: [UInt8]
    private var windows: [UInt8]

    /// For masks of `width` by `height` and windows of `2 * radius + 1` on each side, clipped at the borders.
    init(width: Int, height: Int, radius: Int) {
        (self.width, self.height, self.radius) = (width, height, radius)
        pixels = Array(repeating: 0, count: width * height)
        columns = Array(repeating: 0, count: width + 2 * radius)
        windows = pixels
    }

    /// Takes `mask` as it is now.
    mutating func look(at mask: ScalarMap) {
        let (width, height, radius) = (width, height, radius)
        let sure = ColorMoments.sure
        pixels.withUnsafeMutableBufferPointer { pixels in
            mask.values.withUnsafeBufferPointer { mask in
                for i in pixels.indices {
                    pixels[i] = (mask[i] > sure.people ? 1 : 0) | (mask[i] < sure.background ? 2 : 0)
                }
            }
            columns.withUnsafeMutableBufferPointer { columns in
                windows.withUnsafeMutableBufferPointer { windows in
                    for y in 0..<height {
                        let column = columns.baseAddress! + radius
                        column.update(repeating: 0, count: width)
                        for row in max(0, y - radius)...min(height - 1, y + radius) {
                            Self.join(pixels.baseAddress! + row * width, to: column, count: width)
                        }
                        let window = windows.baseAddress! + y * width
                        window.update(repeating: 0, count: width)
                        for shift in 0...2 * radius {
                            Self.join(columns.baseAddress! + shift, to: window, count: width)
                        }
                    }
                }
            }
        }
    }

    private static func join(_ source: UnsafePointer<UInt8>, to target: UnsafeMutablePointer<UInt8>, count: Int) {
        for x in 0..<count { target[x] |= source[x] }
    }

    /// The next columns of row `y`, from `start` on, whose windows hold both; empty where there are no more.
    func firstRun(inRow y: Int, from start: Int) -> Range<Int> {
        let width = width
        return windows.withUnsafeBufferPointer { windows in
            let row = windows.baseAddress! + y * width
            var first = start
            while first < width, row[first] != Self.both { first += 1 }
            var end = first
            while end < width, row[end] == Self.both { end += 1 }
            return first..<end
        }
    }
}
