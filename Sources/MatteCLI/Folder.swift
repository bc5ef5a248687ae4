import Glibc
import Matte

/// A folder of inputs or for outputs.
struct Folder {
    let path: String

    /// nil where `path` is none.
    init?(_ path: String) {
        guard Self.type(of: path) == S_IFDIR else { return nil }
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
        guard Self.type(of: path) == S_IFDIR else {
            throw MatteError(.cannotCreate, "can't create the folder '\(path)': it is a file; choose another name")
        }
        guard access(path, W_OK) == 0 else { throw Self.failure(path) }
    }

    private static func failure(_ path: String) -> MatteError {
        MatteError(
            .cannotCreate, "can't create the folder '\(path)': \(String(cString: strerror(errno)).lowercased())")
    }

    private static func type(of path: String) -> mode_t? {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode & S_IFMT : nil
    }

    /// The path of `name` in it.
    func path(_ name: String) -> String { path.hasSuffix("/") ? path + name : "\(path)/\(name)" }

    /// The files that lie directly in it, sorted by name; hidden ones are left out.
    ///
    /// - Throws: `MatteError` of kind `noInput` where it can't be read.
    func files() throws(MatteError) -> [String] {
        guard let folder = opendir(path) else {
            throw MatteError(.noInput, "can't open '\(path)': \(String(cString: strerror(errno)).lowercased())")
        }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if !name.hasPrefix("."), Self.type(of: path(name)) == S_IFREG { names.append(name) }
        }
        return names.sorted().map(path)
    }
}
