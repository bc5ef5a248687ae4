/// The colours of a window's people and of its background: how much there is of either, and the sums of their components and of
/// the squares of those.
struct ColorMoments {
    /// A discriminant: alpha = offset + the components' products with the slopes.
    struct Discriminant {
        let offset: Float
        /// For luma and the two chroma components.
        let slopes: SIMD3<Float>
    }

    /// Masks from which on a pixel speaks for the background or for people; fully at 0 and at 1.
    static let sure: (background: Float, people: Float) = (0.35, 0.65)
    /// The squared distance of the means, in deviations, at which colours count as much as the mask.
    private static let evenDistance: Float = 2
    /// How many sure pixels of the rarer side count as much as none: nobody's colour is known by a pixel that comes and goes.
    private static let evenCount: Float = 0.5
    /// How many there have to be.
    private static let least: Float = 0.1

    // The components' sums, and the weight behind them.
    private var people = SIMD4<Float>.zero
    private var peopleSquares = SIMD4<Float>.zero
    private var background = SIMD4<Float>.zero
    private var backgroundSquares = SIMD4<Float>.zero

    /// Adds a pixel: luma, two chroma components, and 1.
    @inline(__always)
    mutating func add(_ color: SIMD4<Float>, mask: Float) {
        let ofPeople = color * max(0, (mask - Self.sure.people) * (1 / (1 - Self.sure.people)))
        let ofBackground = color * max(0, (Self.sure.background - mask) * (1 / Self.sure.background))
        people += ofPeople
        peopleSquares += ofPeople * color
        background += ofBackground
        backgroundSquares += ofBackground * color
    }

    @inline(__always)
    static func += (a: inout ColorMoments, b: ColorMoments) {
        a.people += b.people
        a.peopleSquares += b.peopleSquares
        a.background += b.background
        a.backgroundSquares += b.backgroundSquares
    }

    @inline(__always)
    static func -= (a: inout ColorMoments, b: ColorMoments) {
        a.people -= b.people
        a.peopleSquares -= b.peopleSquares
        a.background -= b.background
        a.backgroundSquares -= b.backgroundSquares
    }

    /// What tells the two apart, mixed with `mask`; `variance` is added to that of the components, which a 1 follows.
    /// Nil where one of the two is missing.
    @inline(__always)
    func discriminant(mask: Float, variance: SIMD4<Float>) -> Discriminant? {
        guard people[3] >= Self.least, background[3] >= Self.least else { return nil }
        let ofPeople = people / people[3]
        let ofBackground = background / background[3]
        let scatter =
            (peopleSquares / people[3] - ofPeople * ofPeople)
            + (backgroundSquares / background[3] - ofBackground * ofBackground)
        // The last of each is 1, and their difference 0.
        let difference = ofPeople - ofBackground
        let weights = difference / (variance + scatter.clamped(lowerBound: .zero, upperBound: .one))
        let fewer = min(people[3], background[3])
        let distance = (difference * weights).sum()
        let share = fewer / (fewer + Self.evenCount) / (distance + Self.evenDistance)
        let slopes = weights * share
        return Discriminant(
            offset: mask * (1 - distance * share) - (ofBackground * slopes).sum(),
            slopes: SIMD3(slopes[0], slopes[1], slopes[2]))
    }
}
