/// Columns of a mask's row that are all clear, all opaque, or neither.
struct MaskRun: Equatable {
    enum Kind: UInt8 {
        /// Has to be worked out.
        case mixed = 0
        /// 0 throughout.
        case clear = 1
        /// 1 throughout.
        case opaque = 2
    }

    var columns: Range<Int>
    let kind: Kind
}
