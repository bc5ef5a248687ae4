import CFFmpeg

/// Makes the bytes of image files out of pictures.
final class ImageEncoder {
    private enum Machine {
        /// Each of its packets is a file.
        case packets(Encoder)
        case avif(AVIFEncoder)
    }

    private let machine: Machine
    private let file: String

    /// - Throws: `.usage` for options that the encoder hasn't or doesn't take.
    init(
        _ image: ImageFormat, codec: UnsafePointer<AVCodec>, settings: EncoderSettings, file: String
    ) throws(MediaError) {
        self.file = file
        machine =
            image == .avif
            ? .avif(try AVIFEncoder(codec, settings: settings, file: file))
            : .packets(try Encoder(codec, settings: settings, file: file))
    }

    /// Gets ready for pictures of that format.
    ///
    /// - Throws: `.usage` where the encoder refuses them.
    func open(_ format: EncoderFormat) throws(MediaError) {
        switch machine {
        case .packets(let encoder): try encoder.openForImages(format, hasGlobalHeader: false)
        case .avif(let encoder): encoder.open(format)
        }
    }

    /// The files that are complete once `picture` is there, nil for the end; pictures come out in the order in which they go in.
    func files(of picture: FrameReference?) throws(MediaError) -> [[UInt8]] {
        switch machine {
        case .packets(let encoder):
            do throws(AVError) {
                try encoder.send(picture)
                var files: [[UInt8]] = []
                while let packet = try encoder.receive() { files.append(packet.bytes) }
                return files
            } catch {
                throw MediaError(error, kind: .internal, file: file, operation: "encode", detail: encoder.lastError)
            }
        case .avif(let encoder):
            guard let picture else { return [] }
            return [try encoder.file(of: picture)]
        }
    }
}

extension Encoder {
    /// Opens the encoder for pictures that are counted and have no times.
    func openForImages(_ format: EncoderFormat, hasGlobalHeader: Bool) throws(MediaError) {
        // Without it the encoder of JPEG comments files with its own name.
        context.pointee.flags |= AV_CODEC_FLAG_BITEXACT
        try open(
            format, timeBase: AVRational(num: 1, den: 25), frameRate: AVRational(num: 25, den: 1), isInterlaced: false,
            isTopFieldFirst: true, hasGlobalHeader: hasGlobalHeader)
    }
}

extension Packet {
    /// A copy of its bytes.
    var bytes: [UInt8] {
        Array(UnsafeBufferPointer(start: pointer.pointee.data, count: Int(pointer.pointee.size)))
    }
}
