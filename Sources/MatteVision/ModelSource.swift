/// A model as it is described, and the folder that its file lies in.
struct ModelSource: Equatable {
    var description: ModelDescription
    let directory: String

    /// The same for pictures of the other orientation; nil where it can't see them.
    var turned: ModelSource? {
        let input = description.input
        guard input.turnable == true, input.width != input.height else { return nil }
        var turned = self
        swap(&turned.description.input.width, &turned.description.input.height)
        return turned
    }
}
