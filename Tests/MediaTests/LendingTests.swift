import Foundation
import Imaging
import TestSupport
import Testing

@testable import Media

/// What is handed to a writer stays the caller's own: nothing beyond it is read, and nothing of it is taken away.
@Suite struct LendingTests {
    private let scratch = TemporaryFolder()

    /// Memory that ends with a page's end, behind which reading ends the program.
    private final class Guarded {
        let bytes: UnsafeMutableRawPointer
        private let start: UnsafeMutableRawPointer
        private let byteCount: Int

        init(_ count: Int) throws {
            let page = Int(getpagesize())
            byteCount = (count + page - 1) / page * page + page
            let mapped = mmap(nil, byteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
            start = try #require(mapped != MAP_FAILED ? mapped : nil)
            try #require(mprotect(start + byteCount - page, page, PROT_NONE) == 0)
            bytes = start + byteCount - page - count
        }

        deinit { munmap(start, byteCount) }
    }

    @Test(
        arguments: [
            (PixelFormat.rgb24, 97), (.rgb24, 96), (.nv12, 97), (.bgra, 96), (.yuv420p, 97), (.gray8, 97),
            (.yuv420p10, 96),
        ], [false, true])
    func nothingBeyondAPictureIsRead(_ picture: (format: PixelFormat, width: Int), isBottomUp: Bool) throws {
        let (format, width, height) = (picture.format, picture.width, 65)
        let source = try scratch.make("in.mkv", "-f lavfi -i testsrc2=s=96x64:r=25:d=0.04 -c:v ffv1")
        for output in ["out.mp4", "out.mkv", "out.png"] {
            let owners = try format.planes.indices.map { index in
                let size = format.planeSize(index, width: width, height: height)
                return try Guarded(
                    size.width * format.planes[index].componentCount * format.bytesPerComponent * size.height)
            }
            let planes = format.planes.indices.map { index in
                let size = format.planeSize(index, width: width, height: height)
                let row = size.width * format.planes[index].componentCount * format.bytesPerComponent
                memset(owners[index].bytes, 1, row * size.height)
                return Plane(
                    base: isBottomUp ? owners[index].bytes + row * (size.height - 1) : owners[index].bytes,
                    bytesPerRow: isBottomUp ? -row : row, width: size.width, height: size.height)
            }
            let buffer = PixelBuffer(
                format: format, width: width, height: height, planes: planes, owner: owners as NSArray)
            let reader = try MediaReader(path: source)
            let writer = try MediaWriter(path: scratch.path(output), reader: reader, overwrite: true) { _ in }
            try writer.write(.frame(VideoFrame(pixelBuffer: buffer, pts: 0, timeBase: Rational(1, 25))))
            try writer.finish()
        }
    }

    /// As whoever writes both the picture and its mask has it.
    @Test func aPacketMayGoToSeveralWriters() throws {
        let input = try scratch.make(
            "in.mkv",
            "-f lavfi -i testsrc2=s=96x64:r=25:d=0.4 -f lavfi -i sine=d=0.4 -c:v libx264 -preset ultrafast -c:a aac")
        let reader = try MediaReader(path: input)
        let outputs = ["a.mkv", "b.mkv", "c.mp4"].map(scratch.path)
        let writers = try outputs.map { path in
            try MediaWriter(path: path, settings: fast, reader: reader) { Issue.record("\($0)") }
        }
        while let item = try reader.next() {
            for writer in writers { try writer.write(item) }
        }
        for writer in writers { try writer.finish() }
        for output in outputs { #expect(try packetHash(output, "0:a") == packetHash(input, "0:a")) }
    }

    @Test func framesCanBeReadAlone() throws {
        let input = try scratch.make(
            "in.mkv", "-f lavfi -i testsrc2=s=96x64:r=25:d=0.4 -f lavfi -i sine=d=0.4 -c:v ffv1 -c:a flac")
        let reader = try MediaReader(path: input, options: .init(start: 0.2, runIn: 0.1))
        var times: [Int64?] = []
        while let frame = try reader.nextFrame() { times.append(frame.pts) }
        #expect(times == [0, 40, 80, 120, 160])
    }
}
