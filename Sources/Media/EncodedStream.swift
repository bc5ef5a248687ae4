import CFFmpeg
import Imaging

/// The output's stream of encoded pictures, which the first of them settles: its format, size, colours and turn.
struct EncodedStream {
    let container: OutputContainer
    let encoder: Encoder
    let pixelFormats: PixelFormatChoice
    let alpha: AlphaKind
    /// Its number in the container.
    let index: Int
    let input: InputFacts
    let warnings: Warnings

    /// Opens the encoder and writes the container's header; gives what makes pictures for the encoder, and their times.
    ///
    /// - Throws: `.usage` where encoder or container refuse the picture.
    func open(for frame: VideoFrame) throws(MediaError) -> (exporter: FrameExporter, times: FrameTimes) {
        let holdsRotation = OutputContainer.isQuickTimeFamily(container.format)
        let rotation: Orientation = holdsRotation ? .up : frame.orientation
        let source = FrameExporter.rotatedFormat(frame.pixelBuffer.format, by: rotation)
        var format = try EncoderFormat(
            codec: encoder.codec, choice: pixelFormats, frame: frame, rotation: rotation, own: try ownFormat(of: source)
        )
        if !tellsRange { format.limitRange() }
        if format.isWidenedForSize {
            warnings(
                "\(pixelFormats.holder) can't hold \(source) at the odd size \(format.width)x\(format.height): it is "
                    + "written as \(format.pixelFormat.name), which some players can't show")
        }
        let times = FrameTimes(
            of: input, inputUnit: frame.timeBase.av, codec: encoder.codec.pointee.id,
            countsFrames: encoder.countsFrames,
            format: container.format, warnings: warnings)
        try openEncoder(format, timeBase: times.timeBase, frame: frame, rotation: rotation)
        do {
            try describe(format, frame: frame, holdsRotation: holdsRotation)
        } catch {
            throw MediaError(error, kind: .internal, file: container.path, operation: "create")
        }
        try writeHeader(format)
        return (FrameExporter(format: format, rotation: rotation, alpha: alpha), times)
    }

    /// The format that a picture has by itself; raw frames that came in another one go out in it again, grey ones with colour added to them
    /// where nothing beside the frames would tell.
    ///
    /// - Throws: `.usage` where nothing can be converted to that, and nothing beside the frames tells what they are.
    private func ownFormat(of source: PixelFormat) throws(MediaError) -> AVPixelFormat {
        guard let raw = input.rawFormat, encoder.codec.pointee.id == AV_CODEC_ID_RAWVIDEO else { return source.av }
        let isSame = source == PixelFormat.lending(raw) ?? PixelFormat.nearest(to: raw)
        let hasGainedColor = raw.isGray && source.colorModel == .yuv && !source.hasAlphaPlane
        guard isSame || hasGainedColor && container.format.name == "rawvideo" else { return source.av }
        guard sws_isSupportedOutput(raw) == 0 else { return raw.withoutRange }
        guard container.format.name != "rawvideo" || pixelFormats.requested != nil else {
            throw MediaError(
                kind: .usage, file: container.path, operation: "create",
                cause: "nothing can be converted to raw frames of \(raw.name)",
                advice: "choose what they become with --output-pix-fmt")
        }
        return source.av
    }

    /// Whether whoever reads the video learns that the range is full; for raw frames it is who asks for them that knows.
    private var tellsRange: Bool {
        let codec = encoder.codec.pointee.id
        if Self.tellingRange.contains(codec) { return true }
        return !Self.limitedRange.contains(codec)
            && ["matroska", "webm", "mp4", "mxf", "yuv4mpegpipe", "rawvideo"].contains(container.format.name)
    }

    /// Codecs whose stream tells the range.
    private static let tellingRange = [
        AV_CODEC_ID_H264, AV_CODEC_ID_HEVC, AV_CODEC_ID_AV1, AV_CODEC_ID_VP9, AV_CODEC_ID_MJPEG, AV_CODEC_ID_LJPEG,
        AV_CODEC_ID_DNXHD, AV_CODEC_ID_DIRAC,
    ]

    /// Codecs whose decoders say that it is limited, whatever the container tells.
    private static let limitedRange = [
        AV_CODEC_ID_PRORES, AV_CODEC_ID_MPEG1VIDEO, AV_CODEC_ID_MPEG2VIDEO, AV_CODEC_ID_VP8,
    ]

    private func openEncoder(
        _ format: EncoderFormat, timeBase: AVRational, frame: VideoFrame, rotation: Orientation
    ) throws(MediaError) {
        if encoder.name == "libx265" {
            encoder.addParameters(
                (LibraryLog.isQuiet ? ["log-level=none"] : [])
                    + (input.lightLevels(of: format.color)?.x265Parameters ?? []), to: "x265-params")
        }
        let properties = (frame.attachments as? FrameProperties)?.frame.pointer
        let isTopFieldFirst = properties.map { FFFrameIsTopFieldFirst($0) != 0 } ?? true
        let isInterlaced = frame.isInterlaced && !rotation.swapsAxes
        if isInterlaced, !encoder.codesFields, !encoder.isRaw, !container.tellsFieldOrder {
            warnings(
                "that the frames are interlaced is left out, because \(container.format.name) can't tell it of "
                    + "\(encoder.name)'s; .mkv can")
        }
        warnOfFewerBits(format, source: frame.pixelBuffer.format)
        warnOfLostTags(format)
        try encoder.open(
            format, timeBase: timeBase, frameRate: input.frameRate, isInterlaced: isInterlaced,
            isTopFieldFirst: isTopFieldFirst != FrameExporter.swapsFields(rotation, height: format.height),
            hasGlobalHeader: container.format.pointee.flags & AVFMT_GLOBALHEADER != 0)
    }

    // What somebody asked for needs no word.
    private func warnOfFewerBits(_ format: EncoderFormat, source: PixelFormat) {
        let bits = format.pixelFormat.bitDepth
        guard bits < source.bitDepth, !source.isFloatingPoint, pixelFormats.requested == nil else { return }
        let keepsAlpha = pixelFormats.keepsAlpha(of: source)
        let taken = keepsAlpha ? pixelFormats.accepted.filter(\.hasAlpha) : pixelFormats.accepted
        guard taken.allSatisfy({ $0.bitDepth <= bits }) else { return }
        let other = container.format.name == "webm" ? "libvpx-vp9" : "libx265 in .mkv"
        warnings(
            "pixels keep \(bits) bits of more, because \(pixelFormats.holder) takes no more"
                + (keepsAlpha ? " with alpha; prores_ks in .mov does" : "; \(other) does"))
    }

    // Of raw frames nobody expects that they tell anything.
    private func warnOfLostTags(_ format: EncoderFormat) {
        let (name, codec) = (container.format.name, encoder.codec.pointee.id)
        guard name != "rawvideo" else { return }
        let codecName = String(cString: avcodec_get_name(codec))
        let holder = [codecName, "yuv4mpegpipe"].contains(name) ? name : "\(codecName) in \(name)"
        if format.color.isHDR, !OutputContainer.isQuickTimeFamily(container.format),
            !["matroska", "webm", "mxf"].contains(name), !Self.tellingColors.contains(codec)
        {
            warnings("the pictures are HDR, which \(holder) can't tell; .mkv can")
        }
        let aspect = format.sampleAspectRatio
        if aspect.isKnown, aspect.numerator != aspect.denominator,
            ["webp", "ivf", "obu", "flv", "swf"].contains(name), !Self.tellingAspect.contains(codec)
        {
            warnings(
                "a pixel is \(aspect.numerator):\(aspect.denominator) wide, which \(holder) can't tell: it will be shown "
                    + "square; .mkv can")
        }
    }

    /// Codecs whose stream tells the transfer of its colours.
    private static let tellingColors = [
        AV_CODEC_ID_H264, AV_CODEC_ID_HEVC, AV_CODEC_ID_AV1, AV_CODEC_ID_PRORES, AV_CODEC_ID_MPEG2VIDEO,
    ]

    /// Codecs whose stream tells the aspect of a pixel.
    private static let tellingAspect = [
        AV_CODEC_ID_H264, AV_CODEC_ID_HEVC, AV_CODEC_ID_MPEG1VIDEO, AV_CODEC_ID_MPEG2VIDEO, AV_CODEC_ID_MPEG4,
    ]

    private func describe(_ format: EncoderFormat, frame: VideoFrame, holdsRotation: Bool) throws(AVError) {
        let stream = container.stream(index)
        try AVError.check(avcodec_parameters_from_context(stream.pointee.codecpar, encoder.context))
        if encoder.codec.pointee.id == AV_CODEC_ID_HEVC, OutputContainer.isQuickTimeFamily(container.format) {
            // "hvc1": Apple's players take no other.
            stream.pointee.codecpar.pointee.codec_tag = 0x3163_7668
        }
        if encoder.codec.pointee.id == AV_CODEC_ID_RAWVIDEO, ["avi", "mov"].contains(container.format.name),
            !Self.isKnownToReaders(rawTag: stream.pointee.codecpar.pointee.codec_tag)
                || container.format.name == "mov" && format.pixelFormat == AV_PIX_FMT_GRAY8
        {
            // The muxer chooses a tag that tells the format, if there is one. By any other, grey is read from QuickTime as its negative.
            stream.pointee.codecpar.pointee.codec_tag = 0
            container.context.pointee.strict_std_compliance = FF_COMPLIANCE_NORMAL
        }
        stream.pointee.time_base = encoder.timeBase
        stream.pointee.avg_frame_rate = input.frameRate
        stream.pointee.sample_aspect_ratio = format.sampleAspectRatio.av
        for piece in input.lightLevels(of: format.color)?.sideData ?? [] { try piece.add(to: stream) }
        for piece in input.keptSideData(of: format.color) { try piece.add(to: stream) }
        if holdsRotation, let matrix = displayMatrix(of: frame) {
            let bytes = matrix.elements.withUnsafeBytes { Array($0) }
            try StreamSideData(type: AV_PKT_DATA_DISPLAYMATRIX, bytes: bytes).add(to: stream)
        }
    }

    private func writeHeader(_ format: EncoderFormat) throws(MediaError) {
        container.prepareLoop(playCount: input.playCount)
        container.prepareQuickTime(timeBase: encoder.timeBase, color: format.color)
        let logPosition = LibraryLog.position
        do {
            try container.writeHeader()
        } catch {
            throw MediaError(
                error, kind: .usage, file: container.path, operation: "create", detail: container.lastError)
        }
        // The muxers of AVI and QuickTime write raw frames of every format, and say of some that nobody can read them.
        guard
            !LibraryLog.hasError(
                from: UInt(bitPattern: container.context), containing: ["will be unreadable"], since: logPosition)
        else {
            throw MediaError(
                kind: .usage, file: container.path, operation: "create",
                cause: "\(container.format.name) can't hold raw frames of \(format.pixelFormat.name)",
                advice: "name the output .nut, or choose another --output-pix-fmt")
        }
    }

    /// Whether readers of AVI and QuickTime tell a format of raw frames by its tag, as they do by those of RIFF.
    private static func isKnownToReaders(rawTag: UInt32) -> Bool {
        let tags = [avformat_get_riff_video_tags(), nil]
        return av_codec_get_id(tags, rawTag) == AV_CODEC_ID_RAWVIDEO
    }

    /// The input's own matrix to the bit, as long as the frame is still turned the way that it says and has the size that it moves the
    /// picture by.
    private func displayMatrix(of frame: VideoFrame) -> DisplayMatrix? {
        if let matrix = input.displayMatrix, frame.orientation == input.orientation,
            (frame.pixelBuffer.width, frame.pixelBuffer.height) == input.size
        {
            return matrix
        }
        return frame.orientation == .up ? nil : DisplayMatrix(frame.orientation)
    }
}
