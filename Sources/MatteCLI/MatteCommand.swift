import ArgumentParser
import Glibc
import Matte
import MatteVision
import Media

struct MatteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "matte",
        abstract: "Separates the people in a video from their background, and puts something else behind them.",
        usage: """
            matte [<options>] <input> <output>
            matte [<options>] --output-dir <folder> <input> ...
            matte devices
            matte control <command> ...
            matte doctor
            """,
        discussion: """
            Everything else that the video carries (audio, subtitles, chapters, time stamps, colours, rotation) comes out as \
            it went in.

            Examples:
              matte in.mp4 out.mp4
                  Put a colour that follows the head behind the people.
              matte --quality accurate --background '#00b140' in.mov out.mp4
                  The best mask, over green.
              matte --output-kind mask in.mp4 mask.mkv
                  The mask as grey video: white is a person.
              matte --pose-output head.csv in.mp4 out.mp4
                  Write the head's angles of every frame as well.
              matte --codec libx265 --crf 24 --preset fast --start 60 --duration 10 in.mkv clip.mkv
                  Ten seconds, encoded otherwise.
              matte --background blur --output-dir out a.mp4 b.mov holiday
                  Many files, and those in a folder; each is written into 'out' under its own name.
              ffmpeg -i in.mp4 -f yuv4mpegpipe - | matte - - | ffmpeg -i - out.mp4
                  Between two other programs; - is standard input or output.
              matte /dev/video0 /dev/video10
                  A webcam in, a virtual camera out, for meetings; 'matte devices' lists both.

            Exit codes: 0 done, 64 usage, 65 bad data, 66 no input, 69 a model, the runtime or hardware is missing, 70 internal, \
            73 can't create the output, 74 input or output failed, 130 interrupted, 141 nobody reads the output any more. \
            Of many files the first one that failed tells the code.
            """,
        version: Version.text)

    @Argument(
        help: "The video or picture to read, or a camera; - is standard input. With --output-dir a file or a folder.",
        completion: .file())
    var input: String

    @Argument(
        help: ArgumentHelp(
            "The video to write, whose extension tells the container, or a virtual camera; - is standard output. With "
                + "--output-dir there is none, and more inputs may follow.", valueName: "output"),
        completion: .file())
    var others: [String] = []

    @OptionGroup(title: "Many files")
    var batch: BatchOptions

    @OptionGroup(title: "Matte")
    var matte: MatteOptions

    @OptionGroup(title: "Framing")
    var framing: FramingOptions

    @OptionGroup(title: "Streams")
    var streams: StreamOptions

    @OptionGroup(title: "Trust")
    var limits: LimitOptions

    @OptionGroup(title: "Live")
    var live: LiveOptions

    @OptionGroup(title: "Range")
    var range: RangeOptions

    @OptionGroup(title: "Encoding")
    var encoding: EncodingOptions

    @OptionGroup(title: "Hardware")
    var hardware: HardwareOptions

    @OptionGroup(title: "Messages")
    var messages: MessageOptions

    @Flag(help: "Replace the output, and the pose output, if they exist.")
    var overwrite = false

    @Flag(help: "Say at the end where the time went.")
    var stats = false

    @Option(
        parsing: .unconditional,
        help: "Threads that the decoder and the encoder use each, up to 1024 (default: as many as pay).")
    var threads: Int?

    func validate() throws {
        if let threads, !(1...1024 ~= threads) { throw ValidationError("--threads takes a number from 1 to 1024") }
        if let misplaced = batch.misplacedOption(in: self) { throw ValidationError(misplaced) }
        let poseDescriptor = matte.poseOutput.flatMap { try? PoseWriter.descriptor(of: $0) }
        if poseDescriptor == STDOUT_FILENO, output == "-" || output == "/dev/stdout" {
            throw ValidationError("the video and the pose output can't both go to standard output: use fd:3 and 3>file")
        }
    }

    /// The one output; nil with a folder for many.
    var output: String? { batch.outputDir == nil ? others.first : nil }

    /// Asks for one output of one input, or for a folder; after parsing, which tells of unknown options.
    private func refuseMissingAndSpareNames() throws {
        guard batch.outputDir == nil else { return }
        if others.count > 1 {
            throw ValidationError(
                "one input and one output are named at a time, and '\(others[1])' is one more; for many inputs name a folder "
                    + "with --output-dir")
        }
        if output == nil, !live.preview {
            throw ValidationError("name an output, or look at the result with --preview")
        }
    }

    func run() throws {
        try refuseMissingAndSpareNames()
        try StreamOptions.refuseTerminals(input: input, output: output)
        let console = Console(verbosity: messages.verbosity)
        // A reader that goes away, and a file that may not grow, show as errors of the write, which can be told from others.
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
        let exitCode: Int32
        do throws(MatteError) {
            exitCode = try process(console)
        } catch {
            if error.kind != .readerGone { console.error(error.description) }
            throw ExitCode(error.kind.exitCode)
        }
        if exitCode != 0 { throw ExitCode(exitCode) }
    }

    /// Does the job; returns the exit code of what was done without an error of its own.
    private func process(_ console: Console) throws(MatteError) -> Int32 {
        LibraryLog.setLevel(messages.verbose ? .info : .quiet)
        limits.inputLimits.capAllocations()
        let interruption = Interruption()
        if let folder = batch.outputDir {
            return try BatchRun(command: self, folder: folder, console: console, interruption: interruption).perform()
        }
        let run = SingleRun(command: self, console: console, interruption: interruption)
        return try run.perform() ? MatteError.interruptedExitCode : 0
    }

    /// What the options together ask of each frame.
    var configuration: Configuration {
        var configuration = matte.configuration(maskPixelFormat: streams.maskPixelFormat)
        configuration.models.device = hardware.device
        configuration.backgroundLimits = limits.inputLimits
        configuration.isBackgroundStrict = limits.strict
        if framing.follow { configuration.framing = .follow(aspect: framing.aspect?.ratio) }
        return configuration
    }

    /// A live run counts its frames and seconds itself, since it may open a camera more than once.
    func readerOptions(isLive: Bool) -> MediaReader.Options {
        var addition = configuration.addition
        // It may be told of a coloured background at any time.
        if isLive, addition == .none, configuration.outputKind == .composite { addition = .color }
        return MediaReader.Options(
            threads: threads ?? 0, isLive: isLive, start: range.start?.seconds,
            duration: isLive ? nil : range.duration?.seconds, runIn: isLive ? nil : range.runIn?.seconds,
            frameLimit: isLive ? nil : range.limit,
            format: streams.format, pixelFormat: streams.pixelFormat, size: streams.size,
            rate: streams.rate, colorspace: streams.colorspace, colorRange: streams.colorRange,
            addition: addition, hwaccel: hardware.hwaccel, hwaccelDevice: hardware.hwaccelDevice,
            decoder: hardware.decoder, stream: streams.stream, isStrict: limits.strict, limits: limits.inputLimits)
    }

    var encoderSettings: EncoderSettings {
        EncoderSettings(
            codec: encoding.codec, crf: encoding.crf, preset: encoding.preset,
            bitrate: encoding.bitrate?.bitsPerSecond,
            options: encoding.encoderOption.map { ($0.key, $0.value) }, threads: threads ?? 0,
            format: streams.outputFormat, pixelFormat: streams.outputPixelFormat,
            keepsAlpha: configuration.hasAlpha, alpha: encoding.alpha ?? .straight,
            hwaccelDevice: hardware.hwaccelDevice)
    }
}
