/// A person of plain shapes, from head to feet, whom networks take for one.
struct DrawnPerson {
    /// The middle of the person, the top of the head, and the height, in pixels of the picture.
    let x: Double
    let top: Double
    let height: Double

    private struct Shape {
        /// Corners in eighths of the height, to the right of the middle and down from the top.
        let corners: [SIMD2<Double>]
        let color: SIMD3<UInt8>
        private let columns: ClosedRange<Double>
        private let rows: ClosedRange<Double>

        init(corners: [SIMD2<Double>], color: SIMD3<UInt8>) {
            (self.corners, self.color) = (corners, color)
            columns = corners.map(\.x).min()!...corners.map(\.x).max()!
            rows = corners.map(\.y).min()!...corners.map(\.y).max()!
        }

        // By the number of sides to the right of the point.
        func contains(_ point: SIMD2<Double>) -> Bool {
            // Most points are far from most shapes.
            guard rows.contains(point.y), columns.contains(point.x) else { return false }
            var isInside = false
            for (a, b) in zip(corners, corners.dropFirst() + corners.prefix(1)) where (a.y > point.y) != (b.y > point.y)
            {
                if point.x < a.x + (point.y - a.y) / (b.y - a.y) * (b.x - a.x) { isInside.toggle() }
            }
            return isInside
        }
    }

    private static func box(_ x: Double, _ y: Double, _ radius: SIMD2<Double>) -> [SIMD2<Double>] {
        // An eight-sided stand-in for an ellipse.
        [(1, 0.4), (0.4, 1), (-0.4, 1), (-1, 0.4), (-1, -0.4), (-0.4, -1), (0.4, -1), (1, -0.4)].map {
            [x + radius.x * $0, y + radius.y * $1]
        }
    }

    private static let skin: SIMD3<UInt8> = [220, 160, 130]
    private static let hair: SIMD3<UInt8> = [40, 30, 20]
    private static let shirt: SIMD3<UInt8> = [40, 60, 140]
    private static let trousers: SIMD3<UInt8> = [40, 50, 70]
    private static let dark: SIMD3<UInt8> = [20, 20, 20]

    // Those in front come last.
    private static let shapes: [Shape] = {
        func both(_ corners: [SIMD2<Double>], _ color: SIMD3<UInt8>) -> [Shape] {
            [Shape(corners: corners, color: color), Shape(corners: corners.map { [-$0.x, $0.y] }, color: color)]
        }
        return both([[0, 4], [0.75, 4], [0.55, 7.6], [0.1, 7.6]], trousers)
            + both([[0.75, 7.55], [0.1, 7.55], [0.1, 7.95], [0.95, 7.95]], dark)
            + [Shape(corners: [[-0.9, 1.5], [0.9, 1.5], [0.75, 4.1], [-0.75, 4.1]], color: shirt)]
            + both([[0.9, 1.5], [0.6, 1.6], [1.05, 3], [1.35, 2.9]], shirt)
            + both([[1.35, 2.9], [1.05, 3], [1.05, 4], [1.3, 4]], skin)
            + both(box(1.18, 4.15, [0.2, 0.2]), skin)
            + [Shape(corners: [[-0.2, 1.1], [0.2, 1.1], [0.25, 1.6], [-0.25, 1.6]], color: skin)]
            + [Shape(corners: box(0, 0.62, [0.4, 0.55]), color: skin)]
            + [Shape(corners: [[-0.43, 0.45], [-0.3, 0.05], [0.3, 0.05], [0.43, 0.45]], color: hair)]
            + both(box(0.16, 0.62, [0.05, 0.05]), dark)
            + [Shape(corners: [[-0.12, 0.88], [0.12, 0.88], [0.12, 0.94], [-0.12, 0.94]], color: [160, 80, 80])]
    }()

    /// The colour of pixel (`column`, `row`) where it shows the person.
    func color(_ column: Int, _ row: Int) -> SIMD3<UInt8>? {
        let point: SIMD2<Double> = [
            (Double(column) + 0.5 - x) * 8 / height, (Double(row) + 0.5 - top) * 8 / height,
        ]
        return Self.shapes.last { $0.contains(point) }?.color
    }

    /// A grey picture with the person.
    func picture(width: Int, height: Int) -> RGBPicture {
        RGBPicture(width: width, height: height) { color($0, $1) ?? [150, 150, 150] }
    }
}
