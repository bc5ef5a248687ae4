import Imaging

/// Makes trimaps, which matting tools start from: what is surely a person, what surely is none, and a band between.
///
/// Takes its pictures from a pool and keeps its working memory; for one thread at a time.
public final class TrimapMaker {
    /// How far the band reaches on both sides, in pixels of a picture 720 pixels high.
    private static let reach = 8.0
    // Alpha below this, or as far below 255, is sure.
    private static let sure: UInt8 = 13

    private let pool = PixelBufferPool()
    private let scaledPool = PixelBufferPool()
    private let people = OutlineShape()
    private let background = OutlineShape()

    /// A maker without any memory yet.
    public init() {}

    /// The trimap of `mask`: 255 for people, 0 for the background, 128 where neither is sure.
    ///
    /// That is wherever alpha is soft, and around every edge. The mask is that of `frame`, of its size and `gray8`; another format or
    /// size is a caller's mistake, and traps.
    public func trimap(of mask: PixelBuffer, for frame: VideoFrame) -> PixelBuffer {
        let picture = frame.pixelBuffer
        precondition(mask.format == .gray8, "a mask for a trimap is gray8")
        precondition(mask.width == picture.width && mask.height == picture.height, "the mask has the frame's size")
        let unit = frame.lengthUnit
        let reach = (Self.reach * unit.across, Self.reach * unit.down)
        let mayBePeople = people.grow(threshold(mask) { $0 > Self.sure }, by: reach)
        let mayBeBackground = background.grow(threshold(mask) { $0 < 255 - Self.sure }, by: reach)
        return pool.makeMask(like: mask) { y, alpha, row in
            mayBePeople.withPlane(0) { people in
                mayBeBackground.withPlane(0) { background in
                    let (people, background) = (people.row(y, as: UInt8.self), background.row(y, as: UInt8.self))
                    for x in 0..<mask.width {
                        // On coarser cells a single pixel does not spread, but is open itself.
                        let isSoft = alpha[x] > Self.sure && alpha[x] < 255 - Self.sure
                        let isOpen = isSoft || people[x] > 127 && background[x] > 127
                        row[x] = isOpen ? 128 : alpha[x] > 127 ? 255 : 0
                    }
                }
            }
        }
    }

    /// The trimap that has become `scaled` by interpolation: what lies between two of its values is open.
    package func trimap(ofScaled scaled: PixelBuffer) -> PixelBuffer {
        scaledPool.makeMask(like: scaled) { _, values, row in
            for x in 0..<scaled.width { row[x] = values[x] == 0 || values[x] == 255 ? values[x] : 128 }
        }
    }

    private func threshold(_ mask: PixelBuffer, _ isSet: (UInt8) -> Bool) -> PixelBuffer {
        pool.makeMask(like: mask) { _, alpha, row in
            for x in 0..<mask.width { row[x] = isSet(alpha[x]) ? 255 : 0 }
        }
    }
}
