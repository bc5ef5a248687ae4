import Foundation
import Imaging
import TestSupport
import Testing

@testable import Media

/// Which picture of a video is shown behind a frame.
@Suite struct BackgroundLoopTests {
    private let scratch = TemporaryFolder()
    private let frame = makeFrame(.yuv420p, width: 16, height: 16, color: ColorDescription(range: .limited))

    /// Five pictures at ten a second, told apart by their luma.
    private func clip(_ name: String, _ codec: String) throws -> String {
        try scratch.make(
            name, "-f lavfi -i color=s=16x16:r=10:d=0.5,format=yuv420p,geq=lum=40*N+30:cb=128:cr=128 \(codec)")
    }

    /// The number of the picture at `time`.
    private func index(_ reader: BackgroundReader, _ time: Double) throws -> Int {
        let luma = try reader.picture(at: time, behind: frame).codes(8, 8)[0]
        return Int((Double(luma - 30) / 40).rounded())
    }

    @Test(arguments: [
        ("in.mkv", "-c:v ffv1"), ("in.mp4", "-c:v libx264 -qp 0"), ("in.avi", "-c:v mjpeg -q:v 1"),
        ("in.gif", ""), ("in.apng", "-f apng"), ("in.ts", "-c:v libx264 -bf 2"), ("in.webm", "-c:v libvpx-vp9"),
        ("in.h264", "-c:v libx264 -qp 0 -bf 0"),
    ])
    func loopIsSeamlessAtAnyRate(name: String, codec: String) throws {
        let path = try clip(name, codec)
        let reader = try BackgroundReader(path: path)
        #expect(!reader.isStill)
        for rate in [10.0, 24, 30, 7] {
            for step in 0..<Int(2 * rate) {
                let time = Double(step) / rate
                // A picture begins at the very time of some frames, which arithmetic may miss.
                let expected = Int(time * 10 + 0.011) % 5
                #expect(try index(reader, time) == expected, "\(time) of \(name)")
            }
        }
    }

    @Test(arguments: ["in.mkv", "in.gif", "in.apng", "in.mp4"])
    func timeMayJump(name: String) throws {
        let reader = try BackgroundReader(
            path: clip(name, name == "in.mkv" ? "-c:v ffv1" : name == "in.apng" ? "-f apng" : ""))
        for time in [0.42, 0.05, 0.33, 0.31, 12.18, 0.08, 3600.25, 3600.15, 0] {
            #expect(try index(reader, time) == Int((time * 10).rounded(.down)) % 5, "\(time)")
        }
    }

    @Test func timePastAllMeaningIsATime() throws {
        let loop = try PictureLoop(path: clip("in.mkv", "-c:v ffv1"), threads: 1, limits: .init())
        #expect(try (0..<5).contains(loop.picture(at: 1e300).start / 100))
        for time in [Double.infinity, -.infinity, .nan] { #expect(try loop.picture(at: time).start == 0, "\(time)") }
    }

    /// Far enough for the file's index to be used, and with pictures that are made of others before and after them.
    @Test(arguments: ["in.mp4", "in.mkv", "in.ts"])
    func jumpsWithinALongVideoAreExact(name: String) throws {
        let path = try scratch.make(
            name,
            "-f lavfi -i color=s=16x16:r=25:d=20,format=yuv420p,geq=lum='16+2*mod(N,110)':cb='16+2*floor(N/110)*20':cr=128 "
                + "-c:v libx264 -qp 0 -preset medium -g 60 -bf 3")
        let reader = try BackgroundReader(path: path)
        func number(_ time: Double) throws -> Int {
            let codes = try reader.picture(at: time, behind: frame).codes(8, 8)
            return (codes[0] - 16) / 2 + 110 * ((codes[1] - 16) / 40)
        }
        for second in [0, 15, 3, 19, 8, 8.5, 1, 18, 22, 39.5, 20, 0.04, 12, 11.96] as [Double] {
            let time = second + 0.02
            #expect(try number(time) == Int(time * 25) % 500, "\(time)")
        }
    }

    @Test func picturesLastAsLongAsAGIFSays() throws {
        let path = try scratch.make(
            "in.gif",
            "-f lavfi -i color=s=16x16:r=100:d=0.04,format=gray,geq=lum=60*N+30,"
                + "setpts='(eq(N,1)*0.1+eq(N,2)*0.3+eq(N,3)*0.35)/TB' -fps_mode passthrough -final_delay 20")
        let reader = try BackgroundReader(path: path)
        let starts = [0, 0.1, 0.3, 0.35, 0.55]
        var numbers: [Int] = []
        for step in 0..<33 {
            let time = Double(step) * 0.05 + 0.02
            let within = time.truncatingRemainder(dividingBy: starts[4])
            let expected = starts.lastIndex { $0 <= within }!
            let luma = try reader.picture(at: time, behind: frame).codes(8, 8)[0]
            let level = (Double(luma - 16) / 219 * 255 - 30) / 60
            numbers.append(Int(level.rounded()))
            #expect(numbers.last == expected, "\(time)")
        }
    }

    @Test func pictureThatStaysIsTheSameMemory() throws {
        let reader = try BackgroundReader(path: clip("in.mkv", "-c:v ffv1"))
        let first = try reader.picture(at: 0.01, behind: frame)
        #expect(try reader.picture(at: 0.08, behind: frame).address == first.address)
        #expect(try reader.picture(at: 0.12, behind: frame).address != first.address)
    }

    @Test func videoOfOneFrameIsStill() throws {
        let path = try scratch.make("in.mp4", "-f lavfi -i color=red:s=16x16:r=10 -frames:v 1")
        #expect(try BackgroundReader(path: path).isStill)
    }

    @Test func soundIsLeftOut() throws {
        let path = try scratch.make(
            "in.mkv",
            "-f lavfi -i sine=d=3 -f lavfi -i color=s=16x16:r=10:d=0.5,format=yuv420p,geq=lum=40*N+30:cb=128:cr=128 "
                + "-c:v ffv1 -c:a flac")
        let reader = try BackgroundReader(path: path)
        for time in [0.05, 0.45, 0.55, 1.25] { #expect(try index(reader, time) == Int(time * 10) % 5) }
    }

    @Test func damagedPictureIsPassedOver() throws {
        let path = try clip("in.mkv", "-c:v png -pix_fmt rgb24")
        var bytes = try Data(contentsOf: URL(filePath: path))
        let third = (0..<3).reduce(0) { start, _ in
            bytes.range(of: Data("IDAT".utf8), in: start..<bytes.count)!.upperBound
        }
        for index in third..<third + 20 { bytes[index] = 0xA5 }
        try bytes.write(to: URL(filePath: path))
        let reader = try BackgroundReader(path: path)
        var found: [Int] = []
        for step in 0..<10 { found.append(try index(reader, Double(step) * 0.1 + 0.05)) }
        #expect(found == [0, 1, 1, 3, 4, 0, 1, 1, 3, 4])
    }

    @Test func videoInAPipeIsRefusedAndAnImageIsNot() throws {
        let video = try clip("in.mkv", "-c:v ffv1")
        let image = try scratch.make("in.png", "-f lavfi -i testsrc2=s=64x64 -frames:v 1")
        for (path, isFine) in [(video, false), (image, true)] {
            let pipe = scratch.path("pipe-\(isFine)")
            #expect(mkfifo(pipe, 0o600) == 0)
            let feeder = Process()
            feeder.executableURL = URL(filePath: "/bin/sh")
            feeder.arguments = ["-c", "cat '\(path)' > '\(pipe)'"]
            try feeder.run()
            if isFine {
                #expect(try BackgroundReader(path: pipe).isStill)
            } else {
                let error = try mediaError { _ = try BackgroundReader(path: pipe) }
                #expect(
                    error.description
                        == "can't read the background '\(pipe)': a stream can't be read again from its beginning; "
                        + "name a picture or a video file")
            }
            feeder.waitUntilExit()
        }
    }
}
