import Inference

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A text beside models, such as a manifest: a regular file of a sane size.
enum DescriptionFile {
    private static let sizeLimit = 1 << 20

    /// The bytes of the `kind` of file at `path`.
    ///
    /// - Throws: `VisionError` of kind `unavailable` for a file that is missing, of kind `invalid` for one that is not what it
    ///   should be.
    static func contents(_ kind: String, at path: String) throws(VisionError) -> Data {
        do throws(MappedFile.Problem) {
            return try MappedFile(path: path, limit: sizeLimit).withBytes { Data($0) }
        } catch {
            guard error.isMissing else {
                throw VisionError(.invalid, "can't read the \(kind) '\(path)': \(error.cause)")
            }
            throw VisionError(
                .unavailable, "can't read the \(kind) '\(path)': \(error.cause); name a folder or a file that is there")
        }
    }
}
