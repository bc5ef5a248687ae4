import Foundation
import TestSupport
import Testing

/// A folder with a clip in it, and the program to be troubled.
final class FaultBench {
    /// What keeps a run short: the smallest mask and a plain background.
    static let quick = "--quality fast --background lime"

    let folder = TemporaryFolder()

    /// Makes `in.mp4`: 30 frames of 160x120 with a tone.
    init() throws {
        try FileManager.default.copyItem(atPath: Self.clip.get(), toPath: folder.path("in.mp4"))
    }

    private static let source = TemporaryFolder()
    /// Made once for all.
    private static let clip = Result {
        let path = source.path("in.mp4")
        try Clips.make(path, seconds: 1.2, video: ["-c:v", "libx264", "-g", "10", "-bf", "2", "-pix_fmt", "yuv420p"])
        return path
    }

    /// The words before a command that have `call` fail in it.
    func failing(_ call: String, error: Int32 = 0, path: String = "", after bytes: Int = 0) throws -> String {
        "LD_PRELOAD='\(try PreloadedLibrary.faults.get().path)' FAULT_CALL=\(call) FAULT_ERRNO=\(error) FAULT_PATH='\(path)' FAULT_AFTER=\(bytes)"
    }

    /// Runs a line of bash in the folder; `matte` is the program.
    @discardableResult
    func shell(_ line: String) throws -> Tool.Result { try Checkout.shell(line, in: folder) }

    /// Runs ffmpeg, which must do its work.
    func ffmpeg(_ line: String) throws {
        let result = try shell("ffmpeg -v error -y \(line)")
        try #require(result.status == 0, "\(result.error)")
    }

    /// Runs matte; returns what it left.
    func matte(_ arguments: String, before: String = "") throws -> Tool.Result {
        try shell("\(before) matte \(Self.quick) \(arguments)")
    }

    /// Runs matte, which must end with `status` and one sentence, and leave no file but those that were there.
    func refuse(
        _ status: Int32, _ sentence: String, _ arguments: String, before: String = "",
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let files = folder.contents
        let result = try matte("--quiet \(arguments)", before: before)
        #expect(result.status == status, "\(result.error)", sourceLocation: sourceLocation)
        #expect(result.error == "matte: \(sentence)\n", sourceLocation: sourceLocation)
        #expect(folder.contents == files, sourceLocation: sourceLocation)
    }

    /// Runs matte, which must do its work; returns what it said.
    @discardableResult
    func perform(
        _ arguments: String, before: String = "", sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> String {
        let result = try matte(arguments, before: before)
        #expect(result.status == 0, "\(result.error)", sourceLocation: sourceLocation)
        #expect(!folder.contents.contains { $0.hasPrefix(".") }, "\(folder.contents)", sourceLocation: sourceLocation)
        return result.error
    }

    /// How many frames the video `name` has, which must be whole: decoding it finds no fault.
    func frameCount(_ name: String, sourceLocation: SourceLocation = #_sourceLocation) throws -> Int {
        let result = try shell("ffmpeg -v error -xerror -i '\(name)' -map 0:v:0 -f framehash - | grep -cv '^#'")
        #expect(result.error == "", sourceLocation: sourceLocation)
        return Int(result.output.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0
    }

    /// Changes the bytes of the file `name`.
    func edit(_ name: String, _ change: (inout Data) throws -> Void) throws {
        var bytes = try Data(contentsOf: folder.url(name))
        try change(&bytes)
        try bytes.write(to: folder.url(name))
    }
}
