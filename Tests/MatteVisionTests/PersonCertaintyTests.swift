import Testing

@testable import MatteVision

struct PersonCertaintyTests {
    @Test(arguments: [
        (0.28, 0.9), (0.39, 0.9), (0.4, 0.85), (0.59, 0.85), (0.6, 0.7), (0.74, 0.7), (0.75, 0), (1, 0),
    ])
    func theSurerTheDetectorTheLessMasksHaveToAgree(_ confidence: Double, _ least: Double) {
        #expect(PersonCertainty(confidence: confidence, agreement: least).isEnough)
        if least > 0 { #expect(!PersonCertainty(confidence: confidence, agreement: least - 0.01).isEnough) }
    }

    @Test func agreementAloneIsNotEnough() {
        #expect(!PersonCertainty(confidence: 0.27, agreement: 1).isEnough)
        #expect(PersonCertainty.full.isEnough)
    }
}
