/// Puts the edges of a coarse mask where a picture's colours change from people's to the background's.
///
/// In each window that reaches to both sides of an edge, the colours of what is surely people and of what is surely background
/// are told apart by Fisher's linear discriminant with a variance of its own for each component ("The Use of Multiple
/// Measurements in Taxonomic Problems", 1936). How far a pixel's colour lies on the way from the background's mean to the
/// people's is its alpha, as the compositing equation has it; the less the two differ, the more of the mask is kept.
/// These are linear functions of the colour, fitted at the mask's size (`fit`) and applied to the picture at full size
/// (`MaskRenderer`). Keeps its working memory, and is therefore for one thread at a time.
public final class MaskRefiner {
    /// What an edge has to stand out from, and how steep it becomes.
    public struct Settings: Sendable, Hashable {
        /// How far a window reaches to each side of its middle, in pixels of the mask.
        public var radius: Int
        /// Variance of luma (0…1) that counts as none.
        public var lumaVariance: Float
        /// Variance of either chroma component (0…1) that counts as none.
        public var chromaVariance: Float
        /// How much the mask is steepened about one half, before it is fitted and once more after; 1 leaves it as it is.
        public var contrast: Float

        public init(radius: Int, lumaVariance: Float, chromaVariance: Float, contrast: Float = 1) {
            (self.radius, self.contrast) = (radius, contrast)
            (self.lumaVariance, self.chromaVariance) = (lumaVariance, chromaVariance)
        }
    }

    /// How much an edge has to stand out from noise: ten deviations of it are like one of the colours' own, since noise that the
    /// mask takes over flickers.
    private static let noiseGain: Float = 100

    /// After how many windows their sums are made anew: what adding and taking away leaves of rounding piles up.
    private static let longestSlide = 64

    private let settings: Settings
    /// The mask, steepened.
    private var mask: ScalarMap
    private var sides: WindowSides
    private var columnMoments: [ColorMoments]
    private var functions: LinearFunctionMap

    /// For masks of `width` by `height`.
    public init(width: Int, height: Int, settings: Settings) {
        self.settings = settings
        mask = ScalarMap(width: width, height: height)
        sides = WindowSides(width: width, height: height, radius: settings.radius)
        columnMoments = Array(repeating: ColorMoments(), count: width)
        functions = LinearFunctionMap(width: width, height: height)
    }

    /// Columns of the mask that it is fitted to.
    public var width: Int { mask.width }
    /// Rows of the mask that it is fitted to.
    public var height: Int { mask.height }
    /// Columns of the picture that it was fitted for.
    var fullWidth: Int { functions.fullWidth }
    /// Rows of the picture that it was fitted for.
    var fullHeight: Int { functions.fullHeight }

    /// Fits `mask` to `components`, those of a picture of `colorModel` as `FrameSampler.components` gives them, all of the
    /// refiner's size, for `fullWidth` by `fullHeight` pixels whose luma and chroma have `noise` (standard deviations, 0…1).
    func fit(
        mask: ScalarMap, components: [ScalarMap], colorModel: PixelFormat.ColorModel, fullWidth: Int, fullHeight: Int,
        noise: SIMD3<Float>
    ) {
        precondition(mask.width == width && mask.height == height, "the mask has the refiner's size")
        precondition(
            components.allSatisfy { $0.width == width && $0.height == height }, "the picture has the refiner's size")
        steepen(mask)
        sides.look(at: self.mask)
        let floor = SIMD3(settings.lumaVariance, settings.chromaVariance, settings.chromaVariance)
        let variance = SIMD4(floor + Self.noiseGain * noise * noise, 1)
        ColorGuideMap.with(components, colorModel) { guide in
            for y in 0..<height {
                keepMask(y)
                var run = sides.firstRun(inRow: y, from: 0)
                while !run.isEmpty {
                    let piece = run.prefix(Self.longestSlide)
                    fitWindows(piece, y, guide, variance)
                    run = sides.firstRun(inRow: y, from: piece.upperBound)
                }
            }
        }
        functions.prepare(fullWidth: fullWidth, fullHeight: fullHeight)
    }

    private var steepening: (scale: Float, shift: Float) { (settings.contrast, 0.5 - 0.5 * settings.contrast) }

    private func steepen(_ source: ScalarMap) {
        let (scale, shift) = steepening
        mask.values.withUnsafeMutableBufferPointer { mask in
            source.values.withUnsafeBufferPointer { source in
                for i in mask.indices { mask[i] = min(max(source[i] * scale + shift, 0), 1) }
            }
        }
    }

    // Whatever the colour.
    private func keepMask(_ y: Int) {
        let (width, start) = (width, y * width)
        let (scale, shift) = steepening
        functions.withRow(y) { row in
            mask.values.withUnsafeBufferPointer { mask in
                row.set(mask.baseAddress! + start, scale: scale, shift: shift, count: width)
            }
        }
    }

    // The sums of the windows slide along the run, over those of the columns.
    private func fitWindows(_ run: Range<Int>, _ y: Int, _ guide: ColorGuideMap, _ variance: SIMD4<Float>) {
        let (width, height, radius) = (width, height, settings.radius)
        let (scale, shift) = steepening
        let rows = max(0, y - radius)...min(height - 1, y + radius)
        let columns = max(0, run.lowerBound - radius)..<min(width, run.upperBound + radius)
        functions.withRow(y) { row in
            mask.values.withUnsafeBufferPointer { mask in
                columnMoments.withUnsafeMutableBufferPointer { moments in
                    for x in columns {
                        var sum = ColorMoments()
                        for i in stride(
                            from: rows.lowerBound * width + x, through: rows.upperBound * width + x, by: width)
                        {
                            sum.add(guide[i], mask: mask[i])
                        }
                        moments[x] = sum
                    }
                    var sum = ColorMoments()
                    for x in columns.lowerBound..<min(width, run.lowerBound + radius) { sum += moments[x] }
                    for x in run {
                        if x &+ radius < width { sum += moments[x &+ radius] }
                        if let function = sum.discriminant(mask: mask[y &* width &+ x], variance: variance) {
                            row.set(x, offset: function.offset * scale + shift, slopes: function.slopes * scale)
                        }
                        if x >= radius { sum -= moments[x &- radius] }
                    }
                }
            }
        }
    }

    /// Goes to row `y` of the mask at full size and gives its runs, from left to right.
    func runs(inRow y: Int) -> [MaskRun] {
        functions.enter(y)
        return functions.runs
    }

    /// Writes `columns` of row `y`, whose mixed runs hold them, not clipped, for the colours of that row; all begin at the row's
    /// first column.
    func write(_ y: Int, columns: Range<Int>, guide: ColorGuide.Row, into target: UnsafeMutablePointer<Float>) {
        functions.write(y, columns: columns, guide: guide, into: target)
    }
}
