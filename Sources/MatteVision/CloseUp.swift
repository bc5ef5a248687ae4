import Imaging

/// Where a region's only person is looked at once more, from nearer by: a square about head and shoulders, where most of the fine
/// edges are.
///
/// In pixels of the region's picture, by whole ones, so that what is seen there lies exactly on what the whole region shows. It
/// rests while it shows about the same.
struct CloseUp {
    /// What is left above the head, of the square's side.
    private static let headroom = 0.12
    /// The share of a picture beyond which a square shows nothing that the picture does not.
    private static let largest = 0.7
    /// How far the square may differ from the best one before it moves, as intersection over union.
    private static let tolerance = 0.75
    /// The share of the largest part of a mask up to which others are crumbs, and nobody else.
    private static let crumb = 0.2
    /// The intersection over union at which the nearer look shows the same person, and no mistake.
    private static let agreement = 0.9
    /// How much the nearer look counts beside the one at the whole region, where they agree: what either misses the other may see.
    private static let trust: Float = 0.65
    /// By how much the weight of the nearer look changes from frame to frame, after the first one.
    private static let step: Float = 0.25
    /// The share of the square's side over which it fades out.
    private static let fade: Float = 0.125

    /// The square's height, of the person's.
    let share: Double
    /// The square; nil where there is none.
    private(set) var square: Rectangle?
    /// How much the nearer look counts, 0…1.
    private(set) var weight: Float = 0
    private var isFirst = true
    /// Size of the picture that the square lies in.
    private var size = (width: 0, height: 0)

    /// A square of so much of a person's height.
    init(share: Double) { self.share = share }

    /// The square in a picture of `width` by `height` pixels; nil where it was found in one of another size.
    func square(inPictureOf width: Int, _ height: Int) -> Rectangle? { size == (width, height) ? square : nil }

    /// Forgets the person.
    mutating func reset() { self = CloseUp(share: share) }

    // What it sees after a rest counts little by little.
    private mutating func rest() { (square, weight) = (nil, 0) }

    /// The box of the only person in `mask`, in pixels of a picture of `width` by `height` pixels that it covers; nil where there are
    /// none or several.
    static func person(in mask: ScalarMap, width: Int, height: Int) -> Rectangle? {
        let boxes = PersonBoxes.find(
            in: mask, of: Rectangle(width: width, height: height))
        guard let person = boxes.first, boxes.dropFirst().allSatisfy({ $0.area <= Self.crumb * person.area }) else {
            return nil
        }
        return person
    }

    /// Finds the square for `person`, the only one in `mask`, which covers a picture of `width` by `height` pixels, each
    /// `pixelAspect` times as wide as high; without a person it rests.
    mutating func place(_ person: Rectangle?, in mask: ScalarMap, width: Int, height: Int, pixelAspect: Double) {
        guard let person else { return rest() }
        if size != (width, height) { square = nil }
        size = (width, height)
        let picture = Rectangle(width: width, height: height)
        let side = min(share * person.height, picture.height, picture.width * pixelAspect)
        let (across, down) = ((side / pixelAspect).rounded(), side.rounded())
        guard across >= 16, down >= 16, across * down <= Self.largest * picture.area else { return rest() }
        let middle = Self.middle(of: mask, scaledTo: picture, rows: person.y..<person.y + side / 2)
        let best = Rectangle(
            x: min(max((middle - across / 2).rounded(), 0), picture.width - across),
            y: min(max((person.y - Self.headroom * side).rounded(), 0), picture.height - down), width: across,
            height: down)
        if let square, square.intersectionOverUnion(best) >= Self.tolerance { return }
        square = best
    }

    // The mean column of those in `rows`, in pixels of `picture`.
    private static func middle(of mask: ScalarMap, scaledTo picture: Rectangle, rows: Range<Double>) -> Double {
        let scale = Double(mask.height) / picture.height
        let (first, last) = (Int(rows.lowerBound * scale), Int((rows.upperBound * scale).rounded(.up)))
        var (count, sum) = (0, 0)
        for y in max(0, first)..<max(first, min(mask.height, last)) {
            for x in 0..<mask.width where mask.values[y * mask.width + x] > 0.5 {
                count += 1
                sum += x
            }
        }
        guard count > 0 else { return picture.midX }
        return (Double(sum) / Double(count) + 0.5) * picture.width / Double(mask.width)
    }

    /// Takes in how far what the nearer look showed agrees with what the whole region shows there, as intersection over union.
    mutating func look(agreement: Double) {
        let wanted: Float = agreement >= Self.agreement ? 1 : 0
        weight = isFirst ? wanted : min(max(wanted, weight - Self.step), weight + Self.step)
        isFirst = false
    }

    /// The intersection over union of `near`, a nearer look's mask, and what `map`, the picture's, shows in the square; 1 where
    /// there is nobody in either.
    func agreement(_ near: ScalarMap, _ map: ScalarMap) -> Double {
        guard let square else { return 0 }
        let (across, down) = (square.width / Double(near.width), square.height / Double(near.height))
        let height = near.height
        var (both, either): (Int32, Int32) = (0, 0)
        withUnsafeTemporaryAllocation(of: Int32.self, capacity: near.width) { columns in
            for x in 0..<near.width { columns[x] = Int32(square.x + (Double(x) + 0.5) * across) }
            near.values.withUnsafeBufferPointer { near in
                map.values.withUnsafeBufferPointer { values in
                    for y in 0..<height {
                        let row = values.baseAddress! + Int(square.y + (Double(y) + 0.5) * down) * map.width
                        let line = near.baseAddress! + y * columns.count
                        for x in columns.indices {
                            let (a, b) = (line[x] > 0.5, row[Int(columns[x])] > 0.5)
                            both &+= a && b ? 1 : 0
                            either &+= a || b ? 1 : 0
                        }
                    }
                }
            }
        }
        return either > 0 ? Double(both) / Double(either) : 1
    }

    /// Puts `near`, the nearer look's mask, into `map`, the picture's; it fades out towards the square's sides but for those that are
    /// the picture's.
    func put(_ near: ScalarMap, into map: inout ScalarMap, with enlarger: MapEnlarger) {
        guard let square, weight > 0 else { return }
        precondition(map.width == size.width && map.height == size.height, "the map has the picture's size")
        let (left, top, width, height) = (Int(square.x), Int(square.y), Int(square.width), Int(square.height))
        let columns = EdgeFade.weights(left, width, limit: size.width, share: Self.fade)
        let rows = EdgeFade.weights(top, height, limit: size.height, share: Self.fade)
        enlarger.prepare(near, width: width, height: height)
        withUnsafeTemporaryAllocation(of: Float.self, capacity: width) { line in
            for y in 0..<height {
                enlarger.row(y, into: line.baseAddress!)
                let share = rows[y] * weight * Self.trust
                map.values.withUnsafeMutableBufferPointer { values in
                    let target = values.baseAddress! + (top + y) * size.width + left
                    for x in 0..<width { target[x] += (line[x] - target[x]) * columns[x] * share }
                }
            }
        }
    }
}
