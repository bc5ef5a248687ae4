import Imaging
import Testing

@testable import MatteVision

struct IlluminantTrackerTests {
    private func frame(_ level: UInt8) -> VideoFrame {
        RGBPicture(width: 64, height: 36) { _, _ in SIMD3(repeating: level) }.frame()
    }

    // As before a fade-in: it is no light, and not that of a white one either.
    @Test func aBlackFrameTellsNothing() {
        var tracker = IlluminantTracker()
        #expect(tracker.balanced(frame(0)).illuminant == .white)
        var fresh = IlluminantTracker()
        let dim = fresh.balanced(frame(20)).illuminant
        #expect(dim.brightening > 4)
        #expect(tracker.balanced(frame(20)).illuminant == dim)
        #expect(tracker.balanced(frame(0)).illuminant == dim)
    }
}
