import CFFmpeg
import Foundation
import Imaging
import TestSupport
import Testing

@testable import Media

/// Alpha as players and editors take it: the usual encoder of each container holds it, and it comes back as it went in.
@Suite struct AlphaOutputTests {
    private let scratch = TemporaryFolder()
    private let count = 5

    @Test(
        arguments: [
            ("out.webm", "vp9", "1"), ("out.mov", "prores", nil), ("out.mkv", "ffv1", nil), ("out.nut", "ffv1", nil),
            ("out.avi", "ffv1", nil), ("out.apng", "apng", nil),
        ] as [(String, String, String?)])
    func usualEncoderHoldsAlpha(name: String, codec: String, alphaMode: String?) throws {
        let output = scratch.path(name)
        let pictures = AlphaPictures(format: .yuva420p)
        #expect(try pictures.write(count, to: output, settings: .init(keepsAlpha: true), in: scratch) == [])
        #expect(try videoValue(output, "codec_name") == codec)
        #expect(try frameTimes(output).map { ($0 * 25).rounded() } == (0..<count).map(Double.init))
        let tag = try run("ffprobe", split("-v error -show_entries stream_tags=alpha_mode -of csv=p=0 \(output)"))
        if let alphaMode { #expect(tag == alphaMode + "\n") }
    }

    @Test func anOpaqueVideoDoesNotSayThatItHasAlpha() throws {
        let input = scratch.path("in.webm")
        try AlphaPictures(format: .yuva420p).write(count, to: input, settings: .init(keepsAlpha: true), in: scratch)
        let output = scratch.path("out.webm")
        #expect(try transcode(input, to: output, settings: .init()) == [])
        #expect(try probe(output, "stream_tags=alpha_mode") == [])
    }

    @Test(arguments: PixelFormat.alphaFormats)
    func ffv1IsLossless(format: PixelFormat) throws {
        let output = scratch.path("out.mkv")
        let pictures = AlphaPictures(format: format)
        try pictures.write(count, to: output, settings: .init(keepsAlpha: true), in: scratch)
        let truth = (0..<count).flatMap { pictures.bytes(frame: $0) }
        #expect(try rawPictures(output, format: format.name, in: scratch) == truth)
    }

    @Test(
        arguments: [("out.mov", "qtrle", "argb"), ("out.mov", "png", "rgba"), ("out.apng", nil, "rgba")]
            as [(
                String, String?, String
            )])
    func packedCodecsAreLosslessForRGB(name: String, codec: String?, format: String) throws {
        let output = scratch.path(name)
        let pictures = AlphaPictures(format: .rgba)
        try pictures.write(count, to: output, settings: .init(codec: codec, keepsAlpha: true), in: scratch)
        #expect(try videoValue(output, "pix_fmt") == format)
        let truth = (0..<count).flatMap { pictures.bytes(frame: $0) }
        #expect(try rawPictures(output, format: "rgba", in: scratch) == truth)
    }

    /// Colours of YUV are converted, alpha is not.
    @Test(arguments: [PixelFormat.yuva420p, .yuva444p, .yuva422p])
    func animationCodecKeepsAlphaOfYUVExactly(format: PixelFormat) throws {
        let output = scratch.path("out.mov")
        let pictures = AlphaPictures(format: format)
        try pictures.write(count, to: output, settings: .init(codec: "qtrle", keepsAlpha: true), in: scratch)
        let pixels = try rawPictures(output, format: "rgba", in: scratch)
        let alpha = stride(from: 3, to: pixels.count, by: 4).map { pixels[$0] }
        #expect(alpha == (0..<count).flatMap { pictures.alphaBytes(frame: $0) })
    }

    @Test(arguments: [PixelFormat.yuva420p, .yuva444p10])
    func alphaInVP9IsNear(format: PixelFormat) throws {
        let output = scratch.path("out.webm")
        let pictures = AlphaPictures(format: format)
        try pictures.write(count, to: output, settings: .init(keepsAlpha: true), in: scratch)
        let decoded = try rawPictures(output, format: "yuva420p", decoder: "libvpx-vp9", in: scratch)
        let frameSize = 96 * 64 * 5 / 2
        #expect(decoded.count == count * frameSize)
        for frame in 0..<count {
            let alpha = decoded[((frame + 1) * frameSize - 96 * 64)..<((frame + 1) * frameSize)]
            let truth = pictures.alphaBytes(frame: frame)
            #expect(distance(alpha, truth).mean < 1.5)
            let blank = zip(alpha, truth).filter { $0.1 == 0 }.map(\.0)
            #expect(!blank.isEmpty && blank.allSatisfy { $0 <= 3 })
        }
    }

    /// ProRes codes alpha without loss; FFmpeg decodes it to 12 bits.
    @Test(arguments: [PixelFormat.yuva420p, .yuva444p, .rgba, .yuva444p10])
    func alphaInProResIsExact(format: PixelFormat) throws {
        let output = scratch.path("out.mov")
        let pictures = AlphaPictures(format: format)
        try pictures.write(count, to: output, settings: .init(keepsAlpha: true), in: scratch)
        #expect(try probe(output, "stream=codec_name,profile,codec_tag_string") == ["prores,4444,ap4h"])
        let decoded = try rawPictures(output, format: "yuva444p12le", in: scratch)
        let planeSize = 2 * 96 * 64
        #expect(decoded.count == count * 4 * planeSize)
        for frame in 0..<count {
            let plane = Array(decoded[((4 * frame + 3) * planeSize)..<((4 * frame + 4) * planeSize)])
            let codes = stride(from: 0, to: plane.count, by: 2).map { Int(plane[$0]) | Int(plane[$0 + 1]) << 8 }
            let one = Double((1 << format.bitDepth) - 1)
            let truth = codes.indices.map { (pictures.alpha($0 % 96, $0 / 96, frame: frame) * one).rounded() }
            #expect(codes.map { (Double($0) * one / 4095).rounded() } == truth)
            #expect(codes.min() == 0 && codes.max() == 4095)
        }
    }

    @Test func animatedWebPKeepsAlphaAndTimes() throws {
        let output = scratch.path("out.webp")
        let pictures = AlphaPictures(format: .rgba)
        let settings = EncoderSettings(options: [("lossless", "1")], keepsAlpha: true)
        try pictures.write(count, to: output, settings: settings, in: scratch)
        let animation = try WebPAnimation(path: output)
        #expect(animation.loopCount == 0)
        #expect(animation.hasAlpha)
        #expect(animation.durations == Array(repeating: 40, count: count))
    }

    @Test func stillInWebPIsTheAnimationsFirstFrame() throws {
        let output = scratch.path("out-%d.webp")
        let pictures = AlphaPictures(format: .rgba)
        let settings = EncoderSettings(options: [("lossless", "1")], keepsAlpha: true)
        try pictures.write(2, to: output, settings: settings, in: scratch)
        for frame in 0..<2 {
            let decoded = try rawPictures(scratch.path("out-\(frame + 1).webp"), format: "rgba", in: scratch)
            let truth = pictures.bytes(frame: frame)
            // What is blank has no colour; all else is exact.
            for pixel in 0..<(96 * 64) {
                let place = 4 * pixel..<4 * pixel + 4
                #expect(truth[4 * pixel + 3] == 0 ? decoded[4 * pixel + 3] == 0 : decoded[place] == truth[place])
            }
        }
    }

    /// Where formats keep alpha: plane, offset and step in bytes, and its greatest code.
    private static let places: [String: (plane: Int, offset: Int, step: Int, one: Int, isBigEndian: Bool)] = [
        "yuva420p": (3, 0, 1, 255, false), "yuva444p": (3, 0, 1, 255, false), "argb": (0, 0, 4, 255, false),
        "yuva444p10le": (3, 0, 2, 1023, false), "gbrap10le": (3, 0, 2, 1023, false),
        "rgba64le": (0, 6, 8, 65535, false), "rgba64be": (0, 6, 8, 65535, true),
    ]

    /// Opaque stays opaque, and no code is further from the truth than it must be.
    @Test(arguments: [
        ("yuva420p", "yuva444p10le"), ("yuva420p10le", "yuva420p"), ("rgba", "yuva444p"), ("yuva420p", "rgba64be"),
        ("yuva444p10le", "rgba64le"), ("bgra", "argb"), ("rgba", "gbrap10le"),
    ])
    func everyAlphaIsConvertedToTheNearest(source: String, target: String) throws {
        let format = try #require(PixelFormat.alphaFormats.first { $0.name == source })
        let place = try #require(Self.places[target])
        let pictures = AlphaPictures(format: format, width: 64, height: 16)
        let exporter = FrameExporter(
            format: EncoderFormat(
                pixelFormat: av_get_pix_fmt(target), width: 64, height: 16,
                color: ColorDescription(matrix: target.hasPrefix("yuv") ? .unspecified : .rgb)), rotation: .up)
        let frame = VideoFrame(pixelBuffer: pictures.buffer(frame: 3))
        let exported = try exporter.makeFrame(frame, pts: 0, duration: 1)
        let base = try #require(exported.data(place.plane))
        let sourceOne = (1 << format.bitDepth) - 1
        var codes: [Int] = []
        var truth: [Int] = []
        for y in 0..<16 {
            for x in 0..<64 {
                let sample = base + y * exported.bytesPerRow(place.plane) + x * place.step + place.offset
                let bytes = place.one == 255 ? [sample[0]] : [sample[0], sample[1]]
                let code = (place.isBigEndian ? bytes : bytes.reversed()).reduce(0) { $0 << 8 | Int($1) }
                let given = Int((pictures.alpha(x, y, frame: 3) * Double(sourceOne)).rounded())
                codes.append(code)
                truth.append(Int((Double(given) * Double(place.one) / Double(sourceOne)).rounded()))
            }
        }
        #expect(codes == truth)
    }

    // MARK: Refusals

    @Test(arguments: [
        ("out.mp4", "mp4 can't hold alpha; name the output .webm, .mov or .mkv"),
        ("out.ts", "mpegts can't hold alpha; name the output .webm, .mov or .mkv"),
        ("out.gif", "gif holds no alpha but on and off; name the output .webp, .mov or .mkv"),
        ("out.jpg", "jpeg images can't hold alpha; name the output .png, .webp or .avif"),
        ("out-%d.bmp", "bmp images can't hold alpha; name the output .png, .webp or .avif"),
    ])
    func placeWithoutAlpha(name: String, cause: String) throws {
        let output = scratch.path(name)
        let error = try mediaError {
            try AlphaPictures(format: .rgba).write(1, to: output, settings: .init(keepsAlpha: true), in: scratch)
        }
        #expect(error.kind == .usage)
        #expect(error.description == "can't create '\(output)': \(cause)")
        #expect(scratch.contents == ["clip-1.mkv"])
    }

    /// Muxers other than Matroska's take VP8 and VP9, and drop their alpha.
    @Test(arguments: [
        ("out.mp4", "vp9", "mp4 can't hold the alpha of vp9"), ("out.nut", "vp9", "nut can't hold the alpha of vp9"),
        ("out.avi", "libvpx", "avi can't hold the alpha of vp8"), ("out.ivf", nil, "ivf can't hold alpha"),
    ])
    func alphaThatTheMuxerDrops(name: String, codec: String?, cause: String) throws {
        let settings = EncoderSettings(codec: codec, keepsAlpha: true)
        let error = try mediaError {
            try AlphaPictures(format: .rgba).write(1, to: scratch.path(name), settings: settings, in: scratch)
        }
        #expect(error.kind == .usage)
        #expect(error.description.contains(cause))
        #expect(scratch.contents == ["clip-1.mkv"])
        #expect(OutputExtension.usual(for: name, kind: .video, settings: settings) == (codec == nil ? "mov" : "webm"))
    }

    // MARK: Sizes

    /// FFmpeg's program makes no smaller files of the same frames with the same settings.
    @Test(arguments: [
        (
            "out.webm", "yuva420p",
            "-c:v libvpx-vp9 -deadline good -cpu-used 5 -row-mt 1 -tile-columns 2 -crf 31 -b:v 0 -auto-alt-ref 0"
        ),
        ("out.mov", "yuva444p10le", "-c:v prores_ks -vendor apl0"), ("out.mkv", "yuva420p", "-c:v ffv1"),
        ("out.webp", "bgra", "-c:v libwebp_anim -quality 90 -loop 0"), ("out.apng", "rgba", "-c:v apng -plays 0"),
        ("out-1.png", "rgba", "-c:v png"), ("out-1.webp", "bgra", "-c:v libwebp -quality 90"),
    ])
    func filesAreNoLargerThanFFmpegs(name: String, format: String, arguments: String) throws {
        let kind = try #require(PixelFormat.alphaFormats.first { $0.name == format })
        let pictures = AlphaPictures(format: kind)
        let isImage = name.contains("-1.")
        let frames = isImage ? 1 : 20
        let output = scratch.path(name)
        let pattern = scratch.path(name.replacingOccurrences(of: "-1.", with: "-%d."))
        try pictures.write(frames, to: pattern, settings: .init(keepsAlpha: true), in: scratch)
        let raw = scratch.url("frames.raw")
        try Data((0..<frames).flatMap { pictures.bytes(frame: $0) }).write(to: raw)
        let own = try scratch.make(
            "own-\(name)",
            "-f rawvideo -pix_fmt \(format) -s 96x64 -r 25 -i \(raw.path) \(arguments)" + (isImage ? " -update 1" : ""))
        #expect(try byteCount(output) <= byteCount(own) + 300)
    }
}

/// What an animated WebP file tells of itself (RFC 9649).
struct WebPAnimation {
    private(set) var loopCount: Int?
    private(set) var hasAlpha = false
    /// Milliseconds of each frame.
    private(set) var durations: [Int] = []

    init(path: String) throws {
        let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
        func number(_ offset: Int, _ count: Int) -> Int {
            (0..<count).reversed().reduce(0) { $0 << 8 | Int(bytes[offset + $1]) }
        }
        var position = 12
        while position + 8 <= bytes.count {
            let type = String(decoding: bytes[position..<position + 4], as: UTF8.self)
            switch type {
            case "VP8X": hasAlpha = bytes[position + 8] & 0x10 != 0
            case "ANIM": loopCount = number(position + 12, 2)
            case "ANMF": durations.append(number(position + 20, 3))
            default: break
            }
            position += 8 + number(position + 4, 4)
            position += position % 2
        }
    }
}
