import Foundation
import TestSupport
import Testing

extension Fault {
    /// Inputs that would have other files or the network opened.
    static let reach = [
        Fault(
            "A name that looks like a URL: `http:x.mp4`, `concat:x.mp4`, `-x.mp4`, with spaces, with a line break",
            "files of these names", "each is the file that it names; 64 for `-x.mp4` without `./` or `--` before it"
        ) { bench in
            for name in ["http:x.mp4", "concat:x.mp4", "-x.mp4", "a b.mp4", "a\nb.mp4", "%03d.mp4", "file:x.mp4"] {
                try FileManager.default.copyItem(atPath: bench.folder.path("in.mp4"), toPath: bench.folder.path(name))
                try bench.perform("--limit 1 --overwrite -- '\(name)' 'out \(name)'")
                #expect(try bench.frameCount("file:out \(name)") == 1)
            }
            try bench.refuse(
                64, "there is no option '-x.mp4': a file of that name is './-x.mp4', or comes after '--'",
                "-x.mp4 new.mp4")
            try bench.perform("--limit 1 ./-x.mp4 new.mp4")
        },
        Fault(
            "A URL", "`http://…`, which is no file", "66: `the protocol http is not allowed`, and nothing is opened"
        ) { bench in
            try bench.refuse(
                66,
                "can't open 'http://127.0.0.1:9/in.mp4': there is no such file, and the protocol http is not allowed; "
                    + "pass --allow-protocols http, and what that needs, as tcp and tls, to read it so",
                "http://127.0.0.1:9/in.mp4 out.mp4")
            try bench.refuse(
                66, "can't open 'http://127.0.0.1:9/in.mp4': connection refused",
                "--allow-protocols http,tcp http://127.0.0.1:9/in.mp4 out.mp4")
            try bench.refuse(
                66,
                "can't open 'http://127.0.0.1:9/in.mp4': it needs the protocol tcp, which is not allowed; "
                    + "pass --allow-protocols http,tcp",
                "--allow-protocols http http://127.0.0.1:9/in.mp4 out.mp4")
            try bench.perform("--allow-protocols file --limit 1 \"file:$PWD/in.mp4\" out.mp4")
            // It is a file like any other, which nothing is written over.
            try bench.refuse(
                73, "can't create 'in.mp4': it is the file that is being read; choose another name",
                "--overwrite --allow-protocols file --limit 1 file:in.mp4 in.mp4")
        },
        Fault(
            "A named pipe for `--output-dir`", "mkfifo",
            "64: what can be read only once is not opened to look what it is"
        ) { bench in
            try bench.shell("mkfifo pipe")
            try bench.refuse(
                64, "can't read 'pipe': it is a stream, and --output-dir is for files; name an output",
                "--output-dir out pipe")
        },
        Fault(
            "A playlist that names another file", "HLS, an ffconcat list",
            "65: nothing else is opened; with `--allow-protocols file` an HLS playlist is read"
        ) { bench in
            try bench.ffmpeg("-i in.mp4 -c copy -f mpegts part.ts")
            let playlist = "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:1.2,\npart.ts\n#EXT-X-ENDLIST\n"
            try playlist.write(to: bench.folder.url("list.m3u8"), atomically: true, encoding: .utf8)
            try "ffconcat version 1.0\nfile in.mp4\n".write(
                to: bench.folder.url("list.txt"), atomically: true, encoding: .utf8)
            for name in ["list.m3u8", "list.txt"] {
                let files = bench.folder.contents
                let result = try bench.matte("--quiet \(name) out.mp4")
                #expect(result.status == 65 && result.error.split(separator: "\n").count == 1, "\(result.error)")
                #expect(bench.folder.contents == files)
            }
            try bench.perform("--allow-protocols file list.m3u8 out.mp4")
            #expect(try bench.frameCount("out.mp4") == 30)
        },
        Fault(
            "A playlist that names itself",
            "HLS", "65"
        ) { bench in
            try "#EXTM3U\n#EXTINF:1,\nself.m3u8\n#EXT-X-ENDLIST\n".write(
                to: bench.folder.url("self.m3u8"), atomically: true, encoding: .utf8)
            let result = try bench.matte("--quiet self.m3u8 out.mp4")
            #expect(result.status == 65)
            #expect(!bench.folder.contents.contains("out.mp4"))
        },
        Fault(
            "A symbolic link",
            "one to the input, one to a folder, one to nothing, one to itself, one as output to the input or to nothing",
            "the file that it leads to; 66 where that is none; 73 for the output"
        ) { bench in
            try bench.shell(
                "ln -s in.mp4 link.mp4; ln -s . folder.mp4; ln -s nothing dead.mp4; ln -s loop.mp4 loop.mp4")
            try bench.perform("--limit 2 link.mp4 out.mp4")
            try bench.refuse(66, "can't open 'folder.mp4': it is a folder; name a video file", "folder.mp4 new.mp4")
            try bench.refuse(66, "can't open 'dead.mp4': no such file or directory", "dead.mp4 new.mp4")
            try bench.refuse(66, "can't open 'loop.mp4': too many levels of symbolic links", "loop.mp4 new.mp4")
            try bench.refuse(
                73, "can't create 'link.mp4': it is the file that is being read; choose another name",
                "--overwrite in.mp4 link.mp4")
            try bench.refuse(
                73,
                "can't create 'dead.mp4': it is a link that leads nowhere; choose another name, or pass --overwrite",
                "in.mp4 dead.mp4")
        },
        Fault(
            "A picture too large to be meant", "a PNG, a Y4M and raw frames whose headers tell 10000x10000",
            "65, with the option that allows it; no memory is taken"
        ) { bench in
            try bench.ffmpeg("-i in.mp4 -frames:v 1 in.png")
            try bench.edit("in.png") { bytes in
                bytes.replaceSubrange(16..<24, with: [0, 0, 0x27, 0x10, 0, 0, 0x27, 0x10])
                // The checksum of this header.
                bytes.replaceSubrange(29..<33, with: PNGChecksum.of(bytes[12..<29]))
            }
            try "YUV4MPEG2 W10000 H10000 F25:1\nFRAME\n".write(
                to: bench.folder.url("in.y4m"), atomically: true, encoding: .utf8)
            for name in ["in.png", "in.y4m"] {
                try bench.refuse(
                    65,
                    "can't read '\(name)': a picture of 10000x10000 has more than 67108864 pixels, which is the limit; "
                        + "pass --max-pixels 100000000 if that is what it should be",
                    "\(name) out.png", before: "ulimit -v 3000000;")
            }
            try bench.refuse(
                65,
                "can't read 'in.mp4': a picture of 10000x10000 has more than 67108864 pixels, which is the limit; "
                    + "pass --max-pixels 100000000 if that is what it should be",
                "--format rawvideo --pix-fmt gray --size 10000x10000 in.mp4 out.png")
            try bench.refuse(
                65,
                "can't read 'in.mp4': a picture of 160x120 has more than 19199 pixels, which is the limit; "
                    + "pass --max-pixels 19200 if that is what it should be", "--max-pixels 19199 in.mp4 out.mp4")
            try bench.perform("--max-pixels 19200 --limit 1 in.mp4 out.mp4")
        },
    ]
}

/// The checksum of a PNG chunk: CRC-32 as in ISO 3309.
enum PNGChecksum {
    static func of(_ bytes: Data) -> [UInt8] {
        var sum: UInt32 = 0xFFFF_FFFF
        for byte in bytes {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
        }
        return withUnsafeBytes(of: (~sum).bigEndian) { Array($0) }
    }
}
