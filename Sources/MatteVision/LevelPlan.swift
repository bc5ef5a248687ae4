import Dispatch

/// Which networks a quality level runs on frames of one size.
struct LevelPlan {
    let level: LevelDescription
    private let segmentation: [(description: ModelDescription, directory: String)]
    private let matting: (description: ModelDescription, directory: String)?

    /// Looks `name` up in the manifest of `models`; a segmentation network of the user's own takes the place of the level's.
    init(level name: String, models: ModelLibrary, width: Int, height: Int) throws(VisionError) {
        let manifest = try models.manifest()
        guard var level = manifest.levels[name] else {
            throw VisionError(.invalid, "the manifest of the models has no level '\(name)'")
        }
        if let own = try models.ownSegmentationModel() {
            // The matting network knows only the masks of those that it was trained with.
            level.matting = nil
            // What a network remembers of one region says nothing about another, and colours are the whole frame's.
            if own.description.state?.isEmpty == false || own.description.output.foreground != nil {
                level.following = nil
            }
            // Its mask is taken for what it says.
            level.refinement?.contrast = 1
            segmentation = [own]
            matting = nil
        } else {
            let directory = try models.resolvedDirectory()
            func model(_ name: String) throws(VisionError) -> (description: ModelDescription, directory: String) {
                guard let description = manifest.models.first(where: { $0.name == name }) else {
                    throw VisionError(
                        .invalid, "the manifest of the models has no model '\(name)', which a level names")
                }
                return (description, directory)
            }
            var candidates: [(description: ModelDescription, directory: String)] = []
            for name in level.segmentation { candidates.append(try model(name)) }
            let aspect = Double(width) / Double(height)
            // Rounded, so that aspects that are equally far (4:3 between 1:1 and 16:9) leave the choice to the order.
            func distance(_ input: ModelDescription.Input) -> Int {
                let ratio = Double(input.width) / Double(input.height) / aspect
                return Int((max(ratio, 1 / ratio) * 1000).rounded())
            }
            let nearest = candidates.min { distance($0.description.input) < distance($1.description.input) }
            guard let nearest else {
                throw VisionError(.invalid, "the level '\(name)' names no segmentation network")
            }
            segmentation = level.selection == .all ? candidates : [nearest]
            matting = if let name = level.matting?.network { try model(name) } else { nil }
        }
        self.level = level
    }

    /// Loads the networks, side by side where there are several cores.
    func load(_ models: ModelLibrary) throws(VisionError) -> RegionPass.Networks {
        var loaded = [Result<SegmentationNetwork, VisionError>?](repeating: nil, count: segmentation.count)
        nonisolated(unsafe) var loadedMatting: Result<MattingNetwork?, VisionError> = .success(nil)
        loaded.withUnsafeMutableBufferPointer { loaded in
            // Each network, and each result, is the matter of one thread alone.
            nonisolated(unsafe) let loaded = loaded
            DispatchQueue.concurrentPerform(iterations: loaded.count + 1) { part in
                if part < loaded.count {
                    let (description, directory) = segmentation[part]
                    loaded[part] = Result { () throws(VisionError) in
                        try SegmentationNetwork(description, directory: directory, library: models)
                    }
                } else if let matting {
                    loadedMatting = Result { () throws(VisionError) in
                        try MattingNetwork(matting.description, directory: matting.directory, library: models)
                    }
                }
            }
        }
        var networks: [SegmentationNetwork] = []
        for network in loaded { networks.append(try network!.get()) }
        return RegionPass.Networks(segmentation: networks, matting: try loadedMatting.get())
    }
}
