import Glibc

/// What libFuzzer calls with each input: the target that `--target=` names.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    Target.chosen.run([UInt8](UnsafeBufferPointer(start: bytes, count: count)))
    return 0
}

/// Something that takes bytes from strangers.
enum Target: String, CaseIterable {
    case stream, file, image, manifest, model, control, options, values

    /// The one that was asked for on the command line; libFuzzer leaves what begins with two dashes alone.
    static let chosen: Target = {
        let prefix = "--target="
        let name = CommandLine.arguments.last { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
        guard let target = name.flatMap(Target.init) else {
            let names = allCases.map(\.rawValue).joined(separator: ", ")
            let advice = "pass --target= with one of \(names)\n"
            write(STDERR_FILENO, advice, advice.utf8.count)
            exit(64)
        }
        return target
    }()

    /// Anything but a return or an error that is taken is a finding.
    func run(_ bytes: [UInt8]) {
        switch self {
        case .stream: StreamTarget.run(bytes)
        case .file: FileTarget.run(bytes)
        case .image: ImageTarget.run(bytes)
        case .manifest: ManifestTarget.run(bytes)
        case .model: ModelTarget.run(bytes)
        case .control: ControlTarget.run(bytes)
        case .options: OptionsTarget.run(bytes)
        case .values: ValuesTarget.run(bytes)
        }
    }
}
