import Foundation
import TestSupport
import Testing

@testable import Media

/// Chroma stays where it lies when its subsampling changes.
@Suite struct ChromaTests {
    private let scratch = TemporaryFolder()

    /// The first frame's plane of Cb in the pixel format that the file has.
    private func cb(_ path: String, width: Int, height: Int, lumaBytes: Int) throws -> [[UInt8]] {
        let raw = scratch.path("raw")
        try run("ffmpeg", split("-v error -y -noautorotate -i \(path) -frames:v 1 -f rawvideo \(raw)"))
        let bytes = try Data(contentsOf: URL(filePath: raw)).dropFirst(lumaBytes)
        return (0..<height).map { Array(bytes.dropFirst($0 * width).prefix(width)) }
    }

    /// A slope of 3 a luma column, or row, comes out as that slope at the places of the target's samples.
    @Test(arguments: [
        ("left", "X", 0.0), ("topleft", "X", 0), ("center", "X", 0.5), ("left", "Y", 0.5), ("topleft", "Y", 0),
        ("center", "Y", 0.5),
    ])
    func slopesStayInTheirPlace(location: String, axis: String, offset: Double) throws {
        // By the number that H.264 has for it: how programs of FFmpeg are told differs from version to version.
        let number = location == "left" ? 0 : location == "center" ? 1 : 2
        let input = try scratch.make(
            "in.mkv",
            "-f lavfi -i color=gray:s=64x64:r=25:d=0.04,format=yuv420p,geq=lum=128:cb=6*\(axis)+20:cr=128 -c:v libx264 -qp 0 -x264-params chromaloc=\(number)"
        )
        #expect(try videoValue(input, "chroma_location") == location)
        let full = scratch.path("full.mkv")
        try transcode(input, to: full, settings: .init(codec: "ffv1", pixelFormat: "yuv444p"))
        let wide = try cb(full, width: 64, height: 64, lumaBytes: 64 * 64)
        // Beyond the outermost samples nothing is known.
        for place in 8..<56 {
            let value = axis == "X" ? wide[32][place] : wide[place][32]
            #expect(abs(Double(value) - (3 * (Double(place) - offset) + 20)) <= 0.5, "\(place)")
        }

        let back = scratch.path("back.mkv")
        try transcode(full, to: back, settings: .init(codec: "ffv1", pixelFormat: "yuv420p")) {
            $0.color.chromaLocation = location == "left" ? .left : location == "center" ? .center : .topLeft
        }
        let narrow = try cb(back, width: 32, height: 32, lumaBytes: 64 * 64)
        for place in 8..<24 {
            let value = axis == "X" ? narrow[16][place] : narrow[place][16]
            #expect(abs(Int(value) - (6 * place + 20)) <= 1, "\(place)")
        }
    }

    /// The differences of a frame's chroma from the slope of 2 a luma column where its samples lie so far right of a luma sample.
    private func differences(_ path: String, offset: Double, isFull: Bool = false) throws -> Double {
        let samples = try cb(path, width: 48, height: 32, lumaBytes: 96 * 64)[16].map {
            128 + (Double($0) - 128) * (isFull ? 224.0 / 255 : 1)
        }
        let slope = samples.indices.map { samples[$0] - (40 + 2 * (2 * Double($0) + offset)) }
        return slope[8..<40].reduce(0, +) / 32
    }

    private func slope(_ name: String, cb: String, _ arguments: String) throws -> String {
        try scratch.make(
            name,
            "-f lavfi -i color=gray:s=96x64:r=25:d=0.04,format=yuv420p,geq=lum=128:cb=\(cb):cr=128 -c:v libx264 -qp 0 \(arguments)"
        )
    }

    /// Turned upside down, chroma would lie on the right, which has no name.
    @Test func chromaStaysInItsPlaceWhenTurnedUpsideDown() throws {
        let stored = try slope("stored.mp4", cb: "40+2*(95-2*X)", "")
        let output = scratch.path("out.mkv")
        try transcode(try scratch.turn(stored, by: 180), to: output, settings: .init(codec: "ffv1"))
        #expect(abs(try differences(output, offset: 0)) < 0.3)
    }

    /// JPEG has chroma in the middle, most video on the left.
    @Test func chromaIsWhereJPEGHasIt() throws {
        let input = try slope("in.mp4", cb: "40+4*X", "")
        try transcode(input, to: scratch.path("out.jpg"), settings: .init())
        #expect(abs(try differences(scratch.path("out.jpg"), offset: 0.5, isFull: true)) < 0.3)
    }

    /// What has no colour has none in any format, as masks that go to encoders of graphics cards.
    @Test(
        arguments: ["gray", "gray10le", "ya8"],
        ["nv12", "nv21", "nv24", "p010le", "yuv420p", "yuv420p10le", "yuv444p", "yuyv422", "rgb24"])
    func grayHasNoColour(source: String, target: String) throws {
        let input = try scratch.make(
            "in.mkv",
            "-f lavfi -i color=gray:s=32x16:r=25:d=0.12,format=\(source),geq=lum=8*X:cb=128:cr=128:a=255,format=\(source) -c:v png"
        )
        let output = scratch.path("out")
        try transcode(input, to: output, settings: .init(format: "rawvideo", pixelFormat: target))
        let raw = scratch.path("raw")
        try run(
            "ffmpeg",
            split("-v error -y -f rawvideo -pixel_format \(target) -video_size 32x16 -i \(output)")
                + split("-vf format=yuv444p -f rawvideo \(raw)"))
        let bytes = try [UInt8](Data(contentsOf: URL(filePath: raw)))
        try #require(bytes.count == 3 * 32 * 16 * 3)
        for frame in 0..<3 {
            let chroma = bytes[(3 * frame + 1) * 512..<(3 * frame + 3) * 512]
            #expect(chroma.allSatisfy { abs(Int($0) - 128) <= 1 }, "\(chroma.prefix(8))")
        }
    }

    /// Grey that tells no range is full, and stays as light where it is turned into a format that something can be added to.
    @Test(arguments: ["gray", "gray10le"], [Addition.color, .alpha])
    func greyWithAnAdditionKeepsItsContrast(format: String, addition: Addition) throws {
        let input = try scratch.make(
            "in.mkv",
            "-f lavfi -i color=gray:s=32x16:r=25:d=0.04,format=\(format),geq=lum=8*X,setparams=range=unknown -c:v ffv1")
        let reader = try MediaReader(path: input, options: .init(addition: addition))
        guard case .frame(let frame) = try #require(try reader.next()) else { throw CancellationError() }
        #expect(frame.pixelBuffer.format.colorModel == .yuv)
        #expect(frame.color.range == .full)
        let luma = frame.pixelBuffer.withPlane(0) { plane in
            (0..<32).map {
                frame.pixelBuffer.format.bitDepth == 8
                    ? Int(plane.row(5, as: UInt8.self)[$0]) : Int(plane.row(5, as: UInt16.self)[$0])
            }
        }
        #expect(luma == (0..<32).map { 8 * $0 })
    }

    /// What nothing tells is read as limited.
    @Test(arguments: [
        ("prores_ks", "mov"), ("prores_ks", "mkv"), ("mpeg2video", "mkv"), ("mpeg4", "avi"), ("mpeg4", "mp4"),
        ("mpeg4", "mov"),
        ("ffv1", "avi"), ("ffv1", "mkv"), ("rawvideo", "nut"), ("libvpx", "webm"), ("libx264", "avi"),
    ])
    func fullRangeIsToldOrTakenBack(codec: String, container: String) throws {
        let input = try scratch.make(
            "in.mkv",
            "-f lavfi -i color=black:s=256x64:r=25:d=0.04,format=yuvj420p,geq=lum=X:cb=128:cr=128 -colorspace bt470bg -color_range pc -c:v ffv1"
        )
        let output = scratch.path("out.\(container)")
        try transcode(input, to: output, settings: .init(codec: codec))
        let raw = scratch.path("raw")
        try run(
            "ffmpeg",
            split("-v error -i \(output) -frames:v 1 -vf scale=out_range=pc,format=gray -f rawvideo \(raw)"))
        let row = try Data(contentsOf: URL(filePath: raw)).dropFirst(32 * 256).prefix(256)
        #expect(zip(row, 0..<256).allSatisfy { abs(Int($0) - $1) <= 6 }, "\(Array(row))")
    }

    /// Each field of an interlaced picture keeps its own colour.
    @Test(arguments: [("yuv420p", "yuv422p"), ("yuv422p", "yuv420p"), ("yuv420p", "yuv444p")])
    func fieldsAreNotMixed(source: String, target: String) throws {
        let input = try scratch.make(
            "in.mkv",
            "-f lavfi -i color=gray:s=96x64:r=25:d=0.04,format=\(source),geq=lum=128:cb=60+140*mod(Y\\,2):cr=128 -vf setfield=tff -c:v ffv1 -flags +ildct"
        )
        let output = scratch.path("out.mkv")
        try transcode(input, to: output, settings: .init(codec: "ffv1", pixelFormat: target))
        #expect(try probe(output, "frame=interlaced_frame").allSatisfy { $0.hasPrefix("1") })
        let (width, height) = (target == "yuv444p" ? 96 : 48, target == "yuv420p" ? 32 : 64)
        let rows = try cb(output, width: width, height: height, lumaBytes: 96 * 64)
        for (y, row) in rows.enumerated() {
            #expect(row.allSatisfy { $0 == (y % 2 == 0 ? 60 : 200) }, "row \(y): \(row.prefix(2))")
        }
    }

    /// Nor where chroma is moved: to where JPEG has it, and from the right, where it lies in what is stored upside down.
    @Test(arguments: [(0, "mjpeg", 128 - 68 * 255 / 224, 128 + 72 * 255 / 224), (180, "ffv1", 60, 200)])
    func fieldsAreNotMixedWhereChromaMoves(turn: Int, codec: String, even: Int, odd: Int) throws {
        let stored = try scratch.make(
            "stored.mp4",
            "-f lavfi -i color=gray:s=96x64:r=25:d=0.04,format=yuv420p,geq=lum=128:cb=60+140*mod(Y\\,2):cr=128 -vf setfield=tff -c:v libx264 -qp 0 -flags +ildct"
        )
        let output = scratch.path("out.mkv")
        try transcode(turn == 0 ? stored : scratch.turn(stored, by: turn), to: output, settings: .init(codec: codec))
        let rows = try cb(output, width: 48, height: 32, lumaBytes: 96 * 64)
        for (y, row) in rows.enumerated() {
            // Upside down, the lines of each field are in the other's place.
            let expected = (y % 2 == 0) == (turn == 0) ? even : odd
            #expect(row.allSatisfy { abs(Int($0) - expected) <= 6 }, "\(y): \(row.prefix(4))")
        }
    }

    @Test func fieldsAreNotMixedInImages() throws {
        let input = try scratch.make(
            "in.mkv",
            "-f lavfi -i color=gray:s=96x64:r=25:d=0.04,format=yuv420p,geq=lum=128:cb=100+56*mod(Y\\,2):cr=128 -vf setfield=tff -c:v ffv1 -flags +ildct"
        )
        let output = scratch.path("out.png")
        try transcode(input, to: output, settings: .init())
        let rows = try cb(output, width: 3 * 96, height: 64, lumaBytes: 0)
        #expect(rows[0] != rows[1])
        for y in rows.indices { #expect(rows[y] == rows[y % 2], "row \(y)") }
    }

    /// A matrix that nothing tells follows from the picture's size, not from a field's.
    @Test func fieldsHaveThePicturesMatrix() throws {
        let pixels = try ["prog", "tff"].map { order in
            let input = try scratch.make(
                "\(order).mkv",
                "-f lavfi -i color=orange:s=720x960:r=25:d=0.04 -vf format=yuv420p,setfield=\(order) -c:v ffv1 -flags +ildct"
            )
            let output = scratch.path("out.mkv")
            try transcode(
                input, to: output, settings: .init(codec: "ffv1", pixelFormat: "bgr0"), overwrite: true)
            return try cb(output, width: 4, height: 1, lumaBytes: 0)
        }
        #expect(pixels[0] == pixels[1])
    }
}
