import Glibc
import Imaging

/// How much of its light each place of the background keeps under dimming, a spotlight, a shadow and a halo.
///
/// A factor for non-linear code values, that of a display's gamma of 2.2, which those of other transfers follow. Where it is
/// not the same everywhere it is made on a grid of the people's shape and enlarged linearly. Keeps its working memory, and is
/// therefore for one thread at a time.
final class LightField {
    /// Deviation of the shadow's edge, and where it lies from the person.
    private static let shadow = (deviation: 9.0, right: 5.0, down: 9.0)
    private static let spotlightDeviation = 80.0
    private static let halo = (deviation: 26.0, gain: Float(0.35))

    /// The factor everywhere; nil where it differs from place to place.
    private(set) var uniform: Float? = 1
    /// Whether any factor is above 1.
    private(set) var brightens = false

    private var grid = CellGrid()
    private var spreads = (shadow: GaussianSpread(), spotlight: GaussianSpread(), halo: GaussianSpread())
    /// How much of each cell is people.
    private var presence = ScalarMap(width: 1, height: 1)
    /// `presence`, spread for the effect at hand.
    private var spread = ScalarMap(width: 1, height: 1)
    private var gains = ScalarMap(width: 1, height: 1)
    private var enlarger = MapEnlarger()
    private var chromaEnlarger = MapEnlarger()
    private var line: [Float] = []
    private var chromaLine: [Float] = []

    /// Works the light out for `frame`, in which `shape` (`gray8`) is where people are.
    func prepare(_ frame: VideoFrame, shape: PixelBuffer, settings: EffectSettings, hasHalo: Bool) {
        let exponent = Self.gamma / Self.exponent(frame.color.transfer)
        let dimming = Self.factor(stops: settings.dimStops)
        let dark = Self.factor(stops: settings.spotlightStops)
        brightens = hasHalo
        guard settings.shadowOpacity > 0 || dark < 1 || hasHalo else {
            return fill(powf(dimming, exponent), frame.pixelBuffer)
        }
        uniform = nil
        let side = max(1, frame.uprightSize.height / 180)
        gather(shape, side: side)
        let unit = (across: frame.lengthUnit.across / Double(side), down: frame.lengthUnit.down / Double(side))
        gains.values.withUnsafeMutableBufferPointer { $0.update(repeating: dimming) }
        if dark < 1 { spotlight(dark, unit) }
        if settings.shadowOpacity > 0 { castShadow(Float(settings.shadowOpacity), unit, frame.orientation) }
        if hasHalo { addHalo(unit) }
        if exponent != 1 { raise(to: exponent) }
        enlarge(frame.pixelBuffer)
    }

    private func fill(_ gain: Float, _ picture: PixelBuffer) {
        // After light that varies, a line of the same first gain has others behind it.
        if uniform != gain || line.count != picture.width { line = Array(repeating: gain, count: picture.width) }
        uniform = gain
    }

    /// The factor that takes `stops` of exposure away, of a display's gamma.
    private static func factor(stops: Double) -> Float { Float(exp2(-stops / Double(gamma))) }

    private static let gamma: Float = 2.2

    /// The power of the signal that light is.
    ///
    /// Half the light is about 0.73 of the signal with a display's gamma of 2.2, 0.71 with the square root that HLG (BT.2100)
    /// begins with, and 0.88 with PQ (SMPTE ST 2084) around reference white.
    private static func exponent(_ transfer: UInt8) -> Float {
        switch transfer {
        case 16: 5.5
        case 18: 2
        default: gamma
        }
    }

    private func raise(to exponent: Float) {
        gains.values.withUnsafeMutableBufferPointer { gains in
            for i in gains.indices { gains[i] = powf(max(gains[i], 0), exponent) }
        }
    }

    private func gather(_ shape: PixelBuffer, side: Int) {
        shape.withPlane(0) { grid.gatherShares(of: $0, side: side, into: &presence) }
        if (gains.width, gains.height) != (grid.columns, grid.rows) {
            gains = ScalarMap(width: grid.columns, height: grid.rows)
        }
    }

    private func spotlight(_ dark: Float, _ unit: (across: Double, down: Double)) {
        spread.copy(presence)
        spreads.spotlight.apply(&spread, deviation: Self.scaled(Self.spotlightDeviation, unit))
        multiply { light in
            let share = min(light * 2.2, 1)
            return dark + (1 - dark) * share * share * (3 - 2 * share)
        }
    }

    private func castShadow(_ opacity: Float, _ unit: (across: Double, down: Double), _ orientation: Orientation) {
        spread.copy(presence)
        spreads.shadow.apply(&spread, deviation: Self.scaled(Self.shadow.deviation, unit))
        let turn = orientation.uprightToStored
        let (right, down) = (Self.shadow.right, Self.shadow.down)
        let offset = (
            x: Int(((turn.a * right + turn.b * down) * unit.across).rounded()),
            y: Int(((turn.c * right + turn.d * down) * unit.down).rounded())
        )
        let (columns, rows) = (gains.width, gains.height)
        gains.values.withUnsafeMutableBufferPointer { gains in
            spread.values.withUnsafeBufferPointer { shade in
                for y in 0..<rows {
                    let source = min(max(y - offset.y, 0), rows - 1) * columns
                    for x in 0..<columns {
                        gains[y * columns + x] *= 1 - opacity * shade[source + min(max(x - offset.x, 0), columns - 1)]
                    }
                }
            }
        }
    }

    private func addHalo(_ unit: (across: Double, down: Double)) {
        spread.copy(presence)
        spreads.halo.apply(&spread, deviation: Self.scaled(Self.halo.deviation, unit))
        multiply { 1 + Self.halo.gain * $0 }
    }

    private static func scaled(_ length: Double, _ unit: (across: Double, down: Double)) -> (Double, Double) {
        (length * unit.across, length * unit.down)
    }

    @inline(__always)
    private func multiply(_ gain: (Float) -> Float) {
        gains.values.withUnsafeMutableBufferPointer { gains in
            spread.values.withUnsafeBufferPointer { spread in
                for i in gains.indices { gains[i] *= gain(spread[i]) }
            }
        }
    }

    private func enlarge(_ picture: PixelBuffer) {
        let size = (width: picture.width, height: picture.height)
        enlarger.prepare(gains, width: size.width, height: size.height)
        if line.count != size.width { line = Array(repeating: 0, count: size.width) }
        guard let chroma = picture.format.planes.firstIndex(where: \.isSubsampled) else { return }
        let chromaSize = picture.format.planeSize(chroma, width: size.width, height: size.height)
        chromaEnlarger.prepare(gains, width: chromaSize.width, height: chromaSize.height)
        if chromaLine.count != chromaSize.width { chromaLine = Array(repeating: 0, count: chromaSize.width) }
    }

    /// Calls `body` with the factors of row `y`, one for each sample.
    func withRow(_ y: Int, isSubsampled: Bool, _ body: (UnsafePointer<Float>) -> Void) {
        func fill(_ line: inout [Float], by enlarger: MapEnlarger) {
            line.withUnsafeMutableBufferPointer { line in
                enlarger.row(y, into: line.baseAddress!)
                body(line.baseAddress!)
            }
        }
        if uniform != nil {
            // All are alike, and a row of luma's is long enough for chroma.
            line.withUnsafeBufferPointer { body($0.baseAddress!) }
        } else if isSubsampled {
            fill(&chromaLine, by: chromaEnlarger)
        } else {
            fill(&line, by: enlarger)
        }
    }
}
