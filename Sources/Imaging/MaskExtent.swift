/// Where people are in a mask.
public struct MaskExtent: Equatable, Sendable {
    /// The smallest rectangle around what is more person than not, in pixels of the stored picture.
    public let rectangle: Rectangle
    /// How many pixels of each column are more person than not.
    public let columns: [Int32]
    /// How many pixels of each row are.
    public let rows: [Int32]

    /// Where people are; nil where nobody is.
    ///
    /// `mask` is `gray8` or `grayf32`. Columns and rows with less than a two-hundredth of people in them are taken for flaws.
    public static func find(in mask: PixelBuffer) -> MaskExtent? {
        precondition(mask.format == .gray8 || mask.format == .grayf32, "people are looked for in gray8 or grayf32")
        return mask.withPlane(0) { plane in
            mask.format == .gray8 ? find(plane, above: UInt8(127)) : find(plane, above: Float(0.5))
        }
    }

    private static func find<T: Comparable>(_ mask: Plane, above half: T) -> MaskExtent? {
        var columns = [Int32](repeating: 0, count: mask.width)
        var rows = [Int32](repeating: 0, count: mask.height)
        columns.withUnsafeMutableBufferPointer { columns in
            for y in 0..<mask.height {
                let row = mask.row(y, as: T.self)
                var count: Int32 = 0
                for x in 0..<mask.width {
                    let isPerson: Int32 = row[x] > half ? 1 : 0
                    columns[x] &+= isPerson
                    count &+= isPerson
                }
                rows[y] = count
            }
        }
        let (least, leastAcross) = (Int32(max(mask.height / 200, 1)), Int32(max(mask.width / 200, 1)))
        guard let left = columns.firstIndex(where: { $0 >= least }),
            let right = columns.lastIndex(where: { $0 >= least }),
            let top = rows.firstIndex(where: { $0 >= leastAcross }),
            let bottom = rows.lastIndex(where: { $0 >= leastAcross })
        else { return nil }
        return MaskExtent(
            rectangle: Rectangle(
                x: Double(left), y: Double(top), width: Double(right - left + 1), height: Double(bottom - top + 1)),
            columns: columns, rows: rows)
    }
}
