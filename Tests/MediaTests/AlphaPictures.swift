import Foundation
import Imaging
import TestSupport
import Testing

@testable import Media

/// Pictures whose alpha is known: blank on the left, a soft ramp in the middle, opaque on the right, and moving with the frame.
struct AlphaPictures {
    let format: PixelFormat
    var width = 96
    var height = 64

    /// Alpha from 0 to 1 at a pixel of a frame: 0 for the left quarter, 1 for the right, a smooth ramp between.
    func alpha(_ x: Int, _ y: Int, frame: Int) -> Double {
        let place = (Double(x) + Double(frame) + 0.2 * Double(y)) / Double(width)
        let ramp = min(max((place - 0.3) / 0.4, 0), 1)
        return ramp * ramp * (3 - 2 * ramp)
    }

    /// A component from 0 to 1, smooth everywhere.
    private func color(_ plane: Int, _ x: Int, _ y: Int, frame: Int) -> Double {
        let phase = Double(x) / 23 + Double(y) / 17 + Double(plane) * 1.3 + Double(frame) * 0.4
        return 0.5 + 0.35 * sin(phase)
    }

    /// The picture of a frame, as it lies in memory without gaps: FFmpeg's raw video of that format.
    func bytes(frame: Int) -> [UInt8] {
        if format.colorModel == .rgb { return packedBytes(frame: frame) }
        var bytes: [UInt8] = []
        let one = Double((1 << format.bitDepth) - 1)
        for (index, layout) in format.planes.enumerated() {
            let size = format.planeSize(index, width: width, height: height)
            for y in 0..<size.height {
                for x in 0..<size.width {
                    let (left, top) = (x << layout.horizontalShift, y << layout.verticalShift)
                    let value =
                        index == 3 ? alpha(left, top, frame: frame) : color(index, left, top, frame: frame)
                    let code = Int((value * one).rounded())
                    bytes.append(UInt8(code & 0xFF))
                    if format.bytesPerComponent == 2 { bytes.append(UInt8(code >> 8)) }
                }
            }
        }
        return bytes
    }

    private func packedBytes(frame: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        for y in 0..<height {
            for x in 0..<width {
                for component in 0..<3 { bytes.append(UInt8((color(component, x, y, frame: frame) * 255).rounded())) }
                bytes.append(UInt8((alpha(x, y, frame: frame) * 255).rounded()))
            }
        }
        return bytes
    }

    func buffer(frame: Int) -> PixelBuffer {
        var buffer = MutablePixelBuffer(format: format, width: width, height: height)
        var rest = bytes(frame: frame)[...]
        buffer.withMutablePlanes { planes in
            for (index, plane) in planes.enumerated() {
                let count = plane.width * format.planes[index].componentCount * format.bytesPerComponent
                for y in 0..<plane.height {
                    (plane.base + y * plane.bytesPerRow).copyMemory(from: Array(rest.prefix(count)), byteCount: count)
                    rest = rest.dropFirst(count)
                }
            }
        }
        return buffer.publish()
    }

    /// The alpha of a frame in 8 bits, row after row.
    func alphaBytes(frame: Int) -> [UInt8] {
        (0..<height).flatMap { y in
            (0..<width).map { x in UInt8((alpha(x, y, frame: frame) * 255).rounded()) }
        }
    }

    /// Writes `count` of them to `output` in the place of a clip's frames; returns the warnings.
    @discardableResult
    func write(
        _ count: Int, to output: String, settings: EncoderSettings, in scratch: TemporaryFolder,
        color: ColorDescription = .unspecified
    ) throws -> [String] {
        let input = try scratch.make(
            "clip-\(count).mkv", "-f lavfi -i color=s=\(width)x\(height):r=25 -frames:v \(count) -c:v ffv1")
        var frame = 0
        return try transcode(input, to: output, settings: settings) {
            $0.pixelBuffer = buffer(frame: frame)
            $0.color = color
            frame += 1
        }
    }
}

/// The pictures of a file as FFmpeg's program decodes them, in one piece.
func rawPictures(_ path: String, format: String, decoder: String? = nil, in scratch: TemporaryFolder) throws -> [UInt8]
{
    let raw = scratch.path("raw-\(UUID().uuidString)")
    let choice = decoder.map { ["-c:v", $0] } ?? []
    try run(
        "ffmpeg",
        ["-v", "error", "-nostdin", "-noautorotate"] + choice + ["-i", path]
            + split(
                "-map 0:v:0 -fps_mode passthrough -sws_flags accurate_rnd+full_chroma_int+full_chroma_inp+bicubic -f rawvideo -pix_fmt \(format)"
            ) + [raw])
    return Array(try Data(contentsOf: URL(fileURLWithPath: raw)))
}

/// The mean and the greatest distance of two lists of bytes.
func distance(_ a: some Collection<UInt8>, _ b: some Collection<UInt8>) -> (mean: Double, greatest: Int) {
    guard a.count == b.count, !a.isEmpty else { return (.infinity, .max) }
    let distances = zip(a, b).map { abs(Int($0) - Int($1)) }
    return (Double(distances.reduce(0, +)) / Double(a.count), distances.max() ?? 0)
}

func byteCount(_ path: String) throws -> Int {
    try #require(try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
}
