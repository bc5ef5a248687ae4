import CFFmpeg
import Foundation
import Imaging
import TestSupport
import Testing

@testable import Media

/// Files that tell what can't be are read as far as they can be, or refused in one sentence; nothing in them ends the program.
@Suite struct DamagedFileTests {
    private let scratch = TemporaryFolder()

    @Test func countsOfAHeaderTakeNoMemoryPastTheCap() {
        func isGiven(_ byteCount: Int) -> Bool {
            let memory = av_malloc(byteCount)
            av_free(memory)
            return memory != nil
        }
        InputLimits(pixelCount: 1 << 27).capAllocations()
        #expect(isGiven((2 << 30) - 1))
        InputLimits().capAllocations()
        #expect(!isGiven(1 << 30))
        #expect(isGiven((1 << 30) - 1))
    }

    /// A Matroska file whose first cluster begins at `time` in milliseconds.
    private func cluster(at time: UInt64) throws -> String {
        let whole = try scratch.make(
            "whole.mkv",
            "-f lavfi -i testsrc2=s=64x48:r=25:d=0.24 -f lavfi -i sine=d=0.24 -c:v libx264 -preset ultrafast -c:a flac -live 1"
        )
        var bytes = try Data(contentsOf: URL(filePath: whole))
        // The element Timestamp of a Cluster, whose number may have 8 bytes (RFC 9559, 5.1.3.1).
        let start = try #require(bytes.range(of: Data([0x1F, 0x43, 0xB6, 0x75]))).upperBound
        let element = try #require(bytes.range(of: Data([0xE7, 0x81]), in: start..<bytes.endIndex))
        bytes.replaceSubrange(
            element.lowerBound...element.upperBound,
            with: [0xE7, 0x88] + withUnsafeBytes(of: time.bigEndian, Array.init))
        try bytes.write(to: scratch.url("in.mkv"))
        return scratch.path("in.mkv")
    }

    @Test(
        arguments: [
            0x7FFF_FFFF_FFFF_FFFF, 0x7FFF_FFFF_FFFF_FFFE, 0x7FFF_FFFF_FFFF_FFF0, 0x4000_0000_0000_0000, 1 << 60,
            1 << 53,
            0x8000_0000_0000_0000, 0xFFFF_FFFF_FFFF_0000,
        ] as [UInt64])
    func timesPastAllMeaning(_ time: UInt64) throws {
        let path = try cluster(at: time)
        try transcode(path, to: scratch.path("out.mkv"), options: .init(threads: 1))
        #expect(try probe(scratch.path("out.mkv"), "frame=width").count == 6)
        let times = try frames(MediaReader(path: path, options: .init(threads: 1))).compactMap(\.pts)
        #expect(times.count == 6)
        #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
        // A part lies somewhere or nowhere; either is an answer.
        let part = MediaReader.Options(threads: 1, start: 0.04, duration: 0.1, runIn: 0.04)
        do {
            _ = try frames(MediaReader(path: path, options: part))
        } catch let error as MediaError {
            #expect([.usage, .badData].contains(error.kind))
        }
    }

    /// The pictures of the first two decoders bear no word of it, and threads of the third one find it too late.
    @Test(arguments: ["ffv1 -level 3 -slicecrc 1", "libtheora -g 1", "libx264 -preset ultrafast"])
    func damageOfEveryDecoderIsTold(codec: String) throws {
        let path = try scratch.make(
            "in.mkv", "-f lavfi -i testsrc2=s=352x288:r=25:d=1,format=yuv420p -c:v \(codec)")
        let packets = try probe(path, "packet=pos,size").map { $0.split(separator: ",").compactMap { Int($0) } }
        var bytes = try Data(contentsOf: URL(filePath: path))
        for packet in packets[8..<12] {
            let (size, place) = (packet[0], packet[1])
            for offset in stride(from: size * 3 / 4, to: size - 64, by: 7) { bytes[place + offset] ^= 0x55 }
        }
        try bytes.write(to: URL(filePath: path))
        let reader = try MediaReader(path: path)
        while try reader.next() != nil {}
        #expect(reader.damage.concealedFrameCount > 0)
        let strict = try mediaError {
            let reader = try MediaReader(path: path, options: .init(isStrict: true))
            while try reader.next() != nil {}
        }
        #expect(strict.kind == .badData)
    }

    @Test func damageBeforeTheStartIsNoMatter() throws {
        let path = try scratch.make("in.mkv", "-f lavfi -i testsrc2=s=96x64:r=25:d=3 -c:v mjpeg")
        let packets = try probe(path, "packet=pos,size").map { $0.split(separator: ",").compactMap { Int($0) } }
        var bytes = try Data(contentsOf: URL(filePath: path))
        let (size, place) = (packets[44][0], packets[44][1])
        for offset in 16..<size { bytes[place + offset] = 0 }
        try bytes.write(to: URL(filePath: path))
        func read(from start: Double) throws -> Damage {
            let reader = try MediaReader(path: path, options: .init(start: start, isStrict: true))
            while try reader.next() != nil {}
            return reader.damage
        }
        for start in [2.0, 2.5] { #expect(try read(from: start) == Damage()) }
        #expect(try mediaError { _ = try read(from: 1.7) }.kind == .badData)
    }

    /// A chapter's picture that lies behind the end of the file.
    @Test(arguments: ["mkv", "mp4"]) func aCoverThatIsNotThereIsLeftOut(container: String) throws {
        let metadata = scratch.path("chapters")
        try ";FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=240\ntitle=One\n".write(
            toFile: metadata, atomically: true, encoding: .utf8)
        let path = try scratch.make(
            "in.mp4",
            "-f lavfi -i testsrc2=s=64x48:r=25:d=0.24 -f lavfi -i testsrc=s=48x48:r=25:d=0.24 -i \(metadata) "
                + "-map_chapters 2 -map 0 -map 1 -c:v:0 libx264 -preset ultrafast -c:v:1 mjpeg")
        var bytes = try Data(contentsOf: URL(filePath: path))
        // The boxes that say which track holds the chapters, and that of the second track which says where its pictures lie.
        for name in bytes.ranges(of: Data("chap".utf8)) {
            bytes.replaceSubrange(name.upperBound..<name.upperBound + 4, with: [0, 0, 0, 2])
        }
        let places = bytes.ranges(of: Data("stco".utf8))[1].upperBound + 8
        bytes.replaceSubrange(places..<places + 4, with: [0x7F, 0xFF, 0xFF, 0])
        try bytes.write(to: URL(filePath: path))
        let warnings = try transcode(path, to: scratch.path("out.\(container)"))
        #expect(warnings.contains("stream 1 (cover picture, mjpeg) is left out, because its picture is missing"))
    }

    @Test(arguments: [0x7FFF_FFFF_FFFF_FFFF, 0x8000_0000_0000_0001, 0x4000_0000_0000_0000] as [UInt64])
    func chaptersPastAllMeaning(_ time: UInt64) throws {
        let metadata = scratch.path("chapters")
        try ";FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1\nSTART=0\nEND=1\ntitle=One\n".write(
            toFile: metadata, atomically: true, encoding: .utf8)
        let path = try scratch.make(
            "in.mp4",
            "-f lavfi -i testsrc2=s=64x48:r=25:d=0.24 -i \(metadata) -map_chapters 1 -c:v libx264 -preset ultrafast")
        var bytes = try Data(contentsOf: URL(filePath: path))
        // The box of chapters that Nero's programs write: version and flags, a number of 4 bytes, a count, times in 100 ns.
        let times = try #require(bytes.range(of: Data("chpl".utf8))).upperBound + 9
        bytes.replaceSubrange(times..<times + 8, with: withUnsafeBytes(of: time.bigEndian, Array.init))
        // And its copy as a track of text is not looked for.
        for name in bytes.ranges(of: Data("chap".utf8)) { bytes.replaceSubrange(name, with: Data("free".utf8)) }
        try bytes.write(to: scratch.url("far.mp4"))
        for (index, start) in [nil, 0.08].enumerated() {
            let output = scratch.path("\(index).mkv")
            try transcode(scratch.path("far.mp4"), to: output, options: .init(threads: 1, start: start))
            #expect(try probe(output, "frame=width").count == (start == nil ? 6 : 4))
        }
    }

    /// A time that the units of another stream can't hold, as of video at 5e12 ms beside sound whose unit is 1 s / 0x7FFFFFFF.
    @Test func aPacketThatCanNotBePlacedIsLeftOut() throws {
        var clip = Clip(
            timeBase: AVRational(num: 1, den: 1000), start: 0.0001, duration: nil, fileStart: 0, shift: 0)
        #expect(clip.place(5_000_000_000_000) == 0)
        for (den, isPlaced) in [(0x7FFF_FFFF, false), (1000, true)] as [(CInt, Bool)] {
            let packet = try Packet()
            packet.pointer.pointee.time_base = AVRational(num: 1, den: den)
            packet.pointer.pointee.pts = 5_000_000_000_000
            #expect(clip.place(packet, kind: .audio) == isPlaced)
        }
    }

    /// A muxer would place it somewhere, and then refuse what comes before.
    @Test func aPacketWithoutATimeIsOfNoPart() throws {
        let packet = try Packet()
        packet.pointer.pointee.time_base = AVRational(num: 1, den: 1000)
        for (start, isPlaced) in [(0.1, false), (nil, true)] {
            var clip = Clip(
                timeBase: AVRational(num: 1, den: 1000), start: start, duration: nil, fileStart: 0, shift: 0)
            #expect(clip.place(100) != nil)
            #expect(clip.place(packet, kind: .audio) == isPlaced)
        }
    }

    @Test func aChapterThatCanNotBePlacedIsLeftOut() throws {
        var clip = Clip(
            timeBase: AVRational(num: 1, den: 1000), start: 0.0001, duration: nil, fileStart: 0, shift: 0)
        #expect(clip.place(5_000_000_000_000) == 0)
        let (input, output) = (try context(), try context())
        defer { for context in [input, output] { avformat_free_context(context) } }
        input.pointee.chapters = av_calloc(1, MemoryLayout<UnsafeMutablePointer<AVChapter>?>.size)?
            .assumingMemoryBound(to: UnsafeMutablePointer<AVChapter>?.self)
        let chapter = try #require(av_mallocz(MemoryLayout<AVChapter>.size)).assumingMemoryBound(to: AVChapter.self)
        chapter.pointee.time_base = AVRational(num: 1, den: 0x7FFF_FFFF)
        chapter.pointee.end = 100
        input.pointee.chapters[0] = chapter
        input.pointee.nb_chapters = 1
        try FileMetadata.copyChapters(from: input, clip: clip, to: output)
        #expect(output.pointee.nb_chapters == 0)
    }

    private func context() throws -> UnsafeMutablePointer<AVFormatContext> { try #require(avformat_alloc_context()) }

    @Test(arguments: [1e9, 1e18, 9.3e18, 1e30, .greatestFiniteMagnitude])
    func partPastAllMeaning(_ seconds: Double) throws {
        let path = try scratch.make("in.mp4", "-f lavfi -i testsrc2=s=64x48:r=25:d=0.24 -c:v libx264 -preset ultrafast")
        let error = try mediaError { _ = try MediaReader(path: path, options: .init(start: seconds)) }
        #expect(error.kind == .usage)
        #expect(
            error.description
                == "can't read '\(path)': no frame lies within the part that was asked for; choose an earlier start")
        #expect(try frames(MediaReader(path: path, options: .init(duration: seconds))).count == 6)
        let settled = try MediaReader(path: path, options: .init(start: 0.12, runIn: seconds))
        #expect(try frames(settled).count == 3)
    }

    /// Matroska tells the display's colours as floating-point numbers, of which FFmpeg makes x/0 where they are infinite.
    @Test(arguments: [0, 1, 2]) func lightThatIsNoNumber(_ place: Int) {
        var display = AVMasteringDisplayMetadata()
        let half = AVRational(num: 1, den: 2)
        display.display_primaries = ((half, half), (half, half), (half, half))
        display.white_point = (half, half)
        (display.min_luminance, display.max_luminance) = (half, half)
        (display.has_primaries, display.has_luminance) = (1, 1)
        func parameters() -> [String] {
            let bytes = withUnsafeBytes(of: display) { Array($0) }
            let piece = StreamSideData(type: AV_PKT_DATA_MASTERING_DISPLAY_METADATA, bytes: bytes)
            return LightLevels(sideData: [piece], firstFrame: nil).x265Parameters
        }
        #expect(
            parameters() == [
                "master-display=G(25000,25000)B(25000,25000)R(25000,25000)WP(25000,25000)L(5000,5000)"
            ])
        switch place {
        case 0: display.display_primaries.1.0 = AVRational(num: 1, den: 0)
        case 1: display.white_point.1 = AVRational(num: 0, den: 0)
        default: display.max_luminance = AVRational(num: -1, den: 0)
        }
        #expect(parameters().isEmpty)
    }

    private func picture() throws -> Data {
        try Data(contentsOf: URL(filePath: scratch.make("whole.jpg", "-f lavfi -i testsrc2=s=400x300 -frames:v 1")))
    }

    @Test(arguments: [0.4, 0.7, 0.95])
    func aJPEGThatBreaksOffIsDamaged(_ share: Double) throws {
        let bytes = try picture()
        try bytes.prefix(Int(Double(bytes.count) * share)).write(to: scratch.url("cut.jpg"))
        let reader = try MediaReader(path: scratch.path("cut.jpg"))
        #expect(try frames(reader).count == 1)
        #expect(reader.damage.concealedFrameCount == 1)
        let error = try mediaError {
            _ = try MediaReader(path: scratch.path("cut.jpg"), options: .init(isStrict: true))
        }
        #expect(error.kind == .badData)
    }

    /// Cameras leave the marker of the end out, or write on behind it.
    @Test(arguments: [-2, 0, 100])
    func aJPEGWithAllItsPictureIsWhole(_ surplus: Int) throws {
        let bytes = try picture()
        let file = surplus < 0 ? bytes.dropLast(-surplus) : bytes + Data(count: surplus)
        try file.write(to: scratch.url("in.jpg"))
        let reader = try MediaReader(path: scratch.path("in.jpg"), options: .init(isStrict: true))
        #expect(try frames(reader).count == 1)
        #expect(reader.damage.isNone)
    }

    @Test func boundsHoldWhatFilesTell() {
        let ticks = AVRational(num: 1, den: 90000)
        #expect(TimeBounds.holdsTime(90000 * 1_800_000_000, ticks), "a time since 1970 can be meant")
        #expect(!TimeBounds.holdsTime(.max, ticks) && !TimeBounds.holdsTime(.min, ticks))
        #expect(!TimeBounds.holdsTime(1 << 40, AVRational(num: 1, den: 1)))
        #expect(TimeBounds.holdsDuration(0, ticks) && TimeBounds.holdsDuration(90000 * 86400, ticks))
        #expect(!TimeBounds.holdsDuration(-1, ticks) && !TimeBounds.holdsDuration(.max, ticks))
        #expect(TimeBounds.units(1.5, ticks) == 135_000)
        #expect(TimeBounds.units(-1e300, ticks) == -TimeBounds.units(1e300, ticks))
        #expect(TimeBounds.units(1e300, AVRational(num: 1, den: .max)) == 1 << 60)
        #expect(TimeBounds.units(microseconds: .min, ticks) == 0 && TimeBounds.units(microseconds: 100, ticks) == 9)
    }

    @Test(arguments: [1e300, -1e300, .infinity, .nan])
    func qualityPastAllMeaning(_ crf: Double) throws {
        let path = try scratch.make("in.mp4", "-f lavfi -i testsrc2=s=64x48:r=25:d=0.08 -c:v libx264 -preset ultrafast")
        let error = try mediaError {
            try transcode(path, to: scratch.path("out.mp4"), settings: EncoderSettings(crf: crf))
        }
        #expect(error.kind == .usage)
        #expect(!FileManager.default.fileExists(atPath: scratch.path("out.mp4")))
    }
}
