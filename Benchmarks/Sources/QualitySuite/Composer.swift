import Foundation
import Imaging
import MatteMetrics
import Measuring
import Media

/// Makes the clip that a composition describes; the same for the same source in every run, but for what a lossy encoder
/// makes of it.
public struct Composer {
    private let composition: Composition
    private let source: Clip

    public init(_ composition: Composition, of source: Clip) {
        self.composition = composition
        self.source = source
    }

    /// Writes the clip's video and alpha to `folder`, for the first `limit` frames of the source or all of them.
    ///
    /// - Throws: `MediaError` where the source can't be read or the clip can't be written.
    public func compose(into folder: String, limit: Int? = nil) throws -> Clip {
        let name = "\(source.name)+\(composition.name)"
        let clip = Clip(name: name, video: "\(folder)/\(name).mp4", alpha: "\(folder)/\(name)_alpha.mkv")
        let reader = try ClipReader(source, limit: limit)
        let options = composition.crf == nil ? [(key: "qp", value: "0")] : []
        let video = try MediaWriter(
            path: clip.video,
            settings: EncoderSettings(codec: "libx264", crf: composition.crf, preset: "veryfast", options: options),
            reader: reader.video, overwrite: true)
        let alpha = try MediaWriter(
            path: clip.alpha, settings: EncoderSettings(codec: "ffv1"), reader: reader.video, overwrite: true)
        var painter = Painter(composition, seed: name)
        while let sample = try reader.next() {
            let (picture, matte) = painter.paint(sample)
            try video.write(.frame(sample.frame.replacing(picture.rgb24)))
            try alpha.write(.frame(sample.frame.replacing(matte.gray8)))
        }
        try video.finish()
        try alpha.finish()
        return clip
    }
}

extension VideoFrame {
    /// Another upright picture at the same time.
    fileprivate func replacing(_ pixelBuffer: PixelBuffer) -> VideoFrame {
        VideoFrame(
            pixelBuffer: pixelBuffer, pts: pts, duration: duration, timeBase: timeBase,
            color: ColorDescription(range: .full))
    }
}

/// Paints the frames of a composed clip one after the other.
struct Painter {
    private let composition: Composition
    private var random: SeededGenerator
    private var backdrop: Picture?
    private var first: (picture: Picture, matte: AlphaMatte)?
    /// The next frame's place in the clip, from 0.
    var index = 0

    init(_ composition: Composition, seed: String) {
        self.composition = composition
        random = SeededGenerator(seed: seed)
    }

    /// The next frame, from the source's next one.
    mutating func paint(_ sample: ClipReader.Sample) -> (picture: Picture, matte: AlphaMatte) {
        defer { index += 1 }
        var (picture, matte) = scene(sample)
        if composition.blurRadius > 0 { (picture, matte) = blurred(picture, matte) }
        if composition.noise > 0 { addNoise(to: &picture) }
        return (picture, matte)
    }

    private mutating func scene(_ sample: ClipReader.Sample) -> (Picture, AlphaMatte) {
        switch composition.scene {
        case .still:
            if let first { return first }
            let size = sample.frame.uprightSize
            let alpha = Picture(sample.alpha, width: size.width, height: size.height)
            let still = (
                Picture(sample.frame, width: size.width, height: size.height),
                AlphaMatte(width: size.width, height: size.height, values: alpha.planes[0])
            )
            first = still
            return still
        case .figures(let figures, let backdrop):
            return place(figures, of: sample, over: backdrop)
        }
    }

    private mutating func place(
        _ figures: [Composition.Figure], of sample: ClipReader.Sample, over backdrop: Backdrop
    ) -> (Picture, AlphaMatte) {
        let size = sample.frame.uprightSize
        let height = composition.height ?? size.height
        let width = composition.height.map { $0 * 16 / 9 } ?? size.width
        if self.backdrop == nil {
            let source = Picture(sample.frame, width: width, height: height)
            self.backdrop = backdrop.picture(source: source, random: &random)
        }
        let velocity = backdrop.velocity
        var picture = self.backdrop!.rolled(right: index * velocity.right, down: index * velocity.down)
        var alpha = [Float](repeating: 0, count: width * height)
        for figure in figures { place(figure, of: sample, on: &picture, &alpha) }
        return (picture, AlphaMatte(width: width, height: height, values: alpha))
    }

    private func place(
        _ figure: Composition.Figure, of sample: ClipReader.Sample, on picture: inout Picture, _ alpha: inout [Float]
    ) {
        let size = sample.frame.uprightSize
        let height = Int((figure.scale * Double(picture.height)).rounded())
        let width = height * size.width / size.height
        let sway = figure.sway * sin(2 * .pi * Double(index) / 96)
        let left = Int(((figure.center + sway) * Double(picture.width)).rounded()) - width / 2
        let top = picture.height - height
        let cover = Picture(sample.alpha, width: width, height: height).planes[0].map { min(max($0, 0), 1) }
        let front = Picture(sample.frame, width: width, height: height).foreground(alpha: cover)
        // What of the figure is in the picture; nothing where it has gone out.
        let visible = (max(left, 0)..<max(left + width, 0)).clamped(to: 0..<picture.width)
        for y in 0..<height {
            for x in visible.lowerBound - left..<visible.upperBound - left {
                let from = y * width + (figure.isMirrored ? width - 1 - x : x)
                let to = (top + y) * picture.width + left + x
                let a = cover[from]
                for component in 0..<3 {
                    let behind = picture.planes[component][to]
                    picture.planes[component][to] = behind + a * (front.planes[component][from] - behind)
                }
                alpha[to] = a + alpha[to] * (1 - a)
            }
        }
    }

    private func blurred(_ picture: Picture, _ matte: AlphaMatte) -> (Picture, AlphaMatte) {
        var box = BoxFilter(width: picture.width, height: picture.height, radius: composition.blurRadius)
        // Three times is nearly a Gaussian.
        func blur(_ plane: [Float]) -> [Float] { box.mean(box.mean(box.mean(plane))) }
        let planes = picture.planes.map(blur)
        return (
            Picture(width: picture.width, height: picture.height, planes: planes),
            AlphaMatte(width: matte.width, height: matte.height, values: blur(matte.values))
        )
    }

    private mutating func addNoise(to picture: inout Picture) {
        for component in 0..<3 {
            for i in picture.planes[component].indices {
                picture.planes[component][i] += composition.noise * random.nextNormal()
            }
        }
    }
}
