import Testing

@testable import MatteVision

struct PersonCertaintyTests {
    private func certainty(
        _ confidence: Double, _ verification: Double = 0, box: Double? = nil
    ) -> PersonCertainty {
        PersonCertainty(confidence: confidence, verification: verification, objectConfidence: box)
    }

    @Test(arguments: [(0, false), (0.5, false), (0.74, false), (0.75, true), (1, true)])
    func aDetectorAloneMustBeSure(_ confidence: Double, _ isEnough: Bool) {
        #expect(certainty(confidence).isEnough == isEnough)
        #expect(certainty(confidence).isInDoubt == !isEnough, "the verifier has a say where it is not")
    }

    // Odds of 1 to 1 leave it to the verifier.
    @Test func theLogarithmicOddsOfBothAddUp() {
        #expect(certainty(0.5, 1.25).isEnough && !certainty(0.5, 1.24).isEnough)
        #expect(certainty(0.2, 2.64).isEnough && !certainty(0.2, 2.63).isEnough)
        #expect(certainty(0.7, 0.41).isEnough && !certainty(0.7, 0.4).isEnough)
        #expect(certainty(0.5).isLikely && !certainty(0.5, -0.01).isLikely)
    }

    // Whatever the person detector thinks, as long as it is not sure.
    @Test(arguments: [0, 0.3, 0.74]) func anObjectDetectorTakesItsPlace(_ confidence: Double) {
        #expect(certainty(confidence, -1.5, box: 0.5).isEnough && !certainty(confidence, -1.51, box: 0.5).isEnough)
        #expect(certainty(confidence, 3.1, box: 0.01).isEnough && !certainty(confidence, 3.09, box: 0.01).isEnough)
        #expect(certainty(confidence, -3.69, box: 0.9).isEnough && !certainty(confidence, -3.7, box: 0.9).isEnough)
        #expect(certainty(confidence, -2.75, box: 0.5).isLikely && !certainty(confidence, -2.76, box: 0.5).isLikely)
        #expect(certainty(0.75, -9, box: 0.01).isEnough)
    }

    @Test func noDetectorIsEverQuiteSure() {
        for confidence in [0, 0.001, 0.06] {
            #expect(certainty(confidence, 4.01).isEnough && !certainty(confidence, 4).isEnough)
        }
        #expect(certainty(1, -3.89).isLikely && !certainty(1, -3.9).isLikely)
    }

    @Test func whoeverEitherKnowsIsNotMissing() {
        #expect(certainty(0.19).isMissing && !certainty(0.2).isMissing)
        #expect(!certainty(0.2, -9).isMissing)
        #expect(certainty(0.1, 1.19).isMissing && !certainty(0.1, 1.2).isMissing)
        #expect(certainty(0.19, -3.76, box: 0.5).isMissing && !certainty(0.19, -3.75, box: 0.5).isMissing)
    }

    @Test func certaintyInFullNeedsNothingElse() {
        #expect(PersonCertainty.full.isEnough && !PersonCertainty.full.isInDoubt)
    }
}
