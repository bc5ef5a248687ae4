import Foundation
import Glibc
import TestSupport
import Testing

extension Fault {
    /// Disks, folders and files that fail where something is to be written, or read on.
    static let output = [
        Fault(
            "The disk is full", "ENOSPC after 8 kB of the output; `/dev/full`; a table of faces that can't grow",
            "74: `no space left on device`, and no output"
        ) { bench in
            try bench.refuse(
                74, "can't write 'out.mp4': no space left on device", "in.mp4 out.mp4",
                before: bench.failing("write", error: ENOSPC, path: ".partial", after: 8000))
            try bench.refuse(
                74, "can't write standard output: no space left on device",
                "--output-format matroska in.mp4 - > /dev/full")
            let faces = try bench.matte(
                "--quiet --pose-output fd:3 in.mp4 out.mp4 3> /dev/full")
            #expect(faces.status == 74 && faces.error.contains("fd:3"), "\(faces.error)")
            #expect(!bench.folder.contents.contains("out.mp4"))
        },
        Fault(
            "The file system is full", "an output on one of 16 kB (tmpfs)",
            "74: `no space left on device`, and no output"
        ) { bench in
            let mount = "unshare -rm bash -c 'mkdir -p place && mount -t tmpfs -o size=16k none place && \"$@\"' bash"
            guard try bench.shell("\(mount) true").status == 0 else {
                try Test.cancel("no file system can be mounted here")
            }
            let result = try bench.shell(
                """
                \(mount) bash -c 'matte --quality fast --background original --quiet in.mp4 place/out.mp4
                    echo $?; ls -A place'
                """)
            #expect(result.output == "74\n")
            #expect(result.error == "matte: can't write 'place/out.mp4': no space left on device\n")
        },
        Fault(
            "The disk is full only when it comes to the last bytes",
            "ENOSPC and EIO from fsync(2), for the output or the table of faces", "74, and no output"
        ) { bench in
            for (error, words) in [(ENOSPC, "no space left on device"), (EIO, "input/output error")] {
                try bench.refuse(
                    74, "can't write 'out.mp4': \(words)", "in.mp4 out.mp4",
                    before: bench.failing("fsync", error: error, path: ".partial"))
            }
            try bench.shell("mkdir -p table")
            try bench.refuse(
                74, "can't write 'table/pose.csv': input/output error", "--pose-output table/pose.csv in.mp4 out.mp4",
                before: bench.failing("fsync", error: EIO, path: "table/.matte"))
            #expect(try bench.shell("ls -A table").output.isEmpty)
        },
        Fault(
            "A file may not grow", "`ulimit -f 8`", "74: `file too large`, and no output"
        ) { bench in
            try bench.refuse(
                74, "can't write 'out.mp4': file too large", "in.mp4 out.mp4",
                before: "ulimit -f 8; env --default-signal=XFSZ")
        },
        Fault(
            "The folder may not be written to", "EROFS and EACCES when the output is made", "73, before any work"
        ) { bench in
            for (error, words) in [(EROFS, "read-only file system"), (EACCES, "permission denied")] {
                try bench.refuse(
                    73, "can't create 'out.mp4': its folder can't be written to: \(words)", "in.mp4 out.mp4",
                    before: bench.failing("open", error: error, path: ".partial"))
            }
        },
        Fault(
            "The folder goes away in the middle", "it is renamed while frames come through a pipe", "74, and no output"
        ) { bench in
            let result = try bench.shell(
                """
                ffmpeg -v error -i in.mp4 -vf scale=320:240 -f yuv4mpegpipe -pix_fmt yuv420p all.y4m
                mkdir place; mkfifo pipe
                matte \(FaultBench.quick) --quiet pipe place/out.mkv & matte=$!
                exec 3> pipe; head -c 1000000 all.y4m >&3; mv place gone; tail -c +1000001 all.y4m >&3; exec 3>&-
                wait $matte
                """)
            #expect(result.status == 74)
            #expect(result.error == "matte: can't write 'place/out.mkv': no such file or directory\n")
            #expect(try bench.shell("ls gone | wc -l").output == "0\n")
        },
        Fault(
            "The output's name is taken in the middle",
            "somebody makes a file of that name while frames come through a pipe",
            "73; the file stays as it is"
        ) { bench in
            let result = try bench.shell(
                """
                ffmpeg -v error -i in.mp4 -vf scale=320:240 -f yuv4mpegpipe -pix_fmt yuv420p all.y4m; mkfifo pipe
                matte \(FaultBench.quick) --quiet pipe out.mkv & matte=$!
                exec 3> pipe; head -c 1000000 all.y4m >&3; echo mine > out.mkv; tail -c +1000001 all.y4m >&3; exec 3>&-
                wait $matte
                """)
            #expect(result.status == 73)
            #expect(
                result.error
                    == "matte: can't create 'out.mkv': it exists already; choose another name, or pass --overwrite\n")
            #expect(try bench.shell("cat out.mkv").output == "mine\n")
        },
        Fault(
            "The last step fails", "EIO when the output gets its name", "74, and no output"
        ) { bench in
            try bench.refuse(
                74, "can't write 'out.mp4': input/output error", "in.mp4 out.mp4",
                before: bench.failing("rename", error: EIO, path: "out.mp4"))
        },
        Fault(
            "The input may not be read", "EACCES when it is opened", "66: `permission denied`"
        ) { bench in
            try bench.refuse(
                66, "can't open 'in.mp4': permission denied", "in.mp4 out.mp4",
                before: bench.failing("open", error: EACCES, path: "in.mp4"))
        },
        Fault(
            "The disk fails while the input is read", "EIO and ESTALE after 512 KiB", "74: the cause, and no output"
        ) { bench in
            try bench.ffmpeg("-i in.mp4 -c:v rawvideo -pix_fmt yuv420p long.nut")
            for (error, words) in [(EIO, "input/output error"), (ESTALE, "stale file handle")] {
                try bench.refuse(
                    74, "can't read 'long.nut': \(words)", "long.nut out.mp4",
                    before: bench.failing("read", error: error, path: "long.nut", after: 1 << 19))
            }
        },
        Fault(
            "No folder for compiled networks", "no HOME; a cache that is a file; one that others may write to",
            "the same output; the start takes longer"
        ) { bench in
            try bench.shell(": > file; mkdir -m 777 open")
            for words in ["-u HOME -u XDG_CACHE_HOME", "XDG_CACHE_HOME=$PWD/file", "XDG_CACHE_HOME=$PWD/open"] {
                try bench.perform("--limit 2 --overwrite in.mp4 out.mp4", before: "env \(words)")
            }
        },
    ]
}
