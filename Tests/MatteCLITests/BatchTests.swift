import Foundation
import TestSupport
import Testing

/// Many files in one run: what comes of each, what is said, and what is refused before any work.
struct BatchTests {
    private let matte = Checkout.program("matte")
    private let folder = TemporaryFolder()

    private func run(_ arguments: String...) throws -> Tool.Result { try matte.run(arguments, in: folder.url) }

    private func contents(_ name: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path(name)).sorted()
    }

    private func makeFolder(_ name: String) throws {
        try FileManager.default.createDirectory(at: folder.url(name), withIntermediateDirectories: true)
    }

    private func picture(_ name: String) throws {
        try Tool.ffmpeg(
            "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=96x64", "-frames:v", "1", folder.path(name))
    }

    /// Two people of other sizes, and a clip without anybody between them: what one leaves behind does not reach the next.
    @Test(arguments: [
        ["--quality", "fast"], ["--quality", "balanced"], ["--quality", "fast", "--crop-to-person"],
        ["--quality", "fast", "--start", "0.1", "--background", "loop.mkv"],
    ])
    func eachResultIsThatOfARunOfItsOwn(_ options: [String]) throws {
        try Tool.ffmpeg(
            "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=64x64:r=10:d=0.5", "-c:v", "ffv1", folder.path("loop.mkv"))
        for (name, filter) in [("a.mp4", "null"), ("c.mp4", "crop=360:360:200:0,scale=240:240,hflip")] {
            try Tool.ffmpeg(
                "-v", "error", "-i", Checkout.sampleClip, "-vf", filter, "-frames:v", "8", folder.path(name))
        }
        try Clips.make(folder.path("b.mp4"))
        // Without loss: x264 reads memory that it has not written, and so depends on what the process did before.
        let options = options + ["--codec", "ffv1"]
        let together = try matte.run(
            options + ["--output-dir", "new/out", "--output-extension", "mkv", "a.mp4", "b.mp4", "c.mp4"],
            in: folder.url)
        try #require(together.status == 0, "\(together.error)")
        #expect(together.error.hasSuffix("\n3 of 3 files done\n"))
        #expect(try contents("new/out") == ["a.mkv", "b.mkv", "c.mkv"])
        for name in ["a", "b", "c"] {
            #expect(together.error.contains("wrote new/out/\(name).mkv ("))
            try Tool(matte.program).call(options + ["\(name).mp4", "\(name).mkv"], in: folder.url)
            #expect(try pictures("new/out/\(name).mkv") == pictures("\(name).mkv"), "\(name)")
        }
    }

    /// Times and hashes of all frames.
    private func pictures(_ name: String) throws -> String {
        try Tool.ffmpeg("-v", "error", "-i", folder.path(name), "-map", "0:v", "-f", "framemd5", "-")
    }

    @Test func aFolderMeansWhatLiesInIt() throws {
        try makeFolder("my clips/below")
        try Clips.make(folder.path("my clips/b 2.mkv"))
        try Clips.make(folder.path("my clips/a.mp4"))
        try Clips.make(folder.path("my clips/.hidden.mp4"))
        try Clips.make(folder.path("my clips/below/deep.mp4"))
        try picture("my clips/c.jpg")
        try Data("words".utf8).write(to: folder.url("my clips/notes.txt"))
        let result = try run("--quality", "fast", "--background", "red", "--output-dir", "out", "my clips")
        #expect(result.status == 0)
        #expect(try contents("out") == ["a.mp4", "b 2.mkv", "c.jpg"])
        let lines = result.error.split(separator: "\n").map(String.init)
        #expect(lines.count == 5)
        #expect(lines[0] == "matte: warning: my clips/notes.txt is passed over: it is no video and no picture")
        #expect(lines[1].hasPrefix("wrote out/a.mp4 (1 of 3): 10 frames in "))
        #expect(lines[2].hasPrefix("wrote out/b 2.mkv (2 of 3): 10 frames in "))
        #expect(lines[3].hasPrefix("wrote out/c.jpg (3 of 3): 1 frame in "))
        #expect(lines[4] == "3 of 3 files done")
    }

    @Test func whatIsMissingInAFolderIsAFailureAndWhatIsNoFileIsToldOf() throws {
        try makeFolder("clips")
        try Clips.make(folder.path("clips/a.mp4"))
        let result = try Checkout.shell(
            "ln -s nowhere.mp4 clips/b.mp4; mkfifo clips/c.mp4; matte -q fast --limit 1 --output-dir out clips",
            in: folder)
        #expect(result.status == 66)
        let lines = result.error.split(separator: "\n").map(String.init)
        #expect(lines.contains("matte: warning: clips/c.mp4 is passed over: it is no file"))
        #expect(lines.contains { $0.contains("can't open 'clips/b.mp4': no such file or directory") }, "\(lines)")
        #expect(lines.contains { $0.contains("1 of 2 files done") }, "\(lines)")
        #expect(try contents("out") == ["a.mp4"])
    }

    @Test func aWarningTellsWhichFileItIsAbout() throws {
        try makeFolder("clips")
        try Clips.make(folder.path("clips/a.mp4"))
        let result = try run("-q", "fast", "--limit", "1", "--output-dir", "out", "--output-extension", "webm", "clips")
        #expect(
            result.error.hasPrefix(
                "matte: warning: clips/a.mp4: stream 1 (audio, aac) is left out, because webm can't hold it; .mkv can\n"
            ))
        let alone = try run("-q", "fast", "--limit", "1", "clips/a.mp4", "a.webm")
        #expect(alone.error.hasPrefix("matte: warning: stream 1 (audio, aac) is left out"))
    }

    @Test func namesThatAreNotUTF8AreToldOf() throws {
        try makeFolder("clips")
        try Clips.make(folder.path("clips/a.mp4"))
        let result = try Checkout.shell(
            "cp clips/a.mp4 $'clips/b\\xff.mp4'; matte -q fast --limit 1 --output-dir out clips", in: folder)
        #expect(result.status == 0)
        #expect(
            result.error.hasPrefix(
                "matte: warning: clips/b\u{FFFD}.mp4 is passed over: its name is not valid UTF-8; rename the file\n"))
        #expect(try contents("out") == ["a.mp4"])
    }

    @Test func aContainerIsChosenWhereTheInputsCannotHoldTheResult() throws {
        try Clips.make(folder.path("a.mp4"))
        try picture("b.jpg")
        #expect(try run("-q", "fast", "-b", "none", "--output-dir", "alpha", "a.mp4", "b.jpg").status == 0)
        #expect(try contents("alpha") == ["a.mov", "b.png"])
        #expect(try Probe(folder.path("alpha/a.mov")).video?.pixFmt?.hasPrefix("yuva444p") == true)
        #expect(try Probe(folder.path("alpha/b.png")).video?.pixFmt == "rgba")
        #expect(
            try run("-q", "fast", "--output-extension", "mkv", "--output-dir", "out", "a.mp4").status == 0)
        #expect(try contents("out") == ["a.mkv"])
        #expect(try Probe(folder.path("out/a.mkv")).format.formatName == "matroska,webm")
    }

    @Test func aTableAndStatisticsComeForEach() throws {
        try Clips.make(folder.path("a.mp4"))
        try Clips.make(folder.path("b.mov"))
        let result = try run(
            "-q", "fast", "--limit", "2", "--stats", "--pose-output", "csv", "--output-dir", "out", "a.mp4", "b.mov")
        #expect(result.status == 0)
        #expect(try contents("out") == ["a.csv", "a.mp4", "b.csv", "b.mov"])
        let rows = try String(contentsOf: folder.url("out/b.csv"), encoding: .utf8).split(separator: "\n")
        #expect(rows.dropFirst() == ["0,0.000000,,,,,,,,,,", "1,0.040000,,,,,,,,,,"])
        #expect(result.error.matches(of: #/2 frames in [0-9.]+ s, /#).count == 2)
    }

    @Test func anInputMayHaveTheNameOfATablesFormat() throws {
        try Clips.make(folder.path("a.mp4"))
        try FileManager.default.moveItem(atPath: folder.path("a.mp4"), toPath: folder.path("csv"))
        let result = try run("-q", "fast", "--limit", "1", "--pose-output", "csv", "--output-dir", "out", "csv")
        #expect(result.status == 0, "\(result.error)")
        #expect(try contents("out").contains("csv.csv"))
    }

    @Test func oneFailureDoesNotEndTheOthers() throws {
        try Clips.make(folder.path("a.mp4"))
        try Data("not a video".utf8).write(to: folder.url("broken.mp4"))
        try Clips.make(folder.path("d.mp4"))
        let result = try run("-q", "fast", "--output-dir", "out", "a.mp4", "broken.mp4", "missing.mp4", "d.mp4")
        #expect(result.status == 65, "the code of the first that failed")
        let lines = result.error.split(separator: "\n").map(String.init)
        #expect(lines.count == 5)
        #expect(lines[1].hasPrefix("matte: can't read 'broken.mp4': "))
        #expect(lines[2] == "matte: can't open 'missing.mp4': no such file or directory")
        #expect(lines[3].hasPrefix("wrote out/d.mp4 (4 of 4): 10 frames in "))
        #expect(lines[4] == "matte: 2 of 4 files done; failed: broken.mp4, missing.mp4")
        #expect(try contents("out") == ["a.mp4", "d.mp4"])
        let quiet = try run("-q", "fast", "--quiet", "--overwrite", "--output-dir", "out", "missing.mp4", "a.mp4")
        #expect(quiet.status == 66)
        #expect(
            quiet.error
                == "matte: can't open 'missing.mp4': no such file or directory\nmatte: 1 of 2 files done; failed: missing.mp4\n"
        )
    }

    @Test func aFolderWithoutVideosDoesNotEndTheOthers() throws {
        try Clips.make(folder.path("a.mp4"))
        try makeFolder("empty")
        let result = try run(
            "-q", "fast", "--quiet", "--limit", "1", "--output-dir", "out", "empty", "a.mp4", "missing.mp4")
        #expect(result.status == 66)
        #expect(
            result.error == """
                matte: can't read 'empty': no video and no picture lies in the folder
                matte: can't open 'missing.mp4': no such file or directory
                matte: 1 of 3 files done; failed: empty, missing.mp4

                """)
        #expect(try contents("out") == ["a.mp4"])
    }

    @Test func aMissingModelEndsTheRun() throws {
        try Clips.make(folder.path("a.mp4"))
        try Clips.make(folder.path("b.mp4"))
        let result = try run("--models", "none", "--output-dir", "out", "a.mp4", "b.mp4")
        #expect(result.status == 69)
        #expect(
            result.error
                == "matte: can't read the model description 'none/manifest.json': no such file or directory; name a folder or a file that is there\n"
        )
        #expect(folder.contents == ["a.mp4", "b.mp4"])
    }

    private func fail(_ status: Int32, _ sentence: String, _ arguments: String...) throws {
        let before = folder.contents
        let result = try matte.run(arguments, in: folder.url)
        #expect(result.status == status)
        #expect(result.error == "matte: \(sentence)\n")
        #expect(folder.contents == before)
    }

    private func refuse(_ sentence: String, _ arguments: String...) throws {
        let result = try matte.run(arguments, in: folder.url)
        #expect(result.status == 64)
        #expect(result.error.hasPrefix("Error: \(sentence)\n"), "\(result.error)")
    }

    // File systems tell names apart by their bytes: an accent may be a code point of its own.
    @Test func namesThatLookAlikeAreTwo() throws {
        let names = ["\u{E9}.mp4", "e\u{301}.mp4"]
        for name in names { try Clips.make(folder.path(name)) }
        try makeFolder("out")
        let result = try matte.run(
            ["--quality", "fast", "--limit", "1", "--quiet", "--output-dir", "out"] + names, in: folder.url)
        #expect(result.status == 0, "\(result.error)")
        #expect(try contents("out").count == 2)
    }

    @Test func whatIsInTheWayIsToldBeforeAnyWork() throws {
        for name in ["a.mp4", "b.mp4", "a.mkv"] { try Clips.make(folder.path(name)) }
        try makeFolder("there")
        try Data("mine".utf8).write(to: folder.url("there/b.mp4"))
        try FileManager.default.linkItem(at: folder.url("a.mp4"), to: folder.url("there/linked.mp4"))
        try makeFolder("empty")
        try fail(
            73, "can't create 'there/b.mp4': it exists already; choose another folder, or pass --overwrite",
            "--output-dir", "there", "a.mp4", "b.mp4")
        #expect(try contents("there") == ["b.mp4", "linked.mp4"])
        try fail(
            73,
            "can't create 'out/a.mp4': both 'a.mp4' and './a.mp4' would become it; "
                + "rename one, or take it in a run of its own", "--output-dir", "out", "a.mp4", "b.mp4", "./a.mp4")
        try fail(
            73,
            "can't create 'out/a.jsonl': both 'a.mp4' and 'a.mkv' would become it; "
                + "rename one, or take it in a run of its own", "--output-dir", "out", "--pose-output", "jsonl",
            "a.mp4", "a.mkv")
        try fail(
            73, "can't create './a.mp4': it is one of the files that are read; choose another folder", "--overwrite",
            "--output-dir", ".", "a.mp4", "b.mp4")
        try FileManager.default.moveItem(at: folder.url("b.mp4"), to: folder.url("linked.mp4"))
        try fail(
            73, "can't create 'there/linked.mp4': it is one of the files that are read; choose another folder",
            "--overwrite", "--output-dir", "there", "linked.mp4", "a.mp4")
        try makeFolder("out")
        try FileManager.default.moveItem(at: folder.url("there/b.mp4"), to: folder.url("out/a.mkv"))
        try fail(
            73, "can't create 'out/a.mkv': it is one of the files that are read; choose another folder", "--overwrite",
            "--output-dir", "out", "--background", "out/a.mkv", "a.mkv")
    }

    @Test func whatCannotBeIsToldBeforeAnyWork() throws {
        try Clips.make(folder.path("a.mp4"))
        try Data().write(to: folder.url("file"))
        try fail(
            73, "can't create the folder 'file': it is a file; choose another name", "--output-dir", "file", "a.mp4")
        try fail(73, "can't create the folder 'file/out': not a directory", "--output-dir", "file/out", "a.mp4")
        try fail(
            66, "can't read the background 'missing.jpg': no such file or directory", "--background", "missing.jpg",
            "--output-dir", "out", "a.mp4")
        try fail(
            64,
            "can't create 'out/a.png': an image holds one frame, and the input is a video; "
                + "choose another extension, or make the images of each video in a run of its own",
            "--output-extension", "png", "--output-dir", "out", "a.mp4")
        try fail(
            64,
            "can't create 'out/a.xyz': its name does not tell a container; "
                + "choose a name that ends in .mp4, .mov, .mkv or .webm", "--output-extension", "xyz", "--output-dir",
            "out", "a.mp4")
        try fail(
            64, "can't encode 'out/a.mp4': there is no video encoder or codec 'nothing'; 'ffmpeg -encoders' lists them",
            "--codec", "nothing", "--output-dir", "out", "a.mp4")
        try fail(
            64, "effects are for composites: a mask has no dim:1", "--output-kind", "mask", "--effect", "dim",
            "--output-dir", "out", "a.mp4")
    }

    @Test func optionsForOneInputAreRefused() throws {
        try Clips.make(folder.path("a.mp4"))
        try refuse(
            "with --output-dir inputs are files and folders: standard input has no name for its output",
            "--output-dir", "out", "a.mp4", "-")
        for option in ["--live", "--on-demand", "--preview"] {
            try refuse(
                "\(option) is for one input: leave it or --output-dir out", "--output-dir", "out", option, "a.mp4")
        }
        try refuse(
            "--control is for one input: leave it or --output-dir out", "--output-dir", "out", "--control", "socket",
            "a.mp4")
        try refuse(
            "--output-format is for one output: with --output-dir choose with --output-extension", "--output-dir",
            "out", "--output-format", "nut", "a.mp4")
        try refuse(
            "with --output-dir --pose-output takes csv or jsonl, for a table beside each output", "--output-dir", "out",
            "--pose-output", "pose.csv", "a.mp4")
        try refuse("--output-dir takes a folder, such as out, or . for this one", "--output-dir", "", "a.mp4")
        try refuse("--output-extension needs --output-dir", "--output-extension", "mkv", "a.mp4", "b.mp4")
        try refuse(
            "--output-extension takes an extension such as mkv", "--output-dir", "out", "--output-extension", "a/b",
            "a.mp4")
        try refuse(
            "one input and one output are named at a time, and 'c.mp4' is one more; for many inputs name a folder with "
                + "--output-dir", "a.mp4",
            "b.mp4", "c.mp4")
        #expect(folder.contents == ["a.mp4"])
    }

    @Test func anInterruptFinishesTheFileAndBeginsNoOther() throws {
        try Clips.make(folder.path("long.mp4"), seconds: 40)
        try Clips.make(folder.path("b.mp4"))
        try Clips.make(folder.path("c.mp4"))
        let process = Process()
        process.executableURL = URL(filePath: matte.program)
        process.currentDirectoryURL = folder.url
        process.arguments = ["--quality", "fast", "--output-dir", "out", "long.mp4", "b.mp4", "c.mp4"]
        let errors = folder.url("errors")
        try Data().write(to: errors)
        process.standardError = try FileHandle(forWritingTo: errors)
        try process.run()
        func written() -> Int {
            let partial = ((try? contents("out")) ?? []).filter { $0.hasPrefix(".") }.map { folder.path("out/\($0)") }
            return partial.compactMap { try? FileManager.default.attributesOfItem(atPath: $0)[.size] as? Int }.max()
                ?? 0
        }
        while process.isRunning, written() < 1000 {}
        process.interrupt()
        process.waitUntilExit()
        #expect(process.terminationStatus == 130)
        #expect(try contents("out") == ["long.mp4"])
        #expect(try Probe(folder.path("out/long.mp4")).frameTimes().count < 1000)
        let said = try String(contentsOf: errors, encoding: .utf8).split(separator: "\n").map(String.init)
        #expect(said.dropLast().last?.hasPrefix("interrupted; wrote out/long.mp4 (1 of 3): ") == true)
        #expect(said.last == "0 of 3 files done; interrupted: long.mp4; not begun: b.mp4, c.mp4")
    }
}
