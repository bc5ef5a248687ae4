/// A device of the runtime's, and the properties with which models run on it.
struct Device: Hashable {
    /// The runtime's name, such as `CPU`, `GPU.1` or `AUTO:GPU,CPU`.
    let name: String
    private let precision: Model.Options.Precision
    private let threads: Int
    private let inferences: Int

    init(_ options: Model.Options) {
        name = options.device
        precision = options.precision
        threads = options.threads
        // An NPU refuses to be asked for more than one.
        inferences = name.hasPrefix("NPU") ? 1 : options.inferences
    }

    /// Whether it does no work itself but hands it on to others.
    var isVirtual: Bool { ["AUTO", "MULTI", "HETERO", "BATCH"].contains(kind) }

    private var kind: Substring { name.prefix { $0 != ":" } }

    /// The devices that are named in it: itself, or those that it is to hand work on to.
    var named: [String] {
        guard isVirtual else { return [name] }
        let list = name.dropFirst(kind.count + 1).split(separator: ",")
        // "-GPU" is one that AUTO is to leave out, "CPU(4)" tells a batch or a number of requests.
        return list.filter { !$0.hasPrefix("-") }.map { String($0.prefix { $0 != "(" }) }
    }

    /// What the device is asked for; devices leave out what they don't know.
    var properties: [(key: String, value: String)] {
        [
            ("PERFORMANCE_HINT", "LATENCY"), ("INFERENCE_PRECISION_HINT", precision.name),
            ("NUM_STREAMS", "\(inferences)"), ("INFERENCE_NUM_THREADS", "\(allThreads)"), ("ENABLE_CPU_PINNING", "NO"),
        ]
    }

    /// The same for a virtual device, which takes it for each of those it may choose.
    var virtualProperties: String {
        "{CPU:{INFERENCE_PRECISION_HINT:\(precision.name),NUM_STREAMS:\(inferences),"
            + "INFERENCE_NUM_THREADS:\(allThreads),ENABLE_CPU_PINNING:NO},"
            + "GPU:{INFERENCE_PRECISION_HINT:\(precision.name)}}"
    }

    private var allThreads: Int {
        let (all, isTooLarge) = threads.multipliedReportingOverflow(by: inferences)
        return isTooLarge ? threads : all
    }

    /// The first of those that are named in it and are not among `available`; nil where all are there.
    func missing(among available: [String]) -> String? { named.first { !Self.isThere($0, among: available) } }

    /// Whether it is one of `available`, where a device is also there by the name of its kind ("GPU" for "GPU.0").
    static func isThere(_ name: String, among available: [String]) -> Bool {
        available.contains { $0 == name || $0.hasPrefix("\(name).") || name == "\($0).0" }
    }
}
