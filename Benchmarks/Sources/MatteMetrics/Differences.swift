extension AlphaMatte {
    /// MAD: the mean absolute difference, times 1000. Symmetric; 0…1000.
    public func mad(to truth: AlphaMatte) -> Double {
        sum(over: truth) { abs($0 - $1) } / Double(values.count) * 1e3
    }

    /// MSE: the mean squared difference, times 1000. Symmetric; 0…1000.
    public func mse(to truth: AlphaMatte) -> Double {
        sum(over: truth) { ($0 - $1) * ($0 - $1) } / Double(values.count) * 1e3
    }

    /// IoU: intersection over union of the pixels whose alpha is more than one half. Symmetric; 0…1, and 1 where both
    /// mattes have no such pixel.
    public func iou(to truth: AlphaMatte) -> Double {
        requireSameSize(as: truth)
        var (intersection, union) = (0, 0)
        values.withUnsafeBufferPointer { a in
            truth.values.withUnsafeBufferPointer { b in
                for i in a.indices {
                    let (inA, inB) = (a[i] > 0.5, b[i] > 0.5)
                    intersection &+= inA && inB ? 1 : 0
                    union &+= inA || inB ? 1 : 0
                }
            }
        }
        return union == 0 ? 1 : Double(intersection) / Double(union)
    }

    /// dtSSD: how far the change since the frame before differs from the truth's change; the root of the mean square, times
    /// 100.
    ///
    /// 0 for masks that are wrong in the same way in both frames: it measures flicker, not error. M. Erofeev et al.,
    /// "Perceptually Motivated Benchmark for Video Matting", BMVC 2015.
    public func dtssd(since previous: AlphaMatte, truth: AlphaMatte, since previousTruth: AlphaMatte) -> Double {
        requireSameSize(as: previous)
        requireSameSize(as: previousTruth)
        requireSameSize(as: truth)
        var sum = 0.0
        values.withUnsafeBufferPointer { a in
            previous.values.withUnsafeBufferPointer { lastA in
                truth.values.withUnsafeBufferPointer { b in
                    previousTruth.values.withUnsafeBufferPointer { lastB in
                        for i in a.indices {
                            let change = Double(a[i]) - Double(lastA[i]) - (Double(b[i]) - Double(lastB[i]))
                            sum += change * change
                        }
                    }
                }
            }
        }
        return (sum / Double(values.count)).squareRoot() * 1e2
    }

    @inline(__always)
    private func sum(over other: AlphaMatte, _ difference: (Double, Double) -> Double) -> Double {
        requireSameSize(as: other)
        var sum = 0.0
        values.withUnsafeBufferPointer { a in
            other.values.withUnsafeBufferPointer { b in
                for i in a.indices { sum += difference(Double(a[i]), Double(b[i])) }
            }
        }
        return sum
    }
}
