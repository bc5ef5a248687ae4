import CFFmpeg

/// What reading a file may open beside it, and how large its pictures may be.
///
/// The defaults suit files from anybody: a path is a local file, playlists and the like open nothing, and a picture can't take
/// more memory than one of 8192 by 8192 pixels does, or twice that where it grows on the way.
public struct InputLimits: Sendable, Hashable {
    /// FFmpeg's names of the protocols that may be opened, such as `https`, `tls` and `tcp`, or `file` for the files that a playlist
    /// names; none by default.
    ///
    /// With them a path that is no file and begins with one of these names is a URL, and what a container refers to may be opened.
    public var allowedProtocols: [String]
    /// How many pixels a picture may have at most; 67 108 864 by default, twice those of 8K.
    public var pixelCount: Int

    /// What widens these limits on the command line.
    static let options = ["--max-pixels", "--allow-protocols"]

    /// 8192 by 8192.
    public static let usualPixelCount = 1 << 26

    /// Those of files from anybody, but for what is told.
    public init(allowedProtocols: [String] = [], pixelCount: Int = Self.usualPixelCount) {
        self.allowedProtocols = allowedProtocols
        self.pixelCount = pixelCount
    }

    /// FFmpeg's names of all protocols that can be read.
    public static var protocols: [String] {
        var names: [String] = []
        var state: UnsafeMutableRawPointer?
        while let name = avio_enum_protocols(&state, 0) { names.append(String(cString: name)) }
        return names
    }

    /// What decoders are told: they count the rows and columns as well that their blocks hang over the picture's edges.
    var decodedPixelCount: Int64 { 2 * Int64(min(pixelCount, 1 << 40)) + (1 << 16) }

    /// What FFmpeg is told.
    var whitelist: String { allowedProtocols.isEmpty ? "none" : allowedProtocols.joined(separator: ",") }

    /// Makes FFmpeg refuse, in the whole process, any one piece of memory that is larger than what files within these limits need:
    /// 1 GiB, or 16 bytes for each pixel where that is more.
    ///
    /// FFmpeg itself gives up to 2 GiB to whatever a header counts (`av_max_alloc`).
    public func capAllocations() {
        av_max_alloc(max(1 << 30, 16 * min(pixelCount, 1 << 40)) - 1)
    }

    /// The protocol of URLs of files.
    static let fileScheme = "file"

    /// The protocol that `path` names where it is no file.
    static func scheme(of path: String) -> String? {
        guard path != StandardStream.path, LocalFile(path: path) == nil,
            let name = avio_find_protocol_name(path).map({ String(cString: $0) }),
            name != fileScheme || path.hasPrefix("\(fileScheme):")
        else { return nil }
        return name
    }

    /// Whether reading `path` may have to wait for somebody: it is a pipe, a device or a URL.
    package static func mayBeWaitedFor(_ path: String) -> Bool {
        path == StandardStream.path
            || LocalFile(path: path)?.isStream
                ?? (scheme(of: path).map { $0 != fileScheme } ?? false)
    }

    /// The protocol that FFmpeg has refused to open since the log stood at `position`; nil for none.
    static func refusedProtocol(since position: Int) -> String? {
        LibraryLog.lastError(containing: "' not on whitelist '", since: position)
            .flatMap { $0.split(separator: "'").dropFirst().first.map(String.init) }
    }

    /// Why a picture of this size is not read, in words; nil where it is.
    func problem(width: Int, height: Int) -> (cause: String, advice: String)? {
        let (count, overflows) = width.multipliedReportingOverflow(by: height)
        guard overflows || count > pixelCount else { return nil }
        return (
            "a picture of \(width)x\(height) has more than \(pixelCount) pixels, which is the limit",
            "pass --max-pixels \(overflows ? Int.max : count) if that is what it should be"
        )
    }

    /// - Throws: `.badData` for a size above the limit.
    func check(width: Int, height: Int, file: String) throws(MediaError) {
        guard let problem = problem(width: width, height: height) else { return }
        throw MediaError(
            kind: .badData, file: file, operation: "read", cause: problem.cause, advice: problem.advice)
    }

    /// What FFmpeg's check of sizes says where it refuses one above the limit (`av_image_check_size2`).
    private static let refusal = (begin: "Picture size ", end: " exceeds specified max pixel count")

    /// The error for the picture that a decoder has refused since the log stood at `position`; nil where none was.
    func refusal(since position: Int, file: String) -> MediaError? {
        guard let line = LibraryLog.lastError(containing: Self.refusal.end, since: position),
            let end = line.firstRange(of: Self.refusal.end),
            let begin = line.firstRange(of: Self.refusal.begin), begin.upperBound <= end.lowerBound
        else { return nil }
        let sides = line[begin.upperBound..<end.lowerBound].split(separator: "x").compactMap { Int($0) }
        guard sides.count == 2, let problem = problem(width: sides[0], height: sides[1]) else { return nil }
        return MediaError(kind: .badData, file: file, operation: "read", cause: problem.cause, advice: problem.advice)
    }
}
