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
            matte devices
            matte control <command> ...
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
              ffmpeg -i in.mp4 -f yuv4mpegpipe - | matte - - | ffmpeg -i - out.mp4
                  Between two other programs; - is standard input or output.
              matte /dev/video0 /dev/video10
                  A webcam in, a virtual webcam out, for meetings; 'matte devices' lists both.

            Exit codes: 0 done, 64 usage, 65 bad data, 66 no input, 69 a model, the runtime or hardware is missing, 70 internal, \
            73 can't create the output, 74 input or output failed, 130 interrupted, 141 nobody reads the output any more.
            """,
        version: Version.text)

    @Argument(help: "The video to read, or a camera; - is standard input.", completion: .file())
    var input: String

    @Argument(
        help: "The video to write, whose extension tells the container, or a virtual camera; - is standard output.",
        completion: .file())
    var output: String?

    @OptionGroup(title: "Matte")
    var matte: MatteOptions

    @OptionGroup(title: "Framing")
    var framing: FramingOptions

    @OptionGroup(title: "Streams")
    var streams: StreamOptions

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

    @Flag(help: "Replace the output if it exists.")
    var overwrite = false

    @Flag(help: "Say at the end where the time went.")
    var stats = false

    @Option(help: "Threads that the decoder and the encoder use each (default: as many as pay).")
    var threads: Int?

    func validate() throws {
        if let threads, threads < 1 { throw ValidationError("--threads takes a number from 1 up") }
        if output == nil, !live.preview {
            throw ValidationError("name an output, or look at the result with --preview")
        }
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

    /// What a run begins with.
    private struct Ends {
        let reader: MediaReader
        let virtualCamera: OutputDevice?
        let preview: OutputDevice?
        let isLive: Bool
    }

    /// Does the job; returns whether it was interrupted.
    private func process(_ console: Console) throws(MatteError) -> Bool {
        LibraryLog.setLevel(messages.verbose ? .info : .quiet)
        let interruption = Interruption()
        let ends = try open()
        console.describe(ends.reader)
        try refuseMisplaced(ends)
        let target = try target(ends, console)
        let poseWriter = try matte.poseOutput.map { (path) throws(MatteError) in
            try PoseWriter(path: path, overwrite: overwrite)
        }
        if case .writer(let writer) = target, !ends.isLive {
            return try runFile(ends, writer, poseWriter, console, interruption)
        }
        let run = LiveRun(
            console: console, configuration: configuration, outputName: output,
            options: LivePipeline.Options(
                watchedDevice: live.onDemand ? ends.virtualCamera?.path : nil, frameLimit: range.limit,
                duration: range.duration?.seconds),
            controlPath: live.control, showsStatistics: stats)
        return try run.perform(
            reader: ends.reader, readerOptions: readerOptions(isLive: true), output: target, preview: ends.preview,
            poseWriter: poseWriter, interruption: interruption)
    }

    private func open() throws(MatteError) -> Ends {
        do throws(MediaError) {
            let virtualCamera = try output.flatMap { (name) throws(MediaError) in
                try OutputDevice.virtualCamera(name, pixelFormat: streams.outputPixelFormat)
            }
            let camera = try VideoDevice.find(input, as: .camera)
            let isLive = live.live || camera != nil || virtualCamera != nil || output == nil
            return Ends(
                reader: try MediaReader(path: input, options: readerOptions(isLive: isLive)),
                virtualCamera: virtualCamera, preview: live.preview ? try OutputDevice.window(title: "matte") : nil,
                isLive: isLive)
        } catch {
            throw MatteError(error)
        }
    }

    private func target(_ ends: Ends, _ console: Console) throws(MatteError) -> LiveOutput {
        if let virtualCamera = ends.virtualCamera { return .virtualCamera(virtualCamera) }
        guard let output else { return .nowhere }
        return .writer(try writer(to: output, reader: ends.reader, console: console))
    }

    private var configuration: Configuration {
        var configuration = matte.configuration(
            maskPixelFormat: streams.maskPixelFormat, start: range.start?.seconds ?? 0)
        configuration.models.device = hardware.device
        if framing.follow { configuration.framing = .follow(aspect: framing.aspect?.ratio) }
        return configuration
    }

    /// The part of the picture that the people are in all the way; nil where the search was interrupted.
    private func searchExtent(_ console: Console, _ interruption: Interruption) throws(MatteError) -> Framing? {
        let reader: MediaReader
        do throws(MediaError) {
            reader = try MediaReader(path: input, options: readerOptions(isLive: false))
        } catch {
            throw MatteError(error)
        }
        let search = PersonExtentSearch(reader: reader, configuration: configuration)
        interruption.perform(search.interrupt)
        console.note("looking for the people first")
        var display = ProgressDisplay(console: console, video: reader.video)
        let region = try search.run(aspect: framing.aspect?.ratio) { display.show($0) }
        if search.wasInterrupted {
            console.note("interrupted before the first frame; nothing was written")
            return nil
        }
        guard let region else {
            console.warning("nobody was found in \(input): the crop is the middle of the picture")
            return .middle(aspect: framing.aspect?.ratio)
        }
        return .region(region)
    }

    private func runFile(
        _ ends: Ends, _ writer: MediaWriter, _ poseWriter: PoseWriter?, _ console: Console, _ interruption: Interruption
    ) throws(MatteError) -> Bool {
        let reader = ends.reader
        var configuration = configuration
        if framing.cropToPerson, !framing.follow {
            guard let region = try searchExtent(console, interruption) else { return true }
            configuration.framing = region
        }
        let filter = MatteFilter(configuration)
        let isTurned = reader.video.orientation.swapsAxes
        try filter.prepare(
            width: isTurned ? reader.video.height : reader.video.width,
            height: isTurned ? reader.video.width : reader.video.height)
        let pipeline = Pipeline(
            reader: reader, filter: filter, writer: writer, preview: ends.preview, poseWriter: poseWriter)
        interruption.perform(pipeline.interrupt)
        var display = ProgressDisplay(console: console, video: reader.video)
        let summary = try pipeline.run { display.show($0) }
        display.finish(summary, output: writer.path, damagedPackets: reader.damagedPacketCount)
        if stats { console.report(summary.statistics.report) }
        return summary.wasInterrupted
    }

    private func writer(to output: String, reader: MediaReader, console: Console) throws(MatteError) -> MediaWriter {
        do throws(MediaError) {
            return try MediaWriter(
                path: output, settings: encoderSettings, reader: reader, sound: try backgroundSound,
                overwrite: overwrite, onWarning: console.warning)
        } catch {
            throw MatteError(error)
        }
    }

    private static func isSameFile(_ first: String, _ second: String) -> Bool {
        var (one, other) = (stat(), stat())
        return stat(first, &one) == 0 && stat(second, &other) == 0 && one.st_dev == other.st_dev
            && one.st_ino == other.st_ino
    }

    private var backgroundSound: BackgroundSound? {
        get throws(MediaError) {
            guard matte.backgroundAudio, case .media(let path) = matte.background else { return nil }
            return try BackgroundSound(path: path, start: range.start?.seconds ?? 0)
        }
    }

    /// Options that would do nothing are mistakes.
    private func refuseMisplaced(_ ends: Ends) throws(MatteError) {
        if live.onDemand, ends.virtualCamera == nil || !ends.reader.isCamera {
            throw MatteError(.usage, "--on-demand needs a camera and a virtual camera")
        }
        if live.control != nil, !ends.isLive {
            throw MatteError(.usage, "--control needs a camera, a virtual camera or --live")
        }
        if ends.virtualCamera != nil, configuration.hasAlpha {
            throw MatteError(.usage, "a virtual camera holds no alpha: choose a background")
        }
        if framing.cropToPerson, !framing.follow, ends.isLive || !ends.reader.isSeekable {
            throw MatteError(
                .usage, "--crop-to-person looks through the whole video first, which only a file can be: add --follow")
        }
        if let output, case .media(let path) = matte.background, Self.isSameFile(path, output) {
            throw MatteError(
                .cannotCreate, "can't create '\(output)': it is the background that is being read; choose another name")
        }
        let isEncoded = output != nil && ends.virtualCamera == nil
        if hardware.hwaccelDevice != nil, !hardware.accelerates, !isEncoded || !encoderSettings.takesHardwareDevice {
            throw MatteError(.usage, "--hwaccel-device is for --hwaccel and for hardware encoders: leave it out")
        }
        if matte.backgroundAudio, !isEncoded || ends.isLive {
            throw MatteError(.usage, "--background-audio is for files: leave it out")
        }
        if !isEncoded, let name = encoding.givenOption ?? streams.outputFormat.map({ _ in "--output-format" }) {
            throw MatteError(.usage, "\(name) is for files and streams: leave it out")
        }
    }

    /// A live run counts its frames and seconds itself, since it may open a camera more than once.
    private func readerOptions(isLive: Bool) -> MediaReader.Options {
        MediaReader.Options(
            threads: threads ?? 0, isLive: isLive, start: range.start?.seconds,
            duration: isLive ? nil : range.duration?.seconds, frameLimit: isLive ? nil : range.limit,
            format: streams.format, pixelFormat: streams.pixelFormat, size: streams.size,
            rate: streams.rate, colorspace: streams.colorspace, colorRange: streams.colorRange,
            forAlpha: configuration.hasAlpha, hwaccel: hardware.hwaccel, hwaccelDevice: hardware.hwaccelDevice,
            decoder: hardware.decoder)
    }

    private var encoderSettings: EncoderSettings {
        EncoderSettings(
            codec: encoding.codec, crf: encoding.crf, preset: encoding.preset,
            bitrate: encoding.bitrate?.bitsPerSecond,
            options: encoding.encoderOption.map { ($0.key, $0.value) }, threads: threads ?? 0,
            format: streams.outputFormat, pixelFormat: streams.outputPixelFormat,
            keepsAlpha: configuration.hasAlpha, alpha: encoding.alpha ?? .straight,
            hardwareDevice: hardware.hwaccelDevice)
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
