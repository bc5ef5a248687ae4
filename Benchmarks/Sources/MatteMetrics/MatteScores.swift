/// The metrics of one clip, or the mean over clips; less is better but for `iou`.
public struct MatteScores: Codable, Hashable, Sendable {
    public var mad: Double
    public var mse: Double
    public var grad: Double
    public var conn: Double
    public var dtssd: Double
    public var iou: Double

    public init(mad: Double, mse: Double, grad: Double, conn: Double, dtssd: Double, iou: Double) {
        self.mad = mad
        self.mse = mse
        self.grad = grad
        self.conn = conn
        self.dtssd = dtssd
        self.iou = iou
    }

    /// The mean of each metric over `scores`; nil where there are none.
    public static func mean(of scores: [MatteScores]) -> MatteScores? {
        guard !scores.isEmpty else { return nil }
        func mean(_ metric: KeyPath<MatteScores, Double>) -> Double {
            scores.reduce(0) { $0 + $1[keyPath: metric] } / Double(scores.count)
        }
        return MatteScores(
            mad: mean(\.mad), mse: mean(\.mse), grad: mean(\.grad), conn: mean(\.conn), dtssd: mean(\.dtssd),
            iou: mean(\.iou))
    }
}

/// Compares a sequence of masks with its truth, frame after frame.
public struct MatteMeter: Sendable {
    /// Grad and Conn are taken of the first frame and every `every`th after it.
    public let every: Int
    /// Frames that were added.
    public private(set) var frameCount = 0
    private var sums = MatteScores(mad: 0, mse: 0, grad: 0, conn: 0, dtssd: 0, iou: 0)
    private var sampleCount = 0
    private var last: (mask: AlphaMatte, truth: AlphaMatte)?

    /// A meter that takes Grad and Conn, which cost most, of every `every`th frame.
    public init(every: Int = 1) {
        precondition(every > 0, "every first, second, … frame")
        self.every = every
    }

    /// Compares the next frame's mask with the truth, and returns its MAD.
    @discardableResult
    public mutating func add(_ mask: AlphaMatte, truth: AlphaMatte) -> Double {
        let mad = mask.mad(to: truth)
        sums.mad += mad
        sums.mse += mask.mse(to: truth)
        sums.iou += mask.iou(to: truth)
        // The first frame has nothing to change from: its 0 counts.
        if let last { sums.dtssd += mask.dtssd(since: last.mask, truth: truth, since: last.truth) }
        if frameCount.isMultiple(of: every) {
            sums.grad += mask.grad(to: truth)
            sums.conn += mask.conn(to: truth)
            sampleCount += 1
        }
        last = (mask, truth)
        frameCount += 1
        return mad
    }

    /// The means over the frames; nil before the first.
    public var scores: MatteScores? {
        guard frameCount > 0 else { return nil }
        let (frames, samples) = (Double(frameCount), Double(sampleCount))
        return MatteScores(
            mad: sums.mad / frames, mse: sums.mse / frames, grad: sums.grad / samples, conn: sums.conn / samples,
            dtssd: sums.dtssd / frames, iou: sums.iou / frames)
    }
}
