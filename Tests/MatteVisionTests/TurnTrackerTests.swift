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
        var tracker = TurnTracker()
        #expect(framesToLook(&tracker) == 1)
        for frames in [6, 11, 21, 41, 41] {
            tracker.look(nil)
            #expect(framesToLook(&tracker) == frames)
        }
        #expect(tracker.quarters == 0)
    }

    @Test func allOfASceneIsSearchedAtFirst() {
        var tracker = TurnTracker()
        var due: [Range<Int>] = []
        for look in [nil, nil, nil, nil, 1] {
            var windows = tracker.windowsDue(of: 3)
            while windows.isEmpty { windows = tracker.windowsDue(of: 3) }
            due.append(windows)
            tracker.look(look)
        }
        #expect(due == [0..<3, 1..<2, 2..<3, 0..<1, 1..<2])
        for _ in 0..<300 { #expect(tracker.windowsDue(of: 3).isEmpty) }
        #expect(tracker.windowsDue(of: 3) == 0..<1, "people are known")
    }

    @Test func whoIsSeenFirstIsTurnedAtOnce() {
        for quarters in 0...3 {
            var tracker = TurnTracker()
            tracker.look(nil)
            tracker.look(quarters)
            #expect(tracker.quarters == quarters && framesToLook(&tracker) == 301)
        }
    }

    @Test func whoLiesDownIsTurnedByTheSecondLook() {
        var tracker = TurnTracker()
        tracker.look(3)
        tracker.look(2)
        #expect(tracker.quarters == 3 && framesToLook(&tracker) == 6)
        tracker.look(2)
        #expect(tracker.quarters == 1 && framesToLook(&tracker) == 301, "by so much more")
    }

    @Test(arguments: [nil, 0, 1])
    func aSingleLookTurnsNobody(_ next: Int?) {
        var tracker = TurnTracker()
        tracker.look(0)
        tracker.look(2)
        tracker.look(next)
        #expect(tracker.quarters == 0)
        tracker.look(2)
        #expect(tracker.quarters == 0, "one after another")
    }
}
