import CFFmpeg
import Imaging

/// Brings the pictures of a background to the size, shape, turn, format and colour of frames.
///
/// A picture goes straight through: opaque, cut and scaled, colours mapped, upright, on the canvas, as the frame is stored,
/// in the frame's format. Steps that change nothing cost nothing; where both are upright and SDR, one conversion by libswscale
/// is all, or none. Memory is kept from picture to picture; used by one thread at a time.
final class BackgroundFitter {
    private let fit: BackgroundReader.Fit
    private let flattener = AlphaFlattener()
    private let scaler = FrameConverter()
    private let scaledPool = PixelBufferPool()
    private let mappedPool = PixelBufferPool()
    private let uprightTurner = PictureTurner()
    private let canvas = BackgroundCanvas()
    private let storedTurner = PictureTurner()
    private let finisher = FrameConverter()
    private let finishedPool = PixelBufferPool()
    private var mapper: (mapper: ColorMapper, source: ColorDescription, target: ColorDescription)?

    init(fit: BackgroundReader.Fit) {
        self.fit = fit
    }

    func fit(_ source: TimedPicture, to stage: BackgroundStage) throws(AVError) -> PixelBuffer {
        let plan = Plan(source, fit: fit, stage: stage)
        let opaque = try flattener.flatten(source.frame, color: plan.sourceColor)
        var picture = try scale(opaque, plan, source: source, stage: stage)
        if plan.mapsColors { picture = map(picture, plan) }
        picture = uprightTurner.turn(picture, by: source.orientation)
        switch fit {
        case .fill: break
        case .fit: picture = canvas.center(picture, on: stage.uprightSize, black: plan.black)
        case .tile: picture = canvas.tile(picture, on: stage.uprightSize)
        }
        picture = storedTurner.turn(picture, by: stage.orientation.inverse)
        return try finish(picture, plan, stage)
    }

    /// What the steps have in common.
    private struct Plan {
        /// The source's tags with nothing unspecified that a conversion goes by.
        let sourceColor: ColorDescription
        let mapsColors: Bool
        /// The format between scaling and the end.
        let format: PixelFormat
        /// The tags of a picture that is scaled but not yet mapped.
        let scaledColor: ColorDescription
        /// The tags after that.
        let color: ColorDescription
        /// The code values of black, plane by plane.
        let black: [UInt16]
        /// Where chroma that is subsampled lies in a picture that is scaled but not yet turned.
        let chromaLocation: ColorDescription.ChromaLocation

        init(_ source: TimedPicture, fit: BackgroundReader.Fit, stage: BackgroundStage) {
            let frame = source.frame.pointer.pointee
            let isRGB = source.frame.pixelFormat.isRGB
            let isGray = source.frame.pixelFormat.isGray
            var sourceColor = source.frame.color
            sourceColor.matrix = sourceColor.matrix.resolved(width: Int(frame.width), height: Int(frame.height))
            sourceColor.range = sourceColor.isFullRange(in: isRGB ? .rgb : isGray ? .gray : .yuv) ? .full : .limited
            self.sourceColor = sourceColor
            var color = stage.settledColor
            // libswscale's full range ends at 255/256 of the peak, which is white only where there are 8 bits.
            let isDeepAndFull = stage.format.bitDepth > 8 && color.range == .full
            mapsColors = isDeepAndFull || !ColorMapping(from: sourceColor, to: color).isIdentity
            let location = stage.chromaLocation(beforeTurning: source.orientation)
            chromaLocation = location ?? .center
            if mapsColors {
                format = ColorMapper.format
                if stage.format.colorModel == .rgb { color.range = .limited }
                scaledColor = sourceColor.limited(isRGB: isRGB || source.frame.pixelFormat.hasAlpha)
            } else {
                let isTurned = source.orientation.swapsAxes || stage.orientation.swapsAxes
                let isMoved = location == nil || (!isRGB && sourceColor.chromaLocation.settled != location)
                format = Self.format(for: stage.format, isTiled: fit == .tile, isTurned: isTurned, isMoved: isMoved)
                scaledColor = color
            }
            self.color = color
            black = Self.black(format, color)
        }

        /// Tiles of odd size would tear subsampled chroma, and a quarter turn what is subsampled in one direction alone; chroma
        /// that lies elsewhere would be copied to the wrong place.
        private static func format(
            for format: PixelFormat, isTiled: Bool, isTurned: Bool, isMoved: Bool
        ) -> PixelFormat {
            let chroma = format.planes[format.planes.count - 1]
            let isUneven = chroma.horizontalShift != chroma.verticalShift
            switch format.colorModel {
            case .rgb: return format
            // libswscale would stretch gray to full range.
            case .gray: return .fullChroma(bitDepth: format.bitDepth)
            case .yuv:
                let needsAllChroma = isTiled || (isTurned && isUneven) || (isMoved && chroma.isSubsampled)
                return needsAllChroma ? .fullChroma(bitDepth: format.bitDepth) : format
            }
        }

        private static func black(_ format: PixelFormat, _ color: ColorDescription) -> [UInt16] {
            let values = ColorConversion(format: format, color: color, width: 1, height: 1)
                .codeValues(red: 0, green: 0, blue: 0)
            return format.hasPackedAlpha ? values + [255] : values
        }
    }

    private func scale(
        _ opaque: FrameReference, _ plan: Plan, source: TimedPicture, stage: BackgroundStage
    ) throws(AVError) -> PixelBuffer {
        let shift = opaque.pixelFormat.chromaShift
        let size = PixelSize(width: Int(opaque.pointer.pointee.width), height: Int(opaque.pointer.pointee.height))
        let stagePixel = FitGeometry.pixelAspect(stage.sampleAspectRatio, turned: stage.orientation)
        let geometry = FitGeometry(
            fit, source: size, sourcePixel: FitGeometry.pixelAspect(source.sampleAspectRatio, turned: .up),
            stage: stage.uprightSize.turned(by: source.orientation),
            stagePixel: source.orientation.swapsAxes ? 1 / stagePixel : stagePixel,
            grid: 1 << max(shift.horizontal, shift.vertical))
        let (across, down) = (geometry.horizontal, geometry.vertical)
        let isRGB = opaque.pixelFormat.isRGB
        // The decoder's own memory where there is nothing to change.
        let keepsMatrix = plan.sourceColor.matrix == plan.scaledColor.matrix
        let keepsColor = isRGB || (keepsMatrix && plan.sourceColor.range == plan.scaledColor.range)
        if keepsColor, !geometry.isScaled, opaque === source.frame, let lent = opaque.lend(),
            lent.format == plan.format
        {
            return lent.cropped(
                x: across.start + across.shownStart, y: down.start + down.shownStart, width: across.shown,
                height: down.shown)
        }
        let from = FrameConverter.Layout(
            format: opaque.pixelFormat, width: across.length, height: down.length,
            matrix: isRGB ? plan.scaledColor.matrix : plan.sourceColor.matrix,
            isFullRange: isRGB || plan.sourceColor.range == .full, chromaLocation: plan.sourceColor.chromaLocation)
        let to = FrameConverter.Layout(
            format: plan.format.av, width: across.scaled, height: down.scaled, matrix: plan.scaledColor.matrix,
            isFullRange: plan.scaledColor.range == .full, chromaLocation: plan.chromaLocation)
        var target = scaledPool.makeBuffer(format: plan.format, width: across.scaled, height: down.scaled)
        try target.withMutablePlanes { (targets) throws(AVError) in
            try scaler.convert(
                from, PlanePointers(opaque, x: across.start, y: down.start), to: to, PlanePointers(targets))
        }
        return target.publish().cropped(
            x: across.shownStart, y: down.shownStart, width: across.shown, height: down.shown)
    }

    private func map(_ picture: PixelBuffer, _ plan: Plan) -> PixelBuffer {
        if mapper?.source != plan.scaledColor || mapper?.target != plan.color { mapper = nil }
        let mapper =
            self.mapper?.mapper
            ?? ColorMapper(from: plan.scaledColor, to: plan.color, width: picture.width, height: picture.height)
        self.mapper = (mapper, plan.scaledColor, plan.color)
        var target = mappedPool.makeBuffer(format: ColorMapper.format, width: picture.width, height: picture.height)
        mapper.map(picture, into: &target)
        return target.publish()
    }

    private func finish(_ picture: PixelBuffer, _ plan: Plan, _ stage: BackgroundStage) throws(AVError) -> PixelBuffer {
        guard picture.format != stage.format else { return picture }
        if stage.format.colorModel == .gray, stage.format.bitDepth == picture.format.bitDepth {
            return picture.luma(as: stage.format)
        }
        let from = FrameConverter.Layout(
            format: picture.format.av, width: picture.width, height: picture.height, matrix: plan.color.matrix,
            isFullRange: plan.color.range == .full)
        var to = from
        to.format = stage.format.av
        to.isFullRange = stage.isFullRange
        to.chromaLocation = stage.color.chromaLocation
        var target = finishedPool.makeBuffer(format: stage.format, width: picture.width, height: picture.height)
        try picture.withPlanes { (planes) throws(AVError) in
            try target.withMutablePlanes { (targets) throws(AVError) in
                try finisher.convert(from, PlanePointers(planes), to: to, PlanePointers(targets))
            }
        }
        return target.publish()
    }
}

extension PixelFormat {
    /// Planar Y'CbCr 4:4:4 with at least `bitDepth` bits, or the 12 that are the most.
    fileprivate static func fullChroma(bitDepth: Int) -> PixelFormat {
        bitDepth > 10 ? .yuv444p12 : bitDepth > 8 ? .yuv444p10 : .yuv444p
    }
}

extension ColorDescription {
    /// The tags of the same picture as Y'CbCr in limited range: that of RGB is BT.709's.
    fileprivate func limited(isRGB: Bool) -> ColorDescription {
        var color = self
        color.range = .limited
        if isRGB { color.matrix = .bt709 }
        return color
    }
}
