/// The extension that the output of one of many inputs has, without its dot.
public enum OutputExtension {
    /// That of `input`, if an output of that name can hold what `settings` make of a file of that kind, or else the first of the usual
    /// ones that can: PNG or TIFF for an image, MP4 or Matroska for a video, with alpha QuickTime, WebM or Matroska.
    public static func usual(for input: String, kind: MediaKind, settings: EncoderSettings) -> String {
        let usual = kind == .image ? ["png", "tiff"] : settings.keepsAlpha ? ["mov", "webm", "mkv"] : ["mp4", "mkv"]
        let own = Self.of(input)
        let candidates = (own.isEmpty ? [] : [own]) + usual
        return candidates.first { (try? check("output.\($0)", kind: kind, settings: settings)) != nil } ?? usual[0]
    }

    /// The extension of a path; empty where there is none.
    public static func of(_ path: String) -> String {
        let name = path.split(separator: "/").last ?? ""
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return "" }
        return String(name[name.index(after: dot)...])
    }

    /// Tells before anything is done that one file at `path` can't hold what `settings` make of an input of that kind.
    ///
    /// - Throws: `.usage` for a name that tells no container or a number's pattern, an encoder that doesn't fit it, alpha that it
    ///   can't hold, and an image file for a video.
    public static func check(_ path: String, kind: MediaKind, settings: EncoderSettings) throws(MediaError) {
        guard let image = ImageFormat(path: path, settings: settings, isInputImage: kind == .image) else {
            let format = try OutputContainer.format(named: settings.format, for: path, inputFormat: "")
            _ = try EncoderChoice.codec(settings, in: format, path: path)
            return
        }
        guard kind == .image else {
            throw MediaError(
                kind: .usage, file: path, operation: "create",
                cause: "an image holds one frame, and the input is a video",
                advice: "choose another extension, or make the images of each video in a run of its own")
        }
        guard !ImageNames(path: path).isNumbered else {
            throw MediaError(
                kind: .usage, file: path, operation: "create",
                cause: "the percent sign in its name stands for an image's number", advice: "rename the input")
        }
        _ = try image.encoder(named: settings.codec, file: path)
        if settings.keepsAlpha { try image.requireAlpha(file: path) }
    }
}
