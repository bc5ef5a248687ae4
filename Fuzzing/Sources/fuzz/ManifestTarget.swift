@testable import MatteVision

/// The models' manifest and a description of a model of one's own, as far as they go without a network's file.
enum ManifestTarget {
    private static let scratch = Scratch("manifest")

    static func run(_ bytes: [UInt8]) {
        let path = scratch.write(bytes, "manifest.json")
        let library = ModelLibrary(directory: scratch.path("."))
        if let manifest = try? library.manifest() {
            for name in manifest.levels.keys {
                _ = try? LevelPlan(level: name, networks: LoadedNetworks(library))
            }
        }
        _ = try? ModelLibrary(segmentationModel: path).ownSegmentationModel()
    }
}
