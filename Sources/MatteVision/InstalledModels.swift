/// A library's manifest as it was read, and the folder of its models: another manifest in their place later breaks no run.
struct InstalledModels {
    let manifest: ModelManifest
    let directory: String

    /// The level `name`.
    func level(_ name: String) throws(VisionError) -> LevelDescription {
        guard let level = manifest.levels[name] else { throw refusal("it has no level '\(name)'") }
        return level
    }

    /// The model `name`, which `user`, a part of the manifest, names.
    func model(_ name: String, of user: String = "a level") throws(VisionError) -> ModelSource {
        guard let description = manifest.model(name) else {
            throw refusal("it has no model '\(name)', which \(user) names")
        }
        return ModelSource(description: description, directory: directory)
    }

    /// One of the networks for faces.
    func faceModel(_ role: KeyPath<ModelManifest.FaceModels, String>) throws(VisionError) -> ModelSource {
        try model(manifest.face[keyPath: role], of: "'face'")
    }

    /// Where the face is whose points the mesh's are compared with.
    var canonicalFace: String { "\(directory)/\(manifest.face.canonicalFace)" }

    private func refusal(_ flaw: String) -> VisionError {
        ModelLibrary.refusal(of: "\(directory)/\(ModelLibrary.manifestName)", flaw)
    }
}
