import Foundation
import Imaging
import TestSupport
import Testing

@testable import Media

/// Exif, ICC profile and XMP come out as they went in, and files that lie about them do no harm.
@Suite struct ImageMetadataTests {
    private let scratch = TemporaryFolder()

    // MARK: Files with metadata, made here

    /// A TIFF structure with a camera's make, an orientation, and bytes that nobody understands.
    private func exif(_ orientation: UInt16, isLittleEndian: Bool = false, extra: Int = 100) -> [UInt8] {
        func two(_ number: UInt16) -> [UInt8] {
            let bytes = [UInt8(number >> 8), UInt8(number & 0xFF)]
            return isLittleEndian ? bytes.reversed() : bytes
        }
        func four(_ number: UInt32) -> [UInt8] {
            let bytes = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
            return isLittleEndian ? bytes.reversed() : bytes
        }
        let head = Array((isLittleEndian ? "II" : "MM").utf8) + two(42) + four(8) + two(2)
        let make = two(0x010F) + two(2) + four(6) + four(38)
        let turn = two(0x0112) + two(3) + four(1) + two(orientation) + two(0)
        return head + make + turn + four(0) + Array("Maker\0".utf8) + (0..<extra).map { UInt8($0 * 7 & 0xFF) }
    }

    private let xmp = Array("<x:xmpmeta xmlns:x='adobe:ns:meta/'>nothing but words</x:xmpmeta>".utf8)

    /// What FFmpeg takes for a profile: its length, the colour space's name, and bytes that nobody looks into.
    private func profile(_ count: Int = 3000, space: String = "RGB ") -> [UInt8] {
        var bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
        bytes.replaceSubrange(0..<4, with: [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: count >> $0) })
        bytes.replaceSubrange(16..<20, with: Array(space.utf8))
        return bytes
    }

    private func bytes(_ path: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: path))) }

    /// A picture of that kind with metadata: by hand for JPEG, and for others by way of what is tested.
    private func file(_ kind: String, _ metadata: ImageMetadata, size: String = "96x64") throws -> String {
        let bare = try scratch.make(
            "bare.\(kind)",
            "-f lavfi -i gradients=s=\(size):r=25:c0=red:c1=blue:seed=7 -frames:v 1 "
                + (kind == "webp" ? "-c:v libwebp" : "-bitexact -update 1"))
        let path = scratch.path("in.\(kind)")
        var file = try bytes(bare)
        if kind == "jpg" {
            func segment(_ marker: UInt8, _ content: [UInt8]) -> [UInt8] {
                [0xFF, marker, UInt8((content.count + 2) >> 8), UInt8((content.count + 2) & 0xFF)] + content
            }
            var segments: [UInt8] = []
            if let exif = metadata.exif { segments += segment(0xE1, Array("Exif\0\0".utf8) + exif.bytes) }
            if let profile = metadata.iccProfile {
                let parts = stride(from: 0, to: profile.count, by: 60000).map {
                    profile[$0..<min($0 + 60000, profile.count)]
                }
                for (index, part) in parts.enumerated() {
                    let head = Array("ICC_PROFILE\0".utf8) + [UInt8(index + 1), UInt8(parts.count)]
                    segments += segment(0xE2, head + part)
                }
            }
            if let xmp = metadata.xmp {
                segments += segment(0xE1, Array("http://ns.adobe.com/xap/1.0/\0".utf8) + xmp)
            }
            file.insert(contentsOf: segments, at: 2)
        } else {
            file = metadata.inserted(into: file, of: kind == "png" ? .png : .webp)
        }
        try Data(file).write(to: URL(fileURLWithPath: path))
        try FileManager.default.removeItem(atPath: bare)
        return path
    }

    private var full: ImageMetadata { ImageMetadata(exif: Exif(exif(6)), iccProfile: profile(), xmp: xmp) }

    // MARK: Carried

    @Test(arguments: ["jpg", "png", "webp"], ["jpg", "png", "webp"])
    func everythingIsCarriedToTheByte(from: String, to: String) throws {
        let input = try file(from, full)
        #expect(try MediaReader(path: input).imageMetadata == full)
        let output = scratch.path("out.\(to)")
        #expect(try transcode(input, to: output, settings: .init()) == [])
        let result = try MediaReader(path: output)
        #expect(result.imageMetadata == full)
        #expect(result.video.orientation == .right)
        // The pixels stay as they are stored.
        #expect((result.video.width, result.video.height) == (96, 64))
        #expect(
            distance(
                try rawPictures(output, format: "rgb24", in: scratch),
                try rawPictures(input, format: "rgb24", in: scratch)
            ).mean < 3)
        // FFmpeg's own reading of the result; the orientation is a tag or a matrix, by its version.
        let frame = try run("ffprobe", ["-v", "error", "-show_frames", output])
        #expect(frame.contains("side_data_type=ICC profile"))
        if to != "png" {
            #expect(frame.contains("TAG:Orientation=    6") || frame.contains("rotation=-90"))
            #expect(frame.contains("TAG:Make=Maker"))
        }
    }

    @Test(arguments: [("jpg", []), ("png", ["comment"]), ("webp", ["comment"])])
    func commentAndDensityAreJPEGs(kind: String, leftOut: [String]) throws {
        let input = try file("jpg", ImageMetadata())
        var file = try bytes(input)
        // JFIF's segment is the first: signature, version, unit, and pixels by the inch across and down.
        #expect(Array(file[6..<11]) == Array("JFIF\0".utf8))
        file.replaceSubrange(13..<18, with: [1, 1, 44, 1, 44])
        let comment = Array("taken in the garden".utf8)
        file.insert(contentsOf: [0xFF, 0xFE, 0, UInt8(comment.count + 2)] + comment, at: 20)
        try Data(file).write(to: URL(fileURLWithPath: input))
        let output = scratch.path("out.\(kind)")
        let warnings = try transcode(input, to: output, settings: .init())
        #expect(
            warnings == leftOut.map { "the input's \($0) is left out, because it can't be put into this \(kind) image" }
        )
        let metadata = try MediaReader(path: output).imageMetadata
        #expect(metadata.comment == (kind == "jpg" ? comment : nil))
        #expect(metadata.density == (kind == "jpg" ? [1, 1, 44, 1, 44] : nil))
    }

    @Test func noEncodersNameIsPutIn() throws {
        let input = try scratch.make("in.jpg", "-f lavfi -i color=red:s=64x48 -frames:v 1 -update 1")
        #expect(try bytes(input).contains(Array("Lavc".utf8)))
        #expect(try transcode(input, to: scratch.path("out.jpg"), settings: .init()) == [])
        #expect(try !bytes(scratch.path("out.jpg")).contains(Array("Lavc".utf8)))
    }

    @Test(arguments: ["jpg", "png", "webp"])
    func longProfileIsCarriedInParts(kind: String) throws {
        let long = ImageMetadata(iccProfile: profile(200_001))
        let output = scratch.path("out.\(kind)")
        #expect(try transcode(try file("jpg", long), to: output, settings: .init()) == [])
        #expect(try MediaReader(path: output).imageMetadata == long)
    }

    @Test(arguments: Orientation.allCases, ["jpg", "png", "webp"])
    func orientationIsReadInBothByteOrders(orientation: Orientation, kind: String) throws {
        for isLittleEndian in [true, false] {
            let metadata = ImageMetadata(
                exif: Exif(exif(UInt16(orientation.rawValue), isLittleEndian: isLittleEndian)))
            #expect(try MediaReader(path: try file(kind, metadata)).video.orientation == orientation)
        }
    }

    @Test func alphaAndMetadataGoTogetherInWebP() throws {
        for options in [[("lossless", "1")], []] {
            let input = try file("png", full)
            let output = scratch.path("out-\(options.count).webp")
            try transcode(input, to: output, settings: .init(options: options, keepsAlpha: true)) {
                $0.pixelBuffer = AlphaPictures(format: .rgba).buffer(frame: 0)
            }
            #expect(try MediaReader(path: output).imageMetadata == full)
            #expect(try WebPAnimation(path: output).hasAlpha)
            let pixels = try rawPictures(output, format: "rgba", in: scratch)
            let alpha = stride(from: 3, to: pixels.count, by: 4).map { pixels[$0] }
            #expect(alpha == AlphaPictures(format: .rgba).alphaBytes(frame: 0))
        }
    }

    @Test func oddSizesInWebP() throws {
        let input = try file("jpg", full, size: "97x63")
        let output = scratch.path("out.webp")
        try transcode(input, to: output, settings: .init())
        #expect(try probe(output, "stream=width,height") == ["97,63"])
        #expect(try MediaReader(path: output).imageMetadata == full)
    }

    // MARK: Turned

    @Test(arguments: ["bmp", "tiff", "avif"])
    func pixelsAreTurnedWhereExifCanNotBe(kind: String) throws {
        let input = try file("jpg", full)
        let output = scratch.path("out.\(kind)")
        #expect(
            try transcode(input, to: output, settings: .init()) == [
                "the input's Exif, ICC profile and XMP are left out, because they can't be put into this \(kind) image"
            ])
        #expect(try probe(output, "stream=width,height") == ["64,96"])
        let upright = scratch.path("upright.png")
        try run("ffmpeg", ["-v", "error", "-i", input, "-frames:v", "1", "-update", "1", upright])
        #expect(
            distance(
                try rawPictures(output, format: "rgb24", in: scratch),
                try rawPictures(upright, format: "rgb24", in: scratch)
            ).mean < 3)
    }

    @Test(arguments: [true, false])
    func frameThatWasTurnedOnTheWayIsToldSo(isLittleEndian: Bool) throws {
        let input = try file("jpg", ImageMetadata(exif: Exif(exif(6, isLittleEndian: isLittleEndian))))
        let output = scratch.path("out.jpg")
        try transcode(input, to: output, settings: .init()) { $0.orientation = .up }
        #expect(
            try MediaReader(path: output).imageMetadata.exif?.bytes == exif(1, isLittleEndian: isLittleEndian))
        #expect(try probe(output, "stream=width,height") == ["96,64"])

        let turned = scratch.path("turned.png")
        try transcode(input, to: turned, settings: .init()) { $0.orientation = .left }
        #expect(try MediaReader(path: turned).video.orientation == .up)
        #expect(try probe(turned, "stream=width,height") == ["64,96"])
    }

    // MARK: Left out

    @Test(arguments: ["xmpGImg:image", "GDepth:Data"])
    func picturesInXMPShowTheOldBackground(name: String) throws {
        let xmp = Array("<x:xmpmeta xmlns:x='adobe:ns:meta/'><\(name)>/9j/4AAQ</\(name)></x:xmpmeta>".utf8)
        let input = try file("jpg", ImageMetadata(exif: Exif(exif(1)), xmp: xmp))
        let output = scratch.path("out.png")
        #expect(
            try transcode(input, to: output, settings: .init()) == [
                "the input's XMP is left out, because it holds pictures with the old background"
            ])
        #expect(try MediaReader(path: output).imageMetadata == ImageMetadata(exif: Exif(exif(1))))
    }

    @Test func whatIsTooLongForJPEGIsLeftOutAndSaid() throws {
        let long = ImageMetadata(
            exif: Exif(exif(3, extra: 70000)), xmp: Array(repeating: UInt8(ascii: "x"), count: 70000))
        let input = try file("png", long)
        let output = scratch.path("out.jpg")
        #expect(
            try transcode(input, to: output, settings: .init()) == [
                "the input's Exif and XMP are left out, because they can't be put into this jpeg image"
            ])
        #expect(try MediaReader(path: output).imageMetadata == ImageMetadata())
        #expect(try MediaReader(path: output).video.orientation == .up)
    }

    @Test(arguments: ["CMYK", "GRAY"])
    func profileOfOtherColoursIsLeftOut(space: String) throws {
        let input = try file("jpg", ImageMetadata(iccProfile: profile(space: space)))
        let output = scratch.path("out.png")
        #expect(
            try transcode(input, to: output, settings: .init()) == [
                "the input's ICC profile is left out, because it can't be put into this png image"
            ])
        #expect(try MediaReader(path: output).imageMetadata == ImageMetadata())
    }

    @Test func jpegXLHoldsTheProfileAlone() throws {
        let output = scratch.path("out.jxl")
        #expect(
            try transcode(try file("jpg", full), to: output, settings: .init()) == [
                "the input's Exif and XMP are left out, because they can't be put into this jxl image"
            ])
        #expect(try probe(output, "stream=width,height") == ["64,96"])
    }

    @Test func longestExifThatFitsIsCarried() throws {
        let fixed = exif(6, extra: 0).count
        for (count, isHeld) in [(JPEGFile.exifLimit, true), (JPEGFile.exifLimit + 1, false)] {
            let metadata = ImageMetadata(exif: Exif(exif(6, extra: count - fixed)))
            let held = metadata.held(by: .jpeg, isGray: false)
            #expect(held.leftOut.isEmpty == isHeld)
            guard isHeld else { continue }
            let output = scratch.path("out.jpg")
            try transcode(try file("png", metadata), to: output, settings: .init())
            #expect(try MediaReader(path: output).imageMetadata == metadata)
        }
    }

    // MARK: Files that lie

    @Test(arguments: ["jpg", "png", "webp"])
    func cutAndDamagedFilesAreSurvived(kind: String) throws {
        let metadata = ImageMetadata(exif: Exif(exif(6, extra: 20)), iccProfile: profile(300), xmp: xmp)
        let whole = try bytes(try file(kind, metadata, size: "8x8"))
        #expect(ImageMetadata(file: whole) == ImageMetadata(exif: metadata.exif, xmp: metadata.xmp))
        for count in 0..<whole.count { _ = orientation(Array(whole.prefix(count))) }
        for place in 0..<whole.count {
            for value: UInt8 in [0, 1, 0x7F, 0x80, 0xFF] {
                var damaged = whole
                damaged[place] = value
                _ = orientation(damaged)
                for image in [ImageFormat.jpeg, .png, .webp] { _ = metadata.inserted(into: damaged, of: image) }
            }
        }
    }

    private func orientation(_ file: [UInt8]) -> Orientation? {
        let exif = ImageMetadata(file: file).exif
        _ = exif?.turned(.left)
        _ = exif?.withoutThumbnail
        return exif?.orientation
    }

    @Test(arguments: [
        "", "M", "MM\0*", "MM\0*\u{7F}\u{7F}\u{7F}\u{7F}", "II*\0\u{8}\0\0\0", "MM\0*\0\0\0\u{8}\0\u{7F}",
        "XX\0*\0\0\0\u{8}", directoryInTheHeader,
    ])
    func exifWithoutADirectoryTellsNothing(text: String) {
        let exif = Exif(Array(text.utf8))
        #expect(exif.orientation == nil)
        #expect(exif.turned(.down) == exif)
    }

    /// Its place is the number of its entries, too, of which the first would tell an orientation.
    private static let directoryInTheHeader = "MM\0*\0\0\0\u{6}\u{1}\u{12}\0\u{3}\0\0\0\u{1}\0\u{6}\0\0"

    /// Some programs write it into other files than JPEG, too, or twice.
    @Test(arguments: ["", "Exif\0\0", "Exif\0\0Exif\0\0"])
    func theSignatureIsNoPartOfExif(signature: String) {
        #expect(Exif(signature.utf8 + exif(6)) == Exif(exif(6)))
    }

    @Test(arguments: [0, 9, 0xFFFF] as [UInt16])
    func orientationThatIsNoneIsNone(value: UInt16) {
        #expect(Exif(exif(value)).orientation == nil)
        #expect(Exif(exif(value, isLittleEndian: true)).orientation == nil)
    }

    /// A thumbnail shows what was behind the people.
    @Test(arguments: [false, true])
    func aThumbnailIsLeftOut(isLittleEndian: Bool) throws {
        func number(_ value: UInt32, _ count: Int) -> [UInt8] {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: value >> UInt32(8 * (count - 1 - $0))) }
            return isLittleEndian ? bytes.reversed() : bytes
        }
        let plain = exif(1, isLittleEndian: isLittleEndian, extra: 4)
        let picture = [UInt8]("\u{1}thumbnail".utf8)
        let directory = UInt32(plain.count)
        var full = plain
        // The first directory has two entries, and where the next one is after them.
        full.replaceSubrange(34..<38, with: number(directory, 4))
        full += number(2, 2)
        full += number(0x0201, 2) + number(4, 2) + number(1, 4) + number(directory + 30, 4)
        full += number(0x0202, 2) + number(4, 2) + number(1, 4) + number(UInt32(picture.count), 4)
        full += number(0, 4) + picture
        let bare = Exif(full).withoutThumbnail
        #expect(bare.bytes == plain + Array(repeating: 0, count: full.count - plain.count))
        #expect(bare.orientation == .up)
        #expect(Exif(plain).withoutThumbnail == Exif(plain), "nothing else is touched")
        let photo = try file("jpg", ImageMetadata(exif: Exif(full)))
        for name in ["out.jpg", "out.png", "out.webp"] {
            let reader = try MediaReader(path: photo)
            let writer = try MediaWriter(path: scratch.path(name), reader: reader)
            while let item = try reader.next() { try writer.write(item) }
            try writer.finish()
            let written = try Data(contentsOf: scratch.url(name))
            #expect(written.range(of: Data("Maker".utf8)) != nil && written.range(of: Data("thumbnail".utf8)) == nil)
        }
    }

    /// Who loses the orientation shows the picture lying.
    @Test func aThumbnailOverTheDirectoryLeavesIt() {
        let plain = exif(6, extra: 4)
        let start: [UInt8] = [2, 1, 0, 4, 0, 0, 0, 1, 0, 0, 0, 0]
        let size: [UInt8] = [2, 2, 0, 4, 0, 0, 0, 1, 0, 0, 0, 255]
        let full = plain[..<34] + [0, 0, 0, UInt8(plain.count)] + plain[38...] + [0, 2] + start + size + [0, 0, 0, 0]
        let bare = Exif(Array(full)).withoutThumbnail
        #expect(bare.bytes == plain[..<34] + Array(repeating: 0, count: full.count - 34))
        #expect(bare.orientation == .right)
    }

    @Test func aDirectoryThatFollowsItselfIsNoThumbnail() {
        let plain = exif(6)
        let circle = plain[..<34] + [0, 0, 0, 8] + plain[38...]
        #expect(Exif(Array(circle)).withoutThumbnail == Exif(plain))
    }
}
