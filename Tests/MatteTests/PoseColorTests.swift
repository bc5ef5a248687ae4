import Glibc
import Imaging
import MatteVision
import Testing

@testable import Matte

struct PoseColorTests {
    private func face(roll: Double = 0, yaw: Double = 0, pitch: Double = 0) -> FaceObservation {
        FaceObservation(
            boundingBox: Rectangle(x: 0, y: 0, width: 1, height: 1), confidence: 1, roll: roll, yaw: yaw, pitch: pitch)
    }

    private func near(_ a: RGBColor, _ b: RGBColor, _ tolerance: Float = 1e-5) -> Bool {
        abs(a.red - b.red) <= tolerance && abs(a.green - b.green) <= tolerance && abs(a.blue - b.blue) <= tolerance
    }

    @Test func neutralHeadIsMidGrey() {
        let grey: Float = 0.84 / 1.64
        #expect(near(PoseColor.all.color(roll: 0, yaw: 0, pitch: 0), RGBColor(red: grey, green: grey, blue: grey)))
    }

    @Test func eachAngleHasItsChannelFromMinus84To80Percent() {
        let color = PoseColor.all.color(roll: 0.8 * .pi, yaw: -0.84 * .pi / 2, pitch: 0.8 * .pi / 2)
        #expect(near(color, RGBColor(red: 1, green: 0, blue: 1)))
        let beyond = PoseColor.all.color(roll: -.pi, yaw: .pi / 2, pitch: -.pi / 2)
        #expect(near(beyond, RGBColor(red: 0, green: 1, blue: 0)))
        let part = PoseColor.all.color(roll: 0, yaw: 0.3, pitch: 0)
        #expect(abs(part.green - Float((0.3 + 0.42 * .pi) / (0.82 * .pi))) < 1e-5)
    }

    @Test func oneAngleIsRedOrBlueAndLighterTowardsZero() {
        #expect(near(PoseColor.yaw.color(roll: 1, yaw: 0, pitch: 1), RGBColor(red: 1, green: 1, blue: 1)))
        #expect(near(PoseColor.yaw.color(roll: 0, yaw: .pi / 4, pitch: 0), RGBColor(red: 1, green: 0.5, blue: 0.5)))
        #expect(near(PoseColor.pitch.color(roll: 0, yaw: 0, pitch: -.pi / 2), RGBColor(red: 0, green: 0, blue: 1)))
        #expect(near(PoseColor.roll.color(roll: -.pi / 2, yaw: 0, pitch: 0), RGBColor(red: 0.5, green: 0.5, blue: 1)))
    }

    @Test func withoutAFaceTheColourIsHeldAndThenEasesToNeutral() {
        var colorizer = PoseColorizer(.all)
        for frame in 0..<30 { _ = colorizer.color(for: [face(yaw: 0.6)], at: Double(frame) / 30) }
        let seen = PoseColor.all.color(roll: 0, yaw: 0.6, pitch: 0)
        let held = colorizer.color(for: [], at: 1.4)
        #expect(near(held, seen, 0.01))
        var last = held.green
        for frame in 45..<105 {
            let green = colorizer.color(for: [], at: Double(frame) / 30).green
            #expect(green <= last + 1e-6, "no way back")
            last = green
        }
        let end = colorizer.color(for: [], at: 3.6)
        #expect(near(end, PoseColor.all.color(roll: 0, yaw: 0, pitch: 0), 0.005))
    }

    // Upside down the roll goes from π to -π, which is no turn back.
    @Test(arguments: [0.5, .pi])
    func aHeadThatTremblesKeepsItsColour(roll: Double) {
        var colorizer = PoseColorizer(.all)
        var colors = Set<RGBColor>()
        for frame in 0..<90 {
            // Half a degree to and fro, once a second.
            let change = 0.0044 * cos(Double(frame) / 30 * 2 * .pi)
            let face = face(
                roll: (roll + change).remainder(dividingBy: 2 * .pi), yaw: 0.5 + change, pitch: -0.5 - change)
            colors.insert(colorizer.color(for: [face], at: Double(frame) / 30))
        }
        #expect(colors.count == 1)
    }

    // From half a turn on by 15 degrees to either side, which an upside-down camera sees of anybody.
    @Test func aHeadUpsideDownThatMovesKeepsTheEndOfTheColours() {
        var colorizer = PoseColorizer(.all)
        for frame in 0..<90 {
            let roll = .pi + 0.26 * sin(Double(frame) / 30 * 2 * .pi)
            let face = face(roll: roll.remainder(dividingBy: 2 * .pi))
            #expect(colorizer.color(for: [face], at: Double(frame) / 30).red == 1)
        }
    }

    @Test(arguments: [-1.0, 1])
    func twoWholeTurnsHaveNoJump(side: Double) {
        for mode in PoseColor.allCases {
            var colorizer = PoseColorizer(mode)
            var last: RGBColor?
            // A quarter turn a second.
            for frame in 0...240 {
                let roll = (side * Double(frame) / 60 * .pi).remainder(dividingBy: 2 * .pi)
                let color = colorizer.color(for: [face(roll: roll)], at: Double(frame) / 30)
                if let last { #expect(near(color, last, 0.2), "\(mode) in frame \(frame)") }
                last = color
                // Far from half a turn it is what the angle says.
                if frame % 120 < 30 { #expect(near(color, mode.color(roll: roll, yaw: 0, pitch: 0), 0.06)) }
            }
        }
    }

    private func face(x: Double, width: Double, yaw: Double) -> FaceObservation {
        FaceObservation(
            boundingBox: Rectangle(x: x, y: 0.2, width: width, height: 0.2), confidence: 1, roll: 0, yaw: yaw, pitch: 0)
    }

    @Test func ofFacesAlikeInSizeTheSameOneLeads() {
        var leading = LeadingFace()
        #expect(leading.next(of: []) == nil)
        for frame in 0..<20 {
            // The left one moves on; the two are the larger one by turns.
            let left = face(x: 0.1 + 0.01 * Double(frame), width: frame % 2 == 0 ? 0.22 : 0.2, yaw: 0.5)
            let right = face(x: 0.6, width: 0.21, yaw: -0.5)
            #expect(leading.next(of: frame % 2 == 0 ? [left, right] : [right, left]) == left)
        }
    }

    @Test func aFaceThatIsClearlyLargerOrAloneLeads() {
        var leading = LeadingFace()
        let (left, right) = (face(x: 0.1, width: 0.2, yaw: 0.5), face(x: 0.6, width: 0.1, yaw: -0.5))
        #expect(leading.next(of: [left, right]) == left)
        let near = face(x: 0.5, width: 0.31, yaw: -0.5)
        #expect(leading.next(of: [near, left]) == near)
        #expect(leading.next(of: [left]) == left)
        // Somebody elsewhere is not the one before.
        #expect(leading.next(of: [near, right]) == near)
    }

    @Test func timeThatGoesBackBeginsAnewAsDoesAReset() {
        var (used, fresh) = (PoseColorizer(.all), PoseColorizer(.all))
        for frame in 0..<30 { _ = used.color(for: [face(yaw: 0.6)], at: 10 + Double(frame) / 30) }
        var again = used
        again.reset()
        let expected = fresh.color(for: [face(yaw: -0.6)], at: 0)
        #expect(used.color(for: [face(yaw: -0.6)], at: 0) == expected)
        // Also where no face was seen for longer than time goes back.
        var (left, unseen) = (used, used)
        unseen.reset()
        _ = left.color(for: [], at: 60)
        for second in [30.0, 30.5, 31, 31.5] {
            let face = [face(yaw: -0.6)]
            let (color, expected) = (left.color(for: face, at: second), unseen.color(for: face, at: second))
            #expect(color == expected)
        }
        var later = PoseColorizer(.all)
        #expect(again.color(for: [face(yaw: -0.6)], at: 20) == later.color(for: [face(yaw: -0.6)], at: 20))
    }

    @Test func aSlowTurnIsFollowedInStepsThatDoNotShow() {
        for mode in PoseColor.allCases {
            var colorizer = PoseColorizer(mode)
            var last: RGBColor?
            var changes = 0
            for frame in 0..<300 {
                let angle = 0.001 * Double(frame)
                let color = colorizer.color(for: [face(roll: angle, yaw: angle, pitch: angle)], at: Double(frame) / 30)
                #expect(near(color, mode.color(roll: angle, yaw: angle, pitch: angle), 4 / 255))
                if let last, last != color {
                    changes += 1
                    #expect(near(color, last, 4 / 255))
                }
                last = color
            }
            #expect(changes > 5, "it follows")
        }
    }

    @Test func aHeadAtRestIsShownInItsNearestStep() {
        for mode in PoseColor.allCases {
            var colorizer = PoseColorizer(mode)
            for frame in 0..<30 {
                _ = colorizer.color(for: [face(roll: 0.3, yaw: 0.3, pitch: 0.3)], at: Double(frame) / 30)
            }
            for frame in 30..<120 { _ = colorizer.color(for: [face()], at: Double(frame) / 30) }
            #expect(colorizer.color(for: [face()], at: 4) == mode.color(roll: 0, yaw: 0, pitch: 0))
        }
    }

    @Test func noisyAnglesAreSteadiedAndTurnsAreFollowed() {
        var filter = OneEuroFilter(minimumCutoff: 1.5, speedCoefficient: 4)
        var spread = 0.0
        for frame in 0..<60 {
            let noisy = frame % 2 == 0 ? 0.01 : -0.01
            let smooth = filter.filter(noisy, at: Double(frame) / 30)
            if frame > 30 { spread = max(spread, abs(smooth)) }
        }
        #expect(spread < 0.006)
        for frame in 60..<66 { _ = filter.filter(1, at: Double(frame) / 30) }
        let followed = filter.filter(1, at: 66.0 / 30)
        #expect(followed > 0.95)
    }

    @Test func timeThatStandsStillGivesTheSameValue() {
        var filter = OneEuroFilter(minimumCutoff: 1, speedCoefficient: 0)
        let values = [2.0, 9.0].map { filter.filter($0, at: 0) }
        #expect(values == [2, 2])
    }
}
