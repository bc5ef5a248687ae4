/// Why a benchmark can't go on: one sentence that names the file, the operation, the cause and the way out.
public struct BenchmarkError: Error, Hashable, CustomStringConvertible {
    public let description: String

    public init(_ description: String) {
        self.description = description
    }

    public init(cannotWrite path: String) {
        self.init("can't write '\(path)': its folder is not there or can't be written to; name another place")
    }
}
