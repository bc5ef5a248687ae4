import CFFmpeg
import Glibc

/// A hidden folder beside an output, in which its files lie until all of them are complete.
final class PartialFolder {
    private let path: String
    /// Holds the folder's lock.
    private let descriptor: CInt
    /// The files in it, in the order in which they were written.
    private var names: [String] = []
    private var isThere = true

    /// Makes the folder beside `output`.
    init(beside output: String) throws(MediaError) {
        OutputPlace.removeAbandoned(inFolder: LocalFile.folder(of: output))
        path = OutputPlace.partialPath(beside: output)
        guard mkdir(path, 0o777) == 0 else { throw OutputPlace.unwritable(output, LocalFile.errorText()) }
        descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        OutputPlace.lock(descriptor)
    }

    deinit { remove() }

    /// Writes a file that isn't there yet.
    func write(_ bytes: [UInt8], as name: String) throws(AVError) {
        let io = try DescriptorIO(creating: "\(path)/\(name)")
        names.append(name)
        defer { io.close() }
        avio_write(io.context, bytes, CInt(clamping: bytes.count))
        try io.flush()
    }

    /// Waits until every file is on the disk.
    func sync() throws(AVError) { for name in names { try sync(name) } }

    /// Gives the files their final places; a failure takes back those that were moved, unless they have replaced others.
    func move(to folder: String, overwrite: Bool) throws(AVError) {
        func final(_ name: String) -> String { LocalFile.path(of: name, inFolder: folder) }
        // Somebody may have made one of them in the meantime.
        let isTaken = !overwrite && names.contains { LocalFile(path: final($0)) != nil }
        guard !isTaken else { throw AVError.system(EEXIST) }
        for (index, name) in names.enumerated() {
            do {
                try OutputPlace.rename("\(path)/\(name)", to: final(name), overwrites: overwrite)
            } catch {
                if !overwrite { for moved in names[..<index] { unlink(final(moved)) } }
                throw error
            }
        }
        names = []
    }

    private func sync(_ name: String) throws(AVError) {
        let file = open("\(path)/\(name)", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw AVError.system(errno) }
        defer { Glibc.close(file) }
        try DescriptorIO.sync(file)
    }

    /// Removes the folder and what is in it.
    func remove() {
        guard isThere else { return }
        isThere = false
        for name in names { unlink("\(path)/\(name)") }
        rmdir(path)
        close(descriptor)
    }
}
