/// How much less than in enough light the brightness of things differs in little.
enum LittleLight {
    /// The mean brightness (0…1) of enough light.
    private static let enough: Float = 0.2
    /// The least that is left: what differs by less may be noise.
    private static let least: Float = 0.125

    /// By how much the brightness of a part of a frame differs where something else is there, in enough light.
    private static let difference: Float = 0.05

    /// By how much the brightness (0…1) of a part of a frame differs where something else is there, at two times of which these are the
    /// pictures.
    static func difference(between before: [Float], and after: [Float]) -> Float {
        difference * max(share(in: before), share(in: after))
    }

    /// The share (0.125…1) that is left of a difference in a picture whose brightness or colours, 0 where it is black, are `values`.
    static func share(in values: [Float]) -> Float {
        let mean = values.reduce(0, +) / Float(max(values.count, 1))
        return min(1, max(mean / enough, least))
    }
}
