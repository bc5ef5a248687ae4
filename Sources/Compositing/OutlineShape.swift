import Imaging

/// Where people and a band around them are: the mask grown by a disc, its edge smooth to a fraction of a pixel.
///
/// The distance to the nearest pixel that is more person than not is the lower envelope of parabolas (Felzenszwalb and
/// Huttenlocher, "Distance Transforms of Sampled Functions", 2012), found here by trying every offset up to the width, first
/// along rows and then along columns. Wide bands are worked out at half the size or less and enlarged. Takes its pictures from
/// a pool and keeps its working memory; for one thread at a time.
final class OutlineShape {
    /// Beyond this, the size is halved.
    private static let widestBand = 12.0
    // Squared distances are in sixty-fourths of a pixel's square; anything as far is no distance at all.
    private static let unit = 64.0
    private static let far: Int16 = 20_000

    private let pool = PixelBufferPool()
    private let enlarger = MapEnlarger()
    private var grid = CellGrid()
    private var padded: [Int16] = []
    private var distances: [Int16] = []
    private var nearest: [Int16] = []
    private var isNear: [Bool] = []
    private var coverage: [UInt8] = []
    private var coverageWidth = 0.0

    /// The shape of `mask` (`gray8`) and what lies within `width` pixels of it, as a mask of the same size.
    func grow(_ mask: PixelBuffer, by width: Double) -> PixelBuffer {
        var side = 1
        while width / Double(side) > Self.widestBand { side *= 2 }
        var target = pool.makeBuffer(format: .gray8, width: mask.width, height: mask.height)
        mask.withPlane(0) { mask in
            target.withMutablePlane(0) { target in
                guard side > 1 else { return grow(mask, by: width, into: target) }
                growCells(mask, side: side, by: width / Double(side), into: target)
            }
        }
        return target.publish()
    }

    private func growCells(_ mask: Plane, side: Int, by width: Double, into target: MutablePlane) {
        _ = grid.gather(mask, weights: nil, componentCount: 1, cell: (side, side), as: UInt8.self)
        let (columns, rows) = (grid.columns, grid.rows)
        let shares = grid.shares
        var small = shares.values.map { UInt8(min($0 * 255, 255).rounded()) }
        var map = ScalarMap(width: columns, height: rows)
        small.withUnsafeMutableBytes { small in
            let plane = MutablePlane(base: small.baseAddress!, bytesPerRow: columns, width: columns, height: rows)
            grow(plane.readOnly, by: width, into: plane)
            for (index, value) in small.enumerated() { map.values[index] = Float(value) }
        }
        enlarger.prepare(map, width: target.width, height: target.height)
        withUnsafeTemporaryAllocation(of: Float.self, capacity: target.width) { line in
            for y in 0..<target.height {
                enlarger.row(y, into: line.baseAddress!)
                let row = target.row(y, as: UInt8.self)
                for x in 0..<target.width {
                    row[x] = UInt8(truncatingIfNeeded: (line[x] + 8_388_608).bitPattern)
                }
            }
        }
    }

    /// `target` may be the memory of `mask`.
    private func grow(_ mask: Plane, by bandWidth: Double, into target: MutablePlane) {
        let (width, height, reach) = (mask.width, mask.height, Int(bandWidth.rounded(.up)) + 1)
        prepareCoverage(bandWidth, reach: reach)
        if distances.count != width * height { distances = Array(repeating: 0, count: width * height) }
        if nearest.count != width { nearest = Array(repeating: 0, count: width) }
        padded = Array(repeating: Self.far, count: width + 2 * reach)
        isNear = Array(repeating: false, count: height)
        for y in 0..<height { isNear[y] = measure(mask.row(y, as: UInt8.self), y, width: width, reach: reach) }
        for y in 0..<height {
            let around = max(y - reach, 0)...min(y + reach, height - 1)
            let row = target.row(y, as: UInt8.self)
            guard around.contains(where: { isNear[$0] }) else {
                row.update(repeating: 0, count: width)
                continue
            }
            cover(y, around, width: width, into: row)
        }
    }

    private func prepareCoverage(_ bandWidth: Double, reach: Int) {
        guard coverageWidth != bandWidth else { return }
        coverageWidth = bandWidth
        coverage = (0...Int(Self.unit) * (reach + 1) * (reach + 1)).map { square in
            let distance = (Double(square) / Self.unit).squareRoot()
            return UInt8((min(max(bandWidth + 0.5 - distance, 0), 1) * 255).rounded())
        }
    }

    // Squared distances along row y; false where nobody is in it.
    private func measure(_ alpha: UnsafePointer<UInt8>, _ y: Int, width: Int, reach: Int) -> Bool {
        padded.withUnsafeMutableBufferPointer { padded in
            distances.withUnsafeMutableBufferPointer { distances in
                let seeds = padded.baseAddress! + reach
                let target = distances.baseAddress! + y &* width
                var isNear = false
                for x in 0..<width {
                    // An edge pixel is as far from the person as it is none; up to a half it does not count.
                    let rest = Int32(255 &- alpha[x])
                    let isPerson = alpha[x] > 127
                    seeds[x] = isPerson ? Int16(truncatingIfNeeded: (rest &* rest) &>> 10) : Self.far
                    isNear = isNear || isPerson
                }
                guard isNear else {
                    target.update(repeating: Self.far, count: width)
                    return false
                }
                target.update(from: seeds, count: width)
                for offset in 1...reach {
                    let cost = Int16(truncatingIfNeeded: Int(Self.unit) * offset * offset)
                    let (left, right) = (seeds - offset, seeds + offset)
                    for x in 0..<width { target[x] = min(target[x], min(left[x], right[x]) &+ cost) }
                }
                return true
            }
        }
    }

    private func cover(_ y: Int, _ around: ClosedRange<Int>, width: Int, into row: UnsafeMutablePointer<UInt8>) {
        nearest.withUnsafeMutableBufferPointer { nearest in
            distances.withUnsafeBufferPointer { distances in
                nearest.update(repeating: Self.far)
                for other in around where isNear[other] {
                    let cost = Int16(truncatingIfNeeded: Int(Self.unit) * (other - y) * (other - y))
                    let source = distances.baseAddress! + other &* width
                    for x in 0..<width { nearest[x] = min(nearest[x], source[x] &+ cost) }
                }
            }
            coverage.withUnsafeBufferPointer { coverage in
                let last = coverage.count - 1
                for x in 0..<width { row[x] = coverage[min(Int(nearest[x]), last)] }
            }
        }
    }
}
