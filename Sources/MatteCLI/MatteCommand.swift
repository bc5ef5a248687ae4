import ArgumentParser
import Glibc
import Matte
import MatteVision
import Media

@main
struct MatteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "matte",
        abstract: "Separates the people in a video from their background, and puts something else behind them.",
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
              ffmpeg -i in.mp4 -f yuv4mpegpipe - | matte - - | ffmpeg -i - out.mp4
                  Between two other programs; - is standard input or output.

            Exit codes: 0 done, 64 usage, 65 bad data, 66 no input, 69 a model or the runtime is missing, 70 internal, \
            73 can't create the output, 74 input or output failed, 130 interrupted, 141 nobody reads the output any more.
            """,
        version: Version.text)

    @Argument(help: "The video to read; - is standard input.", completion: .file())
    var input: String

    @Argument(
        help: "The video to write; its extension tells the container, - is standard output.", completion: .file())
    var output: String

    @OptionGroup(title: "Matte")
    var matte: MatteOptions

    @OptionGroup(title: "Streams")
    var streams: StreamOptions

    @OptionGroup(title: "Range")
    var range: RangeOptions

    @OptionGroup(title: "Encoding")
    var encoding: EncodingOptions

    @OptionGroup(title: "Messages")
    var messages: MessageOptions

    @Flag(help: "Replace the output if it exists.")
    var overwrite = false

    @Option(help: "Threads that the decoder and the encoder use each (default: as many as pay).")
    var threads: Int?

    func validate() throws {
        if let threads, threads < 1 { throw ValidationError("--threads takes a number from 1 up") }
        if output == "-", matte.poseOutput == "-" {
            throw ValidationError("the video and the pose output can't both go to standard output: use fd:3 and 3>file")
        }
    }

    func run() throws {
        try StreamOptions.refuseTerminals(input: input, output: output)
        let console = Console(verbosity: messages.verbosity)
        // A reader that goes away shows as an error of the write, which can be told from others.
        signal(SIGPIPE, SIG_IGN)
        let wasInterrupted: Bool
        do throws(MatteError) {
            wasInterrupted = try process(console)
        } catch {
            if error.kind != .readerGone { console.error(error.description) }
            throw ExitCode(error.kind.exitCode)
        }
        if wasInterrupted { throw ExitCode(130) }
    }

    /// Does the job; returns whether it was interrupted.
    private func process(_ console: Console) throws(MatteError) -> Bool {
        LibraryLog.setLevel(messages.verbose ? .info : .quiet)
        let interruption = Interruption()
        let reader: MediaReader
        let writer: MediaWriter
        do throws(MediaError) {
            reader = try MediaReader(path: input, options: readerOptions)
            writer = try MediaWriter(
                path: output, settings: encoderSettings, reader: reader, overwrite: overwrite,
                onWarning: console.warning)
        } catch {
            throw MatteError(error)
        }
        console.describe(reader)
        let filter = MatteFilter(matte.configuration(maskPixelFormat: streams.maskPixelFormat))
        let isTurned = reader.video.orientation.swapsAxes
        try filter.prepare(
            width: isTurned ? reader.video.height : reader.video.width,
            height: isTurned ? reader.video.width : reader.video.height)
        let poseWriter: PoseWriter?
        if let path = matte.poseOutput {
            poseWriter = try PoseWriter(path: path, overwrite: overwrite)
        } else {
            poseWriter = nil
        }
        let pipeline = Pipeline(reader: reader, filter: filter, writer: writer, poseWriter: poseWriter)
        interruption.perform(pipeline.interrupt)
        var display = ProgressDisplay(console: console, video: reader.video)
        let summary = try pipeline.run { display.show($0) }
        display.finish(
            summary, output: output == "-" ? "standard output" : output, damagedPackets: reader.damagedPacketCount)
        return summary.wasInterrupted
    }

    private var readerOptions: MediaReader.Options {
        MediaReader.Options(
            threads: threads ?? 0, start: range.start?.seconds, duration: range.duration?.seconds,
            frameLimit: range.limit, format: streams.format, pixelFormat: streams.pixelFormat, size: streams.size,
            rate: streams.rate, colorspace: streams.colorspace, colorRange: streams.colorRange)
    }

    private var encoderSettings: EncoderSettings {
        EncoderSettings(
            codec: encoding.codec, crf: encoding.crf, preset: encoding.preset,
            bitrate: encoding.bitrate?.bitsPerSecond,
            options: encoding.encoderOption.map { ($0.key, $0.value) }, threads: threads ?? 0,
            format: streams.outputFormat, pixelFormat: streams.outputPixelFormat,
            keepsAlpha: matte.outputKind == .foreground)
    }
}

extension MatteError.Kind {
    /// The exit code of `sysexits.h` for this sort of failure.
    var exitCode: Int32 {
        switch self {
        case .usage: 64
        case .badData: 65
        case .noInput: 66
        case .unavailable: 69
        case .internal: 70
        case .cannotCreate: 73
        case .io: 74
        // What a shell shows for a program that SIGPIPE ended.
        case .readerGone: 141
        }
    }
}
