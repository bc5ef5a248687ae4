import Inference

/// What descriptions of models may say: they come from anybody, and numbers from them become sizes of memory.
///
/// Each `flaw` is a clause that names what is wrong; nil where nothing is.
enum DescriptionCheck {
    /// Pixels of a network's picture along a side: motion is measured on pictures of half that size.
    static let sides = 2...8192
    /// Pixels of a network's picture.
    static let pictureLimit = 1 << 24
    /// Pixels of a matting network's step along a side.
    static let steps = 1...512
    /// Numbers of a constant or a state.
    static let tensorLimit = 1 << 26
    static let rankLimit = 8
    /// Entries of a list: models, networks of a level, constants, states.
    static let listLimit = 256
    static let classes = 0...65535
    /// How far black and white may lie from 0.
    static let rangeLimit: Float = 1e6

    /// The product of sizes that are 1 or larger; nil where one is not, or the product is beyond `tensorLimit`.
    static func count(_ shape: [Int]) -> Int? {
        var count = 1
        for size in shape {
            guard size > 0 else { return nil }
            let (product, overflows) = count.multipliedReportingOverflow(by: size)
            guard !overflows, product <= tensorLimit else { return nil }
            count = product
        }
        return count
    }

    /// `name` as a name of a tensor or a model.
    static func isName(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.count <= 1024 && FileName.isPrintable(name)
    }

    static func repeated<Element: Hashable>(_ list: [Element]) -> Element? {
        var seen: Set<Element> = []
        return list.first { !seen.insert($0).inserted }
    }
}

extension ModelDescription {
    var flaw: String? {
        guard DescriptionCheck.isName(name) else { return "a model has a name that is empty or can't be printed" }
        return ownFlaw.map { "the model '\(name)' \($0)" }
    }

    private var ownFlaw: String? {
        guard FileName.isPlain(file) else {
            return "has a 'file' that is not the plain name of a file beside its description"
        }
        if let sha256, sha256.count != 64 || !sha256.allSatisfy(\.isHexDigit) {
            return "has a 'sha256' that is not 64 hexadecimal digits"
        }
        let inputFlaw = input.flaw(takesAnySize: output.kind == .correction)
        return inputFlaw ?? output.flaw ?? constantsFlaw ?? stateFlaw ?? sumFlaw ?? namesFlaw ?? maskFlaw ?? turningFlaw
    }

    private var sumFlaw: String? {
        let counts = ((constants ?? []).map(\.shape) + (state ?? []).map(\.shape)).compactMap(Self.count)
        guard counts.reduce(0, +) > DescriptionCheck.tensorLimit else { return nil }
        return "has constants and states of more than \(DescriptionCheck.tensorLimit) numbers together"
    }

    private var maskFlaw: String? {
        guard output.kind == .correction || output.kind == .presence else { return nil }
        guard (constants ?? []).isEmpty, (state ?? []).isEmpty, output.foreground == nil else {
            return "takes a mask, and can't have 'constants', 'state' or 'foreground'"
        }
        return nil
    }

    private var turningFlaw: String? {
        guard input.turnable == true else { return nil }
        guard [.probability, .logits, .classMap].contains(output.kind) else {
            return "is 'turnable', which segmentation networks alone are"
        }
        guard !(constants ?? []).isEmpty || !(state ?? []).isEmpty else { return nil }
        return "is 'turnable', and can't have 'constants' or 'state', whose shapes are given"
    }

    private var constantsFlaw: String? {
        let constants = constants ?? []
        guard constants.count <= DescriptionCheck.listLimit else { return "has too many 'constants'" }
        for constant in constants {
            guard let count = Self.count(constant.shape) else {
                return "has a constant of shape \(constant.shape), which can't be"
            }
            guard count == constant.values.count else {
                return "has a constant of \(constant.values.count) values, but of shape \(constant.shape)"
            }
            guard constant.values.allSatisfy(\.isFinite) else { return "has a constant that is not finite" }
        }
        return nil
    }

    private var stateFlaw: String? {
        let state = state ?? []
        guard state.count <= DescriptionCheck.listLimit else { return "has too many entries in 'state'" }
        return state.first { Self.count($0.shape) == nil }.map { "has a state of shape \($0.shape), which can't be" }
    }

    private static func count(_ shape: [Int]) -> Int? {
        shape.count <= DescriptionCheck.rankLimit ? DescriptionCheck.count(shape) : nil
    }

    private var namesFlaw: String? {
        let inputs = [input.name].compactMap { $0 } + (state ?? []).map(\.input) + (constants ?? []).map(\.input)
        let outputs = [output.name, output.foreground].compactMap { $0 } + (state ?? []).map(\.output)
        guard (inputs + outputs).allSatisfy(DescriptionCheck.isName) else {
            return "names an input or output that is empty or can't be printed"
        }
        return DescriptionCheck.repeated(inputs).map { "names the input '\($0)' twice" }
    }
}

extension ModelDescription.Input {
    fileprivate func flaw(takesAnySize: Bool) -> String? {
        let sides = takesAnySize ? DescriptionCheck.steps : DescriptionCheck.sides
        guard sides.contains(width), sides.contains(height), width * height <= DescriptionCheck.pictureLimit else {
            return
                "has an input of \(width)x\(height) pixels; \(sides.lowerBound) to \(sides.upperBound) are possible a side"
        }
        if takesAnySize, !width.isMultiple(of: 2) || !height.isMultiple(of: 2) {
            return "has an input of \(width)x\(height) pixels, of which it takes multiples: both sides must be even"
        }
        guard range.count == 2, range[0] != range[1],
            range.allSatisfy({ abs($0) <= DescriptionCheck.rangeLimit })
        else { return "needs two different numbers as the input's 'range'" }
        return nil
    }
}

extension ModelDescription.Output {
    fileprivate var flaw: String? {
        guard let classes else { return nil }
        guard !classes.isEmpty, classes.allSatisfy(DescriptionCheck.classes.contains) else {
            return "needs numbers from 0 to \(DescriptionCheck.classes.upperBound) as 'classes'"
        }
        return DescriptionCheck.repeated(classes).map { "names the class \($0) twice" }
    }
}

extension LevelDescription {
    fileprivate var flaw: String? {
        if let following {
            guard (1...16).contains(following.regions) else {
                return "follows \(following.regions) regions, and not 1 to 16"
            }
            guard (1...100_000).contains(following.interval) else {
                return "searches every \(following.interval) frames, and not every 1 to 100000"
            }
        }
        for (name, network) in [("verifier", verifier), ("objectDetector", objectDetector)]
        where network != nil && detector == nil {
            return "has a '\(name)' but no 'detector', whose doubts it resolves"
        }
        if let closeUps {
            guard (1...4).contains(closeUps.count), closeUps.allSatisfy({ (0.1...1).contains($0) }),
                zip(closeUps, closeUps.dropFirst()).allSatisfy({ $0 > $1 })
            else {
                return "needs one to four falling numbers from 1 to 0.1 for 'closeUps'"
            }
        }
        if let matting {
            guard (256...DescriptionCheck.pictureLimit).contains(matting.pixels) else {
                return "makes alpha of \(matting.pixels) pixels, and not of 256 to \(DescriptionCheck.pictureLimit)"
            }
            guard (1...256).contains(matting.threads ?? 1) else { return "needs 1 to 256 'threads'" }
        }
        if let propagation {
            guard (1...1000).contains(propagation.frames), (0...8).contains(propagation.motion),
                (0...1).contains(propagation.difference)
            else {
                return
                    "needs 1 to 1000 frames, a motion up to 8 pixels and a difference from 0 to 1 for 'propagation'"
            }
        }
        guard (0...1).contains(smoothing.strength), (0...1).contains(smoothing.motion) else {
            return "needs numbers from 0 to 1 for 'smoothing'"
        }
        if let refinement {
            let variances = [refinement.lumaVariance, refinement.chromaVariance]
            guard (1...64).contains(refinement.radius), variances.allSatisfy({ (1e-6...1).contains($0) }),
                (0...100).contains(refinement.contrast)
            else {
                return "needs a radius from 1 to 64, variances from 1e-6 to 1 and a contrast up to 100 for 'refinement'"
            }
        }
        guard (1e-3...1e6).contains(cost ?? 1) else { return "needs a 'cost' from 0.001 to 1000000 milliseconds" }
        return nil
    }
}

extension ModelManifest {
    var flaw: String? {
        guard models.count <= DescriptionCheck.listLimit else { return "it has too many models" }
        for model in models { if let flaw = model.flaw { return flaw } }
        let squareNetworks =
            [face.detector, face.mesh]
            + levels.values.flatMap { [$0.detector, $0.objectDetector].compactMap { $0 } }
        for model in models where squareNetworks.contains(model.name) {
            guard (64...512).contains(model.input.width) else {
                return
                    "the model '\(model.name)' has an input \(model.input.width) pixels wide; 64 to 512 are possible for faces and detectors"
            }
        }
        if let name = DescriptionCheck.repeated(models.map(\.name)) { return "there are two models '\(name)'" }
        for (name, level) in levels.sorted(by: { $0.key < $1.key }) {
            guard DescriptionCheck.isName(name) else { return "a level has a name that is empty or can't be printed" }
            if let flaw = level.flaw { return "the level '\(name)' \(flaw)" }
        }
        let named = levels.values.flatMap {
            [$0.segmentation] + [$0.matting?.network, $0.verifier].compactMap { $0 }
        }
        guard (named + squareNetworks).allSatisfy(DescriptionCheck.isName) else {
            return "a model is named that is empty or can't be printed"
        }
        guard FileName.isPlain(face.canonicalFace) else {
            return "'canonicalFace' is not the plain name of a file beside it"
        }
        return nil
    }
}
