import Imaging

extension Picture {
    /// The colours of the foreground alone, given its `alpha` in each pixel, so that the old background does not glow at
    /// soft edges over a new one.
    ///
    /// With the local means F of the foreground's colour and B of the background's: F + alpha * (I - alpha * F - (1 - alpha)
    /// * B), as M. Forte, "Approximate Fast Foreground Colour Estimation", ICIP 2021. The means are weighed by the fourth
    /// power of alpha, so that they are those of pixels that show one of the two alone, where there are such pixels.
    func foreground(alpha: [Float]) -> Picture {
        func fourth(_ value: Float) -> Float { value * value * value * value }
        var box = BoxFilter(width: width, height: height, radius: max(2, height / 30))
        var result = self
        let (frontWeights, backWeights) = (alpha.map { fourth($0) }, alpha.map { fourth(1 - $0) })
        let (frontCover, backCover) = (box.mean(frontWeights), box.mean(backWeights))
        for component in 0..<3 {
            let image = planes[component]
            let front = box.mean(zip(image, frontWeights).map { $0 * $1 })
            let back = box.mean(zip(image, backWeights).map { $0 * $1 })
            for i in image.indices {
                // Where the window holds nothing of one of them, the pixel itself is the best that is known.
                let f = frontCover[i] > 1e-4 ? front[i] / frontCover[i] : image[i]
                let b = backCover[i] > 1e-4 ? back[i] / backCover[i] : image[i]
                let a = alpha[i]
                result.planes[component][i] = min(max(f + a * (image[i] - a * f - (1 - a) * b), 0), 1)
            }
        }
        return result
    }
}

extension BoxFilter {
    /// The local means of `values`.
    mutating func mean(_ values: [Float]) -> [Float] {
        var means = values
        means.withUnsafeMutableBufferPointer { mean($0.baseAddress!, into: $0.baseAddress!) }
        return means
    }
}
