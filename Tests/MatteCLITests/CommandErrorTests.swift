import Foundation
import TestSupport
import Testing

/// Every error: one clear sentence, the right exit code, and nothing left that looks finished.
struct CommandErrorTests {
    private let matte = Checkout.program("matte")
    private let folder = TemporaryFolder()

    private func fail(_ status: Int32, _ sentence: String, _ arguments: String...) throws {
        let before = folder.contents
        let result = try matte.run(arguments)
        #expect(result.status == status)
        #expect(result.error == "matte: \(sentence)\n")
        #expect(result.output.isEmpty)
        #expect(folder.contents == before)
    }

    private func refuse(_ words: String, _ arguments: String...) throws {
        let result = try matte.run(arguments)
        #expect(result.status == 64)
        #expect(result.error.contains(words), "\(result.error)")
    }

    @Test func inputs() throws {
        let output = folder.path("out.mp4")
        try fail(66, "can't open 'missing.mp4': no such file or directory", "missing.mp4", output)
        try fail(
            66,
            "can't open 'in-%03d.png': no such file or directory; numbered names are for outputs; pipe the images in, as in 'ffmpeg -i in-%03d.png -f yuv4mpegpipe - | matte - out.mp4'",
            "in-%03d.png", output)
        try Data().write(to: folder.url("empty.mp4"))
        try fail(65, "can't read '\(folder.path("empty.mp4"))': the file is empty", folder.path("empty.mp4"), output)
        try Data("not a video at all".utf8).write(to: folder.url("text.mp4"))
        let text = try matte.run([folder.path("text.mp4"), output])
        #expect(text.status == 65 && text.error.split(separator: "\n").count == 1)
        try fail(66, "can't open '\(folder.url.path)': it is a folder; name a video file", folder.url.path, output)
        try Tool.ffmpeg("-v", "error", "-f", "lavfi", "-i", "sine=duration=0.2", folder.path("sound.m4a"))
        let sound = try matte.run([folder.path("sound.m4a"), output])
        #expect(sound.status == 65 && sound.error.contains("video"))
    }

    @Test func theBackgroundIsNotReplacedByATable() throws {
        try Tool.ffmpeg("-v", "error", "-f", "lavfi", "-i", "color=red:s=64x36", "-frames:v", "1", folder.path("b.png"))
        try FileManager.default.moveItem(atPath: folder.path("b.png"), toPath: folder.path("b.csv"))
        try fail(
            73,
            "can't create '\(folder.path("b.csv"))': it is the background that is being read; choose another name",
            "--overwrite", "--background", folder.path("b.csv"), "--pose-output", folder.path("b.csv"),
            Checkout.sampleClip, folder.path("out.mp4"))
    }

    @Test func theFacesReplaceNeitherTheInputNorTheOutput() throws {
        try FileManager.default.copyItem(atPath: Checkout.sampleClip, toPath: folder.path("in.csv"))
        try fail(
            73, "can't create '\(folder.path("in.csv"))': it is the file that is being read; choose another name",
            "--overwrite", "--pose-output", folder.path("in.csv"), folder.path("in.csv"), folder.path("out.mp4"))
        let twice = folder.path("twice.csv")
        try fail(
            64, "the faces and the video can't both be written to '\(twice)': choose another name",
            "--output-format", "matroska", "--pose-output", twice, Checkout.sampleClip, "\(folder.url.path)/./twice.csv"
        )
        #expect(folder.contents == ["in.csv"])
    }

    @Test func aTableTakesNoStreamsPlace() throws {
        try #require(mkfifo(folder.path("t.csv"), 0o600) == 0)
        let table = folder.path("t.csv")
        try fail(
            73, "can't create '\(table)': it is no file; pass fd:3, and 3>\(table) to the shell", "--overwrite",
            "--pose-output", table, Checkout.sampleClip, folder.path("out.mp4"))
        #expect(folder.contents == ["t.csv"])
    }

    @Test func namesThatAreNotUTF8() throws {
        try FileManager.default.copyItem(atPath: Checkout.sampleClip, toPath: folder.path("in.mp4"))
        for words in [#"$'bad\xff.mp4' out.mp4"#, #"in.mp4 $'bad\xff.mp4'"#] {
            let result = try Checkout.shell("mv in.mp4 $'bad\\xff.mp4'; matte \(words)", in: folder)
            #expect(result.status == 64)
            #expect(
                result.error == "matte: can't take 'bad\u{FFFD}.mp4': the name is not valid UTF-8; rename the file\n")
            #expect(try Checkout.shell("mv $'bad\\xff.mp4' in.mp4", in: folder).status == 0)
            #expect(folder.contents == ["in.mp4"])
        }
    }

    @Test func namesWithLineBreaksAreToldInOneLine() throws {
        try fail(
            66, "can't open 'abcde.mp4': no such file or directory", "a\nb\r\nc\td\u{1B}e.mp4", folder.path("out.mp4"))
    }

    @Test(arguments: ["-x.mp4", "-dash.mp4", "-edge.mp4", "-bob.mp4", "-x", "-vx"])
    func namesThatBeginWithADash(_ name: String) throws {
        let sentence = "there is no option '\(name)': a file of that name is './\(name)', or comes after '--'"
        try fail(64, sentence, name, folder.path("out.mp4"))
        try fail(64, sentence, Checkout.sampleClip, name)
        try refuse("Unknown option '-\(name)'", "-\(name)", folder.path("out.mp4"))
        let behindTerminator = try matte.run(["--", name, folder.path("out.mp4")], in: folder.url)
        #expect(behindTerminator.error == "matte: can't open '\(name)': no such file or directory\n")
    }

    @Test func alpha() throws {
        let input = Checkout.sampleClip
        let (video, movie, image) = (folder.path("out.mp4"), folder.path("out.mov"), folder.path("%03d.png"))
        try fail(
            64, "can't create '\(video)': mp4 can't hold alpha; name the output .webm, .mov or .mkv",
            "--output-kind", "foreground", input, video)
        try fail(
            64, "can't encode '\(movie)': there is no alpha to multiply by; leave --alpha premultiplied out",
            "--alpha", "premultiplied", input, movie)
        try fail(
            64,
            "can't encode '\(image)': png defines straight alpha; "
                + "leave --alpha premultiplied out, or name the output .mov, .mkv or .exr",
            "--output-kind", "foreground", "--alpha", "premultiplied", input, image)
        try refuse("'straight' and 'premultiplied'", "--alpha", "crooked", input, movie)
    }

    @Test func outputs() throws {
        let input = Checkout.sampleClip
        try fail(
            73, "can't create '\(folder.path("no/out.mp4"))': there is no folder '\(folder.path("no"))'; make it first",
            input, folder.path("no/out.mp4"))
        try fail(
            64,
            "can't create '\(folder.path("out.xyz"))': its name does not tell a container; "
                + "choose a name that ends in .mp4, .mov, .mkv or .webm", input, folder.path("out.xyz"))
        let place = folder.url.path
        try fail(
            73,
            "can't create '\(place)': it is a folder; name a file in it, or put --output-dir before it",
            input,
            place)
        try fail(
            73, "can't create '\(input)': it is the file that is being read; choose another name", "--overwrite", input,
            input)
        try fail(
            64,
            "can't create '\(folder.path("a.webm"))': webm can't hold h264 video; "
                + "choose a name that ends in .mkv, or another codec", "--codec", "libx264", input,
            folder.path("a.webm"))
        try fail(
            64, "can't tell the format of the pose output 'pose.txt': end its name in .csv or .jsonl", "--pose-output",
            "pose.txt", input, folder.path("out.mp4"))
        #expect(folder.contents.isEmpty)
    }

    @Test(arguments: ["--version", "--help", "--generate-completion-script bash", "doctor", "doctor --help", "devices"])
    func whatIsAskedForAndCannotBeWritten(_ words: String) throws {
        let full = try Checkout.shell("matte \(words) >/dev/full", in: folder)
        #expect(full.status == 74)
        #expect(full.error == "matte: can't write standard output: no space left on device\n")
        // Whoever started the program may have turned SIGPIPE off.
        for ignored in ["", "trap '' PIPE;"] {
            let gone = try Checkout.shell(
                "mkfifo pipe; exec 4<>pipe 3>pipe 4<&-; rm pipe; \(ignored) matte \(words) >&3", in: folder)
            #expect(gone.status == 141 && gone.error.isEmpty, "\(gone.error)")
        }
    }

    @Test func models() throws {
        let (input, output) = (Checkout.sampleClip, folder.path("out.mp4"))
        let none = folder.path("none")
        try fail(
            69,
            "can't read the model description '\(none)/manifest.json': no such file or directory; name a folder or a file that is there",
            "--models", none, input, output)
        try FileManager.default.createDirectory(atPath: none, withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: "\(Checkout.models)/manifest.json", toPath: "\(none)/manifest.json")
        try fail(
            69,
            "the model '\(none)/pose_detection.tflite' is missing: "
                + "run 'make setup' in a checkout of matte, which fetches it",
            "--background", "red", "--models", none, input, output)
        try Data("{".utf8).write(to: folder.url("own.json"))
        let own = folder.path("own.json")
        try fail(
            65,
            "can't understand the model description '\(own)': it is not JSON, or a number in it is too large or not whole",
            "--model", own, input, output)
        try fail(
            65, "can't read the model description '/dev/zero': it is not a regular file", "--model", "/dev/zero", input,
            output)
        let description =
            #""input": {"width": 8, "height": 8, "range": [0, 1], "layout": "NCHW"}, "output": {"kind": "probability"}"#
        try Data(#"{"name": "x", "file": "../x.onnx", \#(description)}"#.utf8).write(to: folder.url("own.json"))
        try fail(
            65,
            "can't use the model description '\(own)': the model 'x' has a 'file' that is not the plain name of a file "
                + "beside its description", "--model", own, input, output)
        try Data(#"{"name": "x", "file": "x.onnx", \#(description)}"#.utf8).write(to: folder.url("own.json"))
        try Data("no model".utf8).write(to: folder.url("x.onnx"))
        try fail(
            65, "can't read the model '\(folder.path("x.onnx"))': it is not an ONNX model", "--model", own, input,
            output)
        try Data(#"{"name": "x", "file": "x.onnx"}"#.utf8).write(to: folder.url("own.json"))
        try fail(
            65, "can't understand the model description '\(own)': 'input' is missing", "--model", own, input, output)
    }

    @Test(arguments: ["XDG_RUNTIME_DIR=", "XDG_RUNTIME_DIR=relative"])
    func aRuntimeFolderWithoutAWholePathIsNone(_ variable: String) throws {
        let result = try Checkout.shell("\(variable) matte control status", in: folder)
        #expect(result.status == 69)
        #expect(result.error.hasPrefix("matte: there is no XDG_RUNTIME_DIR, where a run listens"))
    }

    @Test func hardware() throws {
        let (input, output) = (Checkout.sampleClip, folder.path("out.mp4"))
        let device = try matte.run(["--device", "ABACUS", input, output])
        #expect(device.status == 69)
        #expect(
            device.error.hasPrefix(
                "matte: can't compile the model '\(Checkout.models)/pose_detection.tflite': "
                    + "there is no device 'ABACUS' here, only "))
        #expect(device.error.hasSuffix("; choose another, or install its driver\n"))
        #expect(folder.contents.isEmpty)
        try fail(
            69,
            "can't decode '\(input)': the vaapi device '/nowhere' can't be opened: No VA display found for device /nowhere; "
                + "install its driver or name another --hwaccel-device, or leave --hwaccel out",
            "--hwaccel", "vaapi", "--hwaccel-device", "/nowhere", input, output)
        try fail(
            69,
            "can't encode '\(output)': the vaapi device '/nowhere' can't be opened: No VA display found for device /nowhere; "
                + "install its driver or name another --hwaccel-device, or choose an encoder that runs on the CPU",
            "--codec", "h264_vaapi", "--hwaccel-device", "/nowhere", input, output)
        try fail(
            64, "can't decode '\(input)': there is no decoder 'nothing'; 'ffmpeg -decoders' lists them", "--decoder",
            "nothing", input, output)
        let misplaced = "--hwaccel-device is for --hwaccel and for hardware encoders: leave it out"
        try fail(64, misplaced, "--hwaccel-device", "0", input, output)
        try fail(64, misplaced, "--hwaccel", "none", "--hwaccel-device", "0", "--codec", "libx264", input, output)
        try refuse("--device takes a name, such as CPU, GPU or AUTO", "--device", "", input, output)
        #expect(folder.contents.isEmpty)
    }

    @Test func theLibrariesMaySpeakBesides() throws {
        let output = folder.path("out.mp4")
        try Data(Data(contentsOf: URL(filePath: Checkout.sampleClip)).prefix(3000)).write(to: folder.url("cut.mp4"))
        for arguments in [
            ["--encoder-option", "x264-params=nonsense=1", Checkout.sampleClip, output],
            ["--encoder-option", "profile=nonsense", Checkout.sampleClip, output], [folder.path("cut.mp4"), output],
        ] {
            let (quiet, verbose) = (try matte.run(arguments), try matte.run(["--verbose"] + arguments))
            #expect(quiet.status >= 64 && verbose.status == quiet.status)
            let (short, long) = (quiet.error.split(separator: "\n"), verbose.error.split(separator: "\n"))
            #expect(short.last == long.last && long.count > 1, "\(verbose.error)")
        }
        #expect(folder.contents == ["cut.mp4"])
    }

    @Test func usage() throws {
        let (input, output) = (Checkout.sampleClip, folder.path("out.mp4"))
        try refuse("name an output, or look at the result with --preview", input)
        try refuse("is invalid for '--quality <quality>'", "--quality", "best", input, output)
        try refuse(
            "The value 'tael' is invalid for '--background <background>': did you mean 'teal'?", "--background", "tael",
            input, output)
        try refuse(
            "The value 'dim:20' is invalid for '-e <effect>': dim takes a number from 0 to 10", "-e", "dim:20", input,
            output)
        try refuse("--pose-color needs --background pose", "--pose-color", "yaw", "--background", "red", input, output)
        try refuse("--crf and --bitrate exclude each other", "--crf", "20", "--bitrate", "1M", input, output)
        try refuse("--verbose and --quiet exclude each other", "--verbose", "--quiet", input, output)
        try refuse("--limit takes a number of frames from 1 up", "--limit", "0", input, output)
        try refuse("is invalid for '--start <time>'", "--start", "soon", input, output)
        try refuse("The value '-1' is invalid for '--start <time>'", "--start", "-1", input, output)
        let endless = "1" + String(repeating: "0", count: 308) + ":0"
        try refuse("The value '\(endless)' is invalid for '--start <time>'", "--start", endless, input, output)
        try refuse("The value '1:75' is invalid for '--start <time>'", "--start", "1:75", input, output)
        try refuse("The value '-1:30' is invalid for '--duration <time>'", "--duration", "-1:30", input, output)
        try refuse("The value '-2' is invalid for '--run-in <time>'", "--run-in", "-2", input, output)
        try refuse("--limit takes a number of frames from 1 up", "--limit", "-1", input, output)
        try refuse("--threads takes a number from 1 to 1024", "--threads", "-1", input, output)
        try refuse("--max-pixels takes a number of pixels from 1 up", "--max-pixels", "-1", input, output)
        try refuse("can't encode '\(output)': ", "--crf", "-5", input, output)
        try refuse("--duration takes a time above 0", "--duration", "0", input, output)
        try refuse("is invalid for '--encoder-option <key=value>'", "--encoder-option", "tune", input, output)
        try refuse("is invalid for '--bitrate <rate>'", "--bitrate", "much", input, output)
        try refuse("--threads takes a number from 1 to 1024", "--threads", "0", input, output)
        try refuse("--threads takes a number from 1 to 1024", "--threads", "1025", input, output)
        try fail(
            64, "can't encode '\(output)': there is no video encoder or codec 'nothing'; 'ffmpeg -encoders' lists them",
            "--codec", "nothing", input, output)
        try fail(
            64,
            "can't encode '\(output)': the encoder libx264 has no option 'nonsense'; "
                + "'ffmpeg -h encoder=libx264' lists its options", "--encoder-option", "nonsense=1", input, output)
        #expect(folder.contents.isEmpty)
    }
}
