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
    /// What no band reaches; together with `far` it fits 16 bits.
    private static let outside = unit * 14 * 14

    private let pool = PixelBufferPool()
    private let clipPool = PixelBufferPool()
    private let enlarger = MapEnlarger()
    private var grid = CellGrid()
    /// The mask in cells, where the size is halved.
    private var small: [UInt8] = []
    private var map = ScalarMap(width: 1, height: 1)
    private var padded: [Int16] = []
    private var distances: [Int16] = []
    private var nearest: [Int16] = []
    /// The columns of each row in which somebody is near.
    private var near: [Range<Int>] = []
    private var coverage: [UInt8] = []
    private var coverageWidth = 0.0

    /// The shape of `mask` (`gray8`) and what lies within so many pixels of it, across and down, as a mask of the same size.
    func grow(_ mask: PixelBuffer, by band: (across: Double, down: Double)) -> PixelBuffer {
        var side = 1
        while max(band.across, band.down) / Double(side) > Self.widestBand { side *= 2 }
        var target = pool.makeBuffer(format: .gray8, width: mask.width, height: mask.height)
        mask.withPlane(0) { mask in
            target.withMutablePlane(0) { target in
                guard side > 1 else { return grow(mask, by: band, into: target) }
                let band = (across: band.across / Double(side), down: band.down / Double(side))
                growCells(mask, side: side, by: band, into: target)
            }
        }
        return target.publish()
    }

    /// `mask` where it is more person than not or inside of `shape`: nothing faint is left beyond the band.
    func clip(_ mask: PixelBuffer, to shape: PixelBuffer) -> PixelBuffer {
        shape.withPlane(0) { shape in
            clipPool.makeMask(like: mask) { y, alpha, row in
                let limit = shape.row(y, as: UInt8.self)
                for x in 0..<mask.width { row[x] = alpha[x] > 127 ? alpha[x] : min(alpha[x], limit[x]) }
            }
        }
    }

    private func growCells(
        _ mask: Plane, side: Int, by band: (across: Double, down: Double), into target: MutablePlane
    ) {
        grid.gatherShares(of: mask, side: side, into: &map)
        let (columns, rows) = (grid.columns, grid.rows)
        if small.count != columns * rows { small = Array(repeating: 0, count: columns * rows) }
        small.withUnsafeMutableBytes { small in
            map.values.withUnsafeMutableBufferPointer { values in
                for (index, share) in values.enumerated() { small[index] = UInt8(min(share * 255, 255).rounded()) }
                let plane = MutablePlane(base: small.baseAddress!, bytesPerRow: columns, width: columns, height: rows)
                grow(plane.readOnly, by: band, into: plane)
                for (index, value) in small.enumerated() { values[index] = Float(value) }
            }
        }
        enlarger.prepare(map, width: target.width, height: target.height)
        withUnsafeTemporaryAllocation(of: Float.self, capacity: target.width) { line in
            for y in 0..<target.height {
                enlarger.row(y, into: line.baseAddress!)
                let row = target.row(y, as: UInt8.self)
                for x in 0..<target.width {
                    row[x] = UInt8(nearest: line[x])
                }
            }
        }
    }

    /// `target` may be the memory of `mask`.
    private func grow(_ mask: Plane, by band: (across: Double, down: Double), into target: MutablePlane) {
        let (width, height) = (mask.width, mask.height)
        // Distances count in the smaller of a pixel's sides.
        let bandWidth = max(band.across, band.down)
        prepareCoverage(bandWidth)
        let across = Self.costs(band.across, scale: bandWidth / band.across)
        let down = Self.costs(band.down, scale: bandWidth / band.down)
        let reach = across.count - 1
        if distances.count != width * height { distances = Array(repeating: 0, count: width * height) }
        if nearest.count != width { nearest = Array(repeating: 0, count: width) }
        if padded.count != width + 2 * reach { padded = Array(repeating: Self.far, count: width + 2 * reach) }
        if near.count != height { near = Array(repeating: 0..<0, count: height) }
        for y in 0..<height { near[y] = measure(mask.row(y, as: UInt8.self), y, width: width, across) }
        for y in 0..<height {
            let row = target.row(y, as: UInt8.self)
            row.update(repeating: 0, count: width)
            cover(y, width: width, height: height, down, into: row)
        }
    }

    /// The squared distance of every offset that a band of `width` pixels, `scale` long each, reaches.
    private static func costs(_ width: Double, scale: Double) -> [Int16] {
        (0...Int(width.rounded(.up)) + 1).map { offset in
            let distance = Double(offset) * scale
            return Int16(min(unit * distance * distance, outside).rounded())
        }
    }

    private func prepareCoverage(_ bandWidth: Double) {
        guard coverageWidth != bandWidth else { return }
        coverageWidth = bandWidth
        let reach = Int(bandWidth.rounded(.up)) + 1
        coverage = (0...Int(Self.unit) * (reach + 1) * (reach + 1)).map { square in
            let distance = (Double(square) / Self.unit).squareRoot()
            // From centre to centre: the person reaches half a pixel towards the band, as does the pixel from the other side.
            return UInt8((min(max(bandWidth + 1 - distance, 0), 1) * 255).rounded())
        }
    }

    // Squared distances along row y, for the columns that are returned; beyond them nobody is near.
    private func measure(
        _ alpha: UnsafePointer<UInt8>, _ y: Int, width: Int, _ costs: [Int16]
    ) -> Range<Int> {
        let reach = costs.count - 1
        var (first, last) = (0, width - 1)
        while first < width, alpha[first] < 128 { first &+= 1 }
        guard first < width else { return 0..<0 }
        while alpha[last] < 128 { last &-= 1 }
        let columns = max(first - reach, 0)..<min(last + reach + 1, width)
        padded.withUnsafeMutableBufferPointer { padded in
            distances.withUnsafeMutableBufferPointer { distances in
                // Beyond the columns lies as much of nobody as the offsets reach.
                padded.update(repeating: Self.far)
                let seeds = padded.baseAddress! + reach + columns.lowerBound
                let (alpha, count) = (alpha + columns.lowerBound, columns.count)
                for x in 0..<count {
                    // An edge pixel is as far from the person as it is none; up to a half it does not count.
                    let rest = Int16(255 &- alpha[x])
                    seeds[x] = alpha[x] > 127 ? (rest &* rest) &>> 10 : Self.far
                }
                let target = distances.baseAddress! + (y &* width &+ columns.lowerBound)
                target.update(from: seeds, count: count)
                for offset in 1...reach {
                    Self.lower(target, to: seeds - offset, costs[offset], count)
                    Self.lower(target, to: seeds + offset, costs[offset], count)
                }
            }
        }
        return columns
    }

    private func cover(
        _ y: Int, width: Int, height: Int, _ costs: [Int16], into row: UnsafeMutablePointer<UInt8>
    ) {
        let around = max(y - costs.count + 1, 0)...min(y + costs.count - 1, height - 1)
        let people = around.filter { !near[$0].isEmpty }.map { near[$0] }
        guard let first = people.map(\.lowerBound).min(), let end = people.map(\.upperBound).max() else { return }
        let columns = first..<end
        nearest.withUnsafeMutableBufferPointer { nearest in
            distances.withUnsafeBufferPointer { distances in
                let nearest = nearest.baseAddress!
                (nearest + columns.lowerBound).update(repeating: Self.far, count: columns.count)
                for other in around where !near[other].isEmpty {
                    let first = near[other].lowerBound
                    Self.lower(
                        nearest + first, to: distances.baseAddress! + (other &* width &+ first),
                        costs[abs(other - y)], near[other].count)
                }
            }
            coverage.withUnsafeBufferPointer { coverage in
                let last = Int16(truncatingIfNeeded: coverage.count - 1)
                for x in columns {
                    let square = nearest[x]
                    row[x] = square == 0 ? 255 : square >= last ? 0 : coverage[Int(square)]
                }
            }
        }
    }

    // Sixteen at a time by hand: the compiler does not see that the two are not the same memory.
    @inline(__always)
    private static func lower(
        _ target: UnsafeMutablePointer<Int16>, to source: UnsafePointer<Int16>, _ cost: Int16, _ count: Int
    ) {
        let (from, to) = (UnsafeRawPointer(source), UnsafeMutableRawPointer(target))
        let costs = SIMD16<Int16>(repeating: cost)
        var x = 0
        while x &+ 16 <= count {
            let old = to.loadUnaligned(fromByteOffset: 2 &* x, as: SIMD16<Int16>.self)
            let new = from.loadUnaligned(fromByteOffset: 2 &* x, as: SIMD16<Int16>.self) &+ costs
            to.storeBytes(
                of: old.replacing(with: new, where: new .< old), toByteOffset: 2 &* x, as: SIMD16<Int16>.self)
            x &+= 16
        }
        while x < count {
            target[x] = min(target[x], source[x] &+ cost)
            x &+= 1
        }
    }
}
