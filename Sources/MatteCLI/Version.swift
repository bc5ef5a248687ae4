import Matte
import MatteVision
import Media

/// What `--version` prints.
enum Version {
    static let number = "0.1.0"

    static var text: String {
        let models = (try? ModelLibrary().manifest().models.map(\.name).joined(separator: ", ")) ?? "not found"
        return """
            matte \(number)
            \(LibraryVersions.text)
            OpenVINO \(ModelLibrary.runtimeVersion)
            models: \(models)
            """
    }
}
