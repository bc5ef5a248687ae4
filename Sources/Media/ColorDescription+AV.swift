import CFFmpeg
import Imaging

/// Colour tags as FFmpeg's own, which have the same values.
extension ColorDescription {
    var avMatrix: AVColorSpace { AVColorSpace(rawValue: UInt32(matrix.rawValue)) }
    var avRange: AVColorRange { AVColorRange(rawValue: UInt32(range.rawValue)) }
    var avPrimaries: AVColorPrimaries { AVColorPrimaries(rawValue: UInt32(primaries)) }
    var avTransfer: AVColorTransferCharacteristic { AVColorTransferCharacteristic(rawValue: UInt32(transfer)) }
    var avChromaLocation: AVChromaLocation { AVChromaLocation(rawValue: UInt32(chromaLocation.rawValue)) }

    /// Whether the transfer is one of ITU-R BT.2100: PQ or HLG.
    var isHDR: Bool { [AVCOL_TRC_SMPTE2084, AVCOL_TRC_ARIB_STD_B67].contains(avTransfer) }
}
