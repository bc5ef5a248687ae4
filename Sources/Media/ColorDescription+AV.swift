import CFFmpeg
import Imaging

/// Colour tags as FFmpeg's own, which have the same values.
extension ColorDescription {
    var avMatrix: AVColorSpace { AVColorSpace(rawValue: UInt32(matrix.rawValue)) }
    var avRange: AVColorRange { AVColorRange(rawValue: UInt32(range.rawValue)) }
    var avPrimaries: AVColorPrimaries { AVColorPrimaries(rawValue: UInt32(primaries)) }
    var avTransfer: AVColorTransferCharacteristic { AVColorTransferCharacteristic(rawValue: UInt32(transfer)) }
    var avChromaLocation: AVChromaLocation { AVChromaLocation(rawValue: UInt32(chromaLocation.rawValue)) }
}
