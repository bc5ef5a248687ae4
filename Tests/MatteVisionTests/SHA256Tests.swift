import Foundation
import TestSupport
import Testing

@testable import MatteVision

struct SHA256Tests {
    private func hash(_ bytes: [UInt8]) -> String { bytes.withUnsafeBytes { SHA256($0).text } }

    // Examples of FIPS 180-4 as NIST publishes them.
    @Test func standardExamples() {
        #expect(hash([]) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
        #expect(hash(Array("abc".utf8)) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        #expect(
            hash(Array("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq".utf8))
                == "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1")
    }

    // Every length around the blocks' ends, and a file of the project's, as coreutils have it.
    @Test func everyLengthIsAsSha256sumHasIt() throws {
        let folder = TemporaryFolder()
        let lengths = Array(0...130) + [1000]
        let names = lengths.map { "\($0)" }
        func bytes(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ count) } }
        for length in lengths { try Data(bytes(length)).write(to: folder.url("\(length)")) }
        let text = try Tool("sha256sum").call(names, in: folder.url)
        let expected = text.split(separator: "\n").map { String($0.prefix(64)) }
        #expect(lengths.map { hash(bytes($0)) } == expected)
        let model = "\(Checkout.models)/matting.onnx"
        #expect(hash(Array(try Data(contentsOf: URL(filePath: model)))) == (try Tool("sha256sum")(model)).prefix(64))
    }
}
