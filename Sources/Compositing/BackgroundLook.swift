/// How a plane of the background is drawn anew from cells; lengths are in samples of the plane, across and down.
enum BackgroundLook: Equatable {
    /// As a Gaussian of this standard deviation blurs it.
    case blur(x: Double, y: Double)
    /// As an aperture of this radius blurs it.
    case bokeh(x: Double, y: Double)
    /// In squares of this side, each of one colour.
    case mosaic(x: Double, y: Double)

    /// The same, for a plane that is subsampled by 2 to the shifts.
    func subsampled(_ horizontalShift: Int, _ verticalShift: Int) -> BackgroundLook {
        let (h, v) = (Double(1 << horizontalShift), Double(1 << verticalShift))
        return switch self {
        case .blur(let x, let y): .blur(x: x / h, y: y / v)
        case .bokeh(let x, let y): .bokeh(x: x / h, y: y / v)
        case .mosaic(let x, let y): .mosaic(x: x / h, y: y / v)
        }
    }

    /// The size of a cell: fine enough that the look hides it.
    var cell: (width: Int, height: Int) {
        switch self {
        case .blur(let x, let y): (Self.power(below: x * 0.75), Self.power(below: y * 0.75))
        case .bokeh(let x, let y): (Self.power(below: x / 4), Self.power(below: y / 4))
        case .mosaic(let x, let y): (max(Int(x.rounded()), 1), max(Int(y.rounded()), 1))
        }
    }

    /// The side of a cell at most.
    private static let largest = 64.0

    private static func power(below limit: Double) -> Int {
        var size = 1
        while Double(2 * size) <= min(limit, largest) { size *= 2 }
        return size
    }
}
