#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

extension AlphaMatte {
    /// Grad: the sum of squared differences of the gradients' magnitudes, divided by 1000. Symmetric.
    ///
    /// Each matte is first stretched so that its least value is 0 and its largest 1; a matte of one value is all zeros then.
    /// C. Rhemann et al., "A Perceptually Motivated Online Benchmark for Image Matting", CVPR 2009, with the filter and the
    /// scale of Robust Video Matting's evaluation.
    public func grad(to truth: AlphaMatte) -> Double {
        requireSameSize(as: truth)
        let (a, b) = (stretched().gradientMagnitudes(), truth.stretched().gradientMagnitudes())
        var sum = 0.0
        a.withUnsafeBufferPointer { a in
            b.withUnsafeBufferPointer { b in
                for i in a.indices {
                    let difference = Double(a[i] - b[i])
                    sum += difference * difference
                }
            }
        }
        return sum / 1e3
    }

    private func stretched() -> AlphaMatte {
        var (low, high) = (values[0], values[0])
        for value in values {
            low = min(low, value)
            high = max(high, value)
        }
        let scale = high > low ? 1 / (high - low) : 0
        let offset = low
        return AlphaMatte(width: width, height: height, values: values.map { ($0 - offset) * scale })
    }

    /// The magnitude of the gradient in every pixel; the border is replicated.
    func gradientMagnitudes() -> [Float] {
        let filter = GaussianDerivative.standard
        // Along rows first: what the derivative down the columns needs is smooth across them, and the other way round.
        let smooth = filteredAlongRows(filter.smoothing)
        let steep = filteredAlongRows(filter.derivative)
        let across = Self.filteredDownColumns(steep, filter.smoothing, width: width, height: height)
        let down = Self.filteredDownColumns(smooth, filter.derivative, width: width, height: height)
        var magnitudes = across
        magnitudes.withUnsafeMutableBufferPointer { magnitudes in
            down.withUnsafeBufferPointer { down in
                for i in magnitudes.indices {
                    magnitudes[i] = (magnitudes[i] * magnitudes[i] + down[i] * down[i]).squareRoot()
                }
            }
        }
        return magnitudes
    }

    private func filteredAlongRows(_ kernel: [Float]) -> [Float] {
        let radius = kernel.count / 2
        var padded = [Float](repeating: 0, count: width + 2 * radius)
        var result = [Float](repeating: 0, count: values.count)
        values.withUnsafeBufferPointer { values in
            result.withUnsafeMutableBufferPointer { result in
                padded.withUnsafeMutableBufferPointer { padded in
                    for y in 0..<height {
                        let (source, target) = (values.baseAddress! + y * width, result.baseAddress! + y * width)
                        for x in 0..<padded.count { padded[x] = source[min(max(x - radius, 0), width - 1)] }
                        for (tap, weight) in kernel.enumerated() {
                            let shifted = padded.baseAddress! + tap
                            for x in 0..<width { target[x] += weight * shifted[x] }
                        }
                    }
                }
            }
        }
        return result
    }

    private static func filteredDownColumns(_ values: [Float], _ kernel: [Float], width: Int, height: Int) -> [Float] {
        let radius = kernel.count / 2
        var result = [Float](repeating: 0, count: values.count)
        values.withUnsafeBufferPointer { values in
            result.withUnsafeMutableBufferPointer { result in
                for y in 0..<height {
                    let target = result.baseAddress! + y * width
                    for (tap, weight) in kernel.enumerated() {
                        let source = values.baseAddress! + min(max(y + tap - radius, 0), height - 1) * width
                        for x in 0..<width { target[x] += weight * source[x] }
                    }
                }
            }
        }
        return result
    }
}

/// A Gaussian's first derivative as two one-dimensional kernels, whose product has the sum of squares 1.
struct GaussianDerivative: Sendable {
    let smoothing: [Float]
    let derivative: [Float]

    /// The benchmark's: sigma 1.4, cut off where the Gaussian falls below 0.01, which makes 9 taps.
    static let standard = GaussianDerivative(sigma: 1.4, cutoff: 0.01)

    init(sigma: Double, cutoff: Double) {
        let peak = 1 / (sigma * (2 * Double.pi).squareRoot())
        let radius = Int((sigma * (-2 * log(cutoff / peak)).squareRoot()).rounded(.up))
        let offsets = (-radius...radius).map(Double.init)
        let gaussian = offsets.map { peak * exp(-$0 * $0 / (2 * sigma * sigma)) }
        smoothing = Self.normalized(gaussian)
        derivative = Self.normalized(zip(offsets, gaussian).map { -$0 * $1 / (sigma * sigma) })
    }

    private static func normalized(_ kernel: [Double]) -> [Float] {
        let norm = kernel.reduce(0) { $0 + $1 * $1 }.squareRoot()
        return kernel.map { Float($0 / norm) }
    }
}
