import Foundation
import Imaging
import Media
import TestSupport

/// The rendered sample clip and its exact truth.
enum SampleClip {
    static func frames(limit: Int? = nil) throws -> [VideoFrame] {
        try read(Checkout.sampleClip, limit: limit)
    }

    /// Frames of another size and shape, in which somebody else is to be followed.
    static func otherFrames() throws -> [VideoFrame] {
        let folder = TemporaryFolder()
        let path = folder.path("other.mkv")
        try Tool.ffmpeg(
            "-v", "error", "-i", Checkout.sampleClip, "-vf", "crop=360:360:200:0,scale=240:240,hflip", "-frames:v", "4",
            "-c:v", "ffv1", path)
        return try read(path, limit: nil)
    }

    /// The exact alpha of each frame as a `gray8` or luma plane.
    static func alphas() throws -> [PixelBuffer] {
        try read(Checkout.fixture("anna_alpha.mkv"), limit: nil).map(\.pixelBuffer)
    }

    private static func read(_ path: String, limit: Int?) throws -> [VideoFrame] {
        let reader = try MediaReader(path: path, options: .init(frameLimit: limit))
        var frames: [VideoFrame] = []
        while let item = try reader.next() {
            if case .frame(let frame) = item { frames.append(frame) }
        }
        return frames
    }

    struct Pose {
        var roll: Double
        var yaw: Double
        var pitch: Double
    }

    /// The head's angles in each frame, in degrees.
    static func poses() throws -> [Pose] {
        let text = try String(contentsOfFile: Checkout.fixture("anna_pose.csv"), encoding: .utf8)
        let rows = text.split(whereSeparator: \.isNewline).map { $0.split(separator: ",").map(String.init) }
        let header = rows[0]
        func column(_ name: String) -> Int { header.firstIndex(of: name)! }
        return rows.dropFirst().map { row in
            Pose(
                roll: Double(row[column("roll")])!, yaw: Double(row[column("yaw")])!,
                pitch: Double(row[column("pitch")])!)
        }
    }
}

extension PixelBuffer {
    /// The first plane's 8-bit samples, row by row.
    func luma() -> [UInt8] {
        withPlane(0) { plane in
            var bytes = [UInt8]()
            bytes.reserveCapacity(width * height)
            for y in 0..<height {
                bytes.append(contentsOf: UnsafeBufferPointer(start: plane.row(y, as: UInt8.self), count: width))
            }
            return bytes
        }
    }
}
