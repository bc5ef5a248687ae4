/// Maps the colours of whole pictures as a `ColorMapping` says, with tables instead of powers.
///
/// Pictures are 4:4:4 with 12 bits on both sides, each with its own matrix and range; red, green and blue of a result lie
/// within four of 4095 steps of the exact ones. A value that holds some 150 kB of tables; safe to use from several threads at
/// once.
public struct ColorMapper: Sendable {
    let mapping: ColorMapping
    public static let format = PixelFormat.yuv444p12

    private static let last: Float = 4095
    private let input: ColorConversion
    private let output: ColorConversion
    /// Coded light of each signal.
    private let decoding: [Float]
    /// What coded light is multiplied with, by its luminance; nil where that is 1.
    private let displayGains: LightTable?
    /// Red, green and blue of the target's primaries out of the source's: a row after the other.
    private let primaries: [Float]
    /// The same back to coded light, by luminance as a share of the peak; nil where that is 1.
    private let codingGains: LightTable?
    /// The signal of coded light, which is a share of its peak.
    private let encoding: LightTable

    /// `source` and `target` tell matrix and range of the pictures and what `ColorMapping` goes by; an unspecified matrix is
    /// that of pictures of `width` by `height` pixels.
    public init(from source: ColorDescription, to target: ColorDescription, width: Int, height: Int) {
        let mapping = ColorMapping(from: source, to: target)
        self.mapping = mapping
        input = ColorConversion(format: Self.format, color: source, width: width, height: height)
        output = ColorConversion(format: Self.format, color: target, width: width, height: height)
        let (from, to) = (mapping.sourceTransfer, mapping.targetTransfer)
        decoding = (0...4095).map { from.decoded(Float($0) / Self.last) }
        displayGains = from == .hybridLogGamma ? LightTable { from.displayGain(luminance: $0) } : nil
        let columns = mapping.sourcePrimaries.matrix(to: mapping.targetPrimaries).columns
        primaries = (0..<3).flatMap { [Float(columns.0[$0]), Float(columns.1[$0]), Float(columns.2[$0])] }
        codingGains = to == .hybridLogGamma ? LightTable { to.codingGain(luminance: $0 * to.peak) } : nil
        encoding = LightTable { to.encoded($0 * to.codedPeak) }
    }

    /// Fills `target` with the colours of `source`; both are of one size and in `format`, anything else is a caller's
    /// mistake, and traps.
    public func map(_ source: PixelBuffer, into target: inout MutablePixelBuffer) {
        precondition(source.format == Self.format && target.format == Self.format, "colours are mapped in 4:4:4")
        precondition(source.width == target.width && source.height == target.height, "both pictures have one size")
        let (width, height) = (source.width, source.height)
        withUnsafeTemporaryAllocation(of: Float.self, capacity: 3 * width) { light in
            withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 3 * width) { indices in
                let row = Row(light: light.baseAddress!, indices: indices.baseAddress!, width: width)
                source.withPlanes { from in
                    target.withMutablePlanes { to in
                        for y in 0..<height {
                            decode((0..<3).map { from[$0].row(y, as: UInt16.self) }, row)
                            map(row)
                            encode(row, (0..<3).map { to[$0].row(y, as: UInt16.self) })
                        }
                    }
                }
            }
        }
    }

    /// Red, green and blue of one row of pixels, one after the other, and what they are looked up with.
    private struct Row {
        let light: UnsafeMutablePointer<Float>
        let indices: UnsafeMutablePointer<UInt32>
        let width: Int
    }

    private static func look(_ row: Row, in table: [Float]) {
        let (light, indices) = (row.light, row.indices)
        table.withUnsafeBufferPointer { table in
            let table = table.baseAddress!
            for x in 0..<3 &* row.width { light[x] = table[Int(indices[x])] }
        }
    }

    /// Y'CbCr to coded light.
    private func decode(_ planes: [UnsafePointer<UInt16>], _ row: Row) {
        let (luma, blue, red) = (planes[0], planes[1], planes[2])
        let (width, indices) = (row.width, row.indices)
        for component in 0..<3 {
            let weights = input.toRGB[component].map { $0 * Self.last }
            let (a, b, c) = (weights[0], weights[1], weights[2])
            let offset = input.toRGBOffset[component] * Self.last
            let target = indices + component &* width
            for x in 0..<width {
                let value = a * Float(luma[x]) + b * Float(blue[x]) + c * Float(red[x]) + offset
                target[x] = UInt32(nearest: min(max(0, value), Self.last))
            }
        }
        Self.look(row, in: decoding)
    }

    /// The source's coded light to the target's.
    private func map(_ row: Row) {
        if let displayGains { multiply(row, by: displayGains, scale: 1) }
        convertPrimaries(row)
        if let shoulder = mapping.shoulder { rollOff(row, shoulder) }
        if let codingGains { multiply(row, by: codingGains, scale: 1 / mapping.targetTransfer.peak) }
    }

    private func convertPrimaries(_ row: Row) {
        let width = row.width
        let (red, green, blue) = (row.light, row.light + width, row.light + 2 &* width)
        let m = primaries
        let (a, b, c) = ((m[0], m[1], m[2]), (m[3], m[4], m[5]), (m[6], m[7], m[8]))
        for x in 0..<width {
            let (r, g, b_) = (red[x], green[x], blue[x])
            red[x] = max(0, a.0 * r + a.1 * g + a.2 * b_)
            green[x] = max(0, b.0 * r + b.1 * g + b.2 * b_)
            blue[x] = max(0, c.0 * r + c.1 * g + c.2 * b_)
        }
    }

    private func rollOff(_ row: Row, _ shoulder: HighlightShoulder) {
        let width = row.width
        let (red, green, blue) = (row.light, row.light + width, row.light + 2 &* width)
        for x in 0..<width {
            let gain = shoulder.gain(of: max(red[x], max(green[x], blue[x])))
            red[x] *= gain
            green[x] *= gain
            blue[x] *= gain
        }
    }

    /// Multiplies each pixel with the gain of its luminance, which times `scale` is 0…1.
    private func multiply(_ row: Row, by gains: LightTable, scale: Float) {
        let width = row.width
        let (red, green, blue) = (row.light, row.light + width, row.light + 2 &* width)
        let weights = TransferFunction.luminanceWeights * scale
        let (a, b, c) = (weights.x, weights.y, weights.z)
        let indices = row.indices
        for x in 0..<width {
            let luminance = a * red[x] + b * green[x] + c * blue[x]
            indices[x] = LightTable.index(luminance)
        }
        gains.values.withUnsafeBufferPointer { gains in
            let gains = gains.baseAddress!
            for x in 0..<width {
                let gain = gains[Int(indices[x])]
                red[x] *= gain
                green[x] *= gain
                blue[x] *= gain
            }
        }
    }

    /// Coded light to Y'CbCr.
    private func encode(_ row: Row, _ planes: [UnsafeMutablePointer<UInt16>]) {
        let (light, indices, width) = (row.light, row.indices, row.width)
        let scale = 1 / mapping.targetTransfer.codedPeak
        for x in 0..<3 &* width {
            indices[x] = LightTable.index(light[x] * scale)
        }
        Self.look(row, in: encoding.values)
        let (red, green, blue) = (light, light + width, light + 2 &* width)
        // The conversion is linear: its values at black and at the three primaries tell all.
        let zero = output.exactCodeValues(red: 0, green: 0, blue: 0)
        let r = output.exactCodeValues(red: 1, green: 0, blue: 0) - zero
        let g = output.exactCodeValues(red: 0, green: 1, blue: 0) - zero
        let b = output.exactCodeValues(red: 0, green: 0, blue: 1) - zero
        for component in 0..<3 {
            let (p, q, s, offset) = (r[component], g[component], b[component], zero[component])
            let target = planes[component]
            for x in 0..<width {
                let value = p * red[x] + q * green[x] + s * blue[x] + offset
                target[x] = UInt16(nearest: min(max(0, value), Self.last))
            }
        }
    }
}
