import Imaging
import Testing

@testable import MatteVision

struct BodyTrackerTests {
    private let square = TurnedSquare(x: 10, y: 10, side: 20, rotation: 0)
    private let next = TurnedSquare(x: 11, y: 10, side: 20, rotation: 0)

    private func body(presence: Double = 1, isWhole: Bool = true) -> Body {
        Body(
            presence: presence, isWhole: isWhole, square: next, mask: ScalarMap(width: 1, height: 1),
            toFrame: .identity)
    }

    /// Frames until the next search.
    private func pause(_ tracker: BodyTracker) -> Int {
        var tracker = tracker
        return (0..<200).first { _ in tracker.isSearchDue() }!
    }

    private func following() -> BodyTracker {
        var tracker = BodyTracker()
        tracker.found([square])
        tracker.look(body(), others: 0)
        return tracker
    }

    @Test func whoIsAloneIsFollowed() {
        var tracker = BodyTracker()
        #expect(tracker.isSearchDue() && tracker.square == nil && tracker.weight == 0)
        tracker.found([square])
        #expect(tracker.square == square && pause(tracker) == 30)
        tracker.look(body(), others: 0)
        #expect(tracker.square == next && tracker.weight == 1, "a new scene has nothing to be steady with")
        tracker.found([square])
        #expect(tracker.square == next, "what is followed is known better")
    }

    @Test func nobodyAndSeveralPeopleAreNotFollowed() {
        for people in [[], [square, next]] {
            var tracker = BodyTracker()
            tracker.found(people)
            #expect(tracker.square == nil && pause(tracker) == 60)
        }
    }

    @Test func whoIsNotSeenWholeIsLetGo() {
        for body in [body(isWhole: false), body(presence: 0.49)] {
            var tracker = BodyTracker()
            tracker.found([square])
            tracker.look(body, others: 0)
            #expect(tracker.square == nil && tracker.weight == 0 && pause(tracker) == 60)
        }
    }

    @Test func whoIsLostIsLookedForAtOnceAndComesBackSlowly() {
        var tracker = following()
        tracker.look(body(presence: 0.1), others: 0)
        #expect(tracker.square == nil && tracker.weight == 0 && pause(tracker) == 0)
        tracker.found([square])
        for weight: Float in [0.25, 0.5, 0.75, 1, 1] {
            tracker.look(body(), others: 0)
            #expect(tracker.weight == weight)
        }
    }

    @Test func besideSomebodyElseTheBodyDoesNotCount() {
        var tracker = following()
        tracker.look(body(), others: 0.12)
        #expect(tracker.weight == 1)
        tracker.look(body(), others: 0.13)
        #expect(tracker.weight == 0 && tracker.square == next)
        tracker.look(body(), others: 0)
        #expect(tracker.weight == 0.25)
    }

    @Test func whoIsNeverAloneIsNotLookedAtAllTheTime() {
        var tracker = following()
        for look in 1...10 {
            #expect(tracker.square != nil, "\(look)")
            tracker.look(body(), others: 1)
        }
        #expect(tracker.square == nil && pause(tracker) == 60)
        tracker.found([square])
        for _ in 1...9 { tracker.look(body(), others: 1) }
        tracker.look(body(), others: 0)
        for _ in 1...9 { tracker.look(body(), others: 1) }
        #expect(tracker.square != nil, "in a row")
    }

    @Test func whatTheOthersSeeIsCountedByTheBody() {
        let body = ScalarMap(width: 4, height: 1, values: [1, 0.6, 0.4, 0])
        #expect(BodyTracker.others(in: ScalarMap(width: 4, height: 1, values: [0, 1, 0.4, 0.3]), besides: body) == 0)
        #expect(BodyTracker.others(in: ScalarMap(width: 4, height: 1, values: [0, 0, 0.6, 1]), besides: body) == 1)
        let nobody = ScalarMap(width: 4, height: 1)
        #expect(BodyTracker.others(in: ScalarMap(width: 4, height: 1, repeating: 1), besides: nobody) == 4)
    }

    @Test func aBodyAndAMaskCountAlikeInTheEnd() {
        let (body, mask) = (
            ScalarMap(width: 2, height: 1, values: [1, 0]), ScalarMap(width: 2, height: 1, values: [0.5, 1])
        )
        func joined(_ tracker: BodyTracker) -> [Float] {
            var joined = body
            tracker.join(mask, to: &joined)
            return joined.values
        }
        var tracker = following()
        #expect(joined(tracker) == [0.75, 0.5])
        tracker.look(self.body(), others: 1)
        #expect(joined(tracker) == mask.values)
        tracker.look(self.body(), others: 0)
        #expect(joined(tracker) == [0.5625, 0.875])
    }
}
