/// A model as it is described, and the folder that its file lies in.
struct ModelSource: Equatable {
    var description: ModelDescription
    let directory: String
}
