import Foundation
import TestSupport
import Testing

@testable import Inference

/// Whatever a model's file says, nothing but regular files beside it is read.
struct ModelFilesTests {
    private let folder = TemporaryFolder()

    private func write(_ data: Data, _ name: String) throws { try data.write(to: folder.url(name)) }

    private func refusal(_ name: String) -> InferenceError? {
        do throws(InferenceError) {
            _ = try ModelFiles(path: folder.path(name))
            return nil
        } catch {
            #expect(error.operation == "read" && error.file == folder.path(name))
            return error
        }
    }

    private func refuses(_ name: String, _ kind: InferenceError.Kind, _ cause: String) {
        let error = refusal(name)
        #expect(error?.kind == kind)
        #expect(error?.cause == cause)
    }

    @Test func whatIsNoRegularFileIsRefusedAtOnce() throws {
        mkfifo(folder.path("pipe.tflite"), 0o600)
        refuses("pipe.tflite", .invalid, "it is not a regular file")
        symlink("/dev/zero", folder.path("zero.onnx"))
        refuses("zero.onnx", .invalid, "it is not a regular file")
        mkdir(folder.path("folder.xml"), 0o700)
        refuses("folder.xml", .invalid, "it is a folder")
        try write(Data(), "empty.onnx")
        refuses("empty.onnx", .invalid, "it is empty")
        refuses("none.onnx", .unavailable, "no such file or directory")
        try write(Data([0]), "large.onnx")
        truncate(folder.path("large.onnx"), (1 << 30) + 1)
        refuses("large.onnx", .invalid, "it is larger than 1024 MB")
    }

    // The runtime would try all the formats that it knows.
    @Test func aFileIsWhatItsNameSays() throws {
        let onnx = ONNX.model(weights: "../secret")
        for name in ["net.tflite", "net.xml", "net.bin", "net", "net.pb"] { try write(onnx, name) }
        refuses("net.tflite", .invalid, "it is not a TensorFlow Lite model")
        refuses("net.xml", .invalid, "it is not OpenVINO IR")
        for name in ["net.bin", "net", "net.pb"] {
            refuses(name, .invalid, "its name does not end in .tflite, .onnx or .xml")
        }
        try write(Data("not a model".utf8), "text.onnx")
        refuses("text.onnx", .invalid, "it is not an ONNX model")
    }

    @Test(arguments: [
        "../secret", "/etc/passwd", "a/b", "..", ".", "", "a\\b", "a\u{0}b", "a\nb", "*/_ORT_MEM_ADDR_/*",
        String(repeating: "x", count: 256),
    ])
    func weightsOfONNXLieBesideIt(_ name: String) throws {
        let elsewhere = "it names weights that don't lie beside it"
        let entry = ONNX.entry("location", name)
        let tensor = ONNX.tensor(entry)
        // Every way to a tensor, and every way to spell the entry.
        let models: [Data] = [
            ONNX.model(weights: name),
            ONNX.bytes(7, ONNX.bytes(5, ONNX.tensor(ONNX.text(2, name) + ONNX.text(1, "location")))),
            ONNX.bytes(7, ONNX.bytes(5, ONNX.tensor(ONNX.entry("offset", "1") + entry))),
            ONNX.bytes(7, ONNX.bytes(5, Data([0x08, 0x80, 0x00]) + tensor)),
            ONNX.bytes(7, ONNX.bytes(1, ONNX.bytes(5, ONNX.bytes(5, tensor)))),
            ONNX.bytes(7, ONNX.bytes(1, ONNX.bytes(5, ONNX.bytes(10, tensor)))),
            ONNX.bytes(7, ONNX.bytes(1, ONNX.bytes(5, ONNX.bytes(6, ONNX.bytes(5, tensor))))),
            ONNX.bytes(7, ONNX.bytes(1, ONNX.bytes(5, ONNX.bytes(11, ONNX.bytes(5, tensor))))),
            ONNX.bytes(7, ONNX.bytes(1, ONNX.bytes(5, ONNX.far(22, ONNX.bytes(1, tensor))))),
            ONNX.bytes(7, ONNX.bytes(15, ONNX.bytes(2, tensor))),
            ONNX.bytes(7, Data()) + ONNX.far(25, ONNX.bytes(7, ONNX.bytes(5, ONNX.bytes(5, tensor)))),
            ONNX.bytes(7, Data()) + ONNX.far(20, ONNX.bytes(1, ONNX.bytes(5, tensor))),
            ONNX.bytes(7, Data()) + ONNX.model(weights: name),
        ]
        for model in models {
            try write(model, "net.onnx")
            refuses("net.onnx", .invalid, elsewhere)
        }
    }

    @Test func damagedMessagesAreNoModel() throws {
        let sound = ONNX.model(weights: "weights")
        try write(Data([1]), "weights")
        try write(sound, "net.onnx")
        #expect(refusal("net.onnx") == nil)
        for damaged in [
            sound.dropLast(), sound + Data([0x3A]),
            sound + Data([0x3A, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1]),
            sound + Data([0x0B]), sound + Data([0x00, 0x00]), sound + Data(repeating: 0xFF, count: 11),
            (0..<120).reduce(Data()) { inner, _ in ONNX.bytes(1, ONNX.bytes(5, ONNX.bytes(6, inner))) },
        ] {
            try write(damaged, "net.onnx")
            refuses("net.onnx", .invalid, "it is not an ONNX model")
        }
    }

    @Test func weightsAreRegularFilesToo() throws {
        try write(ONNX.model(weights: "weights"), "net.onnx")
        refuses("net.onnx", .unavailable, "its weights 'weights' can't be used: no such file or directory")
        mkfifo(folder.path("weights"), 0o600)
        refuses("net.onnx", .invalid, "its weights 'weights' can't be used: it is not a regular file")
        try write(Data("<net/>".utf8), "net.xml")
        mkfifo(folder.path("net.bin"), 0o600)
        refuses("net.xml", .invalid, "its weights 'net.bin' can't be used: it is not a regular file")
        unlink(folder.path("net.bin"))
        try write(Data(), "net.bin")
        #expect(refusal("net.xml") == nil, "a network without numbers")
    }

    @Test func weightsAreNoWayOut() throws {
        let elsewhere = TemporaryFolder()
        try Data([1]).write(to: elsewhere.url("secret"))
        try write(ONNX.model(weights: "weights"), "net.onnx")
        symlink(elsewhere.path("secret"), folder.path("weights"))
        refuses("net.onnx", .invalid, "its weights 'weights' are a link to another folder")
        // A folder of links into a store, as package managers and download caches make them.
        try ONNX.model(weights: "weights").write(to: elsewhere.url("stored"))
        unlink(folder.path("net.onnx"))
        symlink(elsewhere.path("stored"), folder.path("net.onnx"))
        #expect(refusal("net.onnx") == nil)
    }
}
