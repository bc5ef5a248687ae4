import CFFmpeg
import Glibc

/// What is asked of a camera; nil leaves it to `choice`.
struct CameraWish {
    var format: String?
    var size: (width: Int, height: Int)?
    var rate: Double?

    /// What is best for a meeting: larger pictures cost time and are shown smaller anyway.
    private static let usual = (width: 1280, height: 720, rate: 30.0)

    /// One mode with its size and rate settled.
    struct Choice: Equatable {
        let format: String
        let width: Int
        let height: Int
        /// nil where the camera does not tell its rates.
        let rate: Double?
    }

    /// The mode that comes nearest: what was asked for must be met, and without a wish it is 1280x720 at 30 frames a second, or
    /// the nearest. Raw pictures are preferred where they are as fast: nothing has to be decoded.
    ///
    /// nil where no mode has what was asked for.
    func choice(among modes: [CameraMode]) -> Choice? {
        let choices = modes.compactMap { candidate($0) }
        return choices.min { $0.cost.lexicographicallyPrecedes($1.cost) }?.choice
    }

    private func candidate(_ mode: CameraMode) -> (choice: Choice, cost: [Double])? {
        guard format == nil || format == mode.pixelFormat else { return nil }
        let target = size ?? (Self.usual.width, Self.usual.height)
        let (width, height) = mode.size.nearest(width: target.width, height: target.height)
        guard size == nil || (width, height) == target else { return nil }
        let wanted = rate ?? Self.usual.rate
        let settled = mode.rates.nearest(to: wanted)
        // Cameras tell 30 as 30000/1001 or as an interval in whole 100 ns.
        if let rate, let settled, abs(settled - rate) > 0.01 * rate { return nil }
        let choice = Choice(format: mode.pixelFormat, width: width, height: height, rate: settled)
        return (choice, cost(choice, isCompressed: mode.isCompressed))
    }

    /// How far a choice is from what is usual, the graver first: too slow to look live, another size, compression.
    private func cost(_ choice: Choice, isCompressed: Bool) -> [Double] {
        let wanted = rate ?? Self.usual.rate
        let settled = choice.rate ?? wanted
        let slowness = max(0, wanted - settled - 1)
        let area = Double(choice.width * choice.height) / Double(Self.usual.width * Self.usual.height)
        // Half the rate weighs as much as half the pixels.
        let distance = abs(log(area) / 2) + (slowness > 0 ? log(wanted / max(settled, 0.1)) : 0)
        return [(distance * 100).rounded(), isCompressed ? 1 : 0, abs(settled - wanted)]
    }
}

extension CameraWish {
    /// - Throws: `.usage` for what is no size or rate, and for what a camera can't be asked.
    init(_ options: MediaReader.Options, path: String) throws(MediaError) {
        let misplaced = [(options.format != nil, "--format"), (options.start != nil, "--start")].first { $0.0 }
        if let misplaced {
            throw MediaError(
                kind: .usage, file: path, operation: "open", cause: "\(misplaced.1) can't be had of a camera",
                advice: "leave it out")
        }
        format = options.pixelFormat
        if let text = options.size { size = try InputFormat.size(text, path: path) }
        if let text = options.rate { rate = av_q2d(try InputFormat.rate(text, path: path)) }
    }
}

extension CameraWish: CustomStringConvertible {
    /// Such as "mjpeg 1280x720 at 30 fps".
    var description: String {
        let words = [
            format, size.map { "\($0.width)x\($0.height)" }, rate.map { "at \(CameraMode.text(ofRate: $0)) fps" },
        ]
        return words.compactMap(\.self).joined(separator: " ")
    }
}
