import Foundation
import Imaging
import TestSupport
import Testing

@testable import Media

/// Which way up a video is shown.
@Suite struct RotationTests {
    private let scratch = TemporaryFolder()

    @Test(arguments: Orientation.allCases)
    func matrixAndOrientationAgree(orientation: Orientation) {
        #expect(DisplayMatrix(orientation).orientation == orientation)
    }

    @Test func matrixOfAPhoneIsAClockwiseQuarterTurn() {
        // x' = h - y, y' = x: what phones write for upright shooting.
        let elements: [Int32] = [0, 65536, 0, -65536, 0, 0, 480 << 16, 0, 1 << 30]
        let matrix = elements.withUnsafeBytes {
            DisplayMatrix(bytes: $0.baseAddress!.assumingMemoryBound(to: UInt8.self))
        }
        #expect(matrix.orientation == .right)
    }

    @Test func oddAngleIsTakenForTheNearestQuarterTurn() {
        // 80 degrees clockwise.
        let (c, s) = (Int32(65536 * 0.17365), Int32(65536 * 0.98481))
        let elements: [Int32] = [c, s, 0, -s, c, 0, 0, 0, 1 << 30]
        let matrix = elements.withUnsafeBytes {
            DisplayMatrix(bytes: $0.baseAddress!.assumingMemoryBound(to: UInt8.self))
        }
        #expect(matrix.orientation == .right)
    }

    @Test(arguments: Orientation.allCases, [1, 2, 3, 4])
    func everySampleGoesWhereTheOrientationSays(orientation: Orientation, bytes: Int) {
        for (width, height) in [(1, 1), (5, 3), (33, 40), (64, 31)] {
            var source = [UInt8](repeating: 0, count: width * height * bytes)
            for index in source.indices { source[index] = UInt8(truncatingIfNeeded: index &* 37 &+ index >> 8) }
            let (w, h) = orientation.swapsAxes ? (height, width) : (width, height)
            var target = [UInt8](repeating: 0, count: w * h * bytes)
            source.withUnsafeBytes { from in
                target.withUnsafeMutableBytes { to in
                    PlaneRotation.rotate(
                        Plane(base: from.baseAddress!, bytesPerRow: width * bytes, width: width, height: height),
                        to: MutablePlane(base: to.baseAddress!, bytesPerRow: w * bytes, width: w, height: h),
                        bytesPerSample: bytes, orientation: orientation)
                }
            }
            for y in 0..<h {
                for x in 0..<w {
                    let place = orientation.uprightToStored.apply(
                        (Double(x) + 0.5) / Double(w), (Double(y) + 0.5) / Double(h))
                    let from = Int(place.y * Double(height)) * width + Int(place.x * Double(width))
                    for byte in 0..<bytes {
                        #expect(target[(y * w + x) * bytes + byte] == source[from * bytes + byte])
                    }
                }
            }
        }
    }

    @Test func containersOfQuickTimesFamilyKeepTheMatrix() throws {
        let input = try turned("yuv420p")
        for container in ["mp4", "mov"] {
            let output = scratch.path("out.\(container)")
            #expect(try transcode(input, to: output, settings: lossless) == [])
            #expect(
                try probe(output, "stream=width,height:stream_side_data=displaymatrix,rotation")
                    == probe(input, "stream=width,height:stream_side_data=displaymatrix,rotation"))
            #expect(try pictureHash(input) == pictureHash(output))
        }
    }

    // A matrix may move the turned picture back into view, by its size.
    @Test func aCroppedPictureIsNotMovedByTheSizeThatItHad() throws {
        let input = try turned("yuv420p", down: 96)
        func lastRow(_ path: String) throws -> [Int] {
            let words = try probe(path, "stream_side_data=displaymatrix").joined(separator: " ").split(separator: " ")
            return words.compactMap { Int($0) }.suffix(3).map { $0 }
        }
        #expect(try lastRow(input) == [0, 96 << 16, 1 << 30])
        let (whole, cropped) = (scratch.path("whole.mp4"), scratch.path("cropped.mp4"))
        _ = try transcode(input, to: whole)
        _ = try transcode(input, to: cropped) {
            $0.pixelBuffer = MutablePixelBuffer(format: .yuv420p, width: 48, height: 32).publish()
        }
        #expect(try lastRow(whole) == [0, 96 << 16, 1 << 30])
        #expect(try lastRow(cropped) == [0, 0, 1 << 30])
        #expect(try probe(cropped, "stream=width,height:stream_side_data=rotation").contains { $0.hasPrefix("48,32") })
    }

    /// FFmpeg's program turns the same picture itself when it plays or converts.
    @Test(arguments: ["yuv444p", "yuv420p", "yuv420p10le"])
    func otherContainersGetTurnedPixels(format: String) throws {
        let input = try turned(format)
        let output = scratch.path("out.mkv")
        #expect(try transcode(input, to: output, settings: lossless) == [])
        #expect(
            try probe(output, "stream=width,height,sample_aspect_ratio:stream_side_data=rotation") == ["64,96,11:16"])
        #expect(try pictureHash(output) == pictureHash(input, ""))
    }

    /// Players tell it by the size where no tag does.
    @Test(arguments: [("640x360", "smpte170m"), ("320x180", "unknown"), ("1280x720", "unknown")])
    func theMatrixIsThatOfTheStoredSize(size: String, matrix: String) throws {
        let stored = try scratch.make(
            "stored.mp4", "-f lavfi -i color=0x00b140:s=\(size):r=25:d=0.04,format=yuv420p -c:v libx264 -qp 0")
        let output = scratch.path("out.mkv")
        try transcode(try scratch.turn(stored, by: 90), to: output, settings: lossless)
        #expect(try videoValue(output, "color_space") == matrix)
        let image = scratch.path("out.png")
        try transcode(try scratch.turn(stored, by: 90), to: image, settings: .init())
        let upright = scratch.path("upright.png")
        try transcode(stored, to: upright, settings: .init())
        #expect(
            try pictureHash(image)
                == run("ffmpeg", split("-v error -i \(upright) -vf transpose=1 -f rawvideo -f hash -")))
    }

    @Test func halvedChromaBecomesFullWhenTurned() throws {
        let input = try turned("yuv422p")
        let output = scratch.path("out.mkv")
        #expect(try transcode(input, to: output, settings: lossless) == [])
        #expect(try probe(output, "stream=width,height,pix_fmt") == ["64,96,yuv444p"])
    }

    @Test func chromaSitingTurnsWithThePicture() {
        #expect(ColorDescription.ChromaLocation.left.turnedUpright(by: .right) == .top)
        #expect(ColorDescription.ChromaLocation.left.turnedUpright(by: .left) == .bottom)
        #expect(ColorDescription.ChromaLocation.left.turnedUpright(by: .down) == .unspecified)
        #expect(ColorDescription.ChromaLocation.center.turnedUpright(by: .down) == .center)
        #expect(ColorDescription.ChromaLocation.topLeft.turnedUpright(by: .leftMirrored) == .topLeft)
    }

    /// A stored picture of 96x64 that is shown turned by a quarter, with pixels that aren't square.
    private func turned(_ format: String, down offset: Int32 = 0) throws -> String {
        let stored = try scratch.make(
            "stored.mp4",
            "-f lavfi -i testsrc2=s=96x64:r=25:d=0.12 -vf setsar=16/11,format=\(format) -c:v libx264 -preset ultrafast -qp 0"
        )
        return try scratch.turn(stored, by: 90, down: offset)
    }
}
