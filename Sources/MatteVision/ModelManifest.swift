import Inference

/// What is known about the networks, and which of them each quality level runs.
///
/// Decoded from `manifest.json` in the folder of the models. Everything that tells one network from another stands there;
/// no network's name stands in the code.
public struct ModelManifest: Decodable, Sendable {
    /// Every network of the folder.
    public var models: [ModelDescription]
    /// The rows of the quality levels, by the level's name.
    public var levels: [String: LevelDescription]
    /// The networks for faces; not a matter of the quality level.
    public var face: FaceModels

    /// The networks that find a face and its angles.
    public struct FaceModels: Decodable, Sendable {
        /// Name of the face detector.
        public var detector: String
        /// Name of the face mesh.
        public var mesh: String
        /// File of the mesh's vertices on a neutral, frontal face.
        public var canonicalFace: String
    }

    func model(_ name: String) -> ModelDescription? { models.first { $0.name == name } }
}

/// One network: its file, what goes in and what comes out.
public struct ModelDescription: Decodable, Sendable, Hashable {
    /// By which the manifest's other parts speak of it.
    public var name: String
    /// The file beside the manifest: OpenVINO IR, ONNX or TensorFlow Lite.
    public var file: String
    /// SHA-256 of the file in hexadecimal digits.
    public var sha256: String?
    /// The licence's SPDX identifier.
    public var licence: String?
    /// The arithmetic in which it is as good as in any other, which it runs in where the CPU computes in it; nil for 32-bit floating
    /// point.
    public var precision: Precision?
    /// The picture that goes in.
    public var input: Input
    /// What comes out.
    public var output: Output
    /// Recurrent state: each output goes into its input with the next frame.
    public var state: [State]?
    /// Inputs that are the same for every frame.
    public var constants: [Constant]?

    /// The picture that goes in: red, green and blue as 32-bit floating point, upright, stretched to the network's size.
    public struct Input: Decodable, Sendable, Hashable {
        /// The tensor's name in the file; nil for the only input.
        public var name: String?
        /// Width of the picture in pixels; a matting network takes every multiple of this.
        public var width: Int
        /// Height of the picture in pixels; a matting network takes every multiple of this.
        public var height: Int
        /// What black and white become: two numbers.
        public var range: [Float]
        /// The order of its dimensions.
        public var layout: Layout
        /// Whether a segmentation network can be run at `height` x `width` as well, and sees pictures of that orientation so; nil for
        /// one that can't.
        public var turnable: Bool?
    }

    /// The order of a picture's dimensions; N is always 1.
    public enum Layout: String, Decodable, Sendable {
        case channelsLast = "NHWC"
        case channelsFirst = "NCHW"
    }

    /// What comes out.
    public struct Output: Decodable, Sendable, Hashable {
        /// The tensor's name in the file; nil for the only output.
        public var name: String?
        /// What its numbers mean.
        public var kind: Kind
        /// The order of its dimensions; nil for that of the input.
        public var layout: Layout?
        /// The classes, counted from 0, that are people; nil for an output of one channel that is about people alone.
        public var classes: [Int]?
        /// The tensor of the people's own colours, in the picture's layout, size and range; nil where there is none.
        public var foreground: String?

        /// What an output's numbers mean; a segmentation network gives probabilities, logits or a map of classes.
        public enum Kind: String, Decodable, Sendable {
            /// The probability (or alpha) of a person in each pixel, 0…1; with classes, one channel for each.
            case probability
            /// Its logarithmic odds; with classes, one channel for each, of which the largest is the likeliest.
            case logits
            /// The number of the likeliest class in each pixel.
            case classMap
            /// By how much alpha's logit differs from that of the coarse mask, as a matting network gives it; the mask is a fourth channel of
            /// the picture.
            case correction
            /// Boxes of faces or people, and key points of some, to be decoded against anchors.
            case detections
            /// Points of a face mesh.
            case landmarks
            /// The logarithmic odds that what a mask, a fourth channel of the picture, shows is people.
            case presence
        }
    }

    /// An input that is the same for every frame.
    public struct Constant: Decodable, Sendable, Hashable {
        /// The tensor's name in the file.
        public var input: String
        /// Its shape.
        public var shape: [Int]
        /// Its elements, row after row.
        public var values: [Float]
    }

    /// One recurrent state.
    public struct State: Decodable, Sendable, Hashable {
        /// Name of the input tensor.
        public var input: String
        /// Name of the output tensor that holds the next state.
        public var output: String
        /// Shape of the first state, which is all zeros.
        public var shape: [Int]
    }
}

/// How one quality level makes its mask.
public struct LevelDescription: Decodable, Sendable, Hashable {
    /// Name of the segmentation network, whose masks are coarse where a matting network follows.
    public var segmentation: String
    /// How people are followed with crops around them; nil where the network sees the whole frame only.
    public var following: Following?
    /// Name of the network that tells whether what the masks show are people; nil where they are believed.
    public var detector: String?
    /// Name of the network that tells, where the detector is not sure, whether what the masks show is people by how they look; nil
    /// where none does.
    public var verifier: String?
    /// Name of the network that finds people as objects, from whichever side, whole or in part: where the detector is not sure, what
    /// this one thinks takes the place of its odds; nil where none does.
    public var objectDetector: String?
    /// How much of the height of a region's only person, from the head down, the segmentation network looks at once more from nearer
    /// by: falling, the nearest last; nil where it doesn't.
    public var closeUps: [Double]?
    /// The network that makes alpha of the coarse mask; nil for none.
    public var matting: Matting?
    /// How masks are taken along from frame to frame where little moves; nil where the network sees every frame.
    public var propagation: Propagation?
    /// How the mask is steadied with the frame before.
    public var smoothing: Smoothing
    /// How the mask is fitted to the full-size frame; nil for not at all.
    public var refinement: Refinement?
    /// Milliseconds of CPU for the mask of a 1280x720 frame, as somebody has measured them: levels are compared by it. Nil where
    /// nobody has.
    public var cost: Double?

    /// How people are followed.
    public struct Following: Decodable, Sendable, Hashable {
        /// The largest number of crops; more people share one.
        public var regions: Int
        /// Every how many frames people who are in no crop are searched for: in the whole frame, and, where a detector tells
        /// whether they are people, in one part of it. What has not changed is left out most of the time.
        public var interval: Int
    }

    /// A matting network at work.
    public struct Matting: Decodable, Sendable, Hashable {
        /// Its name among the models.
        public var network: String
        /// About how many pixels it sees of all crops together, which have them by their areas; each has an eighth at least.
        public var pixels: Int
        /// CPU threads that it uses at least, as far as there are cores; 1 where none is given. More than one pays where it
        /// takes longer than all else does with a frame.
        public var threads: Int?
    }

    /// How masks are taken along.
    public struct Propagation: Decodable, Sendable, Hashable {
        /// How many frames in a row at most.
        public var frames: Int
        /// How far (0…8), across and down, in pixels of the region's picture, people may have moved at most since the networks saw
        /// them.
        public var motion: Float
        /// By how much (0…1) the luma of 16 by 16 of its pixels, with people in or next to them, may differ in the mean from what the
        /// networks saw, moved along.
        public var difference: Float
    }

    /// How a mask is steadied.
    public struct Smoothing: Decodable, Sendable, Hashable {
        /// How much a pixel of a still picture listens to the past, 0…1.
        public var strength: Float
        /// The change of a pixel's colour (0…1) at which the past stops to count.
        public var motion: Float
    }

    /// How a mask's edges are put where the frame's colours change, in windows of the mask's own size (`MaskRefiner`).
    public struct Refinement: Decodable, Sendable, Hashable {
        /// Radius of the windows in pixels of the mask.
        public var radius: Int
        /// Variance of luma (0…1) that an edge has to stand out from.
        public var lumaVariance: Float
        /// Variance of either chroma component (0…1) that an edge has to stand out from.
        public var chromaVariance: Float
        /// How much the mask is steepened about one half, before and once more after; 1 leaves it as it is.
        public var contrast: Float
    }
}
