import Foundation
import MatteVision
import Measuring

/// One way to make masks: what a row of the table measures.
public struct Method: Sendable {
    /// What the table calls it.
    public let name: String
    let level: GeneratePersonSegmentationRequest.QualityLevel
    let models: ModelLibrary

    /// The product's quality level with the models in `models`.
    public init(level: GeneratePersonSegmentationRequest.QualityLevel, models: String) {
        name = level.rawValue
        self.level = level
        self.models = ModelLibrary(directory: models)
    }

    /// MediaPipe's way: the whole frame goes to the selfie net, and its mask is stretched bilinearly to the frame; nothing
    /// follows people, steadies or refines.
    ///
    /// `folder` gets a folder of models with a manifest of its own, which must stay as long as the method is used.
    /// - Throws: `BenchmarkError` where `models` has no manifest or not that net.
    public init(baselineWith models: String, folder: WorkingFolder) throws {
        name = "baseline"
        // The name of the row in the baseline's own manifest, because requests know no other levels.
        level = .fast
        self.models = ModelLibrary(directory: try Self.makeBaseline(models, in: folder))
    }

    private static let network = "selfie_segmentation"

    private static func makeBaseline(_ models: String, in folder: WorkingFolder) throws -> String {
        let path = "\(models)/manifest.json"
        guard let data = FileManager.default.contents(atPath: path),
            var manifest = try? JSONSerialization.jsonObject(with: data) as? [String: Any],
            let networks = manifest["models"] as? [[String: Any]]
        else { throw BenchmarkError("can't read the manifest '\(path)': name a folder of models with --models") }
        guard networks.contains(where: { $0["name"] as? String == network }) else {
            throw BenchmarkError("can't measure the baseline: the manifest '\(path)' has no model '\(network)'")
        }
        let level: [String: Any] = [
            "segmentation": network, "smoothing": ["strength": 0.0, "motion": 0.1],
        ]
        manifest["levels"] = ["fast": level]
        let baseline = folder.path("baseline-\(UUID().uuidString)")
        try WorkingFolder.make(baseline)
        try JSONSerialization.data(withJSONObject: manifest).write(to: URL(filePath: "\(baseline)/manifest.json"))
        let absolute = URL(filePath: models).standardized.path
        for file in try FileManager.default.contentsOfDirectory(atPath: models) where file != "manifest.json" {
            try FileManager.default.createSymbolicLink(
                atPath: "\(baseline)/\(file)", withDestinationPath: "\(absolute)/\(file)")
        }
        return baseline
    }
}
