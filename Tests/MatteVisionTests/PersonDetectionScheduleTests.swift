import Testing

@testable import MatteVision

struct PersonDetectionScheduleTests {
    /// Frames from now to the next look, which it is at.
    private func framesToLook(_ schedule: inout PersonDetectionSchedule) -> Int {
        var frames = 1
        while schedule.windowsDue(of: 3).isEmpty { frames += 1 }
        return frames
    }

    @Test func nobodyIsLookedForLessAndLess() {
        var schedule = PersonDetectionSchedule(whileKnown: 60)
        #expect(framesToLook(&schedule) == 1)
        for frames in [6, 11, 21, 41, 41] {
            schedule.look(nil, in: 0..<1)
            #expect(framesToLook(&schedule) == frames)
        }
        #expect(schedule.quarters == 0)
    }

    @Test func allOfASceneIsSearchedAtFirstAndThenOnePartAfterTheOther() {
        var schedule = PersonDetectionSchedule(whileKnown: 60)
        var due: [Range<Int>] = []
        for look in [nil, nil, nil, nil, 1, nil, 0] {
            var windows = schedule.windowsDue(of: 3)
            while windows.isEmpty { windows = schedule.windowsDue(of: 3) }
            due.append(windows)
            schedule.look(look, in: windows)
        }
        #expect(due == [0..<3, 1..<2, 2..<3, 0..<1, 1..<2, 2..<3, 0..<1])
        for _ in 0..<60 { #expect(schedule.windowsDue(of: 3).isEmpty) }
        #expect(schedule.windowsDue(of: 3) == 1..<2, "people are known")
    }

    @Test func whoIsSeenFirstIsTurnedAtOnce() {
        for quarters in 0...3 {
            var schedule = PersonDetectionSchedule(whileKnown: 60)
            schedule.look(nil, in: 0..<3)
            schedule.look(quarters, in: 1..<2)
            #expect(schedule.quarters == quarters && framesToLook(&schedule) == 61)
        }
    }

    @Test func whoLiesDownIsTurnedByTheSecondLook() {
        var schedule = PersonDetectionSchedule(whileKnown: 60)
        schedule.look(3, in: 0..<3)
        schedule.look(2, in: 0..<1)
        #expect(schedule.quarters == 3)
        for _ in 0..<5 { #expect(schedule.windowsDue(of: 3).isEmpty) }
        #expect(schedule.windowsDue(of: 3) == 0..<1, "whichever part's turn it is")
        schedule.look(2, in: 0..<1)
        #expect(schedule.quarters == 1 && framesToLook(&schedule) == 61, "by so much more")
    }

    // Beside one who lies in it others may stand.
    @Test func aPartOfTheFrameTurnsNobodyWhoIsKnown() {
        var schedule = PersonDetectionSchedule(whileKnown: 60)
        schedule.look(0, in: 0..<3)
        for _ in 0..<3 { schedule.look(2, in: 1..<2) }
        #expect(schedule.quarters == 0 && framesToLook(&schedule) == 61)
    }

    @Test(arguments: [nil, 0, 1])
    func aSingleLookTurnsNobody(_ next: Int?) {
        var schedule = PersonDetectionSchedule(whileKnown: 60)
        schedule.look(0, in: 0..<3)
        schedule.look(2, in: 0..<1)
        schedule.look(next, in: 0..<1)
        #expect(schedule.quarters == 0)
        schedule.look(2, in: 0..<1)
        #expect(schedule.quarters == 0, "one after another")
    }
}
