import Imaging

/// Cuts what comes out of each frame.
///
/// The size never changes on the way. For one thread at a time.
final class Framer {
    private let framing: Framing
    private let scaler = FrameScaler()
    private var camera: CameraOperator?
    private var bounds = (width: 0, height: 0)

    init(_ framing: Framing) { self.framing = framing }

    /// Forgets the sequence; the size stays.
    func reset() { camera = nil }

    /// What of `picture`, made of a frame whose people are in `mask`, comes out.
    func frame(_ picture: VideoFrame, mask: PixelBuffer) -> VideoFrame {
        switch framing {
        case .whole: return picture
        case .region(let region): return cut(region, of: picture)
        case .follow(let aspect):
            let upright = picture.uprightSize
            if camera == nil || bounds != upright {
                bounds = upright
                camera = CameraOperator(size: Framing.size(aspect: aspect, of: picture), bounds: upright)
            }
            let people = MaskExtent.find(in: mask).map { picture.upright($0) }
            let region = camera!.rectangle(around: people, at: picture.time ?? 0)
            return cut(region, of: picture, size: camera!.size)
        }
    }

    private func cut(_ region: Rectangle, of picture: VideoFrame) -> VideoFrame {
        let (width, height) = picture.uprightSize
        // Whole chroma samples, so that nothing is interpolated.
        let left = max(Int(region.x / 2) * 2, 0)
        let top = max(Int(region.y / 2) * 2, 0)
        let size = (
            width: Framing.even(region.maxX - Double(left), limit: width - left),
            height: Framing.even(region.maxY - Double(top), limit: height - top)
        )
        let whole = Rectangle(
            x: Double(left), y: Double(top), width: Double(size.width), height: Double(size.height))
        return cut(whole, of: picture, size: size)
    }

    private func cut(
        _ region: Rectangle, of picture: VideoFrame, size: (width: Int, height: Int)
    ) -> VideoFrame {
        let isTurned = picture.orientation.swapsAxes
        return scaler.cut(
            picture.stored(region), of: picture, width: isTurned ? size.height : size.width,
            height: isTurned ? size.width : size.height)
    }
}
