import Foundation
import TestSupport
import Testing

/// Runs that share a cache of compiled networks: each gives what a run without one gives, whatever becomes of the others.
struct CacheTests {
    private let folder = TemporaryFolder()

    /// A line that writes the masks of two frames as text to standard output.
    private let masks =
        "matte --quiet --quality fast --output-kind mask --limit 2 --output-format framemd5 "
        + "'\(Checkout.sampleClip)' -"

    private func run(_ line: String) throws -> String {
        let result = try Checkout.shell("export XDG_CACHE_HOME='\(folder.path("caches"))'; \(line)", in: folder)
        #expect(result.status == 0, "\(result.error)")
        return result.output
    }

    private var files: [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: folder.path("caches/matte"))) ?? []
    }

    @Test func twoAtOnceOnAnEmptyCache() throws {
        let expected = try Checkout.shell("XDG_CACHE_HOME=/proc/none \(masks)", in: folder).output
        #expect(!expected.isEmpty)
        _ = try run("\(masks) >first & \(masks) >second; wait $!")
        #expect(try String(contentsOf: folder.url("first"), encoding: .utf8) == expected)
        #expect(try String(contentsOf: folder.url("second"), encoding: .utf8) == expected)
        // The segmentation network, the detectors of people, of faces and of objects, and the verifier.
        #expect(files.count == 5 && files.allSatisfy { $0.hasSuffix(".blob") })
        #expect(try run(masks) == expected)
    }

    @Test func oneThatIsKilledSpoilsNothing() throws {
        let expected = try Checkout.shell("XDG_CACHE_HOME=/proc/none \(masks)", in: folder).output
        for seconds in ["0.3", "0.6", "0.9", "1.2"] {
            _ = try run("timeout -s KILL \(seconds) \(masks) >killed || true")
            #expect(files.allSatisfy { $0.hasSuffix(".blob") || $0.hasPrefix(".partial-") })
        }
        #expect(try run(masks) == expected)
        #expect(try run(masks) == expected)
    }

    @Test func relativeFoldersAreIgnored() throws {
        _ = try Checkout.shell("HOME=home XDG_CACHE_HOME=caches XDG_DATA_HOME=data \(masks) >masks", in: folder)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["masks"])
    }

    @Test func nextRunsAddNothing() throws {
        let first = try run(masks)
        let names = Set(files)
        #expect(names.count == 5)
        #expect(try run(masks) == first)
        #expect(
            try run(
                "cp -r '\(Checkout.models)' models; \(masks.replacing("matte ", with: "matte --models models ", maxReplacements: 1))"
            ) == first)
        #expect(Set(files) == names)
    }
}
