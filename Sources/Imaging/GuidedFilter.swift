/// Makes a coarse mask follow the edges of a picture.
///
/// The fast guided filter of He and Sun ("Fast Guided Filter", arXiv:1505.00996): in each window the mask is a linear function
/// of the guide's luma, fitted at a small size (`fit`) and applied to the luma at full size (`row`).
/// Keeps its working memory, and is therefore for one thread at a time.
public final class GuidedFilter {
    private let epsilon: Float
    private let contrast: Float
    private var box: BoxFilter
    private var guideMean: [Float]
    private var maskMean: [Float]
    private var products: [Float]
    private var squares: [Float]
    private var slope: ScalarMap
    private var offset: ScalarMap
    private let slopes = MapEnlarger()
    private let offsets = MapEnlarger()
    private var slopeRow: [Float] = []
    private var offsetRow: [Float] = []

    /// Fits at `width` by `height` in windows of `2 * radius + 1`; `epsilon` is the variance of luma (0…1) below which
    /// an edge counts as flat; `contrast` steepens the mask about one half, against the softness that the windows bring.
    public init(width: Int, height: Int, radius: Int, epsilon: Float, contrast: Float = 1) {
        self.epsilon = epsilon
        self.contrast = contrast
        box = BoxFilter(width: width, height: height, radius: radius)
        let zeros = [Float](repeating: 0, count: width * height)
        guideMean = zeros
        maskMean = zeros
        products = zeros
        squares = zeros
        slope = ScalarMap(width: width, height: height)
        offset = slope
    }

    /// Columns of the mask that it is fitted to.
    public var width: Int { slope.width }
    /// Rows of the mask that it is fitted to.
    public var height: Int { slope.height }
    /// Columns of the picture that it was fitted for.
    public private(set) var fullWidth = 0
    /// Rows of the picture that it was fitted for.
    public private(set) var fullHeight = 0

    /// Fits `mask` to `guide`, both of the filter's size, for a picture of `fullWidth` by `fullHeight` whose luma has `noise`
    /// (standard deviation, 0…1): an edge that is not much stronger counts as flat, so that the mask does not take it over.
    public func fit(mask: ScalarMap, guide: ScalarMap, fullWidth: Int, fullHeight: Int, noise: Float = 0) {
        precondition(mask.width == width && mask.height == height && guide.width == width && guide.height == height)
        (self.fullWidth, self.fullHeight) = (fullWidth, fullHeight)
        guide.values.withUnsafeBufferPointer { guide in
            mask.values.withUnsafeBufferPointer { mask in
                let guide = guide.baseAddress!
                let mask = mask.baseAddress!
                box.mean(guide, into: &guideMean)
                box.mean(mask, into: &maskMean)
                Self.multiply(guide, mask, into: &products, count: width * height)
                Self.multiply(guide, guide, into: &squares, count: width * height)
            }
        }
        products.withUnsafeMutableBufferPointer { box.mean($0.baseAddress!, into: $0.baseAddress!) }
        squares.withUnsafeMutableBufferPointer { box.mean($0.baseAddress!, into: $0.baseAddress!) }
        solve(epsilon: epsilon + noise * noise)
        slope.values.withUnsafeMutableBufferPointer { box.mean($0.baseAddress!, into: $0.baseAddress!) }
        offset.values.withUnsafeMutableBufferPointer { box.mean($0.baseAddress!, into: $0.baseAddress!) }
        steepen()
        slopes.prepare(slope, width: fullWidth, height: fullHeight)
        offsets.prepare(offset, width: fullWidth, height: fullHeight)
        if slopeRow.count != fullWidth {
            slopeRow = Array(repeating: 0, count: fullWidth)
            offsetRow = slopeRow
        }
    }

    private static func multiply(
        _ a: UnsafePointer<Float>, _ b: UnsafePointer<Float>, into target: UnsafeMutablePointer<Float>, count: Int
    ) {
        for i in 0..<count { target[i] = a[i] * b[i] }
    }

    // The linear function of each window: slope = covariance / (variance + epsilon).
    private func solve(epsilon: Float) {
        let count = width * height
        slope.values.withUnsafeMutableBufferPointer { slope in
            offset.values.withUnsafeMutableBufferPointer { offset in
                guideMean.withUnsafeBufferPointer { guideMean in
                    maskMean.withUnsafeBufferPointer { maskMean in
                        products.withUnsafeBufferPointer { products in
                            squares.withUnsafeBufferPointer { squares in
                                for i in 0..<count {
                                    let variance = squares[i] - guideMean[i] * guideMean[i]
                                    let covariance = products[i] - guideMean[i] * maskMean[i]
                                    slope[i] = covariance / (max(variance, 0) + epsilon)
                                    offset[i] = maskMean[i] - slope[i] * guideMean[i]
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    private func steepen() {
        let (contrast, shift) = (contrast, 0.5 - 0.5 * contrast)
        slope.values.withUnsafeMutableBufferPointer { for i in $0.indices { $0[i] *= contrast } }
        offset.values.withUnsafeMutableBufferPointer { for i in $0.indices { $0[i] = $0[i] * contrast + shift } }
    }

    /// Writes row `y` of the mask at full size, not clipped, for the luma `guide` (0…1) of that row.
    public func row(_ y: Int, guide: UnsafePointer<Float>, into target: UnsafeMutablePointer<Float>) {
        let count = slopeRow.count
        slopeRow.withUnsafeMutableBufferPointer { slope in
            offsetRow.withUnsafeMutableBufferPointer { offset in
                let slope = slope.baseAddress!
                let offset = offset.baseAddress!
                slopes.row(y, into: slope)
                offsets.row(y, into: offset)
                for x in 0..<count { target[x] = slope[x] * guide[x] + offset[x] }
            }
        }
    }
}
