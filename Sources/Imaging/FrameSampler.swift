/// Reads a rectangle of a frame as a small upright RGB picture: what a network is fed with.
///
/// The planes are resampled first (antialiased, sample centres and chroma siting respected) and converted to RGB at the small
/// size, so that the cost is one pass over the rectangle's samples in the frame's own format. Keeps its working memory, and
/// is therefore for one thread at a time.
public final class FrameSampler {
    private struct Geometry: Equatable {
        let format: PixelFormat
        let width: Int
        let height: Int
        let source: Rectangle
        let targetWidth: Int
        let targetHeight: Int
        let chromaLocation: ColorDescription.ChromaLocation
    }

    private var geometry: Geometry?
    private var samplers: [PlaneSampler] = []
    private var components = ComponentMaps()

    public init() {}

    /// Writes `width` x `height` pixels of red, green, blue (0…1, not clipped) for the rectangle `source` of the upright frame.
    ///
    /// `source` is in upright pixels and may reach beyond the frame: the border is repeated there. `target` holds
    /// `3 * width * height` elements, rows from the top, pixels interleaved.
    public func sample(
        _ frame: VideoFrame, source: Rectangle, width: Int, height: Int, into target: UnsafeMutableBufferPointer<Float>
    ) {
        precondition(target.count >= 3 * width * height, "the target holds three components a pixel")
        let swaps = frame.orientation.swapsAxes
        prepare(frame, source: source, width: swaps ? height : width, height: swaps ? width : height)
        resampleComponents(frame.pixelBuffer)
        convert(frame, width: width, height: height, into: target)
    }

    /// As above, filling `picture` at the size that it has.
    public func sample(_ frame: VideoFrame, source: Rectangle, into picture: inout RGBMap) {
        let (width, height) = (picture.width, picture.height)
        picture.values.withUnsafeMutableBufferPointer {
            sample(frame, source: source, width: width, height: height, into: $0)
        }
    }

    /// Writes the components of the last picture that was sampled from `frame`, as it is stored, at the picture's size: fractions
    /// of the largest code value, in the order of the colour model; three maps, or one of a gray frame.
    ///
    /// Each of `maps` has `width` times `height` elements of the stored picture afterwards.
    public func components(of frame: VideoFrame, width: Int, height: Int, into maps: inout [ScalarMap]) {
        let format = frame.pixelBuffer.format
        precondition(width * height == components.count, "the maps have the picture's size")
        let count = format.colorModel == .gray ? 1 : 3
        if maps.count != count { maps = Array(repeating: ScalarMap(width: width, height: height), count: count) }
        let scale = 1 / Float((1 << format.bitDepth) - 1)
        components.withPointers { components in
            for index in maps.indices {
                maps[index].resize(width: width, height: height)
                let source = components[index]
                maps[index].values.withUnsafeMutableBufferPointer { target in
                    for i in target.indices { target[i] = source[i] * scale }
                }
            }
        }
    }

    private func prepare(_ frame: VideoFrame, source: Rectangle, width: Int, height: Int) {
        let buffer = frame.pixelBuffer
        let stored = source.applying(frame.uprightToStored)
        let wanted = Geometry(
            format: buffer.format, width: buffer.width, height: buffer.height, source: stored, targetWidth: width,
            targetHeight: height, chromaLocation: frame.color.chromaLocation)
        guard wanted != geometry else { return }
        geometry = wanted
        samplers = []
        for (index, plane) in buffer.format.planes.enumerated() {
            // Cb and Cr are alike.
            if index > 0, plane == buffer.format.planes[index - 1] {
                samplers.append(samplers[index - 1])
                continue
            }
            let size = buffer.format.planeSize(index, width: buffer.width, height: buffer.height)
            let place = plane.place(of: stored, frame.color.chromaLocation)
            samplers.append(
                PlaneSampler(
                    horizontal: ResampleTaps(origin: place.x, length: place.width, count: width, limit: size.width),
                    vertical: ResampleTaps(origin: place.y, length: place.height, count: height, limit: size.height)))
        }
        components.resize(width * height)
    }

    private func resampleComponents(_ buffer: PixelBuffer) {
        buffer.withPlanes { planes in
            components.withPointers { components in
                var next = 0
                for (index, plane) in planes.enumerated() {
                    let picked = buffer.format.colorComponents(ofPlane: index)
                    let targets = Array(components[next..<next + picked.count])
                    let step = buffer.format.planes[index].componentCount
                    switch buffer.format.bytesPerComponent {
                    case 1:
                        samplers[index].sample(plane, as: UInt8.self, step: step, components: picked, into: targets)
                    default:
                        samplers[index].sample(plane, as: UInt16.self, step: step, components: picked, into: targets)
                    }
                    next += picked.count
                }
            }
        }
    }

    private func convert(
        _ frame: VideoFrame, width: Int, height: Int, into target: UnsafeMutableBufferPointer<Float>
    ) {
        let walk = StoredWalk(frame.orientation, width: width, height: height)
        components.withPointers { components in
            ColorConversion(frame).writeRGB(
                components, walk: walk, into: target.baseAddress!, width: width, height: height)
        }
    }
}
