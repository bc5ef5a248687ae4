import CFFmpeg
import Imaging

/// The matrix by which a container says how the stored picture is to be shown (ISO/IEC 14496-12, `tkhd`;
/// `libavutil/display.h`).
///
/// Nine 32-bit integers; a stored point (x, y) is shown at (a x + c y, b x + d y) with a, b at 0, 1 and c, d at 3, 4 in 16.16
/// fixed point.
struct DisplayMatrix: Equatable {
    static let byteCount = 9 * MemoryLayout<Int32>.size

    var elements: [Int32]

    init(bytes: UnsafePointer<UInt8>) {
        let raw = UnsafeRawPointer(bytes)
        elements = (0..<9).map { raw.loadUnaligned(fromByteOffset: 4 * $0, as: Int32.self) }
    }

    /// The matrix that says `orientation` and nothing more.
    init(_ orientation: Orientation) {
        let map = orientation.uprightToStored.inverse
        elements = [map.a, map.c, 0, map.b, map.d, 0, 0, 0, 16384].map { Int32($0 * 65536) }
    }

    /// The nearest of the eight quarter turns and mirrored quarter turns.
    var orientation: Orientation {
        let a = Double(elements[0])
        let b = Double(elements[1])
        let c = Double(elements[3])
        let d = Double(elements[4])
        func likeness(_ orientation: Orientation) -> Double {
            let map = orientation.uprightToStored.inverse
            return map.a * a + map.b * c + map.c * b + map.d * d
        }
        return Orientation.allCases.max { likeness($0) < likeness($1) } ?? .up
    }
}
