import CFFmpeg

/// What sort of pictures a file holds.
public enum MediaKind: Sendable {
    case video
    /// One picture in an image file.
    case image

    /// Looks into the file at `path`, without decoding a frame that is to be seen; `options` tell the layout of raw frames.
    ///
    /// A file that can't be read counts as what its name says, so that whoever reads it hears why. nil where there are no pictures: cover
    /// art of music and text count as none.
    public init?(path: String, options: MediaReader.Options = .init()) {
        do throws(MediaError) {
            let container = try InputContainer(
                path: path, format: InputFormat(options, path: path), limits: options.limits)
            // FFmpeg draws the letters of a text file.
            guard (try? container.videoStream()) != nil, container.formatName != "tty" else { return nil }
            self = container.isImage ? .image : .video
        } catch {
            guard let format = av_guess_format(nil, path, nil) else { return nil }
            let isImage = format.name == "image2"
            // What is not one file (playlists and the like) is no video either.
            guard isImage || format.holdsVideo else { return nil }
            self = isImage ? .image : .video
        }
    }
}
