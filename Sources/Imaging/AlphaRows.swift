/// Gives the rows of an alpha plane at the size and siting of each plane of a format.
///
/// Keeps its working memory, and is therefore for one thread at a time.
public struct AlphaRows {
    private var sums: [UInt16] = []
    private var narrow: [UInt8] = []
    private var repeated: [UInt8] = []

    public init() {}

    /// Calls `body` with row `y` of plane `layout`: one alpha for each component in it, `width` samples.
    ///
    /// `alpha` is a `gray8` plane of the picture's size. A subsampled plane gets the mean of the pixels around each of its
    /// samples: two where samples lie between pixels, three (weighted 1 2 1) where they lie on one. In an interlaced picture they are of the
    /// sample's own field.
    @inline(__always)
    public mutating func withRow(
        _ y: Int, of alpha: Plane, layout: PixelFormat.PlaneLayout, width: Int,
        chromaLocation: ColorDescription.ChromaLocation, isInterlaced: Bool = false,
        _ body: (UnsafePointer<UInt8>) -> Void
    ) {
        guard layout.isSubsampled else {
            return withRepeated(alpha.row(y, as: UInt8.self), width: width, layout.componentCount, body)
        }
        let fields = isInterlaced && layout.verticalShift > 0 ? 2 : 1
        let field = y % fields
        let lastRow = (alpha.height - 1 - field) / fields
        func row(_ y: Int) -> UnsafePointer<UInt8> {
            alpha.row(min(max(y, 0), lastRow) * fields + field, as: UInt8.self)
        }
        let firstRow = (y / fields) << layout.verticalShift
        // Four rows are summed, so that every siting has the same weight: one row counts fourfold, two count twice each.
        let columns =
            switch (layout.verticalShift, chromaLocation.row.map { firstRow + $0 }) {
            case (0, _): sum((row(y), row(y), row(y), row(y)), width: alpha.width)
            case (_, let y?): sum((row(y - 1), row(y), row(y), row(y + 1)), width: alpha.width)
            case (_, nil):
                sum((row(firstRow), row(firstRow), row(firstRow + 1), row(firstRow + 1)), width: alpha.width)
            }
        narrowSums(
            columns, width: width, isHalved: layout.horizontalShift > 0, isOnColumn: chromaLocation.isOnColumn)
        narrow.withUnsafeBufferPointer { narrow in
            withRepeated(narrow.baseAddress!, width: width, layout.componentCount, body)
        }
    }

    // One value before and two after the row repeat its ends, so that every sample has its neighbours. Gives the columns that
    // were added up, with neighbours of their own: all others are clear.
    private mutating func sum(
        _ rows: (UnsafePointer<UInt8>, UnsafePointer<UInt8>, UnsafePointer<UInt8>, UnsafePointer<UInt8>), width: Int
    ) -> Range<Int> {
        if sums.count != width + 3 { sums = Array(repeating: 0, count: width + 3) }
        let (a, b, c, d) = rows
        let columns = AlphaStretch.unclear(a, width).union(AlphaStretch.unclear(b, width))
            .union(AlphaStretch.unclear(c, width)).union(AlphaStretch.unclear(d, width))
        sums.withUnsafeMutableBufferPointer { sums in
            let sums = sums.baseAddress! + 1
            for x in columns { sums[x] = UInt16(a[x]) &+ UInt16(b[x]) &+ UInt16(c[x]) &+ UInt16(d[x]) }
            sums[columns.lowerBound - 1] = columns.lowerBound == 0 ? sums[0] : 0
            let after = columns.upperBound == width ? sums[width - 1] : 0
            sums[columns.upperBound] = after
            sums[columns.upperBound + 1] = after
        }
        return columns
    }

    private mutating func narrowSums(_ columns: Range<Int>, width: Int, isHalved: Bool, isOnColumn: Bool) {
        if narrow.count < width { narrow = Array(repeating: 0, count: width) }
        let shift = isHalved ? 1 : 0
        // The sample after the last one still sees it.
        let samples = columns.lowerBound >> shift..<min((columns.upperBound >> shift) + 1, width)
        sums.withUnsafeBufferPointer { sums in
            narrow.withUnsafeMutableBufferPointer { narrow in
                let narrow = narrow.baseAddress!
                narrow.update(repeating: 0, count: samples.lowerBound)
                (narrow + samples.upperBound).update(repeating: 0, count: width - samples.upperBound)
                let row = UnsafeRawPointer(sums.baseAddress! + 1)
                // Two neighbours are loaded at a time, because loads with a step of two do not vectorise.
                switch (isHalved, isOnColumn) {
                case (false, _):
                    for x in samples { narrow[x] = UInt8(truncatingIfNeeded: (sums[x &+ 1] &+ 2) &>> 2) }
                case (true, true):
                    for x in samples {
                        let before = (row - 2).loadUnaligned(fromByteOffset: 4 &* x, as: UInt32.self)
                        let after = row.loadUnaligned(fromByteOffset: 4 &* x, as: UInt32.self)
                        let sum = (before & 0xFFFF) &+ (before &>> 16) &+ (after & 0xFFFF) &+ (after &>> 16)
                        narrow[x] = UInt8(truncatingIfNeeded: (sum &+ 8) &>> 4)
                    }
                case (true, false):
                    for x in samples {
                        let pair = row.loadUnaligned(fromByteOffset: 4 &* x, as: UInt32.self)
                        narrow[x] = UInt8(truncatingIfNeeded: ((pair & 0xFFFF) &+ (pair &>> 16) &+ 4) &>> 3)
                    }
                }
            }
        }
    }

    /// Calls `body` with each of the `width` alphas of `row` as often as a sample has components.
    @inline(__always)
    public mutating func withRepeated(
        _ row: UnsafePointer<UInt8>, width: Int, _ components: Int, _ body: (UnsafePointer<UInt8>) -> Void
    ) {
        guard components > 1 else { return body(row) }
        repeatComponents(row, width: width, components)
        repeated.withUnsafeBufferPointer { body($0.baseAddress!) }
    }

    /// Calls `body` with all alphas of `plane`, each as often as a sample has components.
    @inline(__always)
    public mutating func withRepeated(_ plane: Plane, _ components: Int, _ body: (Plane) -> Void) {
        guard components > 1 else { return body(plane) }
        let length = plane.width * components
        for y in 0..<plane.height {
            repeatComponents(plane.row(y, as: UInt8.self), width: plane.width, components, from: y * length)
        }
        repeated.withUnsafeBytes {
            body(Plane(base: $0.baseAddress!, bytesPerRow: length, width: length, height: plane.height))
        }
    }

    private mutating func repeatComponents(
        _ row: UnsafePointer<UInt8>, width: Int, _ components: Int, from first: Int = 0
    ) {
        // One byte more, because three components are written as four bytes.
        let missing = first + width * components + 1 - repeated.count
        if missing > 0 { repeated += Array(repeating: 0, count: missing) }
        repeated.withUnsafeMutableBytes { repeated in
            let target = repeated.baseAddress! + first
            // A product with ones in each byte repeats the byte; single bytes would be written one after the other.
            switch components {
            case 2:
                for x in 0..<width {
                    target.storeBytes(of: UInt16(row[x]) &* 0x0101, toByteOffset: 2 &* x, as: UInt16.self)
                }
            case 3:
                for x in 0..<width {
                    target.storeBytes(of: UInt32(row[x]) &* 0x01_0101, toByteOffset: 3 &* x, as: UInt32.self)
                }
            default:
                for x in 0..<width {
                    target.storeBytes(of: UInt32(row[x]) &* 0x0101_0101, toByteOffset: 4 &* x, as: UInt32.self)
                }
            }
        }
    }
}
