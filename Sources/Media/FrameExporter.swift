import CFFmpeg
import Imaging

/// Makes of a `VideoFrame` the `AVFrame` that the encoder takes: turned, converted and tagged as it was opened for.
///
/// A picture that needs neither turn nor conversion is lent to the encoder without copying.
final class FrameExporter {
    let format: EncoderFormat
    /// The turn that is done to the pixels; `.up` where the container tells it or there is none.
    let rotation: Orientation

    /// nil where alpha stays straight.
    private let premultiplier: AlphaPremultiplier?
    private let widening = FrameConverter()
    private let turner = PictureTurner()
    private let converter = FrameConverter()
    private let pool = PixelBufferPool()
    private let widePool = PixelBufferPool()
    private let paddedPool = PixelBufferPool()

    init(format: EncoderFormat, rotation: Orientation, alpha: AlphaKind = .straight) {
        self.format = format
        self.rotation = rotation
        premultiplier = alpha == .premultiplied ? AlphaPremultiplier() : nil
    }

    /// The format of a picture once it is turned: chroma that is subsampled in one direction alone becomes full.
    static func rotatedFormat(_ format: PixelFormat, by rotation: Orientation) -> PixelFormat {
        let chroma = format.chroma
        return rotation.swapsAxes && chroma.horizontalShift != chroma.verticalShift ? format.withFullChroma : format
    }

    /// Where chroma lies once the picture is turned: where it lay before, if its new place has no name and it is moved.
    static func chromaLocation(of frame: VideoFrame, turnedBy rotation: Orientation) -> ColorDescription.ChromaLocation
    {
        let location = frame.color.chromaLocation
        guard rotation != .up, frame.pixelBuffer.format.chroma.isSubsampled else { return location }
        let turned = location.settled.turnedUpright(by: rotation)
        return turned == .unspecified ? location : turned
    }

    /// Whether the turn brings the lines of each field into the other's place.
    static func swapsFields(_ rotation: Orientation, height: Int) -> Bool {
        (rotation == .down || rotation == .downMirrored) && height % 2 == 0
    }

    /// `keepsProperties` tells whether what the decoder tells beside the picture goes to the encoder.
    func makeFrame(
        _ frame: VideoFrame, pts: Int64, duration: Int64, keepsProperties: Bool = true
    ) throws(AVError) -> FrameReference {
        let isFull = frame.color.isFullRange(in: frame.pixelBuffer.format.colorModel)
        var buffer = frame.pixelBuffer
        if let premultiplier { buffer = premultiplier.premultiply(buffer, isFullRange: isFull) }
        buffer = try turn(buffer, of: frame)
        let target = try convertIfNeeded(buffer, of: frame, isFullRange: isFull)
        if keepsProperties, let properties = frame.attachments as? FrameProperties { try properties.copy(to: target) }
        let avFrame = target.pointer
        if Self.swapsFields(rotation, height: format.height) {
            FFFrameSetTopFieldFirst(avFrame, FFFrameIsTopFieldFirst(avFrame) == 0 ? 1 : 0)
        }
        avFrame.pointee.pts = pts
        FFFrameSetDuration(avFrame, duration)
        avFrame.pointee.pict_type = AV_PICTURE_TYPE_NONE
        avFrame.pointee.sample_aspect_ratio = format.sampleAspectRatio.av
        let color = format.color
        avFrame.pointee.colorspace = color.avMatrix
        avFrame.pointee.color_range = color.avRange
        avFrame.pointee.color_primaries = color.avPrimaries
        avFrame.pointee.color_trc = color.avTransfer
        avFrame.pointee.chroma_location = color.avChromaLocation
        return target
    }

    /// Writes the picture, turned and converted, to memory of the caller's whose planes have the size and format of `format`.
    func export(_ frame: VideoFrame, to planes: PlanePointers) throws(AVError) {
        var buffer = frame.pixelBuffer
        buffer = try turn(buffer, of: frame)
        let isFull = frame.color.isFullRange(in: frame.pixelBuffer.format.colorModel)
        let (from, to) = layouts(buffer, of: frame, isFullRange: isFull)
        try padded(buffer).withPlanes { (sources) throws(AVError) in
            try converter.convert(from, PlanePointers(sources), to: to, planes, isInterlaced: isInterlaced(frame))
        }
    }

    // Where no tag tells it, the stored size does, whichever way the picture is turned.
    private static func matrix(of frame: VideoFrame) -> ColorDescription.Matrix {
        frame.color.matrix.resolved(width: frame.pixelBuffer.width, height: frame.pixelBuffer.height)
    }

    private func isInterlaced(_ frame: VideoFrame) -> Bool { frame.isInterlaced && !rotation.swapsAxes }

    /// The picture turned, with all of its chroma where that lies in another place than it is to.
    private func turn(_ source: PixelBuffer, of frame: VideoFrame) throws(AVError) -> PixelBuffer {
        let location = frame.color.chromaLocation
        let wide =
            movesChroma(source, location)
            ? source.format.withFullChroma : Self.rotatedFormat(source.format, by: rotation)
        let buffer = wide == source.format ? source : try widen(source, to: wide, of: frame)
        return rotation == .up ? buffer : turner.turn(buffer, by: rotation)
    }

    // libswscale moves it only where it changes how many samples there are.
    private func movesChroma(_ source: PixelBuffer, _ location: ColorDescription.ChromaLocation) -> Bool {
        guard source.format.chroma.isSubsampled else { return false }
        let turned = location.settled.turnedUpright(by: rotation)
        return turned == .unspecified
            || format.pixelFormat.chromaShift != (0, 0) && turned != format.color.chromaLocation.settled
    }

    private func widen(
        _ source: PixelBuffer, to wide: PixelFormat, of frame: VideoFrame
    ) throws(AVError) -> PixelBuffer {
        let from = FrameConverter.Layout(
            format: source.format.av, width: source.width, height: source.height, matrix: .unspecified,
            isFullRange: true, chromaLocation: frame.color.chromaLocation.settled)
        var to = from
        to.format = wide.av
        var target = widePool.makeBuffer(format: wide, width: source.width, height: source.height)
        try padded(source).withPlanes { (planes) throws(AVError) in
            try target.withMutablePlanes { (targets) throws(AVError) in
                try widening.convert(
                    from, PlanePointers(planes), to: to, PlanePointers(targets), isInterlaced: isInterlaced(frame))
            }
        }
        return target.publish()
    }

    private func convertIfNeeded(
        _ source: PixelBuffer, of frame: VideoFrame, isFullRange: Bool
    ) throws(AVError) -> FrameReference {
        let lent = PixelFormat.borrowing(format.pixelFormat)
        let isSize = source.width == format.width && source.height == format.height
        let keepsRange = isFullRange == (format.color.range == .full) || source.format.colorModel == .rgb
        let matrix = format.color.matrix.resolved(width: format.width, height: format.height)
        let keepsMatrix = source.format.colorModel != .yuv || Self.matrix(of: frame) == matrix
        let isUpright = source.withPlanes { planes in planes.allSatisfy { $0.bytesPerRow > 0 } }
        if isSize, keepsRange, keepsMatrix, isUpright, lent == source.format { return try lend(source) }

        let (from, to) = layouts(source, of: frame, isFullRange: isFullRange)
        let isInterlaced = isInterlaced(frame)
        let source = padded(source)
        guard let lent else { return try convert(source, from, to, isInterlaced: isInterlaced) }
        var target = pool.makeBuffer(format: lent, width: format.width, height: format.height)
        try source.withPlanes { (planes) throws(AVError) in
            try target.withMutablePlanes { (targets) throws(AVError) in
                try converter.convert(
                    from, PlanePointers(planes), to: to, PlanePointers(targets), isInterlaced: isInterlaced)
                if isSize {
                    AlphaTransfer.copy(source, to: format.pixelFormat) { (targets[$0].base, targets[$0].bytesPerRow) }
                }
            }
        }
        return try lend(target.publish())
    }

    /// libswscale reads a little more than a picture's last row, which memory of the caller's may end with.
    private func padded(_ source: PixelBuffer) -> PixelBuffer {
        guard !source.isPadded else { return source }
        let format = source.format
        var copy = paddedPool.makeBuffer(format: format, width: source.width, height: source.height)
        source.withPlanes { planes in
            copy.withMutablePlanes { targets in
                for (index, (plane, target)) in zip(planes, targets).enumerated() {
                    let count = plane.width * format.planes[index].componentCount * format.bytesPerComponent
                    for y in 0..<plane.height {
                        target.row(y, as: UInt8.self).update(from: plane.row(y, as: UInt8.self), count: count)
                    }
                }
            }
        }
        return copy.publish()
    }

    private func layouts(
        _ source: PixelBuffer, of frame: VideoFrame, isFullRange: Bool
    ) -> (from: FrameConverter.Layout, to: FrameConverter.Layout) {
        let isRGB = format.pixelFormat.isRGB
        let matrix = Self.matrix(of: frame)
        let from = FrameConverter.Layout(
            format: source.format.av, width: source.width, height: source.height, matrix: matrix,
            isFullRange: isFullRange,
            chromaLocation: frame.color.chromaLocation.settled.turnedUpright(by: rotation))
        let to = FrameConverter.Layout(
            format: format.pixelFormat, width: format.width, height: format.height,
            matrix: isRGB ? matrix : format.color.matrix,
            isFullRange: isRGB || format.color.range == .full, chromaLocation: format.color.chromaLocation)
        return (from, to)
    }

    /// Converts to a format that `PixelFormat` doesn't know, into memory of FFmpeg's own.
    private func convert(
        _ source: PixelBuffer, _ from: FrameConverter.Layout, _ to: FrameConverter.Layout, isInterlaced: Bool
    ) throws(AVError) -> FrameReference {
        let target = try FrameReference(
            allocating: format.pixelFormat, width: CInt(format.width), height: CInt(format.height))
        try source.withPlanes { (planes) throws(AVError) in
            try converter.convert(
                from, PlanePointers(planes), to: to, PlanePointers(target), isInterlaced: isInterlaced)
        }
        if source.width == format.width, source.height == format.height {
            AlphaTransfer.copy(source, to: format.pixelFormat) { plane in
                target.data(plane).map { (UnsafeMutableRawPointer($0), target.bytesPerRow(plane)) }
            }
        }
        return target
    }

    /// Keeps a picture alive while FFmpeg refers to it.
    private final class Loan {
        let buffer: PixelBuffer
        init(_ buffer: PixelBuffer) { self.buffer = buffer }
    }

    /// An `AVFrame` around a picture's own memory, which is given back when FFmpeg lets go.
    private func lend(_ buffer: PixelBuffer) throws(AVError) -> FrameReference {
        let target = try FrameReference()
        target.pointer.pointee.format = format.pixelFormat.rawValue
        target.pointer.pointee.width = CInt(buffer.width)
        target.pointer.pointee.height = CInt(buffer.height)
        try buffer.withPlanes { (planes) throws(AVError) in
            for (index, plane) in planes.enumerated() {
                let base = UnsafeMutableRawPointer(mutating: plane.base)
                target.setPlane(index, base, bytesPerRow: plane.bytesPerRow)
            }
            let loan = Unmanaged.passRetained(Loan(buffer))
            let base = UnsafeMutablePointer(mutating: planes[0].base.assumingMemoryBound(to: UInt8.self))
            let reference = av_buffer_create(
                base, planes[0].bytesPerRow * planes[0].height,
                { opaque, _ in Unmanaged<Loan>.fromOpaque(opaque!).release() },
                loan.toOpaque(), AV_BUFFER_FLAG_READONLY)
            guard let reference else {
                loan.release()
                throw .outOfMemory
            }
            target.pointer.pointee.buf.0 = reference
        }
        return target
    }
}
