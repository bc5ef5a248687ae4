import CFFmpeg

/// Which streams an output's container can hold.
struct StreamPlan {
    private(set) var copies: [StreamCopy] = []
    /// One sentence for each stream that must be left out, and for each that shows what the matte hides.
    private(set) var warnings: [String] = []
    /// The sound that takes the place of the input's; nil where there is none or the container can't hold it.
    private(set) var sound: StreamCopy?

    /// Tries the container with one stream after the other beside the video that is to be encoded.
    ///
    /// libavformat's list of codecs is not the whole truth (some muxers take one audio stream only, say), so the header
    /// is written to memory for a trial. `path` is the output's; `sound` of another file takes the place of the input's.
    init(
        _ container: InputContainer, video: UnsafeMutablePointer<AVStream>, size: (width: Int, height: Int),
        codec: AVCodecID, format: UnsafePointer<AVOutputFormat>, path: String,
        sound: UnsafeMutablePointer<AVStream>? = nil
    ) {
        let codecs = ContainerCodecs(format, path: path)
        let trial = HeaderTrial(format: format, timeBase: video.pointee.time_base, size: size, codec: codec)
        if let sound {
            let copy = StreamCopy(sound, in: format)
            self.sound = copy.isPossible(in: codecs) && trial?.accepts([copy]) ?? true ? copy : nil
        }
        for stream in container.streams where stream != video && !Self.isMadeByMuxer(stream, format) {
            if sound != nil, stream.pointee.codecpar.pointee.codec_type == AVMEDIA_TYPE_AUDIO { continue }
            let name = String(cString: format.pointee.name)
            if Self.lacksTimes(stream, in: container), name != "avi" {
                warnings.append(
                    "\(StreamDescription(stream)) is left out, because avi doesn't tell when its pictures are shown, which "
                        + "\(name) has to; .avi can hold it")
                continue
            }
            let (before, behind) = (copies, self.sound.map { [$0] } ?? [])
            // What lies in the header alone, as fonts do, matters to no other stream, and may be large.
            func isAccepted(_ copy: StreamCopy) -> Bool {
                trial?.accepts((copy.hasPackets ? before.filter(\.hasPackets) : []) + [copy] + behind) ?? true
            }
            let copy = StreamCopy(stream, in: format)
            let conversions = SubtitleConverter.all(of: stream).map { StreamCopy(stream, in: format, converter: $0) }
            if let held = ([copy] + conversions).first(where: { $0.isPossible(in: codecs) && isAccepted($0) }) {
                copies.append(held)
                warnings += Self.warning(of: StreamDescription(stream)).map { [$0] } ?? []
                continue
            }
            let fault = copy.isPossible(in: codecs) ? "does not take it as it is" : "can't hold it"
            warnings.append(
                "\(StreamDescription(stream)) is left out, because \(Self.reason(stream, not: name, fault))")
        }
    }

    /// Whoever hides a background should know where it is still to be seen.
    private static func warning(of copied: StreamDescription) -> String? {
        guard [.video, .cover].contains(copied.kind) else { return nil }
        return "\(copied) is copied with the background that it has; ffmpeg's '-map -0:\(copied.index)' leaves it out"
    }

    /// The converters of the streams that go in another codec, by the number of the input's stream.
    var converters: [Int: SubtitleConverter] {
        let pairs = copies.compactMap { copy in copy.converter.map { (Int(copy.source.pointee.index), $0) } }
        return Dictionary(uniqueKeysWithValues: pairs)
    }

    /// Adds the output's streams in the order of the input's; gives where the encoded video lies, where each copied stream does, and the
    /// cover pictures' packets.
    func addStreams(
        of source: ClipSource, to context: UnsafeMutablePointer<AVFormatContext>
    ) throws(AVError) -> (video: Int, copies: [Int: Int], covers: [Packet]) {
        var video = 0
        var indexes: [Int: Int] = [:]
        var covers: [Packet] = []
        for stream in source.container.streams {
            let position = Int(context.pointee.nb_streams)
            if stream == source.stream {
                let target = try AVError.allocated(avformat_new_stream(context, nil))
                target.pointee.disposition = stream.pointee.disposition
                try FileMetadata.copy(from: stream, toEncoded: target)
                try source.advanceTimeCode(&target.pointee.metadata)
                video = position
            } else if let copy = copies.first(where: { $0.source == stream }) {
                try copy.add(to: context, isWhole: source.options.isWhole)
                if copy.hasPackets { indexes[Int(stream.pointee.index)] = position }
                if let cover = try copy.coverPacket() { covers.append(cover) }
            }
        }
        return (video, indexes, covers)
    }

    /// Whether the pictures of a video are not in the order in which they are shown, and the container tells nothing else.
    private static func lacksTimes(_ stream: UnsafeMutablePointer<AVStream>, in container: InputContainer) -> Bool {
        container.formatName == "avi" && stream.pointee.codecpar.pointee.video_delay > 0
    }

    /// Tracks that the muxer makes anew: chapter titles out of the chapters, time code out of the metadata, where Matroska keeps it.
    private static func isMadeByMuxer(
        _ stream: UnsafeMutablePointer<AVStream>, _ format: UnsafePointer<AVOutputFormat>
    ) -> Bool {
        if stream.pointee.discard == AVDISCARD_ALL { return true }
        return stream.isTimeCode && ["mov", "mp4", "matroska", "webm"].contains(format.name)
    }

    /// What is wrong with the container `name`, and which one is better.
    private static func reason(
        _ stream: UnsafeMutablePointer<AVStream>, not name: String, _ fault: String
    ) -> String {
        let parameters = stream.pointee.codecpar.pointee
        if stream.isCoverPicture, stream.pointee.attached_pic.size == 0 { return "its picture is missing" }
        if stream.isTimeCode { return "\(name) \(fault); .mov can" }
        let isData = parameters.codec_type == AVMEDIA_TYPE_DATA
        let isFile = parameters.codec_type == AVMEDIA_TYPE_ATTACHMENT
        if parameters.codec_id == AV_CODEC_ID_NONE, !isData, !isFile { return "its codec is not known" }
        let others = ["matroska", "mp4", "mov", "mpegts", "webm", "nut"].filter { other in
            guard !isData, other != name, let format = av_guess_format(other, nil, nil) else { return false }
            return StreamCopy(stream, in: format).isPossible(in: ContainerCodecs(format))
        }
        let extensions = ["matroska": ".mkv", "mpegts": ".ts"]
        let hint = others.first.map { "\(extensions[$0] ?? "." + $0) can" } ?? "no container that FFmpeg writes can"
        return "\(name) \(fault); \(hint)"
    }
}

extension UnsafeMutablePointer<AVStream> {
    /// Whether the stream is QuickTime's track of time code ("tmcd"), which libavformat tells in the metadata as well.
    fileprivate var isTimeCode: Bool { pointee.codecpar.pointee.codec_tag == 0x6463_6D74 }
}
