/// A part of an upright frame, from which small turned RGB pictures are cut: what the networks for faces and bodies are fed with.
///
/// Places are index coordinates of the frame as it is shown, in square pixels (`VideoFrame.displaySize`): the centre of the
/// first one is (0, 0), y down. The planes are read in the frame's own format, at their own sizes, and only the pixels of a
/// cut are converted. Keeps its working memory, and is therefore for one thread at a time.
public final class FramePatch {
    private struct Geometry: Equatable {
        let format: PixelFormat
        let width: Int
        let height: Int
        let stored: Rectangle
        let factor: Double
        let chromaLocation: ColorDescription.ChromaLocation
    }

    private var frame: VideoFrame?
    private var geometry: Geometry?
    /// The planes of the part, where it is shrunk.
    private var shrunk: [ShrunkPlane] = []
    private var components = ComponentMaps()

    public init() {}

    /// Takes in `rectangle` (by edges of the pixels shown, inside the frame) of `frame`, shrunk by `factor`, 1 or more, and keeps
    /// it until the next one.
    public func read(_ frame: VideoFrame, rectangle: Rectangle, factor: Double) {
        self.frame = frame
        guard factor > 1 else {
            geometry = nil
            return
        }
        let buffer = frame.pixelBuffer
        let wanted = Geometry(
            format: buffer.format, width: buffer.width, height: buffer.height,
            stored: rectangle.applying(frame.displayToStored), factor: factor,
            chromaLocation: frame.color.chromaLocation)
        if wanted != geometry {
            geometry = wanted
            // The part follows a face or a body: it moves in every frame, and its memory stays.
            var memory = shrunk.indices.map { shrunk[$0].takeMaps() }
            memory += Array(repeating: [], count: max(0, buffer.format.planes.count - memory.count))
            shrunk = []
            for index in buffer.format.planes.indices {
                let maps = memory[index]
                memory[index] = []
                shrunk.append(ShrunkPlane(index, of: frame, stored: wanted.stored, factor: factor, memory: maps))
            }
        }
        buffer.withPlanes { planes in
            for index in planes.indices { shrunk[index].read(planes[index]) }
        }
    }

    /// Lets the frame go; another is read before more pictures are cut.
    package func letGo() { frame = nil }

    /// Writes the picture of `width` by `height` pixels (red, green, blue in 0…1, not clipped, interleaved) whose pixel (i, j) lies
    /// at `map`(i, j) of the frame that was read, interpolated bilinearly.
    ///
    /// Beyond the part its border is repeated where it was shrunk; where it was not, the frame goes on to its own border.
    public func cut(_ map: AffineTransform, into target: UnsafeMutablePointer<Float>, width: Int, height: Int) {
        guard let frame else { preconditionFailure("a frame is read before pictures are cut") }
        let buffer = frame.pixelBuffer
        // Index coordinates are half a pixel less than those of edges, in every plane.
        let toStored = map.then(.shift(0.5, 0.5)).then(frame.displayToStored)
        components.resize(width * height)
        components.withPointers { components in
            buffer.withPlanes { planes in
                var next = 0
                for (index, layout) in buffer.format.planes.enumerated() {
                    let toPlane = toStored.then(layout.toPlane(frame.color.chromaLocation))
                    for (place, component) in buffer.format.colorComponents(ofPlane: index).enumerated() {
                        let target = components[next]
                        next += 1
                        guard geometry == nil else {
                            shrunk[index].cut(
                                place, toPlane: toPlane, into: target, width: width, height: height)
                            continue
                        }
                        AffineSampler.sample(
                            planes[index], of: buffer.format, step: layout.componentCount, component: component,
                            map: toPlane.then(.shift(-0.5, -0.5)), into: target, width: width, height: height)
                    }
                }
            }
            ColorConversion(frame).writeRGB(
                components, walk: StoredWalk(.up, width: width, height: height), into: target, width: width,
                height: height)
        }
    }
}

/// A part of one plane, shrunk to a map for each of its colour components.
private struct ShrunkPlane {
    private let format: PixelFormat
    private let step: Int
    private let picked: [Int]
    private var sampler: PlaneSampler
    /// At least as many values as the maps have.
    private var maps: [Float]
    /// From edges of the plane's samples to edges of the map's.
    private let toMap: AffineTransform

    /// `memory` is what the maps are written into, where it is large enough.
    init(_ index: Int, of frame: VideoFrame, stored: Rectangle, factor: Double, memory: consuming [Float]) {
        let buffer = frame.pixelBuffer
        format = buffer.format
        let layout = format.planes[index]
        step = layout.componentCount
        picked = format.colorComponents(ofPlane: index)
        let place = layout.place(of: stored, frame.color.chromaLocation)
        let size = format.planeSize(index, width: buffer.width, height: buffer.height)
        func count(_ length: Double) -> Int { max(1, Int((length / factor).rounded())) }
        let (width, height) = (count(place.width), count(place.height))
        sampler = PlaneSampler(
            horizontal: ResampleTaps(origin: place.x, length: place.width, count: width, limit: size.width),
            vertical: ResampleTaps(origin: place.y, length: place.height, count: height, limit: size.height))
        let valueCount = picked.count * width * height
        maps = memory.count >= valueCount ? memory : Array(repeating: 0, count: valueCount)
        let (across, down) = (Double(width) / place.width, Double(height) / place.height)
        toMap = AffineTransform(a: across, b: 0, tx: -place.x * across, c: 0, d: down, ty: -place.y * down)
    }

    /// Gives the memory of the maps away.
    mutating func takeMaps() -> [Float] {
        defer { maps = [] }
        return maps
    }

    mutating func read(_ plane: Plane) {
        let count = sampler.width * sampler.height
        maps.withUnsafeMutableBufferPointer { maps in
            let targets = picked.indices.map { maps.baseAddress! + $0 * count }
            switch format.bytesPerComponent {
            case 1: sampler.sample(plane, as: UInt8.self, step: step, components: picked, into: targets)
            default: sampler.sample(plane, as: UInt16.self, step: step, components: picked, into: targets)
            }
        }
    }

    /// Cuts the map at `place` among the plane's.
    func cut(
        _ place: Int, toPlane: AffineTransform, into target: UnsafeMutablePointer<Float>, width: Int, height: Int
    ) {
        maps.withUnsafeBufferPointer { maps in
            let map = Plane(
                base: maps.baseAddress! + place * sampler.width * sampler.height,
                bytesPerRow: MemoryLayout<Float>.stride * sampler.width, width: sampler.width, height: sampler.height)
            AffineSampler.sample(
                map, as: Float.self, map: toPlane.then(toMap).then(.shift(-0.5, -0.5)), into: target, width: width,
                height: height)
        }
    }
}
