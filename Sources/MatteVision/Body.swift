import Imaging

/// Somebody's body in a frame, as `BodyNetwork` sees it.
struct Body {
    /// How sure it is that there is somebody, 0…1.
    let presence: Double
    /// How sure it is that all of the body can be seen, down to a foot, 0…1.
    let wholeness: Double
    /// Where to look for the same body in the next frame.
    let square: TurnedSquare
    /// The probability of this body in each pixel of the square that was looked at, 0…1; clear at its border.
    let mask: ScalarMap
    /// From index coordinates of the mask to the frame's, in square pixels as shown.
    let toFrame: AffineTransform

    /// Writes the mask of `region` of the frame at the size that `map` has: 0 outside of the square.
    ///
    /// The region is in upright pixels, each `pixelAspect` times as wide as high.
    func draw(_ region: Rectangle, pixelAspect: Double, into map: inout ScalarMap) {
        let (width, height) = (map.width, map.height)
        // From index coordinates of the map, by edges of upright pixels, to index coordinates of the frame.
        let toUpright = AffineTransform.shift(0.5, 0.5)
            .then(.scale(region.width / Double(width), region.height / Double(height)))
            .then(.shift(region.x, region.y))
        let toMask = toUpright.then(.scale(pixelAspect, 1)).then(.shift(-0.5, -0.5)).then(toFrame.inverse)
        mask.withPlane { plane in
            map.values.withUnsafeMutableBufferPointer { target in
                AffineSampler.sample(
                    plane, as: Float.self, map: toMask, into: target.baseAddress!, width: width, height: height)
            }
        }
    }
}
