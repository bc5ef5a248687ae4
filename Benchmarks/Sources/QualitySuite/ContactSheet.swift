import Foundation
import Imaging
import MatteMetrics
import Measuring
import Media

/// A picture of the worst frame of each evaluation, in the table's order: frame, truth, mask and difference in a row.
///
/// In the difference red is what the mask has too much of, blue what it lacks.
public struct ContactSheet {
    private static let tileWidth = 320
    private let evaluations: [Evaluation]

    public init(_ evaluations: [Evaluation]) {
        self.evaluations = evaluations
    }

    /// Writes the sheet as PNG to `path`; `clip` is any clip that can be read, because a writer is made after a reader.
    ///
    /// - Throws: `BenchmarkError` where the file can't be written, `MediaError` where the clip can't be read.
    public func write(to path: String, clip: Clip) throws {
        let folder = try WorkingFolder()
        // FFmpeg's APNG muxer makes a plain PNG of a single picture; the one for PNG names makes file sequences.
        let temporary = folder.path("sheet.apng")
        let reader = try MediaReader(path: clip.video, options: .init(threads: 1, frameLimit: 1))
        let writer = try MediaWriter(path: temporary, settings: EncoderSettings(codec: "apng"), reader: reader)
        let frame = VideoFrame(
            pixelBuffer: picture().rgb24, pts: 0, duration: 1, timeBase: Rational(1, 25),
            color: ColorDescription(matrix: .rgb, range: .full))
        try writer.write(.frame(frame))
        try writer.finish()
        guard let data = FileManager.default.contents(atPath: temporary),
            FileManager.default.createFile(atPath: path, contents: data)
        else { throw BenchmarkError(cannotWrite: path) }
    }

    func picture() -> Picture {
        let rows = evaluations.map(Self.tiles)
        var sheet = Picture(width: 4 * Self.tileWidth, height: rows.reduce(0) { $0 + $1[0].height })
        var top = 0
        for tiles in rows {
            for (column, tile) in tiles.enumerated() {
                for component in 0..<3 {
                    for y in 0..<tile.height {
                        let target = (top + y) * sheet.width + column * Self.tileWidth
                        sheet.planes[component].replaceSubrange(
                            target..<target + tile.width,
                            with: tile.planes[component][y * tile.width..<(y + 1) * tile.width])
                    }
                }
            }
            top += tiles[0].height
        }
        return sheet
    }

    private static func tiles(_ evaluation: Evaluation) -> [Picture] {
        let worst = evaluation.worst
        let size = worst.frame.uprightSize
        let height = max(1, tileWidth * size.height / size.width)
        func tile(_ pixelBuffer: PixelBuffer) -> Picture {
            var frame = worst.frame
            frame.pixelBuffer = pixelBuffer
            frame.color = ColorDescription(range: .full)
            return Picture(frame, width: tileWidth, height: height)
        }
        return [
            Picture(worst.frame, width: tileWidth, height: height), tile(worst.truth.gray8), tile(worst.mask.gray8),
            tile(difference(worst.mask, worst.truth).rgb24),
        ]
    }

    private static func difference(_ mask: AlphaMatte, _ truth: AlphaMatte) -> Picture {
        let differences = zip(mask.values, truth.values).map { $0 - $1 }
        return Picture(
            width: mask.width, height: mask.height,
            planes: [
                differences.map { max(0, $0) }, [Float](repeating: 0, count: differences.count),
                differences.map { max(0, -$0) },
            ])
    }
}
