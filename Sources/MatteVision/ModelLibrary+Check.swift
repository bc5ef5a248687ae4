import Imaging
import Inference

/// What became of trying one model of a library.
public struct ModelCheck: Hashable, Sendable {
    /// The model's name, or that of what goes with the models.
    public let name: String
    /// Why it can't be used; nil where it can.
    public let problem: VisionError?
}

/// The folder that keeps compiled networks.
public struct ModelCacheFolder: Hashable, Sendable {
    /// Where it is, be it there or not.
    public let path: String
    /// Why it is not used, in one clause; nil where it is.
    public let problem: String?
    /// Bytes of the compiled networks in it.
    public let byteCount: Int
    /// How many compiled networks are in it.
    public let networkCount: Int
}

extension ModelLibrary {
    /// Loads every model of the manifest, and `segmentationModel`, and runs each on a grey picture.
    ///
    /// Models run side by side; it takes as long as preparing a request, or some seconds where nothing is cached.
    /// - Throws: `VisionError` where the manifest or the user's own description can't be used.
    public func check() throws(VisionError) -> [ModelCheck] {
        let installed = try installed()
        var trials: [(name: String, run: () throws(VisionError) -> Void)] = []
        for model in installed.manifest.models {
            trials.append(
                (model.name, { () throws(VisionError) in try self.run(model, of: installed) }))
        }
        if let own = try ownSegmentationModel() {
            trials.append(
                (own.description.name, { () throws(VisionError) in try self.runSegmentation(own) }))
        }
        trials.append(
            (
                installed.manifest.face.canonicalFace,
                { () throws(VisionError) in _ = try CanonicalFace(path: installed.canonicalFace) }
            ))
        let results = SideBySide.results(
            of: trials.map { trial in { Result { () throws(VisionError) in try trial.run() } } })
        return zip(trials, results).map { trial, result in
            var problem: VisionError?
            if case .failure(let error) = result { problem = error }
            return ModelCheck(name: trial.name, problem: problem)
        }
    }

    private func run(_ model: ModelDescription, of installed: InstalledModels) throws(VisionError) {
        let (manifest, source) = (
            installed.manifest, ModelSource(description: model, directory: installed.directory)
        )
        if model.name == manifest.face.detector {
            _ = try FaceDetector(source, library: self).detect(.upright, in: Self.greyFrame)
        } else if model.name == manifest.face.mesh {
            _ = try FaceMeshNetwork(source, library: self).fit(
                TurnedSquare(x: 32, y: 32, side: 48, rotation: 0), in: Self.greyFrame)
        } else if manifest.levels.values.contains(where: { $0.detector == model.name }) {
            _ = try PersonDetector(source, faces: installed.faceModel(\.detector), library: self).detect(
                in: Self.greyFrameRectangle, of: Self.greyFrame)
        } else if model.output.kind == .presence {
            let mask = ScalarMap(width: 64, height: 64, repeating: 1)
            _ = try PersonVerifier(source, library: self).logOdds(
                of: mask, seenAs: mask, of: Self.greyFrameRectangle, frame: Self.greyFrame)
        } else if manifest.levels.values.contains(where: { $0.objectDetector == model.name }) {
            _ = try ObjectDetector(source, library: self).confidence(
                in: ScalarMap(width: 64, height: 64, repeating: 1), of: Self.greyFrameRectangle, frame: Self.greyFrame)
        } else if model.output.kind == .correction {
            let network = try MattingNetwork(source, library: self)
            let picture = Self.grey(width: 4 * model.input.width, height: 4 * model.input.height)
            let mask = ScalarMap(width: 16, height: 16, repeating: 0.5)
            var alpha = mask
            try network.matte(picture, mask: mask, into: &alpha)
        } else {
            try runSegmentation(source)
        }
    }

    private func runSegmentation(_ source: ModelSource) throws(VisionError) {
        if let turned = source.turned { try runSegmentation(at: turned) }
        try runSegmentation(at: source)
    }

    private func runSegmentation(at source: ModelSource) throws(VisionError) {
        let network = try SegmentationNetwork(source, library: self)
        let model = source.description
        var state = RecurrentState(model)
        var mask = ScalarMap(width: 1, height: 1)
        _ = try network.segment(
            Self.grey(width: model.input.width, height: model.input.height), state: &state, into: &mask)
    }

    private static func grey(width: Int, height: Int) -> RGBMap {
        var map = RGBMap(width: width, height: height)
        for index in map.values.indices { map.values[index] = 0.5 }
        return map
    }

    private static let greyFrameRectangle = Rectangle(x: 0, y: 0, width: 64, height: 64)

    private static var greyFrame: VideoFrame {
        var buffer = MutablePixelBuffer(format: .gray8, width: 64, height: 64)
        buffer.withMutablePlane(0) { plane in
            for y in 0..<64 { plane.row(y, as: UInt8.self).update(repeating: 128, count: 64) }
        }
        return VideoFrame(pixelBuffer: buffer.publish(), pts: 0, color: ColorDescription(range: .full))
    }

    /// The devices that networks can run on, by OpenVINO's names, such as `CPU` and `GPU.0`.
    ///
    /// - Throws: `VisionError` of kind `unavailable` where the runtime can't be set up.
    public static func devices() throws(VisionError) -> [String] {
        do throws(InferenceError) {
            return try Runtime.devices()
        } catch {
            throw VisionError(.unavailable, "the neural runtime can't be set up: \(error.cause)")
        }
    }

    /// The first of the devices named in `device` that is not there; nil where all are.
    ///
    /// - Throws: `VisionError` of kind `unavailable` where the runtime can't be set up.
    public func missingDevice() throws(VisionError) -> String? {
        do throws(InferenceError) {
            return try Runtime.missingDevice(in: device)
        } catch {
            throw VisionError(.unavailable, "the neural runtime can't be set up: \(error.cause)")
        }
    }

    /// The folder of `cacheDirectory` as it is now; nil where none is named.
    public var cacheFolder: ModelCacheFolder? {
        cacheDirectory.map { path in
            let size = ModelCache.size(of: path)
            return ModelCacheFolder(
                path: path, problem: ModelCache.problem(of: path), byteCount: size.bytes, networkCount: size.files)
        }
    }
}
