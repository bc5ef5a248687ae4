import Inference
import TestSupport

@testable import MatteVision

extension ModelLibrary {
    /// The checkout's networks in 32 bits, whatever their descriptions tell: as the references were computed.
    static var exact: ModelLibrary {
        var library = ModelLibrary(directory: Checkout.models)
        library.precision = .float32
        return library
    }
}
