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

    /// What of `picture`, made of a frame whose people are in `mask`, comes out; nil for nobody that is known of.
    func frame(_ picture: VideoFrame, mask: PixelBuffer?) -> VideoFrame {
        switch framing {
        case .whole: return picture
        case .region(let region): return cut(region, of: picture)
        case .middle(let aspect):
            let (bounds, size) = (picture.uprightSize, Framing.size(aspect: aspect, of: picture))
            return cut(
                Rectangle(
                    x: Double(bounds.width - size.width) / 2, y: Double(bounds.height - size.height) / 2,
                    width: Double(size.width), height: Double(size.height)), of: picture)
        case .follow(let aspect):
            let upright = picture.uprightSize
            if camera == nil || bounds != upright {
                bounds = upright
                camera = CameraOperator(size: Framing.size(aspect: aspect, of: picture), bounds: upright)
            }
            let people = mask.flatMap { PersonExtent($0, of: picture) }
            let region = camera!.rectangle(around: people, at: picture.time ?? 0)
            return cut(region, of: picture, size: camera!.size)
        }
    }

    private func cut(_ region: Rectangle, of picture: VideoFrame) -> VideoFrame {
        let bounds = picture.uprightSize
        // Whole chroma samples of both fields, so that nothing is interpolated and no field changes its place.
        let size = Framing.size(region.width, region.height, of: picture)
        let left = Self.place(region.midX - Double(size.width) / 2, limit: bounds.width - size.width)
        let top = Self.place(region.midY - Double(size.height) / 2, limit: bounds.height - size.height)
        let whole = Rectangle(
            x: left, y: top, width: Double(size.width), height: Double(size.height))
        return cut(whole, of: picture, size: size)
    }

    private static func place(_ position: Double, limit: Int) -> Double {
        // With the bound first, which is what comes of no number.
        let nearest = (min(max(0, position), Double(limit)) / 4).rounded() * 4
        return nearest <= Double(limit) ? nearest : nearest - 4
    }

    private func cut(
        _ region: Rectangle, of picture: VideoFrame, size: (width: Int, height: Int)
    ) -> VideoFrame {
        let isTurned = picture.orientation.swapsAxes
        return scaler.cut(
            region.applying(picture.uprightToStored), of: picture, width: isTurned ? size.height : size.width,
            height: isTurned ? size.width : size.height)
    }
}
