/// Makes a coarse mask follow the edges of a picture.
///
/// The fast guided filter of He and Sun ("Fast Guided Filter", arXiv:1505.00996): in each window the mask is a linear function
/// of the guide's luma, fitted at a small size (`fit`) and applied to the luma at full size (`MaskRenderer`).
/// Keeps its working memory, and is therefore for one thread at a time.
public final class GuidedFilter {
    private let epsilon: Float
    private let contrast: Float
    private var box: BoxFilter
    private var guideMean: [Float]
    private var maskMean: [Float]
    private var products: [Float]
    private var squares: [Float]
    private var functions: LinearFunctionMap

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
        functions = LinearFunctionMap(width: width, height: height)
    }

    /// Columns of the mask that it is fitted to.
    public var width: Int { functions.slope.width }
    /// Rows of the mask that it is fitted to.
    public var height: Int { functions.slope.height }
    /// Columns of the picture that it was fitted for.
    public var fullWidth: Int { functions.fullWidth }
    /// Rows of the picture that it was fitted for.
    public var fullHeight: Int { functions.fullHeight }

    /// Fits `mask` to `guide`, both of the filter's size, for a picture of `fullWidth` by `fullHeight` whose luma has `noise`
    /// (standard deviation, 0…1): an edge that is not much stronger counts as flat, so that the mask does not take it over.
    public func fit(mask: ScalarMap, guide: ScalarMap, fullWidth: Int, fullHeight: Int, noise: Float = 0) {
        precondition(mask.width == width && mask.height == height && guide.width == width && guide.height == height)
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
        functions.prepare(fullWidth: fullWidth, fullHeight: fullHeight)
    }

    private static func multiply(
        _ a: UnsafePointer<Float>, _ b: UnsafePointer<Float>, into target: UnsafeMutablePointer<Float>, count: Int
    ) {
        for i in 0..<count { target[i] = a[i] * b[i] }
    }

    // The linear function of each window, slope = covariance / (variance + epsilon), and their mean over the windows that a
    // pixel is in, made steeper about one half.
    private func solve(epsilon: Float) {
        let count = width * height
        let (contrast, shift) = (contrast, 0.5 - 0.5 * contrast)
        functions.withValues { slope, offset in
            guideMean.withUnsafeBufferPointer { guideMean in
                maskMean.withUnsafeBufferPointer { maskMean in
                    products.withUnsafeBufferPointer { products in
                        squares.withUnsafeBufferPointer { squares in
                            for i in 0..<count {
                                let variance = squares[i] - guideMean[i] * guideMean[i]
                                let covariance = products[i] - guideMean[i] * maskMean[i]
                                let slant = covariance / (max(variance, 0) + epsilon)
                                slope[i] = slant * contrast
                                offset[i] = (maskMean[i] - slant * guideMean[i]) * contrast + shift
                            }
                        }
                    }
                }
            }
            box.mean(slope, into: slope)
            box.mean(offset, into: offset)
        }
    }

    /// Goes to row `y` of the mask at full size and gives its runs, from left to right.
    func runs(inRow y: Int) -> [MaskRun] {
        functions.enter(y)
        return functions.runs
    }

    /// Writes `columns` of row `y`, whose mixed runs hold them, not clipped, for the luma `guide` (0…1) of that row; both
    /// pointers are to the row's first column.
    func write(_ y: Int, columns: Range<Int>, guide: UnsafePointer<Float>, into target: UnsafeMutablePointer<Float>) {
        functions.write(y, columns: columns, guide: guide, into: target)
    }
}
