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
        guard mkdir(path, 0o777) == 0 else { throw OutputPlace.unwritable(output, LocalFile.lastErrorText) }
        descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        OutputPlace.lock(descriptor)
    }

    deinit { remove() }

    /// Writes a file that isn't there yet, and waits until it is on the disk.
    func write(_ bytes: [UInt8], as name: String) throws(AVError) {
        let io = try DescriptorIO(creating: "\(path)/\(name)")
        names.append(name)
        defer { io.close() }
        avio_write(io.context, bytes, CInt(clamping: bytes.count))
        try io.sync()
    }

    /// Gives every file its final place; a failure takes back those that were moved, unless they have replaced others.
    func move(to folder: String, overwrite: Bool) throws(AVError) {
        let slash = folder == "/" ? "/" : "\(folder)/"
        // Somebody may have made one of them in the meantime.
        let isTaken = !overwrite && names.contains { LocalFile(path: slash + $0) != nil }
        guard !isTaken else { throw AVError.system(EEXIST) }
        for (index, name) in names.enumerated() {
            do {
                try OutputPlace.rename("\(path)/\(name)", to: slash + name, overwrites: overwrite)
            } catch {
                if !overwrite { for moved in names[..<index] { unlink(slash + moved) } }
                throw error
            }
        }
        names = []
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
