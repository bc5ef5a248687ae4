/// How a further test clip is made from one with exact alpha.
public struct Composition: Hashable, Sendable {
    /// What is added to the clip's name after a `+`.
    public let name: String
    /// What the picture is made of.
    let scene: Scene
    /// Height of the picture in pixels, 16:9; nil for the source's own size.
    var height: Int?
    /// Radius of a box blur that is applied three times, in pixels; the alpha is blurred with the picture.
    var blurRadius = 0
    /// Standard deviation of the noise, fresh in each pixel of each frame; 1 is full scale.
    var noise: Float = 0
    /// x264's constant rate factor; nil for lossless.
    var crf: Double?

    enum Scene: Hashable, Sendable {
        /// The source's first frame again and again.
        case still
        /// The source's people cut out and put over something else.
        case figures([Figure], over: Backdrop)
    }

    /// The people of the source, standing on the lower edge.
    struct Figure: Hashable, Sendable {
        /// Height of the source's frame as part of the picture's height.
        var scale = 1.0
        /// Where its middle stands, as part of the picture's width.
        var center = 0.5
        /// How far it goes to each side, as part of the picture's width; 96 frames there and back.
        var sway = 0.0
        var isMirrored = false
    }

    /// Every composition, in the order of the table.
    public static let all = [
        Composition(name: "gradient", scene: .figures([Figure()], over: .gradient)),
        Composition(name: "texture", scene: .figures([Figure()], over: .texture)),
        Composition(name: "tiles", scene: .figures([Figure()], over: .tiles)),
        Composition(name: "small", scene: .figures([Figure(scale: 0.3, center: 0.4, sway: 0.2)], over: .texture)),
        Composition(name: "passing", scene: .figures([Figure(scale: 0.6, sway: 0.9)], over: .gradient)),
        Composition(
            name: "two",
            scene: .figures(
                [Figure(scale: 0.7, center: 0.25), Figure(scale: 0.6, center: 0.75, isMirrored: true)], over: .texture)),
        Composition(name: "blurred", scene: .figures([Figure()], over: .texture), blurRadius: 2),
        Composition(name: "noisy", scene: .figures([Figure()], over: .texture), noise: 0.06),
        Composition(name: "compressed", scene: .figures([Figure()], over: .texture), crf: 35),
        Composition(name: "still", scene: .still, noise: 0.04),
        Composition(name: "720p", scene: .figures([Figure()], over: .texture), height: 720),
    ]
}
