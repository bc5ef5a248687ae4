import Imaging

/// A region's alpha at the size of its picture, on its way to the frame's.
///
/// It belongs to one thread at a time, each of which hands it on to the next by way of a queue or its finisher, hence
/// `@unchecked Sendable`.
final class RegionAlpha: @unchecked Sendable {
    /// Alpha, as the frame is stored.
    var map = ScalarMap(width: 1, height: 1)
    /// The colour components of the region's picture, at the size of `map`, as `FrameSampler.components` gives them.
    var components: [ScalarMap] = []
    /// The region, in stored pixels, by whole ones.
    var place = Rectangle(x: 0, y: 0, width: 0, height: 0)
    /// How many times as much light would be enough for its picture.
    var brightening: Float = 1
    /// Whether those before it have nothing to do with it.
    var isNew = true
}
