import Matte
import Media

/// What a run begins with.
struct Ends {
    let reader: MediaReader
    var virtualCamera: OutputDevice?
    var preview: OutputDevice?
    var isLive = false

    /// Options that would do nothing are mistakes; `output` is nil where the result is only looked at.
    func refuseMisplaced(_ command: MatteCommand, output: String?, poseOutput: String?) throws(MatteError) {
        if command.live.onDemand, virtualCamera == nil || !reader.isCamera {
            throw MatteError(.usage, "--on-demand needs a camera and a virtual camera")
        }
        if command.live.control != nil, !isLive {
            throw MatteError(.usage, "--control needs a camera, a virtual camera or --live")
        }
        if virtualCamera != nil, command.configuration.hasAlpha {
            throw MatteError(.usage, "a virtual camera holds no alpha: choose a background")
        }
        if command.range.runIn != nil, isLive {
            throw MatteError(.usage, "--run-in is for files that are not live: leave it out")
        }
        let framing = command.framing
        if framing.cropToPerson, !framing.follow, isLive || !reader.isSeekable {
            throw MatteError(
                .usage, "--crop-to-person looks through the whole video first, which only a file can be: add --follow")
        }
        try refuseLostTable(poseOutput, input: reader.path, output: output)
        for written in [output, poseOutput].compactMap(\.self) {
            guard case .media(let path) = command.matte.background, let file = LocalFile(path: path),
                file.identity == LocalFile(path: written)?.identity
            else { continue }
            throw MatteError(
                .cannotCreate, "can't create '\(written)': it is the background that is being read; choose another name"
            )
        }
        let isEncoded = output != nil && virtualCamera == nil
        let hardware = command.hardware
        if hardware.hwaccelDevice != nil, !hardware.accelerates,
            !isEncoded || !command.encoderSettings.takesHardwareDevice
        {
            throw MatteError(.usage, "--hwaccel-device is for --hwaccel and for hardware encoders: leave it out")
        }
        if command.matte.backgroundAudio, !isEncoded || isLive {
            throw MatteError(.usage, "--background-audio is for files: leave it out")
        }
        let misplaced = command.encoding.givenOption ?? command.streams.outputFormat.map { _ in "--output-format" }
        if !isEncoded, let misplaced {
            throw MatteError(.usage, "\(misplaced) is for files and streams: leave it out")
        }
        if output == nil, command.streams.outputPixelFormat != nil {
            throw MatteError(.usage, "--output-pix-fmt is for what is written: leave it out")
        }
    }

    // Each would take the other's name in the end.
    private func refuseLostTable(_ table: String?, input: String, output: String?) throws(MatteError) {
        guard let table, try PoseWriter.descriptor(of: table) == nil else { return }
        if LocalFile.areOne(table, input) {
            throw MatteError(
                .cannotCreate, "can't create '\(table)': it is the file that is being read; choose another name")
        }
        if let output, LocalFile.areOne(table, output) {
            throw MatteError(.usage, "the faces and the video can't both be written to '\(table)': choose another name")
        }
    }
}
