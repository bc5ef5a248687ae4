import Testing

@testable import MatteVision

struct TurnTrackerTests {
    /// Frames from now to the next look, which it is at.
    private func framesToLook(_ tracker: inout TurnTracker) -> Int {
        var frames = 1
        while tracker.windowsDue(of: 3).isEmpty { frames += 1 }
        return frames
    }

    @Test func nobodyIsLookedForLessAndLess() {
        var tracker = TurnTracker(whileKnown: 60)
        #expect(framesToLook(&tracker) == 1)
        for frames in [6, 11, 21, 41, 41] {
            tracker.look(nil, in: 0..<1)
            #expect(framesToLook(&tracker) == frames)
        }
        #expect(tracker.quarters == 0)
    }

    @Test func allOfASceneIsSearchedAtFirstAndThenOnePartAfterTheOther() {
        var tracker = TurnTracker(whileKnown: 60)
        var due: [Range<Int>] = []
        for look in [nil, nil, nil, nil, 1, nil, 0] {
            var windows = tracker.windowsDue(of: 3)
            while windows.isEmpty { windows = tracker.windowsDue(of: 3) }
            due.append(windows)
            tracker.look(look, in: windows)
        }
        #expect(due == [0..<3, 1..<2, 2..<3, 0..<1, 1..<2, 2..<3, 0..<1])
        for _ in 0..<60 { #expect(tracker.windowsDue(of: 3).isEmpty) }
        #expect(tracker.windowsDue(of: 3) == 1..<2, "people are known")
    }

    @Test func whoIsSeenFirstIsTurnedAtOnce() {
        for quarters in 0...3 {
            var tracker = TurnTracker(whileKnown: 60)
            tracker.look(nil, in: 0..<3)
            tracker.look(quarters, in: 1..<2)
            #expect(tracker.quarters == quarters && framesToLook(&tracker) == 61)
        }
    }

    @Test func whoLiesDownIsTurnedByTheSecondLook() {
        var tracker = TurnTracker(whileKnown: 60)
        tracker.look(3, in: 0..<3)
        tracker.look(2, in: 0..<1)
        #expect(tracker.quarters == 3)
        for _ in 0..<5 { #expect(tracker.windowsDue(of: 3).isEmpty) }
        #expect(tracker.windowsDue(of: 3) == 0..<1, "whichever part's turn it is")
        tracker.look(2, in: 0..<1)
        #expect(tracker.quarters == 1 && framesToLook(&tracker) == 61, "by so much more")
    }

    // Beside one who lies in it others may stand.
    @Test func aPartOfTheFrameTurnsNobodyWhoIsKnown() {
        var tracker = TurnTracker(whileKnown: 60)
        tracker.look(0, in: 0..<3)
        for _ in 0..<3 { tracker.look(2, in: 1..<2) }
        #expect(tracker.quarters == 0 && framesToLook(&tracker) == 61)
    }

    @Test(arguments: [nil, 0, 1])
    func aSingleLookTurnsNobody(_ next: Int?) {
        var tracker = TurnTracker(whileKnown: 60)
        tracker.look(0, in: 0..<3)
        tracker.look(2, in: 0..<1)
        tracker.look(next, in: 0..<1)
        #expect(tracker.quarters == 0)
        tracker.look(2, in: 0..<1)
        #expect(tracker.quarters == 0, "one after another")
    }
}
