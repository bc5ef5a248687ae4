import Imaging

/// How many pixels of two masks show people, and how many of them in both, by the pixels of the first.
struct MaskOverlap {
    let first: Int
    let second: Int
    let both: Int

    /// Of masks of the same part of a frame, whatever their sizes.
    init(_ first: ScalarMap, _ second: ScalarMap) {
        var (ofFirst, ofSecond, both) = (0, 0, 0)
        let columns = (0..<first.width).map { $0 * second.width / first.width }
        first.values.withUnsafeBufferPointer { firsts in
            second.values.withUnsafeBufferPointer { seconds in
                for y in 0..<first.height {
                    let (own, others) = (y * first.width, y * second.height / first.height * second.width)
                    for x in 0..<first.width {
                        let (a, b) = (firsts[own + x] > 0.5, seconds[others + columns[x]] > 0.5)
                        ofFirst &+= a ? 1 : 0
                        ofSecond &+= b ? 1 : 0
                        both &+= a && b ? 1 : 0
                    }
                }
            }
        }
        (self.first, self.second, self.both) = (ofFirst, ofSecond, both)
    }

    /// 0…1; 0 where there is nobody.
    var intersectionOverUnion: Double {
        let either = first + second - both
        return either > 0 ? Double(both) / Double(either) : 0
    }
}
