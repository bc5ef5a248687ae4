import CFFmpeg

/// What a container tells of times, rates and lengths, and how far it can be believed.
extension InputContainer {
    /// Whether time stamps may start anywhere and jump, as in MPEG-TS.
    var hasArbitraryTimeline: Bool { context.pointee.iformat.pointee.flags & AVFMT_TS_DISCONT != 0 }

    /// Frames per second: the average, or what FFmpeg guesses where there is none; `0/1` where nothing is known.
    func frameRate(of stream: UnsafeMutablePointer<AVStream>) -> AVRational {
        let average = stream.pointee.avg_frame_rate
        if average.num > 0, average.den > 0 { return average }
        let guess = av_guess_frame_rate(context, stream, nil)
        return guess.num > 0 && guess.den > 0 ? guess : AVRational(num: 0, den: 1)
    }

    /// The lowest rate at which every frame falls on a tick, where that is plausible; the average otherwise.
    func gridRate(of stream: UnsafeMutablePointer<AVStream>) -> AVRational {
        let grid = stream.pointee.r_frame_rate
        return grid.num > 0 && grid.den > 0 && av_q2d(grid) <= 240 ? grid : frameRate(of: stream)
    }

    /// Seconds of the stream, or of the file where the stream does not tell; nil where nothing does.
    func duration(of stream: UnsafeMutablePointer<AVStream>) -> Double? {
        let whole = context.pointee.duration
        let length = stream.pointee.duration
        let seconds =
            length != FFNoTimestamp && length > 0
            ? Double(length) * av_q2d(stream.pointee.time_base)
            : Self.matroskaDuration(of: stream) ?? Double(whole) / Double(AV_TIME_BASE)
        return isPlausible(seconds) ? seconds : nil
    }

    /// Seconds of a track of Matroska, whose end a tag of FFmpeg's and mkvmerge's tells; nil where none does.
    private static func matroskaDuration(of stream: UnsafeMutablePointer<AVStream>) -> Double? {
        guard let tag = av_dict_get(stream.pointee.metadata, "DURATION", nil, AV_DICT_IGNORE_SUFFIX) else { return nil }
        var microseconds: Int64 = 0
        guard av_parse_time(&microseconds, tag.pointee.value, 1) >= 0, microseconds > 0 else { return nil }
        let start = stream.pointee.start_time
        let beginning = start == FFNoTimestamp ? 0 : max(0, Double(start) * av_q2d(stream.pointee.time_base))
        return Double(microseconds) / Double(AV_TIME_BASE) - beginning
    }

    /// Seconds that the header of a file tells for the whole of it; nil where it tells nothing.
    var toldDuration: Double? {
        guard file?.isRegular ?? false, !hasNoTimestamps,
            context.pointee.duration_estimation_method == AVFMT_DURATION_FROM_STREAM
        else { return nil }
        // A track of chapters, which nobody reads, may go on beyond all others.
        let streams = (0..<Int(context.pointee.nb_streams)).compactMap { context.pointee.streams[$0]?.pointee }
        let ends = streams.filter { $0.discard.rawValue < AVDISCARD_ALL.rawValue && $0.duration > 0 }
            .map { Double($0.duration) * av_q2d($0.time_base) }
        let whole = Double(context.pointee.duration) / Double(AV_TIME_BASE)
        let seconds = streams.contains { $0.discard.rawValue >= AVDISCARD_ALL.rawValue } ? ends.max() ?? whole : whole
        return isPlausible(seconds) ? seconds : nil
    }

    /// Less than a byte per second is none: fragmented files without an index make FFmpeg believe in days.
    private func isPlausible(_ seconds: Double) -> Bool {
        seconds > 0 && seconds < file.map { Double($0.size) } ?? .infinity
    }

    /// Whether the container has no time stamps at all, as raw Annex B.
    var hasNoTimestamps: Bool { context.pointee.iformat.pointee.flags & AVFMT_NOTIMESTAMPS != 0 }

    /// Whether a place in it can be found by its time; the times of bare streams are only counted from their beginning.
    var isSearchable: Bool {
        let remembersOnly = context.pointee.iformat.pointee.flags & AVFMT_GENERIC_INDEX != 0
        return source.isSeekable && !hasNoTimestamps && (!remembersOnly || hasArbitraryTimeline)
    }

    /// The first time stamp of any stream in microseconds; 0 where unknown.
    var startTime: Int64 { context.pointee.start_time == FFNoTimestamp ? 0 : context.pointee.start_time }

    /// The same in seconds.
    var startSeconds: Double { Double(startTime) / Double(AV_TIME_BASE) }
}
