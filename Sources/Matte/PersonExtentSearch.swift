import Imaging
import MatteVision
import Media
import Synchronization

/// Looks through a video for the rectangle that holds its people in every frame, so that it can be cropped to them.
///
/// Costs a decoding and the masks of the whole video. Used by one thread; `interrupt` may be called from any other.
public final class PersonExtentSearch: Sendable {
    /// Room around the people, as a share of the rectangle's shorter side.
    private static let margin = 0.04

    // Used by the thread that calls `run` alone, but for `interrupt`, which is safe from any.
    private nonisolated(unsafe) let reader: MediaReader
    private nonisolated(unsafe) let filter: MatteFilter
    private let interrupter: Interrupter
    private let isInterrupted = Atomic(false)

    /// A search in what `reader` reads, with the masks of `filter`, which is then used for it alone until `run` returns.
    public init(reader: MediaReader, filter: MatteFilter) {
        self.reader = reader
        self.filter = filter
        interrupter = reader.interrupter
    }

    /// Ends the reading, and any wait for it, and `run` with it.
    public func interrupt() {
        isInterrupted.store(true, ordering: .relaxed)
        interrupter.interrupt()
    }

    /// Whether `interrupt` was called, so that what was found tells of a part alone.
    public var wasInterrupted: Bool { isInterrupted.load(ordering: .relaxed) }

    /// Reads to the end; the rectangle is in pixels of the picture as it is shown, widened to `aspect` (width over height as
    /// shown) as far as the picture goes; nil where nobody was found. Calls `onProgress` after each frame. The filter begins a
    /// sequence with it, and is ready for another one afterwards.
    ///
    /// - Throws: `MatteError` when a model or the runtime is missing or fails, or the video can't be read on.
    public func run(
        aspect: Double?, onProgress: (Pipeline.Progress) -> Void = { _ in }
    ) throws(MatteError) -> Rectangle? {
        filter.reset()
        defer { filter.reset() }
        var progress = Pipeline.Progress()
        var extent: PersonExtent?
        var first: VideoFrame?
        while !wasInterrupted, let frame = try nextFrame() {
            if let people = PersonExtent(try filter.mask(of: frame), of: frame) {
                if extent == nil { extent = people } else { extent?.add(people) }
            }
            first = first ?? frame
            progress.frameCount += 1
            progress.time = (frame.time ?? 0) - (first?.time ?? 0)
            onProgress(progress)
        }
        guard let extent, let first else { return nil }
        let pixelAspect = first.uprightPixelAspect
        let reach = filter.effectReach * Double(first.uprightSize.height) / 720
        return Self.widen(
            extent, to: aspect.map { $0 / pixelAspect }, in: first.uprightSize, reach: (reach / pixelAspect, reach))
    }

    private func nextFrame() throws(MatteError) -> VideoFrame? {
        do throws(MediaError) {
            return try reader.nextFrame()
        } catch {
            throw MatteError(error)
        }
    }

    /// `extent` with room around it, `reach` pixels at least, across and down, and made as wide or high as `ratio` of pixels wants;
    /// inside of `bounds`. Where that can't hold everybody, it holds the most of them, and rather heads than feet.
    static func widen(
        _ extent: PersonExtent, to ratio: Double?, in bounds: (width: Int, height: Int),
        reach: (across: Double, down: Double) = (0, 0)
    ) -> Rectangle {
        let people = extent.rectangle
        let (limitX, limitY) = (Double(bounds.width), Double(bounds.height))
        let margin = margin * min(people.width, people.height)
        let room = (across: margin + reach.across, down: margin + reach.down)
        var (width, height) = (min(people.width + 2 * room.across, limitX), min(people.height + 2 * room.down, limitY))
        if let ratio {
            if width / height < ratio { width = height * ratio } else { height = width / ratio }
            let shrinking = min(limitX / width, limitY / height, 1)
            (width, height) = (width * shrinking, height * shrinking)
        }
        let left = extent.middle(ofWindow: width, current: nil) - width / 2
        let top = height < people.height ? people.y - room.down : people.midY - height / 2
        return Rectangle(
            x: min(max(left, 0), limitX - width), y: min(max(top, 0), limitY - height), width: width, height: height)
    }
}
