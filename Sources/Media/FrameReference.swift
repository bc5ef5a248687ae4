import CFFmpeg
import Imaging

/// An `AVFrame` and what it refers to.
///
/// As the owner of a `PixelBuffer` it keeps a decoder's picture alive; the picture is not written any more then, hence
/// `@unchecked Sendable`.
final class FrameReference: @unchecked Sendable {
    let pointer: UnsafeMutablePointer<AVFrame>

    init() throws(AVError) {
        pointer = try AVError.allocated(av_frame_alloc())
    }

    /// A frame with memory of its own.
    convenience init(allocating format: AVPixelFormat, width: CInt, height: CInt) throws(AVError) {
        try self.init()
        (pointer.pointee.format, pointer.pointee.width, pointer.pointee.height) = (format.rawValue, width, height)
        try AVError.check(av_frame_get_buffer(pointer, 0))
    }

    deinit {
        var frame: UnsafeMutablePointer<AVFrame>? = pointer
        av_frame_free(&frame)
    }

    var pixelFormat: AVPixelFormat { AVPixelFormat(rawValue: pointer.pointee.format) }

    /// The picture as it lies in memory; nil where its format is none of `PixelFormat`'s.
    func lend() -> PixelBuffer? {
        guard let format = PixelFormat.lending(pixelFormat) else { return nil }
        let width = Int(pointer.pointee.width)
        let height = Int(pointer.pointee.height)
        var planes: [Plane] = []
        for index in format.planes.indices {
            guard let base = data(index) else { return nil }
            let size = format.planeSize(index, width: width, height: height)
            planes.append(
                Plane(base: base, bytesPerRow: bytesPerRow(index), width: size.width, height: size.height))
        }
        return PixelBuffer(format: format, width: width, height: height, planes: planes, owner: self, isPadded: true)
    }

    /// First row of plane `index`, at most 3.
    func data(_ index: Int) -> UnsafeMutablePointer<UInt8>? {
        withUnsafePointer(to: &pointer.pointee.data) { data in
            UnsafeRawPointer(data).assumingMemoryBound(to: UnsafeMutablePointer<UInt8>?.self)[index]
        }
    }

    func bytesPerRow(_ index: Int) -> Int {
        withUnsafePointer(to: &pointer.pointee.linesize) { linesize in
            Int(UnsafeRawPointer(linesize).assumingMemoryBound(to: CInt.self)[index])
        }
    }

    /// Points plane `index`, at most 3, at memory that something else keeps alive; nil for none.
    func setPlane(_ index: Int, _ base: UnsafeMutableRawPointer?, bytesPerRow: Int) {
        withUnsafeMutableBytes(of: &pointer.pointee.data) {
            $0.storeBytes(of: UInt(bitPattern: base), toByteOffset: 8 * index, as: UInt.self)
        }
        withUnsafeMutableBytes(of: &pointer.pointee.linesize) {
            $0.storeBytes(of: CInt(bytesPerRow), toByteOffset: 4 * index, as: CInt.self)
        }
    }

    /// The colour tags; the `yuvj` formats are full range by their name.
    var color: ColorDescription {
        let frame = pointer.pointee
        let range: ColorDescription.Range =
            pixelFormat.isFullRangeName
            ? .full : .init(rawValue: UInt8(truncatingIfNeeded: frame.color_range.rawValue)) ?? .unspecified
        return ColorDescription(
            matrix: .init(rawValue: UInt8(truncatingIfNeeded: frame.colorspace.rawValue)),
            range: range,
            primaries: UInt8(truncatingIfNeeded: frame.color_primaries.rawValue),
            transfer: UInt8(truncatingIfNeeded: frame.color_trc.rawValue),
            chromaLocation: .init(rawValue: UInt8(truncatingIfNeeded: frame.chroma_location.rawValue)) ?? .unspecified)
    }

    /// The display matrix that the picture itself carries, as a JPEG's Exif orientation becomes one.
    var displayMatrix: DisplayMatrix? {
        guard let bytes = sideData(AV_FRAME_DATA_DISPLAYMATRIX), bytes.count >= DisplayMatrix.byteCount else {
            return nil
        }
        return DisplayMatrix(bytes: bytes.baseAddress!)
    }

    /// The bytes of a piece of side data; valid as long as the reference lives.
    func sideData(_ type: AVFrameSideDataType) -> UnsafeBufferPointer<UInt8>? {
        guard let piece = av_frame_get_side_data(pointer, type) else { return nil }
        return UnsafeBufferPointer(start: piece.pointee.data, count: Int(piece.pointee.size))
    }
}

/// What a decoded frame carries beside its picture: side data, field order, metadata.
///
/// The reader makes it and nobody changes it, hence `@unchecked Sendable`.
final class FrameProperties: @unchecked Sendable {
    let frame: FrameReference

    init(of source: FrameReference) throws(AVError) {
        frame = try FrameReference()
        try AVError.check(av_frame_copy_props(frame.pointer, source.pointer))
    }

    /// Gives `target` everything but the picture's own tags and times, which `VideoFrame` tells.
    ///
    /// Left out is what does not hold for a picture that is encoded anew: the display matrix (the container's matter) and
    /// Dolby Vision, whose enhancement belongs to the picture that was.
    func copy(to target: FrameReference) throws(AVError) {
        try AVError.check(av_frame_copy_props(target.pointer, frame.pointer))
        av_frame_remove_side_data(target.pointer, AV_FRAME_DATA_DISPLAYMATRIX)
        av_frame_remove_side_data(target.pointer, AV_FRAME_DATA_DOVI_RPU_BUFFER)
        av_frame_remove_side_data(target.pointer, AV_FRAME_DATA_DOVI_METADATA)
    }
}
