import Testing

@testable import mutate

/// Damage is what its seed says, and there is damage of every kind.
struct MutationTests {
    private let bytes = (0..<4096).map { UInt8(truncatingIfNeeded: $0) }

    @Test func oneSeedGivesTheSameFile() {
        for seed in UInt64(0)..<50 {
            var (first, second) = (Generator(seed: seed), Generator(seed: seed))
            #expect(Mutation.damaged(bytes, &first) == Mutation.damaged(bytes, &second))
        }
    }

    @Test func seedsGiveDifferentFiles() {
        let files = (UInt64(0)..<200).map { seed in
            var generator = Generator(seed: seed)
            return Mutation.damaged(bytes, &generator)
        }
        #expect(Set(files).count > 190)
    }

    @Test(arguments: Mutation.allCases)
    func everyKindDamages(_ mutation: Mutation) {
        var (generator, shorter, longer, same) = (Generator(seed: 7), 0, 0, 0)
        for _ in 0..<100 {
            var file = bytes
            mutation.apply(to: &file, &generator)
            if file.count < bytes.count { shorter += 1 }
            if file.count > bytes.count { longer += 1 }
            if file == bytes { same += 1 }
        }
        switch mutation {
        case .cut, .removePiece: #expect(shorter == 100)
        case .repeatPiece: #expect(longer == 100)
        default: #expect(shorter == 0 && longer == 0 && same < 20)
        }
    }

    @Test func whatIsShortIsDamagedToo() {
        for seed in UInt64(0)..<200 {
            var generator = Generator(seed: seed)
            _ = Mutation.damaged([1], &generator)
            #expect(Mutation.damaged([], &generator).isEmpty)
        }
    }
}
