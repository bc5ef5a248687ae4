import Glibc

/// Where an output may go, and what hidden name it has until it is complete.
enum OutputPlace {
    /// A name beside `path` that nobody else has.
    static func partialPath(beside path: String) -> String {
        let folder = LocalFile.folder(of: path)
        return (folder == "/" ? "" : folder) + "/.matte-\(String(UInt64.random(in: 0 ... .max), radix: 36)).partial"
    }

    /// - Throws: `.cannotCreate` where the folder of `path` isn't there or nothing can be written into it.
    static func checkFolder(of path: String) throws(MediaError) {
        let folder = LocalFile.folder(of: path)
        guard let place = LocalFile(path: folder), place.isDirectory else {
            throw MediaError(
                kind: .cannotCreate, file: path, operation: "create", cause: "there is no folder '\(folder)'",
                advice: "make it first")
        }
        guard access(folder, W_OK) == 0 else { throw unwritable(path, LocalFile.lastErrorText) }
    }

    /// - Throws: `.cannotCreate` where `path` is a folder, the input or, unless it is to be overwritten, a file.
    static func checkFile(_ path: String, input: LocalFile, overwrite: Bool) throws(MediaError) {
        guard let existing = LocalFile(path: path) else { return }
        if existing.isDirectory {
            throw MediaError(kind: .cannotCreate, file: path, operation: "create", cause: "it is a folder")
        }
        if existing.isSame(as: input) { throw isInput(path) }
        if !overwrite {
            throw MediaError(
                kind: .cannotCreate, file: path, operation: "create", cause: "it exists already",
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
            cause: "its folder can't be written to: \(reason.lowercased())")
    }
}
