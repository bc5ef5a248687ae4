import Testing

@testable import Imaging

struct PixelBufferTests {
    @Test func chromaPlanesOfOddPicturesRoundUp() {
        #expect(PixelFormat.yuv420p.planeSize(1, width: 637, height: 479) == (319, 240))
        #expect(PixelFormat.yuv422p.planeSize(2, width: 637, height: 479) == (319, 479))
        #expect(PixelFormat.nv12.planeSize(1, width: 1, height: 1) == (1, 1))
        #expect(PixelFormat.yuv444p.planeSize(1, width: 637, height: 479) == (637, 479))
    }

    @Test(arguments: PixelFormat.videoFormats)
    func rowsAreAlignedAndPlanesDoNotOverlap(_ format: PixelFormat) {
        for (width, height) in [(1, 1), (7, 3), (64, 2), (65, 5)] {
            let layout = MemoryLayoutOfPlanes(format: format, width: width, height: height)
            var end = 0
            for (index, plane) in layout.planes.enumerated() {
                let used = plane.width * format.planes[index].componentCount * format.bytesPerComponent
                #expect(plane.offset >= end && plane.offset % 64 == 0 && plane.bytesPerRow % 64 == 0)
                #expect(plane.bytesPerRow >= used)
                end = plane.offset + plane.bytesPerRow * plane.height
            }
            #expect(layout.byteCount >= end + 64)
        }
    }

    @Test func poolLendsMemoryAgainOnlyAfterTheLastReaderLetsGo() {
        let pool = PixelBufferPool()
        func address(_ buffer: PixelBuffer) -> UnsafeRawPointer { buffer.withPlane(0) { $0.base } }
        var first: PixelBuffer? = pool.makeBuffer(format: .yuv420p, width: 64, height: 64).publish()
        var copy = first
        let place = address(first!)
        first = nil
        let second = pool.makeBuffer(format: .yuv420p, width: 64, height: 64).publish()
        #expect(address(second) != place, "a copy still reads the first one")
        copy = nil
        let third = pool.makeBuffer(format: .yuv420p, width: 64, height: 64).publish()
        #expect(address(third) == place)
        #expect(copy == nil)
    }

    // Whoever takes the pixels of a row for its bytes would have memory read that lies behind the picture.
    @Test(arguments: [7, 0, -7])
    func rowsThatOverlapAreRefused(bytesPerRow: Int) async {
        await #expect(processExitsWith: .failure) { [bytesPerRow] in
            let memory = MutablePixelBuffer(format: .bgra, width: 2, height: 2).publish()
            let base = memory.withPlane(0) { $0.base }
            let plane = Plane(base: base, bytesPerRow: bytesPerRow, width: 2, height: 2)
            _ = PixelBuffer(format: .bgra, width: 2, height: 2, planes: [plane], owner: Owner(memory))
        }
    }

    @Test(arguments: [8, -8, 11])
    func rowsMayLieInEitherOrderWithGaps(bytesPerRow: Int) {
        let memory = MutablePixelBuffer(format: .bgra, width: 2, height: 2).publish()
        let first = memory.withPlane(0) { $0.base } + max(0, -bytesPerRow)
        let plane = Plane(base: first, bytesPerRow: bytesPerRow, width: 2, height: 2)
        let picture = PixelBuffer(format: .bgra, width: 2, height: 2, planes: [plane], owner: Owner(memory))
        #expect(
            picture.withPlane(0) {
                $0.row(1, as: UInt8.self) == first.assumingMemoryBound(to: UInt8.self) + bytesPerRow
            })
    }

    private final class Owner {
        let picture: PixelBuffer
        init(_ picture: PixelBuffer) { self.picture = picture }
    }

    @Test func ownerLivesAsLongAsThePictureThatItLends() {
        final class Lender {
            let memory = UnsafeMutableRawPointer.allocate(byteCount: 4, alignment: 1)
            deinit { memory.deallocate() }
        }
        weak var owner: Lender?
        var buffer: PixelBuffer?
        do {
            let lender = Lender()
            owner = lender
            let plane = Plane(base: lender.memory, bytesPerRow: 2, width: 2, height: 2)
            buffer = PixelBuffer(format: .gray8, width: 2, height: 2, planes: [plane], owner: lender)
        }
        #expect(owner != nil)
        #expect(buffer?.width == 2)
        buffer = nil
        #expect(owner == nil)
    }
}
