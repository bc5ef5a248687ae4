import ArgumentParser
import Compositing
import Imaging
import Matte
import MatteVision
import Media

/// What is made of each frame.
struct MatteOptions: ParsableArguments {
    @Option(name: [.short, .long], help: "How much is done for the mask: fast, balanced or accurate.")
    var quality = GeneratePersonSegmentationRequest.QualityLevel.balanced

    @Option(
        name: [.customShort("b"), .customLong("background")],
        help: ArgumentHelp(
            "What goes behind the people: pose (a colour that follows the head), blur[:RADIUS], bokeh[:RADIUS], "
                + "gradient[:COLOR:COLOR[:DEGREES]], checker, original, none (alpha), a CSS colour, #rrggbb, or a picture or "
                + "video (default: pose).",
            valueName: "background"),
        completion: .file(), transform: Configuration.BackgroundKind.init(argument:))
    var givenBackground: Configuration.BackgroundKind?

    @Option(
        help: ArgumentHelp(
            "How a picture or video behind the people gets the frame's shape: fill (cropped), fit (bars) or tile "
                + "(default: fill).")
    )
    var backgroundFit: BackgroundReader.Fit?

    @Flag(help: "Take the sound of the video behind the people, over and over, in the place of the input's.")
    var backgroundAudio = false

    @Option(
        name: [.short, .long],
        help: ArgumentHelp(
            "Done to the background: dim[:STOPS], desaturate[:AMOUNT], pixelate[:SIDE], spotlight[:STOPS], shadow[:OPACITY]; "
                + "around the people: outline[:WIDTH[:COLOR]], light-wrap[:AMOUNT]. May be repeated for other effects.",
            valueName: "effect"),
        transform: Effect.init(argument:))
    var effect: [Effect] = []

    @Option(help: "Show one angle of the head as red (positive) or blue (negative): roll, pitch or yaw.")
    var poseColor = PoseColor.all

    @Option(
        help: "What comes out: composite, mask (grey video), foreground (the people with alpha) or trimap (grey video)."
    )
    var outputKind = Configuration.OutputKind.composite

    @Option(
        help: ArgumentHelp(
            "Write the faces of every frame to a .csv or .jsonl file, or as JSON lines to - or a descriptor, as fd:3.",
            valueName: "file"),
        completion: .file(extensions: ["csv", "jsonl"]))
    var poseOutput: String?

    @Option(
        help: ArgumentHelp(
            "Use the segmentation model that a JSON description names, instead of the level's own.", valueName: "file"),
        completion: .file(extensions: ["json"]))
    var model: String?

    @Option(help: ArgumentHelp("Folder of the models.", valueName: "folder"), completion: .directory)
    var models: String?

    /// What goes behind the people of a composite.
    var background: Configuration.BackgroundKind { givenBackground ?? .pose(.all) }

    func validate() throws {
        if givenBackground != nil, outputKind != .composite {
            throw ValidationError("--background has no effect on a \(outputKind.rawValue): drop one of them")
        }
        if poseColor != .all, background.name != "pose" {
            throw ValidationError("--pose-color needs --background pose")
        }
        if poseColor != .all, outputKind != .composite {
            throw ValidationError("--pose-color has no effect on a \(outputKind.rawValue): drop one of them")
        }
        if backgroundAudio, !background.isMedia {
            throw ValidationError("--background-audio needs a video as --background")
        }
        if backgroundFit != nil, !background.isMedia {
            throw ValidationError("--background-fit needs a picture or a video as --background")
        }
    }

    func configuration(maskPixelFormat: PixelFormat) -> Configuration {
        var configuration = Configuration()
        configuration.maskPixelFormat = maskPixelFormat
        configuration.qualityLevel = quality
        configuration.outputKind = outputKind
        configuration.findsFaces = poseOutput != nil
        configuration.models = ModelLibrary(directory: models, segmentationModel: model)
        configuration.background = background.name == "pose" ? .pose(poseColor) : background
        configuration.backgroundFit = backgroundFit ?? .fill
        configuration.effects = effect
        return configuration
    }
}

extension Configuration.BackgroundKind {
    fileprivate init(argument: String) throws {
        guard let background = Self(name: argument) else { throw ValidationError(Self.advice(for: argument)) }
        self = background
    }
}

extension BackgroundReader.Fit: ExpressibleByArgument {}

extension Effect {
    fileprivate init(argument: String) throws {
        guard let effect = Self(name: argument) else { throw ValidationError(Self.advice(for: argument)) }
        self = effect
    }
}

extension GeneratePersonSegmentationRequest.QualityLevel: ExpressibleByArgument {}
extension PoseColor: ExpressibleByArgument {}
extension Configuration.OutputKind: ExpressibleByArgument {}
