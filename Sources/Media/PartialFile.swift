import Glibc

/// A hidden file beside an output that takes the output's name once it is complete.
///
/// Used by one thread at a time.
package final class PartialFile {
    /// Open for writing until the file is complete or given up.
    package let descriptor: CInt
    private let path: String
    private let output: String
    private let overwrites: Bool
    private var isOpen = true

    /// Makes the file beside `output`; unless `overwrites`, a file of that name stays as it is, and `input` in any case.
    ///
    /// - Throws: `.cannotCreate` where `output` can't be that file's name, or its folder isn't there or can't be written to.
    package init(for output: String, input: LocalFile? = nil, overwrites: Bool) throws(MediaError) {
        try OutputPlace.checkFile(output, input: input, overwrite: overwrites)
        try OutputPlace.checkFolder(of: output)
        OutputPlace.removeAbandoned(inFolder: LocalFile.folder(of: output))
        self.output = output
        self.overwrites = overwrites
        path = OutputPlace.partialPath(beside: output)
        descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw OutputPlace.unwritable(output, LocalFile.errorText()) }
        OutputPlace.lock(descriptor)
    }

    deinit { discard() }

    /// Waits until everything that was written is on the disk.
    ///
    /// - Throws: `.io` where writing fails.
    package func sync() throws(MediaError) {
        do {
            try DescriptorIO.sync(descriptor)
        } catch {
            throw MediaError(error, kind: .io, file: output, operation: "write")
        }
    }

    /// Waits until everything is on the disk and gives the file its final name; the file is gone where that fails.
    ///
    /// - Throws: `.cannotCreate` where somebody has taken the name meanwhile, `.io` where writing fails.
    package func publish() throws(MediaError) {
        do {
            try DescriptorIO.sync(descriptor)
            try OutputPlace.rename(path, to: output, overwrites: overwrites)
        } catch {
            discard()
            throw OutputPlace.unnamed(output, error)
        }
        isOpen = false
        close(descriptor)
    }

    /// Removes the file, unless it is complete.
    package func discard() {
        guard isOpen else { return }
        isOpen = false
        unlink(path)
        close(descriptor)
    }
}
