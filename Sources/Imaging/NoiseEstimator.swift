/// Tells how noisy a picture is.
///
/// The median absolute response to Immerkær's mask, which lines and gradients leave silent ("Fast Noise Variance Estimation",
/// 1996; the median where he takes the mean, since most pixels show no texture), on a sample of the pixels. What is black or
/// white does not count: noise is cut off there, and bars have none.
public enum NoiseEstimator {
    /// How far apart the pixels are that are looked at, at least.
    private static let step = (x: 5, y: 11)
    /// About how many pixels are looked at, at most.
    private static let enough = 5_000
    /// Responses (0…8 at most, of values 0…1) are counted this finely.
    private static let binsPerUnit = 1020
    private static let binCount = 1024
    /// The luma (0…1) of what is neither black nor white, by a step or two of 8 bits, in limited and in full range.
    private static let (limitedShades, fullShades) = (0.066...0.92, 0.006...0.99)

    /// The standard deviations (0…1) of the noise in the luma and the two chroma components (blue and red less luma; of RGB, half of
    /// blue and red less green) of `columns` and `rows` of `picture`, whose range is that of `color`; chroma of a gray picture has none.
    public static func deviations(
        of picture: PixelBuffer, color: ColorDescription, columns: Range<Int>, rows: Range<Int>
    ) -> SIMD3<Float> {
        let format = picture.format
        let model = format.colorModel
        let shades = color.isFullRange(in: model) ? fullShades : limitedShades
        let places = format.componentPlaces
        return picture.withPlanes { planes in
            func deviation(_ place: PixelFormat.ComponentPlace, minus other: Int? = nil) -> Float {
                let layout = format.planes[place.plane]
                let sampled = Sampled(
                    plane: planes[place.plane], place: place, other: other, luma: planes[0],
                    lumaPlace: format.lumaPlace,
                    layout: layout, peak: (1 << format.bitDepth) - 1, shades: shades)
                let (columns, rows) = (columns.samples(layout.horizontalShift), rows.samples(layout.verticalShift))
                return format.bytesPerComponent == 1
                    ? self.deviation(of: sampled, columns, rows, as: UInt8.self)
                    : self.deviation(of: sampled, columns, rows, as: UInt16.self)
            }
            switch format.colorModel {
            case .gray: return SIMD3(deviation(places[0]), 0, 0)
            case .yuv: return SIMD3(deviation(places[0]), deviation(places[1]), deviation(places[2]))
            case .rgb:
                let (red, green, blue) = (places[0], places[1], places[2])
                return SIMD3(
                    deviation(green), 0.5 * deviation(blue, minus: green.component),
                    0.5 * deviation(red, minus: green.component))
            }
        }
    }

    /// A component, or its difference from `other` of the same samples.
    private struct Sampled {
        let plane: Plane
        let place: PixelFormat.ComponentPlace
        let other: Int?
        let luma: Plane
        let lumaPlace: PixelFormat.ComponentPlace
        let layout: PixelFormat.PlaneLayout
        let peak: Int
        let shades: ClosedRange<Double>
    }

    // 0 for less than three rows or columns, and where nothing counts.
    private static func deviation<T: FixedWidthInteger>(
        of sampled: Sampled, _ columns: Range<Int>, _ rows: Range<Int>, as type: T.Type
    ) -> Float {
        guard columns.count >= 3, rows.count >= 3 else { return 0 }
        return withUnsafeTemporaryAllocation(of: Int.self, capacity: binCount) { counts in
            counts.initialize(repeating: 0)
            count(sampled, columns, rows, as: type, into: counts)
            // The mask's own gain is 6; 0.6745 deviations hold half of a normal distribution.
            return median(counts, step: max(1, Float(binsPerUnit) / Float(sampled.peak))) / Float(binsPerUnit)
                / (6 * 0.6745)
        }
    }

    // Responses are whole numbers of `step` bins, and are taken to be spread evenly to the middle between them; those of 0 are
    // 0 where there are no others.
    private static func median(_ counts: UnsafeMutableBufferPointer<Int>, step: Float) -> Float {
        let half = Float(counts.reduce(0, +)) / 2
        guard half > 0 else { return 0 }
        var (bin, below) = (0, 0)
        while Float(below + counts[bin]) < half {
            below += counts[bin]
            bin += 1
        }
        let share = (half - Float(below)) / Float(counts[bin])
        return bin == 0 ? max(0, share - 0.5) * step : Float(bin) + (share - 0.5) * step
    }

    @inline(__always)
    private static func count<T: FixedWidthInteger>(
        _ sampled: Sampled, _ columns: Range<Int>, _ rows: Range<Int>, as type: T.Type,
        into counts: UnsafeMutableBufferPointer<Int>
    ) {
        let (samples, component) = (sampled.place.step, sampled.place.component)
        let (other, weight) = (sampled.other ?? component, sampled.other == nil ? 0 : 1)
        let (least, most) = (sampled.shades.lowerBound, sampled.shades.upperBound)
        let shades = T(least * Double(sampled.peak))...T(most * Double(sampled.peak))
        let (first, last) = (columns.lowerBound + 1, columns.upperBound - 1)
        let coarseness = max(1, (Double(columns.count * rows.count) / Double(step.x * step.y * enough)).squareRoot())
        let (columnStep, rowStep) = (Int(Double(step.x) * coarseness), Int(Double(step.y) * coarseness))
        for y in stride(from: rows.lowerBound + 1, to: rows.upperBound - 1, by: rowStep) {
            let above = sampled.plane.row(y - 1, as: type)
            let (here, below) = (sampled.plane.row(y, as: type), sampled.plane.row(y + 1, as: type))
            let luma =
                sampled.luma.row(y << sampled.layout.verticalShift, as: type) + sampled.lumaPlace.component
            var x = first
            while x < last {
                defer { x &+= columnStep }
                guard shades.contains(luma[(x << sampled.layout.horizontalShift) &* sampled.lumaPlace.step]) else {
                    continue
                }
                func value(_ line: UnsafePointer<T>, _ x: Int) -> Int {
                    Int(line[x &* samples &+ component]) &- weight &* Int(line[x &* samples &+ other])
                }
                func second(_ line: UnsafePointer<T>) -> Int {
                    value(line, x &- 1) &- 2 &* value(line, x) &+ value(line, x &+ 1)
                }
                let response = abs(second(above) &+ second(below) &- 2 &* second(here))
                counts[min(binCount - 1, response &* binsPerUnit / sampled.peak)] &+= 1
            }
        }
    }
}

extension Range<Int> {
    /// The samples, each of `1 << shift` pixels, all of whose pixels the range holds.
    fileprivate func samples(_ shift: Int) -> Range {
        let first = (lowerBound + (1 << shift) - 1) >> shift
        return first..<Swift.max(first, upperBound >> shift)
    }
}
