import CFFmpeg
import Glibc

/// Where an output may go, and what hidden name it has until it is complete.
enum OutputPlace {
    private static let partialName = (prefix: ".matte-", suffix: ".partial")
    /// Seconds after which a hidden name that nobody has locked is taken for abandoned: long enough for file systems whose locks
    /// other machines don't see.
    private static let abandonedAge = 86400

    /// A name beside `path` that nobody else has.
    static func partialPath(beside path: String) -> String {
        let number = String(UInt64.random(in: 0 ... .max), radix: 36)
        return LocalFile.path(
            of: "\(partialName.prefix)\(number)\(partialName.suffix)", inFolder: LocalFile.folder(of: path))
    }

    /// Marks what is open as being made, until it is closed or the process ends.
    static func lock(_ descriptor: CInt) {
        // Where it can't be locked its age alone speaks for it.
        _ = flock(descriptor, LOCK_EX | LOCK_NB)
    }

    /// Removes what runs that were killed have left in `folder` under hidden names.
    static func removeAbandoned(inFolder folder: String) {
        for name in LocalFile.names(inFolder: folder)
        where name.hasPrefix(partialName.prefix) && name.hasSuffix(partialName.suffix) {
            let path = LocalFile.path(of: name, inFolder: folder)
            let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
            guard descriptor >= 0 else { continue }
            defer { close(descriptor) }
            var status = stat()
            // Only what is the user's own: in a folder of many, others may give such a name to anything.
            guard fstat(descriptor, &status) == 0, status.st_uid == geteuid(),
                time(nil) - status.st_mtim.tv_sec > abandonedAge,
                flock(descriptor, LOCK_EX | LOCK_NB) == 0
            else { continue }
            guard status.st_mode & S_IFMT == S_IFDIR else {
                unlink(path)
                continue
            }
            // By the descriptor, for the path may lead to another folder by now.
            for file in LocalFile.names(inFolder: descriptor) { unlinkat(descriptor, file, 0) }
            rmdir(path)
        }
    }

    /// Gives `path` the name `target`; unless `overwrites`, a file that has it keeps it, even one made in this instant.
    static func rename(_ path: String, to target: String, overwrites: Bool) throws(AVError) {
        if !overwrites {
            // A second name is never given to what is there already.
            if link(path, target) == 0 {
                unlink(path)
                return
            }
            // Some file systems know no second names.
            let isUnable = [EPERM, ENOSYS, EOPNOTSUPP].contains(errno)
            guard isUnable else { throw AVError.system(errno) }
            guard LocalFile(path: target) == nil else { throw AVError.system(EEXIST) }
        }
        guard Glibc.rename(path, target) == 0 else { throw AVError.system(errno) }
    }

    /// - Throws: `.cannotCreate` where the folder of `path` isn't there or nothing can be written into it.
    static func checkFolder(of path: String) throws(MediaError) {
        let folder = LocalFile.folder(of: path)
        guard let place = LocalFile(path: folder), place.isDirectory else {
            throw MediaError(
                kind: .cannotCreate, file: path, operation: "create", cause: "there is no folder '\(folder)'",
                advice: "make it first")
        }
        guard access(folder, W_OK) == 0 else { throw unwritable(path, LocalFile.errorText()) }
    }

    /// - Throws: `.cannotCreate` where `path` is a folder.
    static func refuseFolder(_ path: String) throws(MediaError) {
        guard LocalFile(path: path)?.isDirectory == true else { return }
        throw MediaError(
            kind: .cannotCreate, file: path, operation: "create", cause: "it is a folder",
            advice: "name a file in it, or put --output-dir before it")
    }

    /// - Throws: `.cannotCreate` where `path` is a folder, the input, a name that is too long or, unless it is to be overwritten,
    ///   a file or a link that leads nowhere.
    static func checkFile(_ path: String, input: LocalFile?, overwrite: Bool) throws(MediaError) {
        try refuseFolder(path)
        guard let existing = LocalFile(path: path) else { return try checkFreeName(path, overwrite: overwrite) }
        if let input, existing.isSame(as: input) { throw isInput(path) }
        if !overwrite { throw exists(path) }
    }

    /// The failure of the last step, which gives an output its name: somebody has taken it meanwhile, or it is one of the disk.
    static func unnamed(_ path: String, _ error: AVError) -> MediaError {
        error.code == FFError(EEXIST)
            ? exists(path) : MediaError(error, kind: .io, file: path, operation: "write")
    }

    private static func exists(_ path: String) -> MediaError {
        MediaError(
            kind: .cannotCreate, file: path, operation: "create", cause: "it exists already",
            advice: "choose another name, or pass --overwrite")
    }

    /// To be called while `errno` tells why there is no file at `path`.
    private static func checkFreeName(_ path: String, overwrite: Bool) throws(MediaError) {
        if errno == ENAMETOOLONG {
            throw MediaError(
                kind: .cannotCreate, file: path, operation: "create",
                cause: "the name is longer than the file system allows", advice: "choose a shorter one")
        }
        if !overwrite, LocalFile.isLink(path) {
            throw MediaError(
                kind: .cannotCreate, file: path, operation: "create", cause: "it is a link that leads nowhere",
                advice: "choose another name, or pass --overwrite")
        }
    }

    static func isInput(_ path: String) -> MediaError {
        MediaError(
            kind: .cannotCreate, file: path, operation: "create", cause: "it is the file that is being read",
            advice: "choose another name")
    }

    static func unwritable(_ path: String, _ reason: String) -> MediaError {
        MediaError(
            kind: .cannotCreate, file: path, operation: "create",
            cause: "its folder can't be written to: \(reason)")
    }
}
