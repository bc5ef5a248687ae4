import Imaging
import Inference

extension Tensor {
    /// Writes `picture` to the tensor's first three channels, black and white as the two numbers of `range`.
    func fill(with picture: RGBMap, range: [Float], layout: ModelDescription.Layout) {
        let (low, scale) = (range[0], range[1] - range[0])
        let count = picture.width * picture.height
        withUnsafeMutableElements { target in
            picture.values.withUnsafeBufferPointer { source in
                switch layout {
                case .channelsLast:
                    for i in 0..<3 * count { target[i] = low + scale * min(max(source[i], 0), 1) }
                case .channelsFirst:
                    let (red, source) = (target.baseAddress!, source.baseAddress!)
                    let (green, blue) = (red + count, red + 2 * count)
                    for i in 0..<count {
                        red[i] = low + scale * min(max(source[3 &* i], 0), 1)
                        green[i] = low + scale * min(max(source[3 &* i &+ 1], 0), 1)
                        blue[i] = low + scale * min(max(source[3 &* i &+ 2], 0), 1)
                    }
                }
            }
        }
    }
}
