import Foundation
import Measuring

/// The names of functions at addresses of modules, as the Swift toolchain tells them.
struct Symbols {
    private var names: [String: String] = [:]

    /// Looks up `addresses`, each `MODULE+OFFSET` with the offset in hexadecimal digits; those that nobody knows keep their
    /// module's name and the offset.
    init(_ addresses: Set<String>) {
        let parts = addresses.compactMap { address in
            address.lastIndex(of: "+").map { (address, String(address[..<$0]), String(address[$0...].dropFirst())) }
        }
        for (module, found) in Dictionary(grouping: parts, by: \.1) {
            let file = URL(filePath: module).lastPathComponent
            for (address, _, offset) in found { names[address] = "\(file)+\(offset)" }
            // A paragraph for each, which begins with the function.
            let paragraphs = try? ExternalCommand("llvm-symbolizer")
                .output(["--no-inlines", "--basenames", "--obj=\(module)"] + found.map { "0x\($0.2)" })
                .split(separator: "\n\n")
            guard let paragraphs, paragraphs.count == found.count else { continue }
            for (paragraph, entry) in zip(paragraphs, found) {
                let name = paragraph.prefix { $0 != "\n" }
                if name != "??" { names[entry.0] = String(name) }
            }
        }
        let mangled = Set(names.values.filter { $0.hasPrefix("$s") }).sorted()
        guard !mangled.isEmpty,
            let plain = try? ExternalCommand("swift-demangle").output(["--simplified", "--compact"] + mangled)
                .split(separator: "\n", omittingEmptySubsequences: false).map(String.init),
            plain.count >= mangled.count
        else { return }
        let demangled = Dictionary(uniqueKeysWithValues: zip(mangled, plain))
        names = names.mapValues { demangled[$0] ?? $0 }
    }

    subscript(address: String) -> String { names[address] ?? address }
}
