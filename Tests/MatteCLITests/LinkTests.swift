import TestSupport
import Testing

/// What the program is linked with.
struct LinkTests {
    // All of Foundation with its tables of the world's languages is larger than the program with everything else.
    @Test func ofFoundationTheEssentialsAreEnough() throws {
        let result = try Tool("ldd").run([Checkout.program("matte").program])
        #expect(result.output.contains("libFoundationEssentials.so"))
        #expect(!result.output.contains("libFoundation.so"))
    }
}
