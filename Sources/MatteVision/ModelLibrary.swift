import Inference

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A folder of models with its manifest, and how its models are run.
///
/// A value; safe to share. Nothing is read before a request needs it.
public struct ModelLibrary: Sendable {
    /// The folder, which holds `manifest.json`; nil for the first of `standardDirectories` that does.
    public var directory: String?
    /// A description (as in the manifest's `models`) of a segmentation network that takes the place of every level's own;
    /// its `file` lies beside it.
    public var segmentationModel: String?
    /// OpenVINO's name of the device that runs the networks, such as `CPU`, `GPU`, `GPU.1` or `NPU`, or `AUTO` for the best one.
    public var device = "CPU"
    /// CPU threads that one network uses. Networks of one frame run side by side, so one each is fastest.
    public var threads = 1
    /// The arithmetic inside the networks; nil for what each one's description tells.
    public var precision: Precision?
    /// Where compiled networks are kept between runs; nil for nowhere. The folder is made if it is missing, and is used only if
    /// it belongs to this user and nobody else may write there; what is wrong with a file in it costs time and nothing else.
    public var cacheDirectory: String? = ModelLibrary.standardCacheDirectory

    /// The models in `directory`, or else where they are installed; with `segmentationModel` as the levels' network.
    public init(directory: String? = nil, segmentationModel: String? = nil) {
        self.directory = directory
        self.segmentationModel = segmentationModel
    }

    static let manifestName = "manifest.json"

    /// Where models are looked for: beside an installed program (`../share/matte/models`), in a checkout of matte that the program
    /// was built in, then in `matte/models` of the user's and the system's data folders (XDG Base Directory Specification).
    public static var standardDirectories: [String] {
        let program = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        var parents: [String] = []
        var parent = program
        while let slash = parent.lastIndex(of: "/"), slash > parent.startIndex {
            parent = String(parent[..<slash])
            parents.append(parent)
        }
        let user = folder("XDG_DATA_HOME") ?? folder("HOME").map { "\($0)/.local/share" }
        let named = (ProcessInfo.processInfo.environment["XDG_DATA_DIRS"] ?? "").split(separator: ":").map(String.init)
        let system = named.isEmpty ? ["/usr/local/share", "/usr/share"] : named.filter { $0.hasPrefix("/") }
        return (parents.first.map { ["\($0)/../share/matte/models"] } ?? [])
            + parents.filter(isCheckout).map { "\($0)/models" }
            + ([user].compactMap(\.self) + system).map { "\($0)/matte/models" }
    }

    // Any other folder may have models of its own below that name.
    private static func isCheckout(_ folder: String) -> Bool {
        FileManager.default.fileExists(atPath: "\(folder)/Sources/MatteVision")
    }

    // The one that an environment variable names; the specification has relative ones ignored.
    private static func folder(_ variable: String) -> String? {
        ProcessInfo.processInfo.environment[variable].flatMap { $0.hasPrefix("/") ? $0 : nil }
    }

    /// `matte` in the user's folder of caches (XDG Base Directory Specification).
    private static var standardCacheDirectory: String? {
        let caches = folder("XDG_CACHE_HOME") ?? folder("HOME").map { "\($0)/.cache" }
        return caches.map { "\($0)/matte" }
    }

    /// The version of the neural runtime, such as `2026.4.1-…`.
    public static var runtimeVersion: String { Runtime.version }

    /// The folder that is used.
    ///
    /// - Throws: `VisionError` of kind `unavailable` where the given one is an empty name, or where none is given and none of
    ///   `standardDirectories` has a manifest.
    public func resolvedDirectory() throws(VisionError) -> String {
        if let directory {
            guard !directory.isEmpty else {
                throw VisionError(
                    .unavailable,
                    "the folder of the models is an empty name: name one, or none for the installed models")
            }
            return directory
        }
        let found = Self.standardDirectories.first {
            FileManager.default.fileExists(atPath: "\($0)/\(Self.manifestName)")
        }
        guard let found else {
            throw VisionError(
                .unavailable, "no models are installed: run 'make install' in a checkout of matte, or name their folder"
            )
        }
        return found
    }

    /// Reads the manifest.
    ///
    /// - Throws: `VisionError` of kind `unavailable` when it can't be read, of kind `invalid` when it can't be understood.
    public func manifest() throws(VisionError) -> ModelManifest { try installed().manifest }

    /// The manifest and the folder that it lies in.
    func installed() throws(VisionError) -> InstalledModels {
        let directory = try resolvedDirectory()
        let path = "\(directory)/\(Self.manifestName)"
        let manifest = try Self.decode(ModelManifest.self, from: path)
        try Self.refuse(manifest.flaw, path)
        return InstalledModels(manifest: manifest, directory: directory)
    }

    /// The description that `segmentationModel` names.
    func ownSegmentationModel() throws(VisionError) -> ModelSource? {
        guard let segmentationModel else { return nil }
        let description = try Self.decode(ModelDescription.self, from: segmentationModel)
        try Self.refuse(description.flaw, segmentationModel)
        let slash = segmentationModel.lastIndex(of: "/")
        return ModelSource(
            description: description, directory: slash.map { String(segmentationModel[..<$0]) } ?? ".")
    }

    private static func decode<T: Decodable>(_ type: T.Type, from path: String) throws(VisionError) -> T {
        let data = try DescriptionFile.contents("model description", at: path)
        do {
            return try JSONDecoder().decode(type, from: data)
        } catch let error as DecodingError {
            throw VisionError(.invalid, "can't understand the model description '\(path)': \(error.cause)")
        } catch {
            throw VisionError(.invalid, "can't understand the model description '\(path)': it is not JSON")
        }
    }

    private static func refuse(_ flaw: String?, _ path: String) throws(VisionError) {
        if let flaw { throw refusal(of: path, flaw) }
    }

    /// What to throw where the description at `path` has a flaw, as that clause says.
    static func refusal(of path: String, _ flaw: String) -> VisionError {
        VisionError(.invalid, "can't use the model description '\(path)': \(flaw)")
    }

    /// Sets the runtime up for requests to come; what fails shows when one of them needs a network.
    public func prepareRuntime() { Runtime.prepare(options(precision ?? .float32)) }

    private func options(_ precision: Precision) -> Model.Options {
        var options = Model.Options()
        options.threads = threads
        options.precision = precision.inModel
        options.device = device
        options.cacheDirectory = cacheDirectory
        return options
    }

    /// How the network that `description` names runs: in less exact arithmetic than 32 bits only where that is the processor's own.
    private func options(for description: ModelDescription) -> Model.Options {
        if let precision { return options(precision) }
        let wanted = options(description.precision ?? .float32)
        return Runtime.computes(wanted) ? wanted : options(.float32)
    }

    /// Reads and compiles the network of `source`, whose only input is given `inputShape` if there is one, for so many `inferences` at
    /// a time.
    func load(_ source: ModelSource, inputShape: [Int]? = nil, inferences: Int = 1) throws(VisionError) -> Model {
        let (description, directory) = (source.description, source.directory)
        if let flaw = description.flaw { throw VisionError(.invalid, "can't use a model description: \(flaw)") }
        let path = "\(directory)/\(description.file)"
        guard FileManager.default.isReadableFile(atPath: path) else {
            let isOwn = try directory != resolvedDirectory()
            throw VisionError(
                .unavailable,
                isOwn
                    ? "the model '\(path)' is missing: its description names a file that lies beside it"
                    : "the model '\(path)' is missing: run 'make setup' in a checkout of matte, which fetches it")
        }
        try Self.verify(path, description)
        var options = options(for: description)
        options.inputShape = inputShape
        options.inferences = inferences
        do {
            return try Model(path: path, options: options)
        } catch {
            throw VisionError(error)
        }
    }
}

extension ModelLibrary {
    /// The file at `path` is the one whose SHA-256 the description tells, if it tells one.
    fileprivate static func verify(_ path: String, _ description: ModelDescription) throws(VisionError) {
        guard let expected = description.sha256 else { return }
        let file: MappedFile
        do throws(MappedFile.Problem) {
            file = try MappedFile(path: path, limit: Model.sizeLimit)
        } catch {
            throw VisionError(
                error.isMissing ? .unavailable : .invalid, "can't read the model '\(path)': \(error.cause)")
        }
        guard file.withBytes({ SHA256($0).text }) == expected.lowercased() else {
            throw VisionError(
                .invalid,
                "the model '\(path)' was changed, its SHA-256 is not that of its description: "
                    + "run 'make setup' in a checkout of matte, or get the file anew from where it came")
        }
    }
}

extension DecodingError {
    /// What is wrong and where, in one clause.
    fileprivate var cause: String {
        func place(_ path: [any CodingKey]) -> String {
            path.map(\.stringValue).joined(separator: ".").filter { FileName.isPrintable(String($0)) }
        }
        return switch self {
        case .keyNotFound(let key, let context): "'\(place(context.codingPath + [key]))' is missing"
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            context.codingPath.isEmpty
                ? "it is not a JSON object" : "'\(place(context.codingPath))' has the wrong type"
        // Numbers that don't fit come without their place or another sign.
        case .dataCorrupted(let context) where context.codingPath.isEmpty:
            "it is not JSON, or a number in it is too large or not whole"
        case .dataCorrupted(let context): "'\(place(context.codingPath))' has a value that is not known"
        @unknown default: "it is not JSON"
        }
    }
}
