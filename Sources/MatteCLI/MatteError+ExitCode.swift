import Matte

extension MatteError {
    /// The exit code of a run that was interrupted, as a shell shows it for SIGINT.
    static let interruptedExitCode: Int32 = 130
}

extension MatteError.Kind {
    /// The exit code of `sysexits.h` for this sort of failure.
    var exitCode: Int32 {
        switch self {
        case .usage: 64
        case .badData: 65
        case .noInput: 66
        case .unavailable: 69
        case .internal: 70
        case .cannotCreate: 73
        case .io: 74
        // What a shell shows for a program that SIGPIPE ended.
        case .readerGone: 141
        }
    }
}
