import Imaging

/// How many pixels of two masks show people, and how many of them in both, by the pixels of the first.
struct MaskOverlap {
    let first: Int
    let second: Int
    let both: Int

    /// Of masks of the same part of a frame, whatever their sizes.
    init(_ first: ScalarMap, _ second: ScalarMap) {
        var (ofFirst, ofSecond, both) = (0, 0, 0)
        for y in 0..<first.height {
            let row = y * second.height / first.height * second.width
            for x in 0..<first.width {
                let a = first.values[y * first.width + x] > 0.5
                let b = second.values[row + x * second.width / first.width] > 0.5
                if a { ofFirst += 1 }
                if b { ofSecond += 1 }
                if a && b { both += 1 }
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
