import Foundation
import TestSupport
import Testing

@testable import MatteVision

private let degree = Double.pi / 180

private func canonicalFace() throws -> CanonicalFace {
    try CanonicalFace(path: "\(Checkout.models)/canonical_face.csv")
}

extension RotationMatrix {
    fileprivate static let identity = RotationMatrix(x: [1, 0, 0], y: [0, 1, 0], z: [0, 0, 1])

    fileprivate func apply(_ point: SIMD3<Double>) -> SIMD3<Double> {
        [(x * point).sum(), (y * point).sum(), (z * point).sum()]
    }
}

private func isClose(_ a: RotationMatrix, _ b: RotationMatrix, _ tolerance: Double = 1e-9) -> Bool {
    let (x, y, z) = (a.x - b.x, a.y - b.y, a.z - b.z)
    return (x * x + y * y + z * z).sum().squareRoot() < tolerance
}

/// Poses all over the range: whole turns of roll, yaw and pitch up to their ends.
private let poses: [HeadPose] = stride(from: -180.0, through: 179, by: 30).flatMap { roll in
    [-89.0, -40, 0, 15, 89].flatMap { yaw in
        [-179.0, -60, 0, 20, 120].map { pitch in
            HeadPose(roll: roll * degree, yaw: yaw * degree, pitch: pitch * degree)
        }
    }
}

struct HeadPoseTests {
    @Test func positiveRollTakesTheTopOfTheHeadToTheLeft() {
        let top = HeadPose(roll: 0.1, yaw: 0, pitch: 0).rotation.apply([0, 1, 0])
        #expect(top.x < 0 && abs(top.x + sin(0.1)) < 1e-12 && top.z == 0)
    }

    @Test func positiveYawTakesTheNoseToTheRight() {
        let nose = HeadPose(roll: 0, yaw: 0.1, pitch: 0).rotation.apply([0, 0, 1])
        #expect(nose.x > 0 && abs(nose.x - sin(0.1)) < 1e-12 && nose.y == 0)
    }

    @Test func positivePitchTakesTheNoseDown() {
        let nose = HeadPose(roll: 0, yaw: 0, pitch: 0.1).rotation.apply([0, 0, 1])
        #expect(nose.y < 0 && abs(nose.y + sin(0.1)) < 1e-12 && nose.x == 0)
    }

    @Test func anglesComeBackFromTheirRotation() {
        for pose in poses {
            let again = HeadPose(pose.rotation)
            // -180 and 180 degrees are the same roll.
            #expect(abs(sin((again.roll - pose.roll) / 2)) < 1e-9)
            #expect(abs(again.yaw - pose.yaw) < 1e-9 && abs(again.pitch - pose.pitch) < 1e-9)
        }
    }

    @Test func rotationsFollowEachOther() {
        let (first, second) = (poses[7].rotation, poses[101].rotation)
        let point = SIMD3(0.3, -1.2, 0.7)
        let difference = first.then(second).apply(point) - second.apply(first.apply(point))
        #expect((difference * difference).sum() < 1e-24)
    }

    @Test func fitFindsTheTurnWhateverPlaceAndSize() throws {
        let face = try canonicalFace()
        for (index, pose) in poses.enumerated() {
            let (scale, shift) = (0.01 + Double(index), SIMD3(Double(index), -50, 1000))
            let points = face.vertices.map { scale * pose.rotation.apply($0) + shift }
            let fit = RotationMatrix(from: face.vertices, to: points, weights: face.weights)
            #expect(isClose(fit, pose.rotation), "\(pose)")
        }
    }

    @Test func fitIsNeverAReflection() throws {
        let face = try canonicalFace()
        let mirrored = face.vertices.map { $0 * [1, 1, -1] }
        let fit = RotationMatrix(from: face.vertices, to: mirrored, weights: face.weights)
        let cross = SIMD3(
            fit.x.y * fit.y.z - fit.x.z * fit.y.y, fit.x.z * fit.y.x - fit.x.x * fit.y.z,
            fit.x.x * fit.y.y - fit.x.y * fit.y.x)
        #expect(abs((cross * fit.z).sum() - 1) < 1e-9)
    }

    @Test func weightsDecideBetweenPointsThatDisagree() {
        let points: [SIMD3<Double>] = [[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]]
        let (half, zero) = (HeadPose(roll: 0.5, yaw: 0, pitch: 0).rotation, RotationMatrix.identity)
        // The first four turn by 0.5, and count; the last two, which stay, don't.
        let to = points.enumerated().map { $0 < 4 ? half.apply($1) : zero.apply($1) }
        let fit = RotationMatrix(from: points, to: to, weights: [0.25, 0.25, 0.25, 0.25, 0, 0])
        #expect(isClose(fit, half))
    }

    @Test func principalEigenvectorBelongsToTheLargestEigenvalue() {
        // Eigenvalues 5, -7, 2 and 1 on orthogonal directions; the most negative is the largest by size.
        let directions: [SIMD4<Double>] = [[1, 1, 1, 1], [1, -1, 1, -1], [1, 1, -1, -1], [1, -1, -1, 1]].map { $0 / 2 }
        var rows = [SIMD4<Double>](repeating: .zero, count: 4)
        for (value, direction) in zip([5.0, -7, 2, 1], directions) {
            for i in 0..<4 { rows[i] += value * direction[i] * direction }
        }
        let vector = SymmetricMatrix4(rows: rows).principalEigenvector
        #expect(abs(abs((vector * directions[0]).sum()) - 1) < 1e-12)
        #expect(abs((vector * vector).sum() - 1) < 1e-12)
        let diagonal = SymmetricMatrix4(rows: [[1, 0, 0, 0], [0, 3, 0, 0], [0, 0, 2, 0], [0, 0, 0, 3.5]])
        #expect(diagonal.principalEigenvector == [0, 0, 0, 1])
    }

    /// Landmarks of the canonical face in `pose`, its weighted centre at (x, y) of the picture.
    private func landmarks(_ face: CanonicalFace, _ pose: HeadPose, x: Double, y: Double) -> [SIMD3<Double>] {
        face.vertices.map { vertex in
            let turned = pose.rotation.apply(vertex)
            return [x + 100 * turned.x, y - 100 * turned.y, -100 * turned.z]
        }
    }

    @Test func anglesInThePicturesMiddleAreTheFitsWithTheGain() throws {
        let face = try canonicalFace()
        let gain = 1.12
        for (roll, yaw, pitch) in [(0.0, 0.0, 0.0), (170, 20, 10), (-95, -45, -30), (30, 5, 40)] {
            let points = landmarks(
                face, HeadPose(roll: roll * degree, yaw: yaw * degree, pitch: pitch * degree), x: 320, y: 180)
            let pose = HeadPose(landmarks: points, canonicalFace: face, width: 640, height: 360)
            #expect(abs(pose.roll - roll * degree) < 1e-4)
            #expect(abs(pose.yaw - gain * yaw * degree) < 1e-4)
            #expect(abs(pose.pitch - gain * pitch * degree) < 1e-4)
        }
    }

    @Test func aFaceAtTheEdgeThatLooksAtTheCameraLooksInwards() throws {
        let face = try canonicalFace()
        let frontal = HeadPose(roll: 0, yaw: 0, pitch: 0)
        let focalLength = 0.866 * 640
        let right = HeadPose(
            landmarks: landmarks(face, frontal, x: 520, y: 180), canonicalFace: face, width: 640, height: 360)
        #expect(abs(right.yaw + atan(200 / focalLength)) < 1e-4 && abs(right.pitch) < 1e-4 && abs(right.roll) < 1e-4)
        let top = HeadPose(
            landmarks: landmarks(face, frontal, x: 320, y: 80), canonicalFace: face, width: 640, height: 360)
        #expect(abs(top.pitch - atan(100 / focalLength)) < 1e-4 && abs(top.yaw) < 1e-4 && abs(top.roll) < 1e-4)
        let ofAHighPicture = HeadPose(
            landmarks: landmarks(face, frontal, x: 280, y: 320), canonicalFace: face, width: 360, height: 640)
        #expect(abs(ofAHighPicture.yaw + atan(100 / focalLength)) < 1e-4)
    }

    // A quarter turn and more, seen from the camera: only the sign of the yaw could tell it from less.
    @Test(arguments: [-1.0, 1])
    func beyondAProfileRollAndPitchStayWhatTheyAre(side: Double) throws {
        let face = try canonicalFace()
        for yaw in stride(from: 55.0, through: 80, by: 1) {
            let turned = HeadPose(roll: 0, yaw: side * yaw * degree, pitch: 0)
            let pose = HeadPose(
                landmarks: landmarks(face, turned, x: 960 - side * 576, y: 540), canonicalFace: face, width: 1920,
                height: 1080)
            #expect(abs(pose.roll) < degree && abs(pose.pitch) < degree, "\(yaw)")
            #expect(side * pose.yaw > 80 * degree && side * pose.yaw <= .pi / 2, "\(yaw)")
        }
    }

    @Test func rollIsContinuousOverAWholeTurn() throws {
        let face = try canonicalFace()
        var last = 0.0
        for step in 1...72 {
            let points = landmarks(
                face, HeadPose(roll: Double(step) * 5 * degree, yaw: 0.3, pitch: -0.2), x: 100, y: 300)
            let pose = HeadPose(landmarks: points, canonicalFace: face, width: 640, height: 360)
            if step > 1 {
                let change = (pose.roll - last).remainder(dividingBy: 2 * .pi)
                #expect(change > 2 * degree && change < 8 * degree)
            }
            last = pose.roll
        }
    }
}

struct CanonicalFaceTests {
    private let folder = TemporaryFolder()

    @Test func faceIsSymmetricAndOneBetweenTheEyes() throws {
        let face = try canonicalFace()
        #expect(face.vertices.count == 468 && abs(face.weights.reduce(0, +) - 1) < 1e-12)
        for vertex in face.vertices {
            let mirrored = vertex * [-1, 1, 1]
            let distances = face.vertices.map { (($0 - mirrored) * ($0 - mirrored)).sum() }
            #expect(distances.min()! < 1e-8)
        }
        let eyes = face.vertices[FaceMesh.leftEyeCorner] - face.vertices[FaceMesh.rightEyeCorner]
        #expect(abs(eyes.x - 1) < 1e-4 && abs(eyes.y) < 1e-4)
    }

    private func write(_ text: String) throws -> String {
        try Data(text.utf8).write(to: folder.url("face.csv"))
        return folder.path("face.csv")
    }

    @Test func errorsNameTheFileAndWhatIsWrong() throws {
        let missing = folder.path("missing.csv")
        #expect(
            throws: VisionError(
                .unavailable,
                "can't read the canonical face '\(missing)': no such file or directory; name a folder or a file that is there"
            )
        ) { try CanonicalFace(path: missing) }
        let path = try write("a,b\n1,2\n")
        #expect(
            throws: VisionError(.invalid, "the canonical face '\(path)' does not have the columns x,y,z,weight")
        ) { try CanonicalFace(path: path) }
        let header = "# a comment\nx,y,z,weight\n"
        for rows in [
            "0,0,0,1\n", String(repeating: "0,0,0\n", count: 468), String(repeating: "0,0,nan,1\n", count: 468),
        ] {
            _ = try write(header + rows)
            #expect(throws: VisionError(.invalid, "the canonical face '\(path)' needs 468 rows of four numbers")) {
                try CanonicalFace(path: path)
            }
        }
        _ = try write(header + String(repeating: "0,0,0,0\n", count: 468))
        #expect(throws: VisionError(.invalid, "the canonical face '\(path)' has weights that are not positive")) {
            try CanonicalFace(path: path)
        }
    }
}
