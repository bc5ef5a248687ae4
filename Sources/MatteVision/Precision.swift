import Inference

/// The arithmetic inside a network.
public enum Precision: String, Decodable, Hashable, Sendable {
    /// 32-bit floating point.
    case float32 = "f32"
    /// bfloat16, which is faster where the CPU has it, and less exact.
    case bfloat16 = "bf16"

    var inModel: Model.Options.Precision {
        switch self {
        case .float32: .float32
        case .bfloat16: .bfloat16
        }
    }
}
