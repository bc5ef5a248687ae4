import Foundation
import TestSupport
import Testing

@testable import Inference

/// Whatever lies in the cache, a network gives what it gives without one.
struct ModelCacheTests {
    private static let network = "\(Checkout.models)/selfie_segmentation.tflite"
    private static let other = "\(Checkout.models)/face_detection_short_range.tflite"
    private let folder = TemporaryFolder()
    private var cache: String { folder.path("caches/matte") }

    private func outputs(_ path: String = network, cache: String?) throws -> [Float] {
        var options = Model.Options()
        options.cacheDirectory = cache
        let model = try Model(path: path, options: options)
        let input = Tensor(shape: model.inputs[0].shape)
        input.withUnsafeMutableElements { for i in $0.indices { $0[i] = Float(i % 89) / 88 } }
        try model.setInput(model.inputs[0].name, to: input)
        try model.infer()
        return try model.withOutput(model.outputs[0].name) { elements, _ in Array(elements) }
    }

    private func names(_ directory: String? = nil) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: directory ?? cache)) ?? []).sorted()
    }

    private func attributes(_ path: String) throws -> [FileAttributeKey: Any] {
        try FileManager.default.attributesOfItem(atPath: path)
    }

    private func inode(_ path: String) throws -> UInt64 {
        try #require(attributes(path)[.systemFileNumber] as? NSNumber).uint64Value
    }

    private func permissions(_ path: String) throws -> Int {
        try #require(attributes(path)[.posixPermissions] as? NSNumber).intValue
    }

    /// Whoever may write to where its first folder is missing can make it.
    @Test(arguments: [("/", "/no such folder/matte"), (".", "no such folder/matte"), (".", "no such folder")])
    func aCacheThatIsNotThereYetIsNoProblem(parent: String, path: String) {
        let expected = access(parent, W_OK | X_OK) == 0 ? nil : "it can't be made in '\(parent)'"
        #expect(ModelCache.problem(of: path) == expected)
    }

    @Test func compiledModelIsKeptAndTaken() throws {
        let expected = try outputs(cache: nil)
        #expect(try outputs(cache: cache) == expected)
        #expect(names().count == 1)
        let file = "\(cache)/\(try #require(names().first))"
        #expect(try permissions(cache) == 0o700)
        #expect(try permissions(file) == 0o600)
        let first = try inode(file)
        #expect(try outputs(cache: cache) == expected)
        #expect(try inode(file) == first, "it was compiled anew")
    }

    @Test func anotherInputShapeIsAnotherModel() throws {
        var options = Model.Options()
        options.cacheDirectory = cache
        for (shape, count) in [([1, 3, 64, 32], 1), ([1, 3, 32, 64], 2), ([1, 3, 64, 32], 2)] {
            options.inputShape = shape
            let model = try Model(path: "\(Checkout.models)/person_segmentation.onnx", options: options)
            #expect(model.inputs.map(\.shape) == [shape] && names().count == count)
        }
    }

    @Test func sameModelElsewhereAndLaterIsTheSame() throws {
        _ = try outputs(cache: cache)
        let copy = folder.path("copy.tflite")
        try FileManager.default.copyItem(atPath: Self.network, toPath: copy)
        try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSince1970: 1)], ofItemAtPath: copy)
        _ = try outputs(copy, cache: cache)
        #expect(names().count == 1)
        _ = try outputs(Self.other, cache: cache)
        #expect(names().count == 2)
    }

    enum Damage: CaseIterable {
        case half, lastByte, empty, garbage, bit, otherModel, otherVersion, sealedGarbage, folder, danglingLink
    }

    @Test(arguments: Damage.allCases)
    func damagedFileCostsTimeAlone(_ damage: Damage) throws {
        let expected = try outputs(cache: cache)
        let file = "\(cache)/\(try #require(names().first))"
        let key = try #require(UInt64(names()[0].dropLast(5), radix: 16))
        let url = URL(filePath: file)
        let whole = try Data(contentsOf: url)
        let blob = whole.dropLast(8)
        switch damage {
        case .half: try whole.prefix(whole.count / 2).write(to: url)
        case .lastByte: try whole.dropLast().write(to: url)
        case .empty: try Data().write(to: url)
        case .garbage: try Data((0..<whole.count).map { UInt8(truncatingIfNeeded: $0 &* 31) }).write(to: url)
        case .bit:
            var bytes = whole
            bytes[bytes.count / 2] ^= 0x10
            try bytes.write(to: url)
        case .otherModel:
            let elsewhere = folder.path("other")
            _ = try outputs(Self.other, cache: elsewhere)
            try Data(contentsOf: URL(filePath: "\(elsewhere)/\(names(elsewhere)[0])")).write(to: url)
        case .otherVersion:
            var bytes = Data(blob)
            let version = try #require(bytes.range(of: Data("ov=20".utf8)))
            bytes.replaceSubrange(version, with: Data("ov=10".utf8))
            let cache = try #require(ModelCache(directory: cache))
            bytes.withUnsafeBytes { cache.keep($0, key) }
        case .sealedGarbage:
            let cache = try #require(ModelCache(directory: cache))
            Data(repeating: 7, count: 5000).withUnsafeBytes { cache.keep($0, key) }
        case .folder:
            try FileManager.default.removeItem(at: url)
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
        case .danglingLink:
            try FileManager.default.removeItem(at: url)
            try FileManager.default.createSymbolicLink(atPath: file, withDestinationPath: folder.path("nowhere"))
        }
        let bad = try inode(file)
        #expect(try outputs(cache: cache) == expected)
        guard damage != .folder else { return }
        let good = try inode(file)
        #expect(good != bad, "the bad file was not replaced")
        #expect(names() == [url.lastPathComponent])
        #expect(try outputs(cache: cache) == expected)
        #expect(try inode(file) == good, "what replaced it was not taken")
    }

    @Test func whatOthersMayWriteIsNotUsed() throws {
        let expected = try outputs(cache: cache)
        let file = "\(cache)/\(names()[0])"
        let first = try inode(file)
        chmod(file, 0o666)
        #expect(try outputs(cache: cache) == expected)
        #expect(try inode(file) != first && permissions(file) == 0o600)
        let open = folder.path("open")
        try FileManager.default.createDirectory(atPath: open, withIntermediateDirectories: true)
        for mode: mode_t in [0o777, 0o770, 0o1777] {
            chmod(open, mode)
            #expect(ModelCache(directory: open) == nil)
            #expect(try outputs(cache: open) == expected)
            #expect(names(open).isEmpty)
        }
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give a folder away"))
    func whatBelongsToOthersIsNotUsed() throws {
        let theirs = folder.path("theirs")
        try FileManager.default.createDirectory(atPath: theirs, withIntermediateDirectories: true)
        chmod(theirs, 0o700)
        chown(theirs, 65534, 65534)
        #expect(ModelCache(directory: theirs) == nil)
        #expect(try outputs(cache: theirs) == outputs(cache: nil))
        #expect(names(theirs).isEmpty)
    }

    @Test func placeWithoutAFolderCostsTimeAlone() throws {
        let expected = try outputs(cache: nil)
        try Data("a file".utf8).write(to: folder.url("file"))
        #expect(try outputs(cache: folder.path("file")) == expected)
        #expect(try outputs(cache: folder.path("file/below")) == expected)
        #expect(try outputs(cache: "/proc/matte") == expected)
        let readOnly = folder.path("read-only")
        try FileManager.default.createDirectory(atPath: readOnly, withIntermediateDirectories: true)
        chmod(readOnly, 0o500)
        defer { chmod(readOnly, 0o700) }
        #expect(try outputs(cache: readOnly) == expected)
    }

    @Test func leastRecentlyUsedGivesWay() throws {
        let cache = try #require(ModelCache(directory: folder.path("small"), limit: 2500))
        let bytes = [UInt8](repeating: 1, count: 992)
        func keep(_ key: UInt64, age: Double) throws {
            bytes.withUnsafeBytes { cache.keep($0, key) }
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: -age)],
                ofItemAtPath: folder.path("small/\(String(format: "%016lx", key)).blob"))
        }
        try keep(1, age: 300)
        try keep(2, age: 200)
        #expect(cache.blob(1).map { Array($0.bytes) } == bytes)
        bytes.withUnsafeBytes { cache.keep($0, 3) }
        #expect(cache.blob(1) != nil && cache.blob(2) == nil && cache.blob(3) != nil)
        [UInt8](repeating: 2, count: 9000).withUnsafeBytes { cache.keep($0, 4) }
        #expect(names(folder.path("small")) == ["0000000000000004.blob"])
        #expect(cache.blob(4)?.bytes.count == 9000)
    }

    @Test func whatAKilledWriterLeftIsRemovedOnceItIsOld() throws {
        let cache = try #require(ModelCache(directory: folder.path("left")))
        for (name, age) in [(".partial-1-1", 7200.0), (".partial-1-2", 0), ("notes.txt", 7200)] {
            try Data("part".utf8).write(to: folder.url("left/\(name)"))
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: -age)], ofItemAtPath: folder.path("left/\(name)"))
        }
        [UInt8](repeating: 2, count: 90).withUnsafeBytes { cache.keep($0, 1) }
        #expect(names(folder.path("left")) == [".partial-1-2", "0000000000000001.blob", "notes.txt"])
    }

    @Test func weightsBesideAModelCount() throws {
        func hash(_ name: String) -> UInt64? { try? ModelFiles(path: folder.path(name)).hash }
        try Data("<net/>".utf8).write(to: folder.url("net.xml"))
        let alone = hash("net.xml")
        try Data([1, 2, 3]).write(to: folder.url("net.bin"))
        let first = hash("net.xml")
        try Data([1, 2, 4]).write(to: folder.url("net.bin"))
        #expect(Set([alone, first, hash("net.xml")]).count == 3)

        try ONNX.model(weights: "weights0").write(to: folder.url("net.onnx"))
        #expect(hash("net.onnx") == nil, "weights that aren't there can't be told")
        try Data([1]).write(to: folder.url("weights0"))
        let one = hash("net.onnx")
        try Data([2]).write(to: folder.url("weights0"))
        #expect(one != nil && hash("net.onnx") != one)
        #expect(hash("nowhere.onnx") == nil)
    }

    @Test func everyBitCounts() {
        let bytes = (0..<203).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        func hash(_ bytes: [UInt8]) -> UInt64 {
            var hash = ContentHash()
            bytes.withUnsafeBytes { hash.add($0) }
            return hash.value
        }
        var seen: Set = [hash(bytes), hash(bytes + [0]), hash(Array(bytes.dropLast()))]
        for index in bytes.indices {
            for bit in 0..<8 {
                var changed = bytes
                changed[index] ^= 1 << bit
                seen.insert(hash(changed))
            }
        }
        #expect(seen.count == 3 + 8 * bytes.count)
        // Two top bits of words, which a plain multiplicative hash would let cancel.
        var changed = bytes
        changed[7] ^= 0x80
        changed[15] ^= 0x80
        #expect(hash(changed) != hash(bytes))
    }
}
