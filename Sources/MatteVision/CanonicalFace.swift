#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The face mesh's vertices on a neutral, frontal head: what a face's landmarks are compared with.
struct CanonicalFace {
    /// Axes of `RotationMatrix`; the unit does not matter.
    let vertices: [SIMD3<Double>]
    /// How much each vertex counts in a fit; they add up to 1.
    let weights: [Double]

    /// Reads `path`: comma-separated `x,y,z,weight`, one row for each vertex of the mesh, after a row of these names. Lines
    /// that begin with # are comments.
    init(path: String) throws(VisionError) {
        let data = try DescriptionFile.contents("canonical face", at: path)
        let lines = String(decoding: data, as: UTF8.self).split(whereSeparator: \.isNewline)
            .filter { !$0.hasPrefix("#") }
        guard lines.first == "x,y,z,weight" else {
            throw VisionError(.invalid, "the canonical face '\(path)' does not have the columns x,y,z,weight")
        }
        let rows = lines.dropFirst().map { $0.split(separator: ",").compactMap { Double($0) } }
        guard rows.count == FaceMesh.landmarkCount, rows.allSatisfy({ $0.count == 4 && $0.allSatisfy(\.isFinite) })
        else {
            throw VisionError(
                .invalid, "the canonical face '\(path)' needs \(FaceMesh.landmarkCount) rows of four numbers")
        }
        let sum = rows.reduce(0) { $0 + $1[3] }
        guard sum > 0, rows.allSatisfy({ $0[3] >= 0 }) else {
            throw VisionError(.invalid, "the canonical face '\(path)' has weights that are not positive")
        }
        vertices = rows.map { [$0[0], $0[1], $0[2]] }
        weights = rows.map { $0[3] / sum }
    }
}
