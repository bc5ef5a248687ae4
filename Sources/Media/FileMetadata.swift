import CFFmpeg

/// Copies what belongs to the file as a whole: its metadata and its chapters.
enum FileMetadata {
    /// Keys that describe the input's container, not its contents.
    private static let containerKeys: Set<String> = [
        "major_brand", "minor_version", "compatible_brands", "encoder", "software",
    ]
    /// What libavformat's `mov_write_ilst_tag` and the movie header hold.
    private static let iTunesKeys: Set<String> = [
        "title", "artist", "album_artist", "composer", "album", "date", "comment", "genre", "copyright", "grouping",
        "lyrics", "description", "synopsis", "show", "episode_id", "network", "keywords", "episode_sort",
        "season_number", "media_type", "hd_video", "gapless_playback", "compilation", "track", "disc", "creation_time",
        "timecode", "location",
    ]
    /// Keys (of mkvmerge and the like) that count what is in the whole stream; followed by a language, perhaps.
    private static let statistics = ["BPS", "DURATION", "NUMBER_OF_FRAMES", "NUMBER_OF_BYTES", "_STATISTICS_"]
    /// Keys that describe the stream as it was encoded before.
    private static let encodingKeys = ["SOURCE_ID", "ENCODER", "ROTATE", "ALPHA_MODE"]

    /// By how many seconds chapters of a whole file may go on beyond what there is: they are seldom exact.
    static let chapterTolerance = 0.5

    static func copy(
        from input: UnsafeMutablePointer<AVFormatContext>, to output: UnsafeMutablePointer<AVFormatContext>
    ) throws(AVError) {
        let isQuickTime = OutputContainer.isQuickTimeFamily(output.pointee.oformat)
        let hasCover = (0..<Int(output.pointee.nb_streams)).contains { output.pointee.streams[$0]!.isCoverPicture }
        for entry in entries(of: input.pointee.metadata) where !containerKeys.contains(entry.key.lowercased()) {
            let key = entry.key
            // Matroska's keys are in capitals.
            let name = (key.split(separator: "-").first.map(String.init) ?? key).lowercased()
            let isKnown = isQuickTime && iTunesKeys.contains(name)
            try AVError.check(
                isKnown
                    ? av_dict_set(&output.pointee.metadata, key.lowercased(), entry.value, 0)
                    : av_dict_set(&output.pointee.metadata, entry.bytes, entry.value, 0))
            // The muxer writes what iTunes knows, a cover picture among it, or else all keys in QuickTime's own way, as
            // cameras do (make, model).
            if isQuickTime, !hasCover, !isKnown {
                av_opt_set(output, "movflags", "+use_metadata_tags", AV_OPT_SEARCH_CHILDREN)
            }
        }
    }

    /// Copies the metadata of the stream that is encoded anew.
    static func copy(
        from input: UnsafeMutablePointer<AVStream>, toEncoded output: UnsafeMutablePointer<AVStream>
    ) throws(AVError) {
        try copy(input.pointee.metadata, but: statistics + encodingKeys, to: &output.pointee.metadata)
    }

    /// Copies the metadata of a stream whose packets are copied: all of them, or, where it is not `isWhole`, a part.
    static func copy(
        from input: UnsafeMutablePointer<AVStream>, toCopied output: UnsafeMutablePointer<AVStream>, isWhole: Bool
    ) throws(AVError) {
        try copy(input.pointee.metadata, but: isWhole ? [] : statistics, to: &output.pointee.metadata)
    }

    private static func copy(
        _ metadata: OpaquePointer?, but prefixes: [String], to target: inout OpaquePointer?
    ) throws(AVError) {
        for entry in entries(of: metadata) where !prefixes.contains(where: entry.key.uppercased().hasPrefix) {
            try AVError.check(av_dict_set(&target, entry.bytes, entry.value, 0))
        }
    }

    /// Copies the chapters that lie within the clip, on the output's timeline: and before `end` seconds of it, where those are known,
    /// which they may pass by `tolerance`.
    static func copyChapters(
        from input: UnsafeMutablePointer<AVFormatContext>, clip: Clip, end contentEnd: Double? = nil,
        tolerance: Double = 0, to output: UnsafeMutablePointer<AVFormatContext>
    ) throws(AVError) {
        let count = Int(input.pointee.nb_chapters)
        guard count > 0 else { return }
        let size = MemoryLayout<UnsafeMutablePointer<AVChapter>?>.size
        let list = try AVError.allocated(av_calloc(count, size))
        output.pointee.chapters = list.assumingMemoryBound(to: UnsafeMutablePointer<AVChapter>?.self)
        for index in 0..<count {
            let source = input.pointee.chapters[index]!.pointee
            // A muxer refuses the whole file for a chapter that can't be meant.
            guard TimeBounds.holdsTime(source.start, source.time_base),
                TimeBounds.holdsTime(source.end, source.time_base),
                source.start <= source.end
            else { continue }
            let origin = clip.origin ?? 0
            guard let offset = TimeBounds.rescaled(origin, from: clip.timeBase, to: source.time_base) else { continue }
            var (start, end) = (source.start - offset, source.end - offset)
            guard start >= 0 || end > 0 else { continue }
            start = max(start, 0)
            let limit = clip.end.flatMap { TimeBounds.rescaled($0, from: clip.timeBase, to: source.time_base) }
            if let limit {
                guard start < limit else { continue }
                end = min(end, limit)
            }
            if let contentEnd {
                let limit = TimeBounds.units(contentEnd, source.time_base)
                guard start < limit else { continue }
                if end > limit + TimeBounds.units(tolerance, source.time_base) { end = limit }
            }
            let memory = try AVError.allocated(av_mallocz(MemoryLayout<AVChapter>.size))
            let chapter = memory.assumingMemoryBound(to: AVChapter.self)
            chapter.pointee.id = source.id
            chapter.pointee.time_base = source.time_base
            chapter.pointee.start = start
            chapter.pointee.end = end
            output.pointee.chapters[Int(output.pointee.nb_chapters)] = chapter
            output.pointee.nb_chapters += 1
            try AVError.check(av_dict_copy(&chapter.pointee.metadata, source.metadata, 0))
        }
    }

    /// A key and its value as they are there, which need not be UTF-8, for as long as the dictionary isn't changed.
    private struct Entry {
        let bytes: UnsafePointer<CChar>
        let value: UnsafePointer<CChar>
        var key: String { String(cString: bytes) }
    }

    private static func entries(of dictionary: OpaquePointer?) -> [Entry] {
        var entries: [Entry] = []
        var entry: UnsafeMutablePointer<AVDictionaryEntry>?
        while let next = av_dict_get(dictionary, "", entry, AV_DICT_IGNORE_SUFFIX) {
            entries.append(Entry(bytes: next.pointee.key, value: next.pointee.value))
            entry = next
        }
        return entries
    }
}
