/// What is to be added to frames that have it not, for which their formats must have room.
public enum Addition: Sendable {
    /// Nothing: frames keep their formats.
    case none
    /// Colour: grey becomes 4:2:0, of up to 12 bits.
    case color
    /// Alpha: 12 bits become 10, and grey becomes 4:4:4.
    case alpha
}
