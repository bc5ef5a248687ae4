import Testing

@testable import Media

/// Which name a misspelt one stands for.
@Suite struct NearestNameTests {
    private let names = ["blur", "blue", "teal", "gradient", "light-wrap"]

    @Test(arguments: [
        ("teal", "teal"), ("Teal", "teal"), ("tael", "teal"), ("tea", "teal"), ("teall", "teal"), ("taal", "teal"),
        ("gradiant", "gradient"), ("gardeint", "gradient"), ("lightwrap", "light-wrap"),
        // Of two that are as near, the first.
        ("blux", "blur"),
    ])
    func oneSlipForEachThreeLetters(word: String, name: String) {
        #expect(names.nearest(to: word) == name)
    }

    @Test(arguments: ["", "x", "tlea?", "beach", "gradual", "rgadeitn!"])
    func whatIsFarFromAllIsNone(word: String) {
        #expect(names.nearest(to: word) == nil)
    }

    @Test func ofNoNamesNoneIsNear() {
        #expect([String]().nearest(to: "teal") == nil)
    }
}
