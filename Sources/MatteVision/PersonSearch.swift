import Imaging

/// Looks for people in parts of the frame, so that those far away are large enough for a network to know them.
///
/// The parts are the whole frame, squares as high as the frame (people squeezed by the frame's own shape look less like
/// people), and smaller squares. Alone, a network takes plants and furniture in such a square for people too often; so a
/// single one searches the whole frame only. For one thread at a time.
final class PersonSearch {
    /// How long a side the smaller squares have, of the frame's shorter one.
    private static let part = 0.55
    /// Squares of fewer pixels a side show nobody better than the whole frame does.
    private static let least = 96.0
    /// How much neighbouring squares overlap at least, of their side.
    private static let overlap = 0.2

    /// Where it looks: in the whole frame first.
    let windows: [Rectangle]
    /// The windows but the first, in the order of their turns.
    private let turns: [Int]
    private let networks: [SegmentationNetwork]
    private var samplers: [FrameSampler]
    private var picture = RGBMap(width: 1, height: 1)
    private var map = ScalarMap(width: 1, height: 1)
    private var next = 0

    /// In frames of `width` by `height` upright pixels, by the network whose input is most like a window.
    init(_ networks: [SegmentationNetwork], width: Int, height: Int) {
        self.networks = networks
        let frame = Rectangle(x: 0, y: 0, width: Double(width), height: Double(height))
        let side = min(frame.width, frame.height)
        let hasParts = networks.count > 1
        var large = hasParts && side >= Self.least ? Self.squares(side, in: frame) : []
        if large.count == 1 { large = [] }
        let hasSmall = hasParts && Self.part * side >= Self.least
        let small = hasSmall ? Self.squares((Self.part * side).rounded(), in: frame) : []
        windows = [frame] + large + small
        turns = Self.turns(large: large.count, of: windows.count)
        samplers = windows.map { _ in FrameSampler() }
    }

    private static func squares(_ side: Double, in frame: Rectangle) -> [Rectangle] {
        func origins(_ length: Double) -> [Double] {
            let spare = length - side
            let steps = (spare / (side * (1 - overlap))).rounded(.up)
            return steps < 1 ? [0] : (0...Int(steps)).map { (spare * Double($0) / steps).rounded() }
        }
        return origins(frame.height).flatMap { y in
            origins(frame.width).map { x in Rectangle(x: x, y: y, width: side, height: side) }
        }
    }

    /// The mask of window `index` of `frame`.
    func mask(_ index: Int, of frame: VideoFrame) throws(VisionError) -> ScalarMap {
        let window = windows[index]
        let network = networks.min { Self.distance($0, window) < Self.distance($1, window) }!
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

    /// The window whose turn it is; nil where there is none but the whole frame.
    func turn() -> Int? {
        guard !turns.isEmpty else { return nil }
        defer { next = (next + 1) % turns.count }
        return turns[next]
    }

    func reset() { next = 0 }

    private static func distance(_ network: SegmentationNetwork, _ window: Rectangle) -> Double {
        let input = network.description.input
        let ratio = Double(input.width) / Double(input.height) * window.height / window.width
        return max(ratio, 1 / ratio)
    }
}
