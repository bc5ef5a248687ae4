import Testing

@testable import MatteVision

struct PersonPresenceTests {
    /// The frames until a look is due, of masks of `area`; nil where none is in 1000.
    private func framesToLook(_ presence: PersonPresence, area: Float) -> Int? {
        var presence = presence
        for frame in 1...1000 where presence.isLookDue(area) { return frame }
        return nil
    }

    private func seen(_ confidences: Double..., area: Float = 100) -> PersonPresence {
        var presence = PersonPresence.unknown
        for confidence in confidences { presence.look(.init(confidence: confidence), area: area) }
        return presence
    }

    @Test func whoIsNewIsLookedAtAtOnce() {
        #expect(framesToLook(.unknown, area: 0) == nil && framesToLook(.unknown, area: 1) == 1)
        #expect(!PersonPresence.unknown.isAbsent && seen(0.74).isAbsent && !seen(0.75).isAbsent)
    }

    @Test func whoeverIsNewMustBeVerified() {
        var presence = PersonPresence.unknown
        presence.look(.init(confidence: 0.5, verification: 1.24), area: 100)
        #expect(presence.isAbsent)
        presence.look(.init(confidence: 0.5, verification: 1.25), area: 100)
        #expect(presence.isPresent)
        for _ in 1...3 { presence.look(.init(confidence: 0.5, verification: -2), area: 100) }
        #expect(presence.isPresent, "known by now")
    }

    @Test func whoComesInHasAWhileToBeSeen() {
        var presence = PersonPresence.arriving
        var looks: [Int] = []
        for frame in 1...29 where presence.isLookDue(100) {
            presence.look(.init(confidence: 0), area: 100)
            looks.append(frame)
        }
        #expect(looks == [5, 10, 15, 20, 25] && presence.isPresent && presence.isArriving)
        var seen = presence
        seen.look(.init(confidence: 0.75), area: 100)
        #expect(seen.isPresent && !seen.isArriving)
        let isLookDue = presence.isLookDue(100)
        presence.look(.init(confidence: 0.74), area: 100)
        #expect(isLookDue && presence.isAbsent && !presence.isPresent && !presence.isArriving)
    }

    @Test func whoIsKnownIsSeldomLookedAt() {
        #expect(framesToLook(seen(0.9), area: 100) == 150)
        #expect(framesToLook(.known, area: 7) == 150)
    }

    @Test(arguments: [(149, 150), (151, 5), (67, 150), (66, 5)] as [(Float, Int)])
    func whoGrowsOrShrinksIsLookedAtSoon(_ area: Float, _ frames: Int) {
        #expect(framesToLook(seen(0.9, area: 100), area: area) == frames)
    }

    @Test func itTakesThreeLooksToLoseSomebody() {
        #expect(framesToLook(seen(0.9, 0.19), area: 100) == 5)
        #expect(!seen(0.9, 0.19, 0.19).isAbsent && seen(0.9, 0.19, 0.19, 0.19).isAbsent)
    }

    @Test func whoCameBackMayLeaveAgain() {
        #expect(seen(0.9, 0.1, 0.1, 0.1).isAbsent)
        #expect(seen(0.9, 0.1, 0.1, 0.1, 0.9).isPresent)
        #expect(seen(0.9, 0.1, 0.1, 0.1, 0.9, 0.1, 0.1).isPresent)
        #expect(seen(0.9, 0.1, 0.1, 0.1, 0.9, 0.1, 0.1, 0.1).isAbsent)
    }

    @Test func oneGlimpseOfSomebodyKnownIsEnough() {
        let presence = seen(0.9, 0.1, 0.1, 0.2, 0.1, 0.1, 0.2)
        #expect(!presence.isAbsent && framesToLook(presence, area: 100) == 150)
    }

    @Test func whoIsNoPersonIsLookedAtAgain() {
        #expect(framesToLook(seen(0.1), area: 100) == 10)
        #expect(framesToLook(seen(0.1), area: 160) == 1, "somebody may be coming in")
        #expect(seen(0.1, 0.74).isAbsent && !seen(0.1, 0.75).isAbsent)
    }

    @Test func whatChangesAllTheTimeIsNotLookedAtAllTheTime() {
        var presence = seen(0.1)
        // Eight looks in a row, and one for every ten frames that pass; besides those that are due anyway.
        var frames: [Int] = []
        for frame in 1...200 {
            let mayLook = presence.mayLook
            let area: Float = frame.isMultiple(of: 2) ? 100 : 200
            guard presence.isLookDue(area) else { continue }
            #expect(mayLook, "a look that nobody expected, in frame \(frame)")
            frames.append(frame)
            presence.look(.init(confidence: 0.1), area: area)
        }
        #expect(Array(frames.prefix(8)) == Array(1...8))
        #expect((16...40).contains(frames.count - 8), "\(frames)")
        // After a while of peace there are eight again.
        for _ in 1...100 where presence.isLookDue(100) { presence.look(.init(confidence: 0.1), area: 100) }
        let hasty = (0..<8).filter { look in
            let area: Float = look.isMultiple(of: 2) ? 200 : 100
            let isDue = presence.isLookDue(area)
            if isDue { presence.look(.init(confidence: 0.1), area: area) }
            return isDue
        }
        #expect(hasty.count == 8)
    }

    @Test func itIsKnownWhenNoLookCanBeDue() {
        #expect(PersonPresence.unknown.mayLook && seen(0.1).mayLook, "whatever changes is looked at")
        var presence = seen(0.9)
        for frame in 1...5 {
            #expect(presence.mayLook == (frame == 5), "frame \(frame) of somebody who is known")
            _ = presence.isLookDue(100)
        }
    }

    @Test func whoMayBeAPersonIsLookedAtAgainSoon() {
        func looks(_ confidence: Double) -> [Int] {
            var presence = PersonPresence.unknown
            presence.look(.init(confidence: confidence), area: 100)
            #expect(presence.isAbsent)
            return (1...30).filter { _ in
                let isDue = presence.isLookDue(100)
                if isDue { presence.look(.init(confidence: confidence), area: 100) }
                return isDue
            }
        }
        #expect(looks(0.49) == [10, 20, 30])
        // Eight times at once, and then when enough frames have made up for one, or five have passed.
        #expect(Array(looks(0.5).prefix(10)) == [1, 2, 3, 4, 5, 6, 7, 8, 11, 16])
    }

    @Test func whoIsGoneIsNobodyWhoMayBeAPerson() {
        #expect(framesToLook(seen(0.9, 0.1, 0.1, 0.1), area: 100) == 10)
    }

    @Test func whoComesAfterwardsIsSomebodyElse() {
        for (before, frames) in [(seen(0.1), 10), (seen(0.9), 3), (.known, 3)] {
            var presence = before
            for _ in 1..<frames { _ = presence.isLookDue(0) }
            #expect(presence.isAbsent == before.isAbsent && presence.isPresent == before.isPresent)
            _ = presence.isLookDue(0)
            #expect(!presence.isAbsent && framesToLook(presence, area: 100) == 1)
            presence.look(.init(confidence: 0.3), area: 100)
            #expect(presence.isAbsent)
        }
    }

    @Test func anEmptyMaskBetweenOthersIsNoReasonToForget() {
        var presence = seen(0.9)
        for _ in 1...10 {
            _ = presence.isLookDue(0)
            _ = presence.isLookDue(0)
            let isDue = presence.isLookDue(100)
            #expect(presence.isPresent && !isDue)
        }
    }
}
