extension PixelFormat {
    /// Which components of plane `index` are colour, in the order of the colour model.
    func colorComponents(ofPlane index: Int) -> [Int] {
        colorModel == .rgb ? redGreenBlue : Array(0..<planes[index].componentCount)
    }

    /// Where a component is.
    struct ComponentPlace {
        let plane: Int
        /// Components of a sample of that plane.
        let step: Int
        /// Which of them it is.
        let component: Int
    }

    /// Where the colour's components are, in the order of the colour model.
    var componentPlaces: [ComponentPlace] {
        planes.indices.filter { colorModel == .yuv || $0 == 0 }.prefix(3).flatMap { plane in
            colorComponents(ofPlane: plane).map {
                ComponentPlace(plane: plane, step: planes[plane].componentCount, component: $0)
            }
        }
    }

    /// Where luma is, or what stands for it: green, in an RGB format.
    var lumaPlace: ComponentPlace {
        ComponentPlace(
            plane: 0, step: planes[0].componentCount, component: colorModel == .rgb ? redGreenBlue[1] : 0)
    }
}

extension PixelFormat.PlaneLayout {
    /// The place of `rectangle`, which is by edges of a stored picture's pixels, by edges of the plane's samples.
    func place(of rectangle: Rectangle, _ location: ColorDescription.ChromaLocation) -> Rectangle {
        rectangle.applying(toPlane(location))
    }

    /// From edges of a stored picture's pixels to edges of the plane's samples.
    func toPlane(_ location: ColorDescription.ChromaLocation) -> AffineTransform {
        let shift = sitingShift(location)
        return AffineTransform(
            a: 1 / Double(1 << horizontalShift), b: 0, tx: shift.x, c: 0, d: 1 / Double(1 << verticalShift), ty: shift.y
        )
    }

    /// How far a subsampled plane's samples lie before the middle of the pixels that they cover, in that plane's samples.
    private func sitingShift(_ location: ColorDescription.ChromaLocation) -> (x: Double, y: Double) {
        let below = location.row.map { $0 == 0 ? 0.25 : -0.25 } ?? 0
        return (horizontalShift > 0 && location.isOnColumn ? 0.25 : 0, verticalShift > 0 ? below : 0)
    }
}
