import Imaging

/// Turns the samples of a plane upright; a sample is moved as a whole, whatever its components are.
enum PlaneRotation {
    /// Fills `target` with `source` turned upright by `orientation`; `target` has the upright plane's size.
    static func rotate(_ source: Plane, to target: MutablePlane, bytesPerSample: Int, orientation: Orientation) {
        switch bytesPerSample {
        case 1: rotate(source, target, orientation, as: UInt8.self)
        case 2: rotate(source, target, orientation, as: UInt16.self)
        case 3: rotate(source, target, orientation, as: ThreeBytes.self)
        case 4: rotate(source, target, orientation, as: UInt32.self)
        default: preconditionFailure("no pixel format has samples of \(bytesPerSample) bytes")
        }
    }

    private struct ThreeBytes {
        var a, b, c: UInt8
    }

    /// Rows and columns of one tile: a tile of both planes stays in the first-level cache.
    private static let tile = 32

    private static func rotate<Sample>(
        _ source: Plane, _ target: MutablePlane, _ orientation: Orientation, as type: Sample.Type
    ) {
        let swaps = orientation.swapsAxes
        precondition(
            target.width == (swaps ? source.height : source.width), "the target is as wide as the upright plane")
        precondition(
            target.height == (swaps ? source.width : source.height), "the target is as high as the upright plane")
        // The stored sample of upright (x, y) lies at origin + x * stepX + y * stepY bytes.
        let map = orientation.uprightToStored
        let size = MemoryLayout<Sample>.size
        let columns = (Int(map.a), Int(map.b))
        let rows = (Int(map.c), Int(map.d))
        let stepX = columns.0 * size + rows.0 * source.bytesPerRow
        let stepY = columns.1 * size + rows.1 * source.bytesPerRow
        let left = columns.0 + columns.1 < 0 ? source.width - 1 : 0
        let top = rows.0 + rows.1 < 0 ? source.height - 1 : 0
        let origin = source.base + left * size + top * source.bytesPerRow

        for tileY in stride(from: 0, to: target.height, by: tile) {
            for tileX in stride(from: 0, to: target.width, by: tile) {
                let endX = min(tileX + tile, target.width)
                for y in tileY..<min(tileY + tile, target.height) {
                    let row = target.base + y &* target.bytesPerRow
                    var from = origin + tileX &* stepX + y &* stepY
                    for x in tileX..<endX {
                        (row + x &* size).storeBytes(of: from.loadUnaligned(as: Sample.self), as: Sample.self)
                        from += stepX
                    }
                }
            }
        }
    }
}

extension ColorDescription.ChromaLocation {
    /// The one that is taken where none is told.
    var settled: Self { self == .unspecified ? .left : self }

    /// Where the chroma sample lies in the upright picture; `.unspecified` where there is no name for the place.
    func turnedUpright(by orientation: Orientation) -> ColorDescription.ChromaLocation {
        // Offsets from the middle of the luma samples that a chroma sample covers.
        let places: [(ColorDescription.ChromaLocation, Double, Double)] = [
            (.left, -1, 0), (.center, 0, 0), (.topLeft, -1, -1), (.top, 0, -1), (.bottomLeft, -1, 1), (.bottom, 0, 1),
        ]
        guard let place = places.first(where: { $0.0 == self }) else { return .unspecified }
        let map = orientation.uprightToStored.inverse
        let x = map.a * place.1 + map.b * place.2
        let y = map.c * place.1 + map.d * place.2
        return places.first { $0.1 == x && $0.2 == y }?.0 ?? .unspecified
    }
}
