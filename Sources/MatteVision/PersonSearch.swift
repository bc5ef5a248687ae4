import Imaging

/// Looks for people in parts of the frame, so that those far away are large enough for a network to know them.
///
/// The parts are the whole frame, squares as high as the frame (people squeezed by the frame's own shape look less like
/// people), and smaller squares. A network takes plants and furniture in such a square for people now and then: where no detector
/// tells better it searches the whole frame only. For one thread at a time.
final class PersonSearch {
    /// How long a side the smaller squares have, of the frame's shorter one, as shown.
    private static let part = 0.55
    /// Squares of fewer pixels a side show nobody better than the whole frame does.
    private static let least = 96.0
    /// How much neighbouring squares overlap at least, of their side: who is no wider is whole in one of them.
    private static let overlap = 0.4

    /// Where it looks: in the whole frame first.
    let windows: [Rectangle]
    /// The whole frame, and the squares as high as it is.
    let wideWindows: ArraySlice<Rectangle>
    /// The smaller squares.
    var smallWindows: ArraySlice<Rectangle> { windows[wideWindows.endIndex...] }
    /// The windows but the first, in the order of their turns.
    private let turns: [Int]
    private let networks: SegmentationNetworks
    /// Width of an upright pixel over its height.
    private let pixelAspect: Double
    private let samplers: [FrameSampler]
    private var picture = RGBMap(width: 1, height: 1)
    private var map = ScalarMap(width: 1, height: 1)
    private var next = 0

    /// In frames of `width` by `height` upright pixels, each `pixelAspect` times as wide as high; in parts of them if it `searchesParts`.
    init(_ networks: SegmentationNetworks, searchesParts: Bool, width: Int, height: Int, pixelAspect: Double) {
        self.networks = networks
        self.pixelAspect = pixelAspect
        let frame = Rectangle(width: width, height: height)
        // In heights of pixels.
        let side = min(frame.width * pixelAspect, frame.height)
        func squares(_ side: Double) -> [Rectangle] {
            let (across, down) = ((side / pixelAspect).rounded(), side.rounded())
            guard searchesParts, min(across, down) >= Self.least else { return [] }
            return Self.tiles(across, down, in: frame)
        }
        var large = squares(side)
        if large.count == 1 { large = [] }
        let small = squares(Self.part * side)
        windows = [frame] + large + small
        wideWindows = windows.prefix(1 + large.count)
        turns = Self.turns(large: large.count, of: windows.count)
        samplers = windows.map { _ in FrameSampler() }
    }

    // Rectangles of `width` by `height` that cover the frame.
    private static func tiles(_ width: Double, _ height: Double, in frame: Rectangle) -> [Rectangle] {
        func origins(_ side: Double, _ length: Double) -> [Double] {
            let spare = length - side
            let steps = (spare / (side * (1 - overlap))).rounded(.up)
            return steps < 1 ? [0] : (0...Int(steps)).map { (spare * Double($0) / steps).rounded() }
        }
        return origins(height, frame.height).flatMap { y in
            origins(width, frame.width).map { x in Rectangle(x: x, y: y, width: width, height: height) }
        }
    }

    /// The mask of window `index` of `frame`.
    func mask(_ index: Int, of frame: VideoFrame) throws(VisionError) -> ScalarMap {
        let window = windows[index]
        let network = try networks.network(forWidth: window.width * pixelAspect, height: window.height)
        let input = network.description.input
        picture.resize(width: input.width, height: input.height)
        samplers[index].sample(frame, source: window, into: &picture)
        var state = RecurrentState(network.description)
        _ = try network.segment(picture, state: &state, into: &map)
        return map
    }

    // Every other turn is a large square's, which shows most of those who come in.
    private static func turns(large: Int, of count: Int) -> [Int] {
        guard large > 0, count > large + 1 else { return Array(1..<count) }
        return (large + 1..<count).enumerated().flatMap { [1 + $0.offset % large, $0.element] }
    }

    /// The next window in turn of those that are `wanted`; nil where there is none.
    func turn(where wanted: (Int) -> Bool) -> Int? {
        let places = turns.indices.map { (next + $0) % turns.count }
        guard let place = places.first(where: { wanted(turns[$0]) }) else { return nil }
        next = (place + 1) % turns.count
        return turns[place]
    }

    /// Every how many searches window `index` has its turn where all are worthwhile: the whole frame in each.
    func period(of index: Int) -> Int { index == 0 ? 1 : turns.count / turns.count { $0 == index } }

    func reset() { next = 0 }
}
