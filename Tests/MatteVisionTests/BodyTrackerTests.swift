import Imaging
import TestSupport
import Testing

@testable import MatteVision

struct BodyTrackerTests {
    private let square = TurnedSquare(x: 10, y: 10, side: 20, rotation: 0)
    private let next = TurnedSquare(x: 11, y: 10, side: 20, rotation: 0)
    private let other = TurnedSquare(x: 40, y: 10, side: 20, rotation: 0)
    private let third = TurnedSquare(x: 70, y: 10, side: 20, rotation: 0)

    private func body(presence: Double = 1, wholeness: Double = 1, _ square: TurnedSquare? = nil) -> Body {
        Body(
            presence: presence, wholeness: wholeness, square: square ?? next, mask: ScalarMap(width: 1, height: 1),
            toFrame: .identity)
    }

    /// Frames until the next search.
    private func pause(_ tracker: BodyTracker) -> Int {
        var tracker = tracker
        return (0..<200).first { _ in tracker.isSearchDue(most: 9) }!
    }

    private func following(_ squares: TurnedSquare...) -> BodyTracker {
        var tracker = BodyTracker()
        tracker.found(squares, most: 2)
        _ = tracker.look(squares.map { body($0) }) { _, _ in false }
        return tracker
    }

    @discardableResult
    private func look(_ tracker: inout BodyTracker, _ bodies: Body...) -> [Int] {
        tracker.look(bodies) { _, _ in false }
    }

    @Test func whoIsFoundIsFollowed() {
        var tracker = BodyTracker()
        #expect(tracker.isSearchDue(most: 2) && tracker.squares.isEmpty && tracker.weight == 0)
        tracker.found([square], most: 2)
        #expect(tracker.squares == [square] && tracker.weight == 0 && pause(tracker) == 15)
        #expect(look(&tracker, body()) == [0])
        #expect(tracker.squares == [next] && tracker.weight == 1, "a new scene has nothing to be steady with")
        tracker.found([square], most: 2)
        #expect(tracker.squares == [next], "what is followed is known better")
    }

    @Test func whereNobodyIsFoundItRests() {
        var tracker = BodyTracker()
        tracker.found([], most: 2)
        #expect(tracker.squares.isEmpty && pause(tracker) == 60)
    }

    @Test func noMoreThanAllowedAreFollowed() {
        var tracker = BodyTracker()
        tracker.found([square, other, third], most: 2)
        #expect(tracker.squares == [square, other] && !tracker.isSearchDue(most: 2), "all that may be are followed")
        let frame = RGBPicture.gray(width: 100, height: 20).frame()
        tracker.keep(in: frame, most: 1)
        #expect(tracker.squares == [square])
    }

    @Test func twoSquaresInOnePlaceAreOnePerson() {
        var tracker = BodyTracker()
        tracker.found([square, TurnedSquare(x: 12.9, y: 10, side: 30, rotation: 1)], most: 2)
        #expect(tracker.squares == [square])
        tracker.found([TurnedSquare(x: 13.1, y: 10, side: 30, rotation: 1)], most: 2)
        #expect(tracker.squares.count == 2)
    }

    @Test func whoLeavesTheFrameIsLetGo() {
        var tracker = following(square, other)
        tracker.keep(in: RGBPicture.gray(width: 25, height: 20).frame(), most: 2)
        #expect(tracker.squares == [square] && tracker.weight == 1)
        tracker = following(other)
        tracker.keep(in: RGBPicture.gray(width: 25, height: 20).frame(), most: 2)
        #expect(tracker.squares.isEmpty && tracker.weight == 0)
    }

    @Test func whoIsNotSeenWholeIsNotFollowed() {
        for body in [body(wholeness: 0.79), body(presence: 0.49)] {
            var tracker = BodyTracker()
            tracker.found([square], most: 2)
            #expect(look(&tracker, body).isEmpty)
            #expect(tracker.squares.isEmpty && tracker.weight == 0 && pause(tracker) == 60)
        }
    }

    @Test func whoIsFollowedIsNotLostAsEasily() {
        var tracker = following(square)
        #expect(look(&tracker, body(wholeness: 0.5)) == [0])
        // Feet may leave the frame for a moment.
        for _ in 1...5 {
            #expect(look(&tracker, body(wholeness: 0.49)).isEmpty)
            #expect(tracker.squares == [next] && tracker.weight == 0)
        }
        #expect(look(&tracker, body(wholeness: 0.5)) == [0] && tracker.weight == 0.25)
        for _ in 1...6 { look(&tracker, body(wholeness: 0.49)) }
        #expect(tracker.squares.isEmpty && pause(tracker) == 0)
    }

    @Test func whoIsLostIsLookedForAtOnceAndComesBackSlowly() {
        var tracker = following(square)
        look(&tracker, body(presence: 0.1))
        #expect(tracker.squares.isEmpty && tracker.weight == 0 && pause(tracker) == 0)
        tracker.found([square], most: 2)
        for weight: Float in [0.25, 0.5, 0.75, 1, 1] {
            look(&tracker, body())
            #expect(tracker.weight == weight)
        }
    }

    @Test func whoIsLostIsLookedForForAWhile() {
        var tracker = following(square)
        look(&tracker, body(presence: 0))
        var searches: [Int] = []
        for frame in 1...260 where tracker.isSearchDue(most: 2) {
            searches.append(frame)
            // Whoever is found is not seen whole.
            tracker.found([square], most: 2)
            look(&tracker, body(wholeness: 0))
        }
        #expect(searches == [1, 17, 33, 49, 65, 81, 97, 113, 129, 190, 251])
    }

    @Test func whoIsLostBesideSomebodyIsLookedForAtOnceAndThenNowAndThen() {
        var tracker = following(square, other)
        #expect(look(&tracker, body(presence: 0.1), body(other)) == [1])
        #expect(tracker.squares == [other] && tracker.weight == 1 && pause(tracker) == 0)
        tracker.found([other], most: 2)
        look(&tracker, body(other))
        #expect(pause(tracker) == 15)
    }

    @Test func whoIsSeenTwiceCountsOnce() {
        var tracker = BodyTracker()
        tracker.found([square, other], most: 2)
        let counted = tracker.look([body(square), body(square)]) { first, second in (first, second) == (0, 1) }
        #expect(counted == [0] && tracker.squares == [square])
    }
}
