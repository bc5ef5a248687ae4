import Foundation
import TestSupport
import Testing

extension Fault {
    /// Inputs that are damaged, cut short, or tell what is not so.
    static let input = [
        Fault(
            "Cut short", "MP4, Matroska, MPEG-TS, AVI and WebM, each cut at 30, 60 and 90 %",
            "every frame that is whole comes out; a warning tells what is missing, where the container tells its length"
        ) { bench in
            let codecs = [
                "mp4": "-c copy -movflags +faststart", "mkv": "-c copy", "ts": "-c copy", "avi": "-c copy",
                "webm": "-c:v libvpx-vp9 -c:a libopus",
            ]
            try bench.shell("mkdir cut")
            for (kind, codec) in codecs {
                try bench.ffmpeg("-i in.mp4 \(codec) whole.\(kind)")
                for percent in [30, 60, 90] {
                    try bench.shell(
                        "head -c $(($(stat -c %s whole.\(kind)) * \(percent) / 100)) whole.\(kind) > cut/\(percent).\(kind)"
                    )
                }
            }
            let words =
                try bench.perform("--output-dir out --output-extension mkv cut/*.mp4")
                + bench.perform("--output-dir ts --output-extension mkv cut/*.ts")
                + bench.perform("--output-dir avi --output-extension mkv cut/*.avi")
                + bench.perform("--output-dir webm --output-extension mkv cut/*.webm")
                + bench.perform("--output-dir mkv cut/*.mkv")
            for folder in ["out", "ts", "avi", "webm", "mkv"] {
                let counts = try [30, 60, 90].map { try bench.frameCount("\(folder)/\($0).mkv") }
                #expect(counts == counts.sorted() && (24...30).contains(counts[2]), "\(folder) \(counts)")
            }
            // MP4, Matroska and WebM tell how long they are.
            #expect(words.components(separatedBy: "it may be cut short").count - 1 >= 6, "\(words)")
        },
        Fault(
            "Cut short, and `--strict`", "a Matroska file cut at 60 %", "65, and no output"
        ) { bench in
            try bench.ffmpeg("-i in.mp4 -c copy whole.mkv")
            try bench.shell("head -c $(($(stat -c %s whole.mkv) * 6 / 10)) whole.mkv > cut.mkv")
            let result = try bench.matte("--quiet --strict cut.mkv out.mkv")
            #expect(result.status == 65)
            #expect(result.error.contains("while its header tells 1.2"), "\(result.error)")
            #expect(result.error.hasSuffix("; leave --strict out to pass over it\n"))
            #expect(!bench.folder.contents.contains("out.mkv"))
        },
        Fault(
            "A JPEG that breaks off", "cut at 40 %", "one picture and a warning; with `--strict` 65 and no output"
        ) { bench in
            try bench.ffmpeg("-i in.mp4 -frames:v 1 in.jpg")
            try bench.shell("head -c $(($(stat -c %s in.jpg) * 4 / 10)) in.jpg > cut.jpg")
            #expect(try bench.perform("cut.jpg out.jpg").contains("the input is damaged"))
            let result = try bench.matte("--quiet --strict cut.jpg new.jpg")
            #expect(result.status == 65)
            #expect(!bench.folder.contents.contains("new.jpg"))
        },
        Fault(
            "Without its index", "an MP4 file whose end, with the index, is missing",
            "65: `the file is cut short or damaged (it has no index: moov atom not found)`"
        ) { bench in
            try bench.ffmpeg("-i in.mp4 -c copy -movflags 0 late.mp4")
            try bench.shell("head -c 8000 late.mp4 > cut.mp4")
            try bench.refuse(
                65,
                "can't read 'cut.mp4': the file is cut short or damaged (it has no index: moov atom not found)",
                "cut.mp4 out.mp4")
        },
        Fault(
            "A few bits are wrong",
            "one byte in 400 changed at random, behind the header, in H.264 in Matroska and MPEG-TS",
            "damaged frames are concealed and counted, the others come out; with `--strict` 65 and no output"
        ) { bench in
            for kind in ["mkv", "ts"] {
                try bench.ffmpeg("-i in.mp4 -an -c copy bad.\(kind)")
                var random = SeededGenerator(seed: 8)
                try bench.edit("bad.\(kind)") { bytes in
                    for index in stride(from: 3000, to: bytes.count - 400, by: 400) {
                        bytes[index + Int.random(in: 0..<400, using: &random)] ^= UInt8.random(
                            in: 1...255, using: &random)
                    }
                }
                let words = try bench.perform("bad.\(kind) out.\(kind)")
                #expect(words.contains("matte: warning: the input is damaged, first at"), "\(words)")
                #expect(try bench.frameCount("out.\(kind)") >= 20)
                for live in ["", "--live"] {
                    let strict = try bench.matte("--strict \(live) --quiet bad.\(kind) strict.\(kind)")
                    #expect(strict.status == 65 && strict.error.contains("the video is damaged"), "\(strict.error)")
                    #expect(!bench.folder.contents.contains("strict.\(kind)"))
                }
            }
        },
        Fault(
            "A header that lies",
            "MP4 whose sizes, counts, time scale, durations, edit list or rotation are 0, 2^31-1 or 2^32-1",
            "0 and a whole video, or 65 or 74 and none; never a crash, and no wait"
        ) { bench in
            let boxes = [
                ("mvhd", 12), ("mvhd", 16), ("tkhd", 36), ("tkhd", 40), ("tkhd", 76), ("mdhd", 12), ("mdhd", 16),
                ("elst", 4),
                ("elst", 8), ("elst", 12), ("stts", 4), ("stts", 8), ("stts", 12), ("ctts", 4), ("ctts", 8),
                ("stss", 4),
                ("stsc", 4), ("stsc", 12), ("stsz", 4), ("stsz", 8), ("stsz", 12), ("stco", 4), ("stco", 8),
                ("avc1", 24),
            ]
            try bench.shell("mkdir lies")
            for (name, offset) in boxes {
                for value in [0, 0x7FFF_FFFF, 0xFFFF_FFFF] as [UInt32] {
                    let file = "lies/\(name)-\(offset)-\(value).mp4"
                    try bench.shell("cp in.mp4 \(file)")
                    try bench.edit(file) { bytes in
                        let box = try #require(bytes.firstRange(of: Data(name.utf8))).upperBound
                        withUnsafeBytes(of: value.bigEndian) {
                            bytes.replaceSubrange((box + offset)..<(box + offset + 4), with: $0)
                        }
                    }
                }
            }
            let result = try bench.matte("--quiet --limit 2 --output-dir out lies")
            #expect([0, 65, 74].contains(result.status), "\(result.error)")
            let sentences = result.error.split(separator: "\n").filter { !$0.contains(" files done; failed: ") }
            #expect(sentences.allSatisfy { $0.hasPrefix("matte: can't ") }, "\(result.error)")
            let made = try FileManager.default.contentsOfDirectory(atPath: bench.folder.path("out"))
            #expect(made.count + sentences.count == boxes.count * 3)
            #expect(made.count > boxes.count)
        },
        Fault(
            "The picture changes on the way", "H.264 that goes from 160x120 to 96x64 and to 4:4:4",
            "every frame comes out, in the first one's size and format, with a warning"
        ) { bench in
            for (name, size, format) in [
                ("a", "160x120", "yuv420p"), ("b", "96x64", "yuv420p"), ("c", "160x120", "yuv444p"),
            ] {
                try bench.ffmpeg("-f lavfi -i testsrc2=s=\(size):r=25:d=0.4 -pix_fmt \(format) \(name).h264")
            }
            try bench.shell("cat a.h264 b.h264 c.h264 > all.h264")
            let words = try bench.perform("all.h264 out.mp4")
            #expect(words.contains("the picture changes from 160x120 yuv420p to 96x64 yuv420p on the way"), "\(words)")
            #expect(try bench.frameCount("out.mp4") == 30)
        },
        Fault(
            "Time stamps that jump back, are negative, are missing, or leap by days",
            "two MPEG-TS files in a row; Matroska that begins at -3 s; a bare H.264 stream; a leap of 4 days in Matroska",
            "every frame comes out once, in its order"
        ) { bench in
            try bench.ffmpeg("-i in.mp4 -c copy once.ts")
            try bench.shell("cat once.ts once.ts > jump.ts")
            try bench.ffmpeg("-i in.mp4 -c copy -output_ts_offset -3 -avoid_negative_ts disabled negative.mkv")
            try bench.ffmpeg("-i in.mp4 -c copy -an bare.h264")
            try bench.ffmpeg("-i in.mp4 -an -vf 'setpts=PTS+if(gt(N\\,10)\\,5e9\\,0)' -vsync 0 leap.mkv")
            for (name, count) in [("jump.ts", 60), ("negative.mkv", 30), ("bare.h264", 30), ("leap.mkv", 30)] {
                try bench.perform("\(name) \(name).mkv")
                #expect(try bench.frameCount("\(name).mkv") == count, "\(name)")
            }
        },
        Fault(
            "Nothing in it", "an empty file, `/dev/null`, a pipe that is closed at once",
            "65: `the file is empty`, `it ended before the first frame`"
        ) { bench in
            try bench.shell(": > empty.mp4")
            try bench.refuse(65, "can't read 'empty.mp4': the file is empty", "empty.mp4 out.mp4")
            try bench.refuse(65, "can't read '/dev/null': it ended before the first frame", "/dev/null out.mp4")
            try bench.refuse(
                65, "can't read standard input: it ended before the first frame", "- out.mp4", before: ": |")
        },
        Fault(
            "Noise without end", "`/dev/zero`, noise through a pipe", "65, at once"
        ) { bench in
            let zeros = try bench.matte("--quiet /dev/zero out.mp4")
            #expect(zeros.status == 65 && zeros.error.hasPrefix("matte: can't read '/dev/zero': "), "\(zeros.error)")
            // Always the same: some noise begins like bare H.263.
            try bench.refuse(
                65,
                "can't read standard input: it is no video that FFmpeg knows, or it is damaged "
                    + "(invalid data found when processing input)", "- out.mp4",
                before: "ffmpeg -v quiet -f lavfi -i anoisesrc=seed=1 -f s16le - |")
        },
        Fault(
            "No video", "sound alone; music with a cover picture; text", "65, with what there is instead"
        ) { bench in
            try bench.ffmpeg("-f lavfi -i sine=d=0.3 a.m4a")
            try bench.refuse(
                65, "can't read 'a.m4a': it has no video stream (only stream 0 (audio, aac))", "a.m4a out.mp4")
            try bench.ffmpeg("-i in.mp4 -frames:v 1 cover.png")
            try bench.ffmpeg("-i a.m4a -i cover.png -map 0 -map 1 -c copy -disposition:v attached_pic cover.m4a")
            let result = try bench.matte("--quiet cover.m4a out.mp4")
            #expect(result.status == 65 && result.error.contains("it has no video stream"), "\(result.error)")
        },
        Fault(
            "Several videos", "two in one file, and `--stream`",
            "the best, or the one that is named, is matted; 64 for one that isn't there"
        ) { bench in
            try bench.ffmpeg("-i in.mp4 -f lavfi -i testsrc2=s=96x64:r=25:d=0.4 -map 0 -map 1 -pix_fmt yuv420p two.mkv")
            try bench.perform("--stream v:1 two.mkv out.mkv")
            let green = try bench.shell(
                "ffmpeg -v error -i out.mkv -map 0:v:1 -vf scale=1:1 -frames:v 1 -f rawvideo -pix_fmt rgb24 - "
                    + "| od -An -tx1")
            #expect(green.output != "", "\(green.error)")
            let result = try bench.matte("--quiet --stream 7 two.mkv new.mkv")
            #expect(
                result.status == 64 && result.error.contains("no video stream is '7' (stream 0 (video, h264), "),
                "\(result.error)")
        },
        Fault(
            "Streams without number", "300 sound tracks", "all of them are copied"
        ) { bench in
            let maps = Array(repeating: "-map 1", count: 300).joined(separator: " ")
            try bench.ffmpeg("-i in.mp4 -f lavfi -i sine=d=0.1 -map 0:v \(maps) -c:v copy -c:a pcm_s16le many.mkv")
            try bench.perform("--quiet many.mkv out.mkv")
            #expect(try Probe(bench.folder.path("out.mkv")).streams.count == 301)
        },
        Fault(
            "More streams than any film has", "Matroska with 3000 sound tracks",
            "65: `it has more than 1000 streams, which is the limit`; FFmpeg 7.1 reads the first 1000"
        ) { bench in
            try bench.ffmpeg("-i in.mp4 -c copy -live 1 -write_crc32 0 many.mkv")
            try bench.edit("many.mkv") { bytes in
                // TrackEntry elements (RFC 9559, 5.1.4.1) with their numbers (D7) and UIDs (73C5) in Tracks, whose size is told anew.
                let tracks = try #require(bytes.ranges(of: Data([0x16, 0x54, 0xAE, 0x6B])).last)
                let entries = (2..<3000).map { number in
                    let name = [UInt8(number >> 8), UInt8(number & 0xFF)]
                    return Matroska.element(
                        [0xAE],
                        Data([0xD7, 0x82] + name + [0x73, 0xC5, 0x82] + name + [0x83, 0x81, 2, 0x86, 0x86])
                            + Data("A_OPUS".utf8))
                }
                let (size, content) = try Matroska.size(in: bytes, at: tracks.upperBound)
                bytes.replaceSubrange(
                    tracks.lowerBound..<content + size,
                    with: Matroska.element(
                        [0x16, 0x54, 0xAE, 0x6B], bytes[content..<content + size] + entries.joined()))
            }
            if try bench.matte("--quiet many.mkv out.mkv").status == 0 {
                return #expect(try Probe(bench.folder.path("out.mkv")).streams.count == 1000)
            }
            try bench.refuse(
                65, "can't read 'many.mkv': it has more than 1000 streams, which is the limit", "many.mkv out.mkv")
        },
        Fault(
            "A container that leads back to itself",
            "a Matroska SeekHead that names itself; tags, and boxes of MP4, 20 000 deep in one another; AVI indices whose entries are all "
                + "the first chunk, or the index itself",
            "every frame comes out, or those that the index names; 65 for boxes without end"
        ) { bench in
            try bench.ffmpeg("-i in.mp4 -c copy -live 1 seek.mkv")
            try bench.edit("seek.mkv") { bytes in
                let start = try #require(bytes.range(of: Data([0x11, 0x4D, 0x9B, 0x74]))).lowerBound
                let segment = try #require(bytes.range(of: Data([0x18, 0x53, 0x80, 0x67]))).upperBound + 8
                let seek = Matroska.element(
                    [0x4D, 0xBB],
                    Data([0x53, 0xAB, 0x84, 0x11, 0x4D, 0x9B, 0x74, 0x53, 0xAC, 0x82])
                        + Data([UInt8((start - segment) >> 8), UInt8((start - segment) & 0xFF)]))
                bytes.replaceSubrange(start..<start, with: Matroska.element([0x11, 0x4D, 0x9B, 0x74], seek))
            }
            try bench.ffmpeg("-i in.mp4 -c copy -live 1 tags.mkv")
            try bench.edit("tags.mkv") { bytes in
                var tag = Data()
                for _ in 0..<20_000 { tag = Matroska.element([0x67, 0xC8], tag) }
                let cluster = try #require(bytes.range(of: Data([0x1F, 0x43, 0xB6, 0x75]))).lowerBound
                bytes.insert(
                    contentsOf: Matroska.element([0x12, 0x54, 0xC3, 0x67], Matroska.element([0x73, 0x73], tag)),
                    at: cluster)
            }
            for (name, type) in [("moov", "moov"), ("trak", "trak")] {
                try bench.shell("cp in.mp4 \(name).mp4")
                try bench.edit("\(name).mp4") { bytes in
                    let index = try #require(bytes.range(of: Data("moov".utf8))).lowerBound - 4
                    let boxes = (1...20_000).reversed().map { depth in
                        withUnsafeBytes(of: UInt32(8 * depth).bigEndian, Array.init) + Array(type.utf8)
                    }
                    bytes.insert(contentsOf: boxes.joined(), at: index)
                }
            }
            try bench.ffmpeg("-i in.mp4 -c copy first.avi")
            try bench.edit("first.avi") { bytes in
                let index = try #require(bytes.range(of: Data("idx1".utf8))).upperBound
                for entry in stride(from: index + 4, to: bytes.endIndex - 15, by: 16) {
                    bytes.replaceSubrange(entry + 8..<entry + 12, with: [4, 0, 0, 0])
                }
            }
            try bench.ffmpeg("-i in.mp4 -c copy itself.avi")
            try bench.edit("itself.avi") { bytes in
                // An OpenDML index of indices in the room that is kept for one.
                let room = try #require(bytes.range(of: Data("JUNK".utf8)))
                func word(_ value: Int, bytes: Int) -> [UInt8] { (0..<bytes).map { UInt8(value >> (8 * $0) & 0xFF) } }
                let entry = word(room.lowerBound, bytes: 8) + word(4120, bytes: 4) + word(1, bytes: 4)
                let head = [4, 0, 0, 0] + word(8, bytes: 4) + Array("00dc".utf8) + word(0, bytes: 12)
                bytes.replaceSubrange(room, with: Data("indx".utf8))
                bytes.replaceSubrange(
                    room.upperBound + 4..<room.upperBound + 4 + head.count + 8 * entry.count,
                    with: head + (0..<8).flatMap { _ in entry })
            }
            for name in ["seek.mkv", "tags.mkv", "trak.mp4", "itself.avi"] {
                try bench.perform("--quiet --overwrite \(name) out.mkv")
                #expect(try bench.frameCount("out.mkv") == 30, "\(name)")
            }
            #expect(try bench.perform("--overwrite first.avi out.mkv").contains("it may be cut short"))
            #expect(try bench.frameCount("out.mkv") >= 1)
            let endless = try bench.matte("--quiet moov.mp4 new.mkv")
            #expect(
                endless.status == 65 && endless.error.hasPrefix("matte: can't read 'moov.mp4': "), "\(endless.error)")
        },
        Fault(
            "Y4M that breaks off or goes astray",
            "cut in a frame; a wrong word in the place of `FRAME`; a header of 10 000 letters; a size of 0",
            "every frame before it comes out, then 65"
        ) { bench in
            try bench.ffmpeg("-i in.mp4 -frames:v 5 whole.y4m")
            try bench.shell("head -c $(($(stat -c %s whole.y4m) - 1000)) whole.y4m > cut.y4m")
            let cut = try bench.matte("--quiet cut.y4m cut.mkv")
            #expect(cut.status == 65)
            #expect(
                cut.error
                    == "matte: can't read 'cut.y4m': the last frame is cut short: 1000 of its 28800 bytes are missing; every frame before it was read\n"
            )
            #expect(try bench.frameCount("cut.mkv") == 4)
            try bench.shell("sed '2,$ s/FRAME/FLAME/3' whole.y4m > /dev/null; cp whole.y4m astray.y4m")
            try bench.edit("astray.y4m") { bytes in
                let last = try #require(bytes.ranges(of: Data("FRAME".utf8)).last)
                bytes.replaceSubrange(last, with: Data("FLAME".utf8))
            }
            let astray = try bench.matte("--quiet astray.y4m astray.mkv")
            #expect(astray.status == 65)
            #expect(
                astray.error
                    == "matte: can't read 'astray.y4m': frame 5 does not begin with 'FRAME'; every frame before it was read\n"
            )
            #expect(try bench.frameCount("astray.mkv") == 4)
            try ("YUV4MPEG2 W2 H2 X" + String(repeating: "x", count: 10_000) + "\n").write(
                to: bench.folder.url("long.y4m"), atomically: true, encoding: .utf8)
            try "YUV4MPEG2 W0 H2 F25:1\nFRAME\n".write(
                to: bench.folder.url("zero.y4m"), atomically: true, encoding: .utf8)
            for name in ["long.y4m", "zero.y4m"] {
                let result = try bench.matte("--quiet \(name) out.mkv")
                #expect(
                    result.status == 65 && result.error.hasPrefix("matte: can't read '\(name)': "), "\(result.error)")
            }
        },
    ]
}
