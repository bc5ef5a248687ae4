import CFFmpeg

/// What a container says of a stream's colours.
///
/// It holds wherever the stream itself says nothing (ISO/IEC 14496-12, `colr`; Matroska, `Colour`). Decoders take what their bitstream
/// does not tell for unknown, and what they say takes the place of the container's while FFmpeg looks for streams.
struct ToldColor {
    private let matrix: AVColorSpace
    private let range: AVColorRange
    private let primaries: AVColorPrimaries
    private let transfer: AVColorTransferCharacteristic
    private let chromaLocation: AVChromaLocation

    init(_ parameters: AVCodecParameters) {
        (matrix, range) = (parameters.color_space, parameters.color_range)
        (primaries, transfer) = (parameters.color_primaries, parameters.color_trc)
        chromaLocation = parameters.chroma_location
    }

    /// Puts it where nothing is told.
    func complete(_ parameters: inout AVCodecParameters) {
        if parameters.color_space == AVCOL_SPC_UNSPECIFIED { parameters.color_space = matrix }
        if parameters.color_range == AVCOL_RANGE_UNSPECIFIED { parameters.color_range = range }
        if parameters.color_primaries == AVCOL_PRI_UNSPECIFIED { parameters.color_primaries = primaries }
        if parameters.color_trc == AVCOL_TRC_UNSPECIFIED { parameters.color_trc = transfer }
        if parameters.chroma_location == AVCHROMA_LOC_UNSPECIFIED { parameters.chroma_location = chromaLocation }
    }

    /// Puts it where nothing is told of a frame; the matrix, too, where it `hasMatrix`: the bitstream knows none.
    func complete(_ frame: inout AVFrame, hasMatrix: Bool) {
        // What has red, green and blue has no other matrix.
        let isRGB = AVPixelFormat(frame.format).isRGB
        if !isRGB, hasMatrix || frame.colorspace == AVCOL_SPC_UNSPECIFIED { frame.colorspace = matrix }
        if frame.color_range == AVCOL_RANGE_UNSPECIFIED { frame.color_range = range }
        if frame.color_primaries == AVCOL_PRI_UNSPECIFIED { frame.color_primaries = primaries }
        if frame.color_trc == AVCOL_TRC_UNSPECIFIED { frame.color_trc = transfer }
        if frame.chroma_location == AVCHROMA_LOC_UNSPECIFIED { frame.chroma_location = chromaLocation }
    }
}
