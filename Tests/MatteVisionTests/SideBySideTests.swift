import Synchronization
import Testing

@testable import MatteVision

struct SideBySideTests {
    @Test func allIsDoneAndTheFirstFailureCounts() {
        let done = Mutex(0)
        func piece(_ failure: String?) -> SideBySide.Piece {
            {
                done.withLock { $0 += 1 }
                return failure.map { .failure(VisionError(.invalid, $0)) } ?? .success(())
            }
        }
        #expect(throws: VisionError(.invalid, "first")) {
            try SideBySide.perform([piece(nil), piece("first"), piece(nil), piece("second")])
        }
        #expect(done.withLock { $0 } == 4)
        #expect(throws: Never.self) { try SideBySide.perform([piece(nil)]) }
        #expect(throws: Never.self) { try SideBySide.perform([]) }
    }
}
