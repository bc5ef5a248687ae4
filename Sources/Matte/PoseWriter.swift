import Glibc
import Imaging
import MatteVision
import Media

/// Writes the faces of every frame as a table: CSV or JSON lines.
///
/// One row for each face of a frame, the largest first, and one without values for a frame without faces. Boxes are in
/// pixels of the upright picture, angles in degrees with the signs of ``/MatteVision/FaceObservation``. The rows go into a
/// file beside the final one, which takes its name in `finish()`; into a stream they go frame by frame, without delay.
/// For one thread at a time.
public final class PoseWriter {
    /// How rows are written.
    public enum Format: String, CaseIterable, Sendable {
        /// Comma-separated values after a row of names; what is missing is empty.
        case csv
        /// One JSON object a line; what is missing is null.
        case jsonl
    }

    static let columns = [
        "frame", "time", "face", "x", "y", "width", "height", "confidence", "roll", "pitch", "yaw", "id",
    ]

    private let path: String
    /// Where the rows lie until they are complete; nil for a stream, whose reader wants each frame's at once.
    private let partial: PartialFile?
    private let format: Format
    private let text: TextOutput
    private var isOver = false

    /// Begins the table at `path`: a file whose extension (`csv` or `jsonl`) tells the format, or a stream of JSON lines,
    /// which is `-` for standard output and `fd:N` for the file descriptor N that the caller has open.
    ///
    /// - Throws: `MatteError` of kind `usage` for another extension or a descriptor that is not a number, of kind
    ///   `cannotCreate` where the file is there already (and `overwrite` is false) or can't be made, or the descriptor is not
    ///   open.
    public convenience init(path: String, overwrite: Bool = false) throws(MatteError) {
        try self.init(path: path, overwrite: overwrite, descriptors: nil)
    }

    /// Begins the table; a descriptor must be one of `descriptors` where they are told, so that none that was opened since is taken
    /// for it.
    package init(path: String, overwrite: Bool, descriptors: Set<Int32>?) throws(MatteError) {
        self.path = path
        let descriptor = try Self.descriptor(of: path)
        format = try descriptor == nil ? Self.format(of: path) : .jsonl
        if LocalFile(path: path)?.isStream ?? false, descriptor == nil {
            throw MatteError(
                .cannotCreate, "can't create '\(path)': it is no file; pass fd:3, and 3>\(path) to the shell")
        }
        if let descriptor {
            partial = nil
            text = try Self.stream(descriptor, path: path, isInherited: descriptors?.contains(descriptor) ?? true)
        } else {
            do throws(MediaError) {
                let partial = try PartialFile(for: path, overwrites: overwrite)
                self.partial = partial
                text = try TextOutput(partial.descriptor, isStream: false, path: path)
            } catch {
                throw MatteError(error)
            }
        }
        if format == .csv { try write(line: Self.columns.joined(separator: ",")) }
    }

    private static func stream(_ descriptor: Int32, path: String, isInherited: Bool) throws(MatteError) -> TextOutput {
        guard isInherited, TextOutput.canWrite(to: descriptor) else {
            throw MatteError(
                .cannotCreate,
                "can't write to '\(path)': \(LocalFile.errorText(EBADF)); "
                    + "open the descriptor before, as a shell does with \(descriptor)>pose.jsonl")
        }
        do throws(MediaError) {
            return try TextOutput(descriptor, isStream: true, path: path)
        } catch {
            throw MatteError(error)
        }
    }

    private static func format(of path: String) throws(MatteError) -> Format {
        guard let format = Format(rawValue: OutputExtension.of(path).lowercased()) else {
            throw MatteError(
                .usage, "can't tell the format of the pose output '\(path)': end its name in .csv or .jsonl")
        }
        return format
    }

    /// The file descriptor that `path` stands for; nil for a file.
    package static func descriptor(of path: String) throws(MatteError) -> Int32? {
        if path == "-" { return STDOUT_FILENO }
        guard path.hasPrefix("fd:") else { return nil }
        guard let number = Int32(path.dropFirst(3)), number >= 0 else {
            throw MatteError(.usage, "can't write to '\(path)': 'fd:' wants the number of an open file descriptor")
        }
        return number
    }

    deinit { discard() }

    /// Appends the faces of one frame, which a filter whose ``Configuration/findsFaces`` is set has found; `frame` counts from 0.
    ///
    /// - Throws: `MatteError` of kind `io` where the disk is full or fails, or the stream's reader is gone.
    public func write(_ output: MatteFilter.Output, frame: Int) throws(MatteError) {
        // The frame that came in, which what comes out may be a part of.
        let mask = output.mask.pixelBuffer
        let isTurned = output.frame.orientation.swapsAxes
        let size = (width: isTurned ? mask.height : mask.width, height: isTurned ? mask.width : mask.height)
        let faces = output.faces.enumerated().map { index, face -> [String?] in
            [String(index)] + Self.values(of: face, width: size.width, height: size.height)
        }
        try write(faces, frame: frame, time: output.frame.time)
    }

    /// Appends the row of a frame that nobody is looked for in; `time` is in seconds.
    ///
    /// - Throws: As ``write(_:frame:)``.
    public func write(unobserved frame: Int, time: Double?) throws(MatteError) {
        try write([], frame: frame, time: time)
    }

    private func write(_ faces: [[String?]], frame: Int, time: Double?) throws(MatteError) {
        let nobody = [String?](repeating: nil, count: Self.columns.count - 2)
        for face in faces.isEmpty ? [nobody] : faces {
            try write(line: line([String(frame), (time ?? 0).fixed(6)] + face))
        }
        if partial == nil { try handOn() }
    }

    private static func values(of face: FaceObservation, width: Int, height: Int) -> [String] {
        let box = face.boundingBox.applying(.scale(Double(width), Double(height)))
        let degrees = 180 / Double.pi
        return [box.x, box.y, box.width, box.height].map { $0.fixed(2) } + [Double(face.confidence).fixed(4)]
            + [face.roll, face.pitch, face.yaw].map { ($0 * degrees).fixed(2) } + [String(face.faceID)]
    }

    private func line(_ row: [String?]) -> String {
        switch format {
        case .csv: row.map { $0 ?? "" }.joined(separator: ",")
        case .jsonl:
            "{" + zip(Self.columns, row).map { "\"\($0)\":\($1 ?? "null")" }.joined(separator: ",") + "}"
        }
    }

    private func write(line: String) throws(MatteError) {
        do throws(MediaError) {
            try text.write(line + "\n")
        } catch {
            throw failure(error)
        }
    }

    private func handOn() throws(MatteError) {
        do throws(MediaError) {
            try text.flush()
        } catch {
            throw failure(error)
        }
    }

    /// A program whose standard output nobody reads ends without a word; a descriptor beside it is missed.
    private func failure(_ error: MediaError) -> MatteError {
        guard error.kind == .readerGone, path != "-" else { return MatteError(error) }
        return MatteError(
            MediaError(kind: .io, file: path, operation: error.operation, cause: LocalFile.errorText(EPIPE)))
    }

    /// Puts all rows on the disk, so that `finish()` has nothing left to do but to give the file its name.
    func sync() throws(MatteError) {
        try handOn()
        do throws(MediaError) {
            try partial?.sync()
        } catch {
            throw MatteError(error)
        }
    }

    /// Completes the table; a file gets its final name.
    public func finish() throws(MatteError) {
        guard !isOver else { return }
        isOver = true
        do throws(MatteError) {
            try handOn()
        } catch {
            partial?.discard()
            throw error
        }
        do throws(MediaError) {
            try partial?.publish()
        } catch {
            throw MatteError(error)
        }
    }

    /// Ends the wait for a stream's reader that takes nothing, from whatever thread.
    func interrupt() { text.interrupt() }

    /// Removes what was written; what went into a stream is gone.
    public func discard() {
        guard !isOver else { return }
        isOver = true
        partial?.discard()
    }
}
