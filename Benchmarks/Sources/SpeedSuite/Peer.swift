import Foundation
import Measuring

/// The Python program with MediaPipe that does the same job, in an environment of its own.
public struct Peer: Sendable {
    /// How many frames of a clip it gets; its rate does not depend on that, because its start is left out.
    static let frameCount = 100

    private let python: String
    private static let script = Checkout.path("Benchmarks/peer/mediapipe_pipeline.py")
    private static let requirements = Checkout.path("Benchmarks/peer/requirements.txt")

    /// Finds the environment in the checkout's build folder, or makes it there, which takes a network.
    ///
    /// - Throws: `BenchmarkError` where Python or one of the pinned packages can't be had.
    public init() throws {
        let folder = Checkout.path(".build/bench-peer")
        let python = "\(folder)/bin/python"
        self.python = python
        let mark = "\(folder)/requirements.txt"
        // The mark is the last thing that is made.
        guard !FileManager.default.contentsEqual(atPath: mark, andPath: Self.requirements) else { return }
        try? FileManager.default.removeItem(atPath: folder)
        try ExternalCommand("python3").run(["-m", "venv", folder])
        try ExternalCommand(python).run([
            "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--only-binary=:all:",
            "--require-hashes", "--requirement", Self.requirements,
        ])
        try ExternalCommand(python).run(["-c", "import cv2, mediapipe, numpy; mediapipe.solutions.selfie_segmentation"])
        try FileManager.default.copyItem(atPath: Self.requirements, toPath: mark)
    }

    /// The job that it is.
    var job: ProgramBenchmark.Job {
        ProgramBenchmark.Job(ExternalCommand(python)) { [Self.script, $0, $1, String(Self.frameCount)] }
    }

    /// How many frames it made a second, as its messages tell; nil where they don't.
    static func framesPerSecond(_ messages: String) -> Double? {
        let words = messages.split(whereSeparator: \.isNewline).last?.split(separator: " ") ?? []
        guard words.count == 5, words[1] == "frames", let count = Double(words[0]), let seconds = Double(words[3]),
            seconds > 0
        else { return nil }
        return count / seconds
    }
}
