import Measuring

extension Checkout {
    /// The rendered sample clip with its exact alpha.
    public static var sampleClip: Clip {
        Clip(name: "anna", video: sampleVideo, alpha: path("Tests/Fixtures/anna_alpha.mkv"))
    }
}
