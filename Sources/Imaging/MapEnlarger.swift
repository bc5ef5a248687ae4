/// Enlarges a map to rows of a frame's size, bilinearly with sample centres aligned.
///
/// The columns are interpolated once for each row of the map, each row of the result then between two of those.
/// Keeps its working memory, and is therefore for one thread at a time.
public final class MapEnlarger {
    private var widened: [Float] = []
    private var horizontal = LinearTaps(limit: 1, count: 1)
    private var vertical = LinearTaps(limit: 1, count: 1)
    private var mapSize = (width: 0, height: 0)
    private var size = (width: 0, height: 0)

    public init() {}

    /// Takes `map` for a picture of `width` by `height`; then `row` gives the rows.
    public func prepare(_ map: ScalarMap, width: Int, height: Int) {
        if mapSize != (map.width, map.height) || size != (width, height) {
            mapSize = (map.width, map.height)
            size = (width, height)
            horizontal = LinearTaps(limit: map.width, count: width)
            vertical = LinearTaps(limit: map.height, count: height)
            widened = Array(repeating: 0, count: width * map.height)
        }
        let mapWidth = map.width
        map.values.withUnsafeBufferPointer { values in
            widened.withUnsafeMutableBufferPointer { widened in
                horizontal.withPointers { first, second, fraction in
                    for y in 0..<map.height {
                        let source = values.baseAddress! + y &* mapWidth
                        let target = widened.baseAddress! + y &* width
                        for x in 0..<width {
                            let a = source[Int(first[x])]
                            target[x] = a + (source[Int(second[x])] - a) * fraction[x]
                        }
                    }
                }
            }
        }
    }

    /// Fills `target` with `map` at the size that it has.
    public func enlarge(_ map: ScalarMap, into target: inout ScalarMap) {
        let (width, height) = (target.width, target.height)
        guard map.width != width || map.height != height else { return target.copy(map) }
        prepare(map, width: width, height: height)
        target.values.withUnsafeMutableBufferPointer { values in
            for y in 0..<height { row(y, into: values.baseAddress! + y * width) }
        }
    }

    /// Writes row `y` of the enlarged map, `width` values, to `target`.
    @inline(__always)
    public func row(_ y: Int, into target: UnsafeMutablePointer<Float>) {
        let width = size.width
        let fraction = vertical.fraction[y]
        widened.withUnsafeBufferPointer { widened in
            let upper = widened.baseAddress! + Int(vertical.first[y]) &* width
            let lower = widened.baseAddress! + Int(vertical.second[y]) &* width
            for x in 0..<width { target[x] = upper[x] + (lower[x] - upper[x]) * fraction }
        }
    }

    /// Writes row `y` of the enlarged map, rounded and clipped to 0…`peak`, to every `step`th component of `target`.
    public func row<T: PixelComponent>(_ y: Int, peak: T, step: Int, into target: UnsafeMutablePointer<T>) {
        let width = size.width
        widened.withUnsafeBufferPointer { widened in
            T.interpolate(
                widened.baseAddress! + Int(vertical.first[y]) &* width,
                widened.baseAddress! + Int(vertical.second[y]) &* width, fraction: vertical.fraction[y], peak: peak,
                step: step, into: target, count: width)
        }
    }
}
