import Glibc
import Media

/// The machine's processor, as `/proc/cpuinfo` tells of it.
struct ProcessorDescription {
    /// What it calls itself.
    let name: String
    /// Those that this program may run on.
    let coreCount: Int
    /// The vector instructions that the networks gain from, the widest last.
    let instructions: [String]

    /// Instructions by the kernel's names of them.
    private static let known = [
        ("avx2", "AVX2"), ("avx512f", "AVX-512"), ("avx512_vnni", "AVX-512 VNNI"), ("avx512_bf16", "AVX-512 BF16"),
        ("amx_tile", "AMX"), ("asimd", "NEON"), ("sve", "SVE"), ("bf16", "BF16"),
    ]

    init() { self.init(cpuinfo: LocalFile.lines(of: "/proc/cpuinfo").joined(separator: "\n")) }

    /// From the text of `/proc/cpuinfo`, of which the first processor counts.
    init(cpuinfo: String) {
        var fields: [Substring: Substring] = [:]
        for line in cpuinfo.split(separator: "\n", omittingEmptySubsequences: false) {
            guard !line.isEmpty else { break }
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2 else { continue }
            fields[parts[0].prefix { $0 != "\t" }] = parts[1].drop { $0 == " " }
        }
        name = fields["model name"].map(String.init) ?? "unknown"
        let flags = Set((fields["flags"] ?? fields["Features"] ?? "").split(separator: " "))
        instructions = Self.known.filter { flags.contains(Substring($0.0)) }.map(\.1)
        coreCount = max(1, sysconf(CInt(_SC_NPROCESSORS_ONLN)))
    }
}
