import Compositing
import Imaging
import Testing

@testable import Matte

/// Backgrounds and effects by their names.
struct NameTests {
    @Test(arguments: [
        "pose", "blur", "blur:7.5", "bokeh", "bokeh:30", "gradient", "gradient:#ff0000:#0000ff:45",
        "gradient:#ff0000:#00ff00:#0000ff:180", "checker", "original", "none", "#12ab34", "beach.jpg", "a/b",
    ])
    func aBackgroundsNameGivesItBack(_ name: String) throws {
        let background = try #require(Configuration.BackgroundKind(name: name))
        #expect(background.name == name)
        #expect(Configuration.BackgroundKind(name: background.name) == background)
    }

    @Test func namesAreTakenInTheirUsualSpellings() {
        #expect(Configuration.BackgroundKind(name: "teal")?.name == "#008080")
        #expect(Configuration.BackgroundKind(name: "#1aF")?.name == "#11aaff")
        #expect(Configuration.BackgroundKind(name: "gradient:red:blue")?.name == "gradient:#ff0000:#0000ff:180")
        #expect(Configuration.BackgroundKind(name: "blur:15") == Configuration.BackgroundKind(name: "blur"))
    }

    @Test(arguments: [
        "", "nothing", "blur:", "blur:0", "blur:101", "blur:1:2", "bokeh:x", "gradient:red", "gradient:red:rad",
        "pose:1", "none:0", "gradient:red:blue:inf", "gradient:red:blue:361", "gradient:red:blue:4e35",
        "#", "#1", "#12", "#1234", "#12345", "#1234567", "#11223344", "#xyz",
    ])
    func whatIsNoBackgroundIsRefused(_ name: String) {
        #expect(Configuration.BackgroundKind(name: name) == nil)
    }

    @Test(arguments: [
        ("tael", "did you mean 'teal'?"), ("gradiant", "did you mean 'gradient'?"), ("non", "did you mean 'none'?"),
        ("pose:1", "did you mean 'pose'?"), ("Teal:2", "did you mean 'teal'?"),
        ("blur:101", "blur takes a number from 1 to 100"), ("bokeh:x", "bokeh takes a number from 1 to 100"),
        ("gradient:red", "gradient takes two colours or more, and perhaps degrees from -360 to 360"),
        ("gradient:red:bleu", "'bleu' is no colour"),
        (
            "beach",
            "take pose, blur[:RADIUS], bokeh[:RADIUS], gradient[:COLOR:COLOR[:DEGREES]], checker, original, none, a CSS "
                + "colour name, #rrggbb, or the path of a picture or video, which holds a dot or a slash"
        ),
    ])
    func forWhatIsNoBackgroundAnotherIsNamed(_ name: String, advice: String) {
        #expect(Configuration.BackgroundKind(name: name) == nil)
        #expect(Configuration.BackgroundKind.advice(for: name) == advice)
    }

    @Test(arguments: [
        ("outlin", "did you mean 'outline'?"), ("lightwrap:0.5", "did you mean 'light-wrap'?"),
        ("dim:20", "dim takes a number from 0 to 10"), ("pixelate:0.5", "pixelate takes a number from 1 to 200"),
        ("outline:6:nocolour", "outline takes a width from 0.5 to 50, and perhaps a colour"),
    ])
    func forWhatIsNoEffectAnotherIsNamed(_ name: String, advice: String) {
        #expect(Effect(name: name) == nil)
        #expect(Effect.advice(for: name) == advice)
    }

    @Test(arguments: [
        "dim:1.5", "desaturate:0.25", "pixelate:24", "spotlight:2.5", "shadow:0.5", "light-wrap:0.5",
        "outline:6:#ffffff",
    ])
    func anEffectsNameGivesItBack(_ name: String) throws {
        #expect(try #require(Effect(name: name)).name == name)
    }

    @Test func effectsHaveUsualStrengths() {
        let names = ["dim", "desaturate", "pixelate", "spotlight", "shadow", "light-wrap", "outline", "outline:3"]
        #expect(
            names.map { Effect(name: $0)?.name } == [
                "dim:1", "desaturate:1", "pixelate:24", "spotlight:2.5", "shadow:0.5", "light-wrap:0.5",
                "outline:6:#ffffff", "outline:3:#ffffff",
            ])
    }

    @Test(arguments: [
        "", "glow", "dim:-1", "dim:x", "dim:1:2", "outline:0", "outline:6:nocolour", "outline:6:red:1", "shadow:1.1",
    ])
    func whatIsNoEffectIsRefused(_ name: String) {
        #expect(Effect(name: name) == nil)
    }

    @Test func whatDoesNotGoTogetherIsSaid() throws {
        var configuration = Configuration()
        configuration.background = .none
        configuration.effects = [.outline(width: 6, color: RGBColor(red: 1, green: 1, blue: 1)), .dim(stops: 1)]
        #expect(
            throws: MatteError(
                .usage, "the effect dim:1 needs a background: with none there are outline and shadow alone")
        ) { try configuration.validate() }
        configuration.background = .checker
        configuration.effects = [.dim(stops: 2), .shadow(opacity: 0.5), .dim(stops: 1)]
        #expect(
            throws: MatteError(.usage, "the effect dim is asked for twice: take it once")
        ) { try configuration.validate() }
        configuration.effects = [.outline(width: 6, color: RGBColor(red: 1, green: 1, blue: 1))]
        try configuration.validate()
        configuration.outputKind = .mask
        #expect(
            throws: MatteError(.usage, "effects are for composites: a mask has no outline:6:#ffffff")
        ) { try configuration.validate() }
        configuration.effects = []
        try configuration.validate()
    }

    @Test func alphaStaysOrStaysAway() throws {
        let filter = MatteFilter(Configuration())
        #expect(
            throws: MatteError(.usage, "a run that began with alpha keeps it, and one without can't get it")
        ) { try filter.setBackground(.none) }
        #expect(filter.background == .pose(.all))
        try filter.setBackground(.checker)
        #expect(filter.background == .checker)
        #expect(throws: MatteError.self) { try filter.setBackground(.media(path: "/nowhere/picture.png")) }
        #expect(filter.background == .checker, "what can't be opened changes nothing")
    }
}
