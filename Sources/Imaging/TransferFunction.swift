import Glibc

/// How a signal in 0…1 becomes light on a display.
///
/// Light is counted in units of SDR reference white, which is 203 cd/m² of an HDR signal (ITU-R BT.2408), so that 1 is the
/// white of a page in every one of them.
enum TransferFunction: Hashable, Sendable, CaseIterable {
    /// Every SDR curve. Pictures for the web and videos are shown side by side with one and the same display curve, so one
    /// stands for all: sRGB's (IEC 61966-2-1).
    case standard
    /// SMPTE ST 2084: absolute light, up to 10000 cd/m².
    case perceptualQuantizer
    /// ITU-R BT.2100 HLG, as a display of 1000 cd/m² shows it, with the system gamma 1.2.
    case hybridLogGamma

    /// What an H.273 TransferCharacteristics code point stands for.
    init(codePoint: UInt8) {
        switch codePoint {
        case 16: self = .perceptualQuantizer
        case 18: self = .hybridLogGamma
        default: self = .standard
        }
    }

    /// SDR reference white in an HDR signal, in cd/m².
    static let referenceWhite: Float = 203

    /// The light of a full signal, in units of reference white.
    var peak: Float {
        switch self {
        case .standard: 1
        case .perceptualQuantizer: 10000 / Self.referenceWhite
        case .hybridLogGamma: 1000 / Self.referenceWhite
        }
    }

    /// The light that red, green and blue of a signal are shown as; signals beyond 0…1 count as its ends.
    func light(of signal: SIMD3<Float>) -> SIMD3<Float> {
        let light = SIMD3(decoded(signal.x), decoded(signal.y), decoded(signal.z))
        return light * displayGain(luminance: Self.luminance(light))
    }

    /// The signal that is shown as `light`, in red, green and blue: 0…1, what is brighter than `peak` is 1.
    func signal(of light: SIMD3<Float>) -> SIMD3<Float> {
        let light = light.clamped(lowerBound: .zero, upperBound: SIMD3(repeating: .greatestFiniteMagnitude))
        let coded = light * codingGain(luminance: Self.luminance(light))
        return SIMD3(encoded(coded.x), encoded(coded.y), encoded(coded.z))
    }

    // MARK: The two steps

    // HLG's signal codes the light of the scene, which the display brightens by the luminance of the pixel (its OOTF). The
    // other signals code the light of the display; their gain is 1.

    /// Red's, green's and blue's share in the luminance that HLG's OOTF goes by: those of BT.2020, in which alone HLG is
    /// defined.
    static let luminanceWeights = SIMD3<Float>(0.2627, 0.6780, 0.0593)

    static func luminance(_ light: SIMD3<Float>) -> Float { (light * luminanceWeights).sum() }

    /// The largest light that the signal codes.
    var codedPeak: Float { self == .hybridLogGamma ? 1 : peak }

    /// What coded light is multiplied with to be the display's, where its luminance is `luminance`.
    func displayGain(luminance: Float) -> Float {
        self == .hybridLogGamma ? peak * powf(max(0, luminance), Self.systemGamma - 1) : 1
    }

    /// What the display's light is multiplied with to be coded; the inverse of `displayGain`.
    func codingGain(luminance: Float) -> Float {
        guard self == .hybridLogGamma else { return 1 }
        let relative = min(max(Self.leastLuminance, luminance / peak), 1)
        return powf(relative, 1 / Self.systemGamma - 1) / peak
    }

    /// The light that one component codes.
    func decoded(_ signal: Float) -> Float {
        let signal = min(max(0, signal), 1)
        switch self {
        case .standard:
            return signal <= 0.04045 ? signal / 12.92 : powf((signal + 0.055) / 1.055, 2.4)
        case .perceptualQuantizer:
            let root = powf(signal, 1 / Self.m2)
            return peak * powf(max(0, root - Self.c1) / (Self.c2 - Self.c3 * root), 1 / Self.m1)
        case .hybridLogGamma:
            return signal <= 0.5 ? signal * signal / 3 : (expf((signal - Self.c) / Self.a) + Self.b) / 12
        }
    }

    /// The component that codes `light`, 0…1.
    func encoded(_ light: Float) -> Float {
        let light = min(max(0, light), codedPeak)
        switch self {
        case .standard:
            return light <= 0.0031308 ? light * 12.92 : 1.055 * powf(light, 1 / 2.4) - 0.055
        case .perceptualQuantizer:
            let root = powf(light / peak, Self.m1)
            // Black's own value is 0.0000007 by the formula.
            return light == 0 ? 0 : min(1, powf((Self.c1 + Self.c2 * root) / (1 + Self.c3 * root), Self.m2))
        case .hybridLogGamma:
            return light <= 1 / 12 ? (3 * light).squareRoot() : min(1, Self.a * logf(12 * light - Self.b) + Self.c)
        }
    }

    // SMPTE ST 2084, 5.2
    private static let m1: Float = 2610 / 16384
    private static let m2: Float = 2523 / 4096 * 128
    private static let c1: Float = 3424 / 4096
    private static let c2: Float = 2413 / 4096 * 32
    private static let c3: Float = 2392 / 4096 * 32
    // ITU-R BT.2100, table 5
    private static let a: Float = 0.17883277
    private static let b: Float = 0.28466892
    private static let c: Float = 0.55991073
    private static let systemGamma: Float = 1.2
    /// Where the gain of black, which is without bound, is cut off: far below the first code value.
    private static let leastLuminance: Float = 1e-12
}
