import Foundation
import Measuring

/// What is put behind people in a composed clip: a picture that repeats in both directions, and moves.
enum Backdrop: Sendable {
    /// Colours that change slowly.
    case gradient
    /// Smooth noise from coarse to fine, like foliage out of focus.
    case texture
    /// Tiles of the clip's own first frame in random order: the people's colours and textures behind them.
    case tiles

    /// Pixels of movement per frame, right and down.
    var velocity: (right: Int, down: Int) {
        switch self {
        case .gradient: (5, 2)
        case .texture: (2, 1)
        case .tiles: (1, 0)
        }
    }

    /// The picture before it moves; `source` has its size.
    func picture(source: Picture, random: inout SeededGenerator) -> Picture {
        switch self {
        case .gradient: Self.gradient(width: source.width, height: source.height, random: &random)
        case .texture: Self.texture(width: source.width, height: source.height, random: &random)
        case .tiles: Self.tiles(of: source, random: &random)
        }
    }

    private static func gradient(width: Int, height: Int, random: inout SeededGenerator) -> Picture {
        func wave(across: Double, down: Double) -> [Float] {
            let phase = Double.random(in: 0..<1, using: &random)
            return (0..<width * height).map { i in
                let (x, y) = (Double(i % width) / Double(width), Double(i / width) / Double(height))
                return Float(sin(2 * .pi * (across * x + down * y + phase)))
            }
        }
        return picture(
            luma: wave(across: 1, down: 1), tints: (0..<3).map { wave(across: Double($0), down: 1) }, width: width,
            height: height)
    }

    private static func texture(width: Int, height: Int, random: inout SeededGenerator) -> Picture {
        func noise() -> [Float] {
            var plane = [Float](repeating: 0, count: width * height)
            // Octaves: twice the detail at 0.6 of the strength each time.
            for octave in 0..<5 {
                let rows = 3 << octave
                let columns = max(1, rows * width / height)
                let lattice = (0..<rows * columns).map { _ in Float.random(in: -1...1, using: &random) }
                let strength = Float(pow(0.6, Double(octave)))
                add(lattice, columns: columns, rows: rows, strength: strength, to: &plane, width: width, height: height)
            }
            return plane
        }
        return picture(luma: noise(), tints: (0..<3).map { _ in noise() }, width: width, height: height)
    }

    /// Mostly light and dark, with some colour, as in rooms and landscapes; `luma` and `tints` are about -1…1.
    private static func picture(luma: [Float], tints: [[Float]], width: Int, height: Int) -> Picture {
        let planes = tints.map { tint in
            zip(luma, tint).map { min(max(0.45 + 0.3 * $0 + 0.12 * $1, 0), 1) }
        }
        return Picture(width: width, height: height, planes: planes)
    }

    /// Adds a lattice of numbers, stretched over the plane and smooth between its points; the last meets the first.
    private static func add(
        _ lattice: [Float], columns: Int, rows: Int, strength: Float, to plane: inout [Float], width: Int, height: Int
    ) {
        func ease(_ t: Float) -> Float { t * t * (3 - 2 * t) }
        for y in 0..<height {
            let v = Float(y * rows) / Float(height)
            let top = Int(v)
            let (upper, lower, t) = (top * columns, (top + 1) % rows * columns, ease(v - Float(top)))
            for x in 0..<width {
                let u = Float(x * columns) / Float(width)
                let left = Int(u)
                let (right, s) = ((left + 1) % columns, ease(u - Float(left)))
                let above = lattice[upper + left] * (1 - s) + lattice[upper + right] * s
                let below = lattice[lower + left] * (1 - s) + lattice[lower + right] * s
                plane[y * width + x] += strength * (above * (1 - t) + below * t)
            }
        }
    }

    private static func tiles(of source: Picture, random: inout SeededGenerator) -> Picture {
        let (width, height) = (source.width, source.height)
        let size = max(2, height / 16)
        var picture = Picture(width: width, height: height)
        for top in stride(from: 0, to: height, by: size) {
            for left in stride(from: 0, to: width, by: size) {
                let fromY = Int.random(in: 0...max(0, height - size), using: &random)
                let fromX = Int.random(in: 0...max(0, width - size), using: &random)
                for y in 0..<min(size, height - top) {
                    for x in 0..<min(size, width - left) {
                        let from = (fromY + y) * width + fromX + x
                        let to = (top + y) * width + left + x
                        for component in 0..<3 { picture.planes[component][to] = source.planes[component][from] }
                    }
                }
            }
        }
        return picture
    }
}
