import Glibc
import Imaging

/// Moves a frame after people as a calm camera operator does: at rest as long as they are well inside, and without a jerk
/// when they leave.
///
/// The wanted rectangle holds everybody with room around them. It is followed by a critically damped spring, and only
/// once it is off by more than a little. All lengths are in pixels of the upright picture.
struct CameraOperator {
    /// Room around the people, as shares of their height and width.
    private static let room = (above: 0.14, below: 0.04, beside: 0.15)
    /// How much smaller than the largest the rectangle gets.
    private static let closest = 0.4
    /// How far off the wanted rectangle may be before it is followed, as a share of the rectangle's side.
    private static let tolerance = 0.06
    /// Once followed, it is followed until it is this near.
    private static let arrival = 0.01
    /// Seconds in which the spring comes most of the way.
    private static let settlingTime = 0.45

    /// Less of an overlap from one frame to the next is a cut.
    private static let sameScene = 0.05

    /// The size that comes out, which is the largest that the rectangle has.
    let size: (width: Int, height: Int)
    private let bounds: (width: Double, height: Double)
    // Middle and width over that of `size`.
    private var state: SIMD3<Double>
    private var velocity = SIMD3<Double>.zero
    private var wanted: SIMD3<Double>
    private var isMoving = false
    private var lastTime: Double?
    private var lastPeople: Rectangle?

    /// For pictures of `bounds`, of which `size` is the largest part that comes out.
    init(size: (width: Int, height: Int), bounds: (width: Int, height: Int)) {
        self.size = size
        self.bounds = (Double(bounds.width), Double(bounds.height))
        state = SIMD3(Double(bounds.width) / 2, Double(bounds.height) / 2, 1)
        wanted = state
    }

    /// The rectangle to show at `time` seconds, around `people`, or nobody; time that goes backwards begins a new sequence.
    mutating func rectangle(around people: PersonExtent?, at time: Double) -> Rectangle {
        if let last = lastTime, time < last { self = CameraOperator(size: size, bounds: intBounds) }
        let isElsewhere = lastPeople.map { $0.intersectionOverUnion(people?.rectangle ?? $0) < Self.sameScene } ?? false
        if let people { (wanted, lastPeople) = (aim(at: people), people.rectangle) }
        if isElsewhere {
            // Nobody is that fast: the scene has changed.
            (state, velocity, isMoving) = (wanted, .zero, false)
        } else if let last = lastTime {
            move(for: time - last)
        } else if people != nil {
            state = wanted
        }
        if people != nil || lastTime != nil { lastTime = time }
        return rectangle(state)
    }

    private var intBounds: (width: Int, height: Int) { (Int(bounds.width), Int(bounds.height)) }

    private func aim(at extent: PersonExtent) -> SIMD3<Double> {
        let people = extent.rectangle
        let height = people.height * (1 + Self.room.above + Self.room.below)
        let width = people.width * (1 + 2 * Self.room.beside)
        let needed = max(width / Double(size.width), height / Double(size.height))
        let zoom = min(max(needed, Self.closest), 1)
        // Where there is more room than they need, it goes below, and where there is less, the feet go: heads stay where they
        // are in a well-framed picture.
        let top = people.y - people.height * Self.room.above
        let middle = extent.middle(ofWindow: Double(size.width) * zoom, current: lastTime == nil ? nil : wanted.x)
        return confined(SIMD3(middle, top + Double(size.height) * zoom / 2, zoom))
    }

    private func confined(_ place: SIMD3<Double>) -> SIMD3<Double> {
        let (halfWidth, halfHeight) = (Double(size.width) * place.z / 2, Double(size.height) * place.z / 2)
        return SIMD3(
            min(max(place.x, halfWidth), bounds.width - halfWidth),
            min(max(place.y, halfHeight), bounds.height - halfHeight), place.z)
    }

    private mutating func move(for duration: Double) {
        let scale = SIMD3(Double(size.width) * state.z, Double(size.height) * state.z, state.z)
        let error = (wanted - state) / scale
        let distance = max(abs(error.x), abs(error.y), abs(error.z))
        isMoving = isMoving ? distance > Self.arrival : distance > Self.tolerance
        let goal = isMoving ? wanted : state
        // The exact solution for a goal at rest, whatever the frame's length (Lowe, "Critically Damped Ease-In/Ease-Out
        // Smoothing", 2004).
        let rate = 2 / Self.settlingTime
        let decay = exp(-rate * duration)
        let offset = state - goal
        let push = (velocity + rate * offset) * duration
        velocity = (velocity - rate * push) * decay
        state = confined(goal + (offset + push) * decay)
    }

    private func rectangle(_ place: SIMD3<Double>) -> Rectangle {
        let (width, height) = (Double(size.width) * place.z, Double(size.height) * place.z)
        return Rectangle(x: place.x - width / 2, y: place.y - height / 2, width: width, height: height)
    }
}
