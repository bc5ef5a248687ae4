import Foundation
import TestSupport
import Testing

extension Fault {
    /// Signals, limits, clocks and neighbours.
    static let process = [
        Fault(
            "Interrupted", "SIGINT, SIGTERM and SIGHUP while frames come through a pipe that stays open",
            "130; the output holds every frame that was read till then, and is whole"
        ) { bench in
            for name in ["INT", "TERM", "HUP"] {
                let result = try bench.shell(
                    """
                    ffmpeg -v error -i in.mp4 -vf scale=320:240 -f yuv4mpegpipe -pix_fmt yuv420p all.y4m -y
                    mkfifo pipe; trap - \(name)
                    matte \(quick) --quiet pipe out.mkv & matte=$!
                    exec 3> pipe; head -c 2000000 all.y4m >&3
                    kill -\(name) $matte; wait $matte; code=$?; rm pipe; exit $code
                    """)
                #expect(result.status == 130, "\(name): \(result.error)")
                let count = try bench.frameCount("out.mkv")
                #expect(count > 8 && count <= 17, "\(name): \(count)")
                try bench.shell("rm out.mkv")
                #expect(!bench.folder.contents.contains { $0.hasPrefix(".") })
            }
        },
        Fault(
            "Interrupted before there is anything to read", "SIGTERM while a named pipe is silent", "130; no output"
        ) { bench in
            let result = try bench.shell(
                """
                mkfifo pipe; exec 3<>pipe; trap - TERM
                matte \(quick) --quiet pipe out.mkv 3<&- & matte=$!
                until [[ $(readlink /proc/$matte/exe) == */matte ]] && ls -l /proc/$matte/fd | grep -q 'pipe$'; do :; done
                kill -TERM $matte; wait $matte; code=$?; rm pipe; exit $code
                """)
            #expect(result.status == 130, "\(result.error)")
            #expect(bench.folder.contents == ["in.mp4"])
        },
        Fault(
            "Interrupted before there is a background", "SIGTERM while a named pipe for the background is silent",
            "130; no output"
        ) { bench in
            for options in ["out.mkv", "--background-audio out.mkv", "--live out.mkv", "--output-dir out"] {
                let result = try bench.shell(
                    """
                    mkfifo pipe; exec 3<>pipe; trap - TERM
                    matte --quality fast --quiet -b ./pipe in.mp4 \(options) 3<&- & matte=$!
                    until [[ $(readlink /proc/$matte/exe) == */matte ]] && ls -l /proc/$matte/fd | grep -q '/pipe$'; do
                        kill -0 $matte || exit 1
                    done
                    kill -TERM $matte; wait $matte; code=$?; rm -r pipe; exit $code
                    """)
                #expect(result.status == 130, "\(options): \(result.error)")
                #expect(bench.folder.contents == ["in.mp4"])
            }
        },
        Fault(
            "Interrupted before anybody reads", "SIGTERM while a named pipe waits for its reader", "130"
        ) { bench in
            let result = try bench.shell(
                """
                mkfifo pipe; trap - TERM
                matte \(quick) --quiet --output-format nut in.mp4 pipe & matte=$!
                until grep -qs wait_for_partner /proc/$matte/task/*/wchan; do kill -0 $matte || exit 1; done
                kill -TERM $matte; wait $matte
                """)
            #expect(result.status == 130, "\(result.error)")
        },
        Fault(
            "Interrupted while nobody takes the output",
            "SIGTERM while the reader of a named pipe, of standard output, of a live run's and of the faces takes nothing",
            "74 after some seconds: `the run was interrupted, and whoever reads it takes nothing`"
        ) { bench in
            // A frame is larger than what a pipe holds.
            let rawFrames = "\(quick) --quiet --output-format rawvideo --output-pix-fmt rgba in.mp4"
            for (output, name) in [("pipe", "'pipe'"), ("- >&3", "standard output"), ("pipe --live", "'pipe'")] {
                let result = try bench.shell(
                    """
                    mkfifo pipe; exec 3<>pipe; trap - TERM
                    matte \(rawFrames) \(output) & matte=$!
                    head -c 1 <&3 >/dev/null
                    kill -TERM $matte; wait $matte; code=$?; rm pipe; exit $code
                    """)
                #expect(result.status == 74)
                #expect(
                    result.error
                        == "matte: can't write \(name): the run was interrupted, and whoever reads it takes nothing; its end is missing\n"
                )
            }
            // The frames are taken, the faces are not: their pipe is full.
            let faces = try bench.shell(
                """
                mkfifo pipe faces; exec 3<>pipe 4<>faces; trap - TERM
                dd if=/dev/zero of=faces bs=4096 count=1024 oflag=nonblock 2>/dev/null
                matte \(rawFrames) --pose-output fd:4 pipe & matte=$!
                head -c 1 <&3 >/dev/null; cat <&3 >/dev/null & cat=$!; disown $cat
                kill -TERM $matte; wait $matte; code=$?; kill -KILL $cat; rm pipe faces; exit $code
                """)
            #expect(faces.status == 74)
            #expect(
                faces.error
                    == "matte: can't write 'fd:4': the run was interrupted, and whoever reads it takes nothing; its end is missing\n"
            )
            // A reader that goes on gets the frames that were made, each whole.
            let result = try bench.shell(
                """
                mkfifo pipe; exec 3<>pipe 4<pipe; trap - TERM
                matte \(rawFrames) pipe 3>&- & matte=$!
                head -c 1 <&4 >rest; exec 3>&-; kill -TERM $matte; cat <&4 >>rest &
                wait $matte; code=$?; wait; echo $(($(stat -c %s rest) % (160 * 120 * 4))); exit $code
                """)
            #expect(result.status == 130 && result.output == "0\n", "\(result.output)\(result.error)")
        },
        Fault(
            "Killed",
            "SIGKILL when the output is made, in the midst of it, when it is flushed, and when it is to get its name",
            "there is no output; a hidden `.matte-….partial` may stay, and a later run removes it when it is a day old"
        ) { bench in
            let moments = [
                ("open", 0), ("write", 0), ("write", 1000), ("write", 5000), ("fsync", 0), ("rename", 0),
            ]
            for (call, bytes) in moments {
                let place = call == "rename" ? "out.mkv" : ".partial"
                let fault = try bench.failing(call, path: place, after: bytes)
                let result = try bench.matte(
                    "--quiet --codec ffv1 in.mp4 out.mkv", before: "FAULT_SIGNAL=\(SIGKILL) \(fault)")
                #expect(result.status == 128 + SIGKILL, "\(call) after \(bytes) bytes")
                let left = bench.folder.contents.filter { $0 != "in.mp4" }
                #expect(left.count == (call == "open" ? 0 : 1))
                #expect(left.allSatisfy { $0.hasPrefix(".matte-") && $0.hasSuffix(".partial") }, "\(left)")
                try bench.shell("rm -f .matte-*")
            }
            try bench.shell(
                "mkdir .matte-old.partial; : > .matte-old.partial/1.png; : > .matte-new.partial; touch -d '2 days ago' .matte-*"
            )
            try bench.perform("--limit 1 in.mp4 last.mp4")
        },
        Fault(
            "Stopped and continued", "SIGSTOP and SIGCONT in the middle", "the same output as without, bit for bit"
        ) { bench in
            try bench.perform("--codec ffv1 in.mp4 whole.mkv")
            let result = try bench.shell(
                """
                matte \(quick) --quiet --codec ffv1 in.mp4 out.mkv & matte=$!
                for _ in 1 2 3 4 5 6; do kill -STOP $matte; ls /proc/$matte/task >/dev/null; kill -CONT $matte; ls -R / 2>/dev/null | head -2000 >/dev/null; done
                wait $matte
                """)
            #expect(result.status == 0, "\(result.error)")
            #expect(try bench.shell("cmp whole.mkv out.mkv").status == 0)
        },
        Fault(
            "A reader that takes its time", "a pipe that is emptied byte by byte",
            "the run waits; every frame arrives"
        ) { bench in
            let result = try bench.shell(
                """
                ffmpeg -v error -i in.mp4 -f yuv4mpegpipe - | matte \(quick) --quiet - - \
                | { dd bs=1 count=20000 2>/dev/null; cat; } | grep -ac FRAME
                """)
            #expect(result.output == "30\n", "\(result.error)")
        },
        Fault(
            "A reader that goes away", "`head` closes the pipe after some bytes", "141, and not a word"
        ) { bench in
            let result = try bench.shell(
                "{ matte \(quick) --quiet --output-format yuv4mpegpipe in.mp4 -; echo $? > code; } | head -c 40000 >/dev/null; cat code"
            )
            #expect(result.output == "141\n")
            #expect(result.error == "")
        },
        Fault(
            "A reader that goes away while the input is silent", "`head` closes the pipe, and the input's stays open",
            "141"
        ) { bench in
            let result = try bench.shell(
                """
                mkfifo pipe; exec 3<>pipe
                ffmpeg -v error -i in.mp4 -f yuv4mpegpipe - >&3 & writer=$!
                { timeout 60 matte \(quick) --quiet - - <pipe; echo $? >code; } | head -c 40000 >/dev/null
                kill -KILL $writer 2>/dev/null; wait; cat code
                """)
            #expect(result.output == "141\n", "\(result.error)")
        },
        Fault(
            "A reader of the faces that goes away", "a pipe that nobody reads as `--pose-output fd:3`, and as `-`",
            "74, one sentence, no output; of standard output 141, and not a word"
        ) { bench in
            try bench.shell("mkfifo pipe")
            try bench.refuse(
                74, "can't write 'fd:3': broken pipe", "--pose-output fd:3 in.mp4 out.mp4",
                before: "exec 4<>pipe 3>pipe 4<&-;")
            let files = bench.folder.contents
            let result = try bench.matte(
                "--quiet --pose-output - in.mp4 out.mp4 >&3", before: "exec 4<>pipe 3>pipe 4<&-;")
            #expect(result.status == 141 && result.error.isEmpty, "\(result.error)")
            #expect(bench.folder.contents == files)
        },
        Fault(
            "A live input that falls silent", "a pipe that stays open after 30 frames, and `--duration`",
            "after five seconds a sentence; the run ends when its time is over; the output is whole"
        ) { bench in
            let result = try bench.shell(
                """
                mkfifo pipe; exec 3<>pipe
                ffmpeg -v error -i in.mp4 -f yuv4mpegpipe - >&3 & writer=$!
                timeout 60 matte \(quick) --live --duration 8 - out.mkv <pipe; code=$?
                kill -KILL $writer 2>/dev/null; wait; exit $code
                """)
            #expect(result.status == 0, "\(result.error)")
            let silence = "matte: warning: no picture came from the input for 5 s; the last one stays meanwhile\n"
            #expect(result.error.hasPrefix(silence + "wrote out.mkv: "), "\(result.error)")
            #expect(try bench.frameCount("out.mkv") > 0)
        },
        Fault(
            "Out of memory", "`ulimit -v` at five sizes",
            "69, 70 or 134, or it waits for memory; no output, or a whole one where the memory was enough"
        ) { bench in
            for size in [300_000, 500_000, 700_000, 900_000, 1_100_000] {
                // The libraries that start threads wait for ever for the memory of one.
                let result = try bench.matte(
                    "--quiet in.mp4 \(size).mp4", before: "ulimit -v \(size); timeout -s KILL 30")
                let isThere = bench.folder.contents.contains("\(size).mp4")
                #expect(isThere == (result.status == 0), "\(size): \(result.status)")
                if isThere { #expect(try bench.frameCount("\(size).mp4") == 30) }
            }
        },
        Fault(
            "No descriptors left", "`ulimit -n 10`", "66, 69 or 73, one sentence, no output"
        ) { bench in
            let files = bench.folder.contents
            let result = try bench.matte("--quiet in.mp4 out.mp4", before: "ulimit -n 10;")
            #expect([66, 69, 73].contains(result.status) && result.error.hasPrefix("matte: can't "), "\(result.error)")
            #expect(bench.folder.contents == files)
        },
        Fault(
            "Standard descriptors are closed", "`<&-`, `>&-`, `2>&-`",
            "no file is taken for one of them; 74 where one of them is the input or the output"
        ) { bench in
            try bench.perform("--codec ffv1 --quiet in.mp4 whole.mkv")
            for closed in ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"] {
                try bench.perform("--codec ffv1 --verbose --overwrite in.mp4 out.mkv \(closed)")
                #expect(try bench.shell("cmp whole.mkv out.mkv").status == 0, "\(closed)")
            }
            try bench.refuse(74, "can't read standard input: bad file descriptor", "- new.mkv <&-")
            try bench.refuse(
                74, "can't write standard output: bad file descriptor", "--output-format matroska in.mp4 - >&-")
        },
        Fault(
            "The clock is set back", "the wall clock goes back by an hour each time that it is read",
            "the same output, bit for bit"
        ) { bench in
            try bench.perform("--codec ffv1 in.mp4 whole.mkv")
            try bench.perform("--codec ffv1 in.mp4 out.mkv", before: bench.failing("clock"))
            #expect(try bench.shell("cmp whole.mkv out.mkv").status == 0)
        },
        Fault(
            "Two runs write the same output", "both at once, without and with `--overwrite`",
            "one of them does, 73 for the other; with `--overwrite` the output is that of one of them, whole"
        ) { bench in
            let result = try bench.shell(
                """
                matte \(quick) --quiet in.mp4 out.mp4 & matte \(quick) --quiet in.mp4 out.mp4 & 
                wait -n; a=$?; wait -n; b=$?; echo $((a + b))
                """)
            #expect(result.output == "73\n", "\(result.error)")
            #expect(try bench.frameCount("out.mp4") == 30)
            try bench.shell(
                "matte \(quick) --quiet --overwrite in.mp4 out.mp4 & matte \(quick) --quiet --overwrite in.mp4 out.mp4 & wait"
            )
            #expect(try bench.frameCount("out.mp4") == 30)
            #expect(!bench.folder.contents.contains { $0.hasPrefix(".") })
        },
    ]

    private static let quick = FaultBench.quick
}
