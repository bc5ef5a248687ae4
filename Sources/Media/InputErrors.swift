import CFFmpeg
import Glibc

/// The sentences that say why an input can't be read, and what to do about it.
struct InputErrors {
    let path: String

    /// A path that is no file and names a protocol.
    func notAllowed(_ scheme: String) -> MediaError {
        MediaError(
            kind: .noInput, file: path, operation: "open",
            cause: "there is no such file, and the protocol \(scheme) is not allowed",
            advice: "pass --allow-protocols \(scheme), and what that needs, as tcp and tls, to read it so")
    }

    /// A protocol that an allowed one goes through.
    func needs(protocol name: String, besides limits: InputLimits) -> MediaError {
        MediaError(
            kind: .noInput, file: path, operation: "open", cause: "it needs the protocol \(name), which is not allowed",
            advice: "pass --allow-protocols \(limits.whitelist),\(name)")
    }

    var noFrame: MediaError {
        MediaError(kind: .badData, file: path, operation: "read", cause: "it ended before the first frame")
    }

    /// What FFmpeg could make nothing of, in its own words `detail`; `io` is what the bytes came through, where it is known.
    func notVideo(
        _ error: AVError, io: DescriptorIO? = nil, demuxer: UnsafePointer<AVInputFormat>? = nil, detail: String? = nil
    ) -> MediaError {
        if let failure = io?.failure { return MediaError(failure, kind: .io, file: path, operation: "read") }
        if io?.byteCount == 0 { return noFrame }
        if let demuxer, demuxer.isY4M {
            return MediaError(
                kind: .badData, file: path, operation: "read",
                cause: "its Y4M header tells a size, a format or an interlacing that can't be")
        }
        let cause =
            switch detail {
            case "moov atom not found": "the file is cut short or damaged (it has no index: moov atom not found)"
            case let detail? where detail.contains("exceeds max_streams"):
                "it has more than 1000 streams, which is the limit"
            // All bytes came: a demuxer met their end too early.
            case _ where io != nil && error.code == FFError(EIO): "the file is cut short or damaged"
            default: "it is no video that FFmpeg knows, or it is damaged (\(error.description))"
            }
        guard io == nil else { return MediaError(kind: .badData, file: path, operation: "read", cause: cause) }
        return MediaError(error, kind: .badData, file: path, operation: "read", detail: cause)
    }
}
