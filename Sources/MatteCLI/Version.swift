import Matte
import MatteVision
import Media

/// What `--version` prints.
enum Version {
    static let number = "0.1.0"

    static var text: String {
        let models = (try? ModelLibrary().manifest().models.map { "\($0.name)" }.joined(separator: ", ")) ?? "not found"
        return """
            matte \(number)
            libavutil \(LibraryVersions.libavutil), libavcodec \(LibraryVersions.libavcodec), \
            libavformat \(LibraryVersions.libavformat), libswscale \(LibraryVersions.libswscale)
            OpenVINO \(ModelLibrary.runtimeVersion)
            models: \(models)
            """
    }
}
