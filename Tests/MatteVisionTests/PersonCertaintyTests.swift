import Testing

@testable import MatteVision

struct PersonCertaintyTests {
    @Test(arguments: [(0.27, false), (0.28, true), (0.4, true), (0.64, true), (0.65, true), (0.75, true), (1, true)])
    func thereIsNoneBelowAConfidence(_ confidence: Double, _ isEnough: Bool) {
        #expect(PersonCertainty(confidence: confidence).isEnough == isEnough)
    }

    @Test func theLikelyMasksHaveToAgreeAboutOnTheMean() {
        for confidence in [0.65, 0.74] {
            var certainty = PersonCertainty(confidence: confidence, agreement: 0.5, mirrorAgreement: 0.9)
            certainty.isDecided = false
            #expect(certainty.isEnough && !certainty.dependsOnMirror)
            certainty.agreement = 0.49
            #expect(!certainty.isEnough)
        }
    }

    @Test func theUnlikelyMustPassEveryTest() {
        for confidence in [0.28, 0.64] {
            let least = PersonCertainty(
                confidence: confidence, agreement: 0.78, mirrorAgreement: 0.9, mirrorConfidence: 0.4)
            #expect(least.isEnough)
            func isEnough(_ change: (inout PersonCertainty) -> Void) -> Bool {
                var certainty = least
                change(&certainty)
                return certainty.isEnough
            }
            #expect(!isEnough { $0.agreement = 0.77 })
            #expect(!isEnough { $0.mirrorAgreement = 0.89 })
            #expect(!isEnough { $0.mirrorConfidence = 0.39 })
            #expect(!isEnough { $0.isDecided = false })
            #expect(isEnough { ($0.mirrorAgreement, $0.mirrorConfidence) = (0.98, 0) })
        }
    }

    @Test func theMirrorIsAskedOnlyWhereItMatters() {
        #expect(PersonCertainty(confidence: 0.64, mirrorAgreement: 0.97).dependsOnMirror)
        #expect(!PersonCertainty(confidence: 0.64, mirrorAgreement: 0.98).dependsOnMirror, "clear without it")
        #expect(!PersonCertainty(confidence: 0.64, mirrorAgreement: 0.89).dependsOnMirror, "refused anyway")
        #expect(!PersonCertainty(confidence: 0.65, mirrorAgreement: 0.97).dependsOnMirror)
        #expect(!PersonCertainty(confidence: 0.8, mirrorAgreement: 0.97).dependsOnMirror)
    }

    @Test func certaintyInFullNeedsNothingElse() {
        #expect(PersonCertainty.full.isEnough && !PersonCertainty.full.dependsOnMirror)
    }
}
