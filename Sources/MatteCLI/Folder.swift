import Glibc
import Matte
import Media

/// A folder of inputs or for outputs.
struct Folder {
    let path: String

    /// nil where `path` is none.
    init?(_ path: String) {
        guard LocalFile(path: path)?.isDirectory == true else { return nil }
        self.path = path
    }

    /// Makes the folder at `path` and those above it, as far as they are not there.
    ///
    /// - Throws: `MatteError` of kind `cannotCreate` where that can't be done, and where nothing may be written into it.
    init(making path: String) throws(MatteError) {
        self.path = path
        var parent = path.hasPrefix("/") ? "" : "."
        for name in path.split(separator: "/") {
            parent += "/\(name)"
            if mkdir(parent, 0o777) != 0, errno != EEXIST { throw Self.failure(path) }
        }
        guard LocalFile(path: path)?.isDirectory == true else {
            throw MatteError(.cannotCreate, "can't create the folder '\(path)': it is a file; choose another name")
        }
        guard access(path, W_OK | X_OK) == 0 else {
            throw MatteError(.cannotCreate, "can't write into the folder '\(path)': \(LocalFile.errorText())")
        }
    }

    private static func failure(_ path: String) -> MatteError {
        MatteError(
            .cannotCreate, "can't create the folder '\(path)': \(LocalFile.errorText())")
    }

    /// The path of `name` in it.
    func path(_ name: String) -> String { LocalFile.path(of: name, inFolder: path) }

    /// The files that lie directly in it, sorted by name, and links that lead nowhere, whose files are missed; hidden ones are left out.
    /// Of those whose names are not valid UTF-8, and of what is neither file nor folder, `onWarning` gets a sentence each.
    ///
    /// - Throws: `MatteError` of kind `noInput` where it can't be read.
    func files(onWarning: (String) -> Void) throws(MatteError) -> [String] {
        guard access(path, R_OK | X_OK) == 0 else {
            throw MatteError(.noInput, "can't open '\(path)': \(LocalFile.errorText())")
        }
        let paths = LocalFile.names(inFolder: path).filter { !$0.hasPrefix(".") }.sorted().map(path)
        return paths.filter { path in
            guard let file = LocalFile(path: path) else {
                let isLost = path.contains("\u{FFFD}")
                if isLost { onWarning("\(path) is passed over: its name is not valid UTF-8; rename the file") }
                return !isLost
            }
            if !file.isRegular, !file.isDirectory { onWarning("\(path) is passed over: it is no file") }
            return file.isRegular
        }
    }
}
