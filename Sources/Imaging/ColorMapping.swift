/// What a colour becomes so that a video with other tags shows it the same.
///
/// SDR white is put at the reference white of an HDR video, not at its peak (ITU-R BT.2408); primaries are converted in
/// linear light, and what the target can't mix is clipped to 0…1. Light of an HDR source that an SDR target can't show is
/// rolled off by `HighlightShoulder`, with its hue kept. Matrix and range are ``ColorConversion``'s matter.
public struct ColorMapping: Hashable, Sendable {
    let sourceTransfer: TransferFunction
    let sourcePrimaries: ColorPrimaries
    let targetTransfer: TransferFunction
    let targetPrimaries: ColorPrimaries

    /// By the transfer characteristics and primaries of both; what is unspecified is SDR and BT.709.
    public init(from source: ColorDescription, to target: ColorDescription) {
        sourceTransfer = TransferFunction(codePoint: source.transfer)
        sourcePrimaries = ColorPrimaries(codePoint: source.primaries)
        targetTransfer = TransferFunction(codePoint: target.transfer)
        targetPrimaries = ColorPrimaries(codePoint: target.primaries)
    }

    /// Whether every colour stays as it is, exactly.
    public var isIdentity: Bool { sourceTransfer == targetTransfer && sourcePrimaries == targetPrimaries }

    /// How light that is too bright is rolled off; nil where the target shows it all.
    var shoulder: HighlightShoulder? {
        sourceTransfer != .standard && targetTransfer == .standard ? HighlightShoulder() : nil
    }

    /// The non-linear colour of the target, 0…1, that looks like `color` of the source.
    public func map(_ color: RGBColor) -> RGBColor {
        guard !isIdentity else { return color }
        let shown = sourceTransfer.light(of: SIMD3(color.red, color.green, color.blue))
        var light = sourcePrimaries.convert(shown, to: targetPrimaries)
        light.replace(with: 0, where: light .< 0)
        if let shoulder { light *= shoulder.gain(of: light.max()) }
        let signal = targetTransfer.signal(of: light)
        return RGBColor(red: signal.x, green: signal.y, blue: signal.z)
    }
}

extension ColorDescription {
    /// A picture for the web, IEC 61966-2-1: full-range red, green and blue.
    public static let sRGB = ColorDescription(matrix: .rgb, range: .full, primaries: 1, transfer: 13)

    /// The colour of a video with these tags that looks like `color` of sRGB; for SDR with BT.709 or unspecified primaries
    /// that is `color` itself.
    public func placing(_ color: RGBColor) -> RGBColor { ColorMapping(from: .sRGB, to: self).map(color) }
}
