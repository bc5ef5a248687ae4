import CFFmpeg

/// What the FFmpeg libraries that are loaded were built with.
public enum CodecSupport {
    /// The decoder that is taken for a codec by FFmpeg's name of it, such as `h264`; nil where there is none.
    public static func decoder(of codec: String) -> String? {
        guard let descriptor = avcodec_descriptor_get_by_name(codec),
            let decoder = avcodec_find_decoder(descriptor.pointee.id)
        else { return nil }
        return String(cString: decoder.pointee.name)
    }

    /// The encoder that is taken for a codec or an encoder by FFmpeg's name of it, such as `h264` or `libx264`; nil where there is
    /// none.
    public static func encoder(of name: String) -> String? {
        if let encoder = EncoderChoice.named(name) { return String(cString: encoder.pointee.name) }
        guard let descriptor = avcodec_descriptor_get_by_name(name),
            let encoder = avcodec_find_encoder(descriptor.pointee.id)
        else { return nil }
        return String(cString: encoder.pointee.name)
    }
}
