@testable import CommandLineOptions

/// Values of options, each as every kind that there is.
enum ValuesTarget {
    static func run(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        if let time = TimeArgument(argument: text) { precondition(time.seconds >= 0 && time.seconds.isFinite) }
        if let aspect = AspectArgument(argument: text) { precondition(0.05...20 ~= aspect.ratio) }
        if let rate = BitrateArgument(argument: text) { precondition(rate.bitsPerSecond > 0) }
        if let option = EncoderOptionArgument(argument: text) { precondition("\(option.key)=\(option.value)" == text) }
    }
}
