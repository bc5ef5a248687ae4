import CFFmpeg
import Imaging

/// Brings pictures from one size and FFmpeg pixel format to another with libswscale.
///
/// The scaler is made for the first picture and made anew when the source changes. Used by one thread at a time.
final class FrameConverter {
    /// What pictures come in or go out as.
    struct Layout: Equatable {
        var format: AVPixelFormat
        var width: Int
        var height: Int
        /// Matters for conversions between YUV and RGB.
        var matrix: ColorDescription.Matrix
        /// Whether black is 0; RGB always is full range.
        var isFullRange: Bool
        /// Where chroma lies whose subsampling changes; unspecified is taken for `.left`.
        var chromaLocation = ColorDescription.ChromaLocation.center
        /// nil for a whole picture.
        var field: Field?
    }

    /// Every other row of an interlaced picture, by its first one.
    enum Field: Int, CaseIterable { case top, bottom }

    private var scaler: UnsafeMutableRawPointer?
    private var source: Layout?
    private var target: Layout?
    private lazy var fieldConverters: [FrameConverter] = Field.allCases.map { _ in FrameConverter() }

    deinit { FFScalerFree(scaler) }

    /// Converts a picture whose planes are `source` into memory whose planes are `target`.
    ///
    /// Of an interlaced picture each field is converted by itself where chroma rows would be mixed otherwise.
    func convert(
        _ source: Layout, _ sourcePlanes: PlanePointers, to target: Layout, _ targetPlanes: PlanePointers,
        isInterlaced: Bool = false
    ) throws(AVError) {
        if isInterlaced, let fields = Self.fields(source, target) {
            for (field, converter) in zip(Field.allCases, fieldConverters) {
                var (from, to) = fields
                (from.field, to.field) = (field, field)
                try converter.convert(
                    from, sourcePlanes.everyOtherRow(from: field.rawValue), to: to,
                    targetPlanes.everyOtherRow(from: field.rawValue))
            }
            return
        }
        if source != self.source || target != self.target { try prepare(source, target) }
        if source.format.isGray, target.format.isSemiPlanar { try targetPlanes.fillBlack(target) }
        let rows = withUnsafePointer(to: sourcePlanes) { from in
            withUnsafePointer(to: targetPlanes) { to in
                FFScalerScale(scaler, from.constData, from.strides, CInt(source.height), to.data, to.strides)
            }
        }
        try AVError.check(rows)
    }

    /// What one field is; nil where no chroma row depends on another, or where fields have no whole chroma rows.
    private static func fields(_ source: Layout, _ target: Layout) -> (Layout, Layout)? {
        let shifts = (source.format.chromaShift.vertical, target.format.chromaShift.vertical)
        guard source.height == target.height, shifts.0 != shifts.1,
            source.height % (2 << max(shifts.0, shifts.1)) == 0
        else { return nil }
        return (source.halved, target.halved)
    }

    private func prepare(_ source: Layout, _ target: Layout) throws(AVError) {
        FFScalerFree(scaler)
        (self.scaler, self.source, self.target) = (nil, nil, nil)
        let scaler = try AVError.allocated(FFScalerAllocate())
        self.scaler = scaler
        // Bit-exact rounding and chroma at full resolution: a conversion happens once, so it may take its time.
        let flags = "bicubic+accurate_rnd+full_chroma_int+full_chroma_inp"
        try AVError.check(av_opt_set(scaler, "sws_flags", flags, 0))
        let options: [(String, Int64)] = [
            ("srcw", Int64(source.width)), ("srch", Int64(source.height)),
            ("src_format", Int64(source.format.rawValue)),
            ("dstw", Int64(target.width)), ("dsth", Int64(target.height)),
            ("dst_format", Int64(target.format.rawValue)),
        ]
        for (name, value) in options + chromaPositions(source, target) {
            try AVError.check(av_opt_set_int(scaler, name, value, 0))
        }
        // Equal ranges are both called full: libswscale takes gray for full range whatever it is told, and would
        // stretch limited-range luma on its way between gray and YUV.
        let isBetweenMatrices = !source.format.isGray && !target.format.isGray && !hasSameMatrix(source, target)
        let keepsRange =
            !source.format.isRGB && !target.format.isRGB && source.isFullRange == target.isFullRange
            && !isBetweenMatrices
        let sourceRange: CInt = keepsRange || source.isFullRange ? 1 : 0
        let targetRange: CInt = keepsRange || target.isFullRange ? 1 : 0
        try AVError.check(av_opt_set_int(scaler, "src_range", Int64(sourceRange), 0))
        try AVError.check(av_opt_set_int(scaler, "dst_range", Int64(targetRange), 0))
        FFScalerSetColorspaceDetails(scaler, coefficients(source), sourceRange, coefficients(target), targetRange)
        try AVError.check(FFScalerInitialize(scaler))
        (self.source, self.target) = (source, target)
    }

    /// libswscale's options for chroma that is resampled, in 1/256 of a luma sample; the middle is what it takes by itself.
    private func chromaPositions(_ source: Layout, _ target: Layout) -> [(String, Int64)] {
        let (from, to) = (source.format.chromaShift, target.format.chromaShift)
        var options: [(String, Int64)] = []
        for (name, layout, shift) in [("src", source, from), ("dst", target, to)] {
            if from.horizontal != to.horizontal || source.width != target.width, shift.horizontal > 0,
                let position = layout.horizontalChromaPosition
            {
                options.append(("\(name)_h_chr_pos", position))
            }
            if from.vertical != to.vertical || source.height != target.height, shift.vertical == 1,
                let position = layout.verticalChromaPosition
            {
                options.append(("\(name)_v_chr_pos", position))
            }
        }
        return options
    }

    private func hasSameMatrix(_ a: Layout, _ b: Layout) -> Bool {
        guard let a = coefficients(a), let b = coefficients(b) else { return false }
        return (0..<4).allSatisfy { a[$0] == b[$0] }
    }

    private func coefficients(_ layout: Layout) -> UnsafePointer<CInt>? {
        sws_getCoefficients(CInt(layout.matrix.resolved(width: layout.width, height: layout.height).rawValue))
    }
}

extension FrameConverter.Layout {
    /// One field of it.
    fileprivate var halved: Self {
        var field = self
        // The picture's height may be what tells the matrix.
        field.matrix = matrix.resolved(width: width, height: height)
        field.height /= 2
        return field
    }

    /// nil for the middle.
    fileprivate var horizontalChromaPosition: Int64? {
        switch chromaLocation {
        case .unspecified, .left, .topLeft, .bottomLeft: 0
        case .center, .top, .bottom: nil
        }
    }

    /// nil for the middle. The chroma of a field lies a quarter towards the other one's rows (ITU-T H.262, 6.1.1.8).
    fileprivate var verticalChromaPosition: Int64? {
        switch (field, chromaLocation) {
        case (.top, _): 64
        case (.bottom, _): 192
        case (nil, .topLeft), (nil, .top): 0
        case (nil, .bottomLeft), (nil, .bottom): 256
        case (nil, .unspecified), (nil, .left), (nil, .center): nil
        }
    }
}

/// Where up to four planes lie, in the shape that FFmpeg's C functions take.
struct PlanePointers {
    private var bases: (UInt, UInt, UInt, UInt) = (0, 0, 0, 0)
    private var bytesPerRow: (CInt, CInt, CInt, CInt) = (0, 0, 0, 0)

    init(_ planes: [Plane]) {
        for (index, plane) in planes.enumerated() { set(index, UInt(bitPattern: plane.base), plane.bytesPerRow) }
    }

    init(_ planes: [MutablePlane]) {
        for (index, plane) in planes.enumerated() { set(index, UInt(bitPattern: plane.base), plane.bytesPerRow) }
    }

    /// The planes of a picture that lies in one piece, rows without gaps.
    init(
        _ bytes: UnsafeMutablePointer<UInt8>, _ format: AVPixelFormat, width: CInt, height: CInt
    ) throws(AVError) {
        var planes = [UnsafeMutablePointer<UInt8>?](repeating: nil, count: 4)
        var strides = [CInt](repeating: 0, count: 4)
        try AVError.check(av_image_fill_arrays(&planes, &strides, bytes, format, width, height, 1))
        for index in 0..<4 { set(index, UInt(bitPattern: planes[index]), Int(strides[index])) }
    }

    init(_ frame: FrameReference) {
        for index in 0..<4 { set(index, UInt(bitPattern: frame.data(index)), frame.bytesPerRow(index)) }
    }

    /// The part of a picture that begins at column `x` and row `y`, which fall on whole chroma samples; its format must not be
    /// indivisible.
    init(_ frame: FrameReference, x: Int, y: Int) {
        let format = frame.pixelFormat
        let shift = format.chromaShift
        var steps: [CInt] = [0, 0, 0, 0]
        av_image_fill_max_pixsteps(&steps, nil, av_pix_fmt_desc_get(format))
        for index in 0..<4 where frame.data(index) != nil {
            let isChroma = !format.isRGB && (index == 1 || index == 2)
            let column = isChroma ? x >> shift.horizontal : x
            let row = isChroma ? y >> shift.vertical : y
            let offset = row * frame.bytesPerRow(index) + column * Int(steps[index])
            set(index, UInt(bitPattern: frame.data(index)! + offset), frame.bytesPerRow(index))
        }
    }

    /// The rows of one field, the first of which is `first`: 0 or 1.
    func everyOtherRow(from first: Int) -> PlanePointers {
        let (bases, strides) = (
            [bases.0, bases.1, bases.2, bases.3], [bytesPerRow.0, bytesPerRow.1, bytesPerRow.2, bytesPerRow.3]
        )
        var field = self
        for index in 0..<4 where bases[index] != 0 {
            let stride = Int(strides[index])
            field.set(index, UInt(bitPattern: Int(bitPattern: bases[index]) + first * stride), 2 * stride)
        }
        return field
    }

    /// Makes all of a picture black.
    ///
    /// libswscale writes no chroma of gray where its target has both kinds in one plane.
    fileprivate func fillBlack(_ layout: FrameConverter.Layout) throws(AVError) {
        let strides = [bytesPerRow.0, bytesPerRow.1, bytesPerRow.2, bytesPerRow.3].map { Int($0) }
        let range = layout.isFullRange ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG
        let rc = withUnsafePointer(to: self) {
            av_image_fill_black(
                UnsafeMutablePointer(mutating: $0.data), strides, layout.format, range, CInt(layout.width),
                CInt(layout.height))
        }
        try AVError.check(rc)
    }

    private mutating func set(_ index: Int, _ base: UInt, _ stride: Int) {
        withUnsafeMutableBytes(of: &bases) { $0.storeBytes(of: base, toByteOffset: 8 * index, as: UInt.self) }
        withUnsafeMutableBytes(of: &bytesPerRow) {
            $0.storeBytes(of: CInt(stride), toByteOffset: 4 * index, as: CInt.self)
        }
    }
}

extension UnsafePointer<PlanePointers> {
    var data: UnsafePointer<UnsafeMutablePointer<UInt8>?> {
        UnsafeRawPointer(self).assumingMemoryBound(to: UnsafeMutablePointer<UInt8>?.self)
    }
    var constData: UnsafePointer<UnsafePointer<UInt8>?> {
        UnsafeRawPointer(self).assumingMemoryBound(to: UnsafePointer<UInt8>?.self)
    }
    var strides: UnsafePointer<CInt> {
        (UnsafeRawPointer(self) + 32).assumingMemoryBound(to: CInt.self)
    }
}
