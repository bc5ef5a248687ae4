import Foundation

/// The machine that measures.
public enum Machine {
    /// What it is in a few words: `CPU, number of cores`.
    public static var description: String {
        let data = FileManager.default.contents(atPath: "/proc/cpuinfo") ?? Data()
        return description(
            cpuInfo: String(decoding: data, as: UTF8.self), coreCount: ProcessInfo.processInfo.activeProcessorCount)
    }

    /// The same from the text of `/proc/cpuinfo`, which has no model names on some architectures.
    static func description(cpuInfo: String, coreCount: Int) -> String {
        let line = cpuInfo.split(separator: "\n").first { $0.hasPrefix("model name") }
        let name = line?.split(separator: ":", maxSplits: 1).last?.trimmingCharacters(in: .whitespaces)
        return "\(name ?? "a CPU without a name"), \(coreCount) \(coreCount == 1 ? "core" : "cores")"
    }
}
