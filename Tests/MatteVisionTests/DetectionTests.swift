import Foundation
import Imaging
import Testing

@testable import MatteVision

struct DetectionTests {
    /// A detection whose key points all lie at its lower right corner.
    private func detection(_ score: Double, _ x0: Double, _ y0: Double, _ x1: Double, _ y1: Double) -> Detection {
        Detection(score: score, points: [[x0, y0], [x1, y1]] + Array(repeating: [x1, y1], count: 6))
    }

    @Test func anchorsLieInTheMiddleOfTheirCells() {
        let anchors = FaceDetector.anchors(inputSize: 128)
        #expect(anchors.centers.count == 896)
        // 16 x 16 cells with 2 anchors each, row by row, then 8 x 8 cells with 6.
        #expect(anchors.centers[0] == [1 / 32.0, 1 / 32.0] && anchors.centers[1] == anchors.centers[0])
        #expect(anchors.centers[2] == [3 / 32.0, 1 / 32.0] && anchors.centers[32] == [1 / 32.0, 3 / 32.0])
        #expect(anchors.centers[512] == [1 / 16.0, 1 / 16.0] && anchors.centers[517] == anchors.centers[512])
        #expect(anchors.centers[518] == [3 / 16.0, 1 / 16.0] && anchors.centers[895] == [15 / 16.0, 15 / 16.0])
    }

    @Test func outputsAreReadRelativeToTheirAnchor() {
        let anchors = FaceDetector.anchors(inputSize: 128)
        var regressors = [Float](repeating: 0, count: 16 * 896)
        var logits = [Float](repeating: -100, count: 896)
        // Anchor 2 is at (12, 4) pixels; the box is 4 pixels to the right of it, 32 wide and 16 high.
        regressors.replaceSubrange(32..<48, with: [4, 0, 32, 16, -8, 0, 8, 0, 0, 4, 0, 8, -16, 0, 16, 0])
        logits[2] = 2
        logits[700] = -0.01
        let found = anchors.detections(regressors: regressors, logits: logits)
        #expect(found.count == 1)
        #expect(abs(found[0].score - 1 / (1 + exp(-2.0))) < 1e-12)
        #expect(found[0].box == Rectangle(x: 0, y: -4 / 128, width: 32 / 128, height: 16 / 128))
        #expect(found[0].rightEye == SIMD2(4, 4) / 128 && found[0].leftEye == SIMD2(20, 4) / 128)
        #expect(found[0].points[7] == SIMD2(28.0, 4) / 128)
        logits[700] = 0
        #expect(anchors.detections(regressors: regressors, logits: logits).count == 2)
    }

    @Test func overlappingDetectionsAreAveragedByScore() {
        // The first two overlap by 9 x 10 of 110; the third stands alone.
        let merged = [
            detection(0.6, 1, 0, 11, 10), detection(0.9, 0, 0, 10, 10), detection(0.7, 50, 50, 60, 60),
        ].merged()
        #expect(merged.map(\.score) == [0.9, 0.7])
        #expect(abs(merged[0].box.x - 0.4) < 1e-12 && abs(merged[0].box.maxX - 10.4) < 1e-12)
        #expect(abs(merged[0].rightEye.x - 10.4) < 1e-12 && merged[0].rightEye.y == 10)
        #expect(merged[1].box.intersectionOverUnion(Rectangle(x: 50, y: 50, width: 10, height: 10)) > 1 - 1e-9)
    }

    @Test func onlyTheBestDetectionGathersOthers() {
        // A chain: the middle one overlaps both others, which don't overlap each other.
        let chain = [
            detection(0.9, 0, 0, 10, 10), detection(0.8, 5, 0, 15, 10), detection(0.7, 10, 0, 20, 10),
        ]
        let merged = chain.merged()
        #expect(merged.count == 2 && abs(merged[1].box.x - 10) < 1e-9)
        #expect(abs(merged[0].box.x - 5 * 0.8 / 1.7) < 1e-12)
    }

    @Test func anOverlapOfThreeTenthsIsNotYetOneFace() {
        // 6 of 20 and 7 of 20: IoU 0.3 and 0.35.
        let first = detection(0.9, 0, 0, 13, 1)
        #expect([first, detection(0.8, 7, 0, 20, 1)].merged().count == 2)
        #expect([detection(0.9, 0, 0, 13.5, 1), detection(0.8, 6.5, 0, 20, 1)].merged().count == 1)
    }

    @Test func aBoxWithoutAreaIsKept() {
        let flat = detection(0.9, 5, 5, 5, 5)
        #expect([flat].merged().map(\.box) == [flat.box])
    }

    @Test func ofDifferentTurnsTheBestIsKeptAsItIs() {
        let all = [detection(0.6, 1, 0, 11, 10), detection(0.9, 0, 0, 10, 10), detection(0.7, 50, 50, 60, 60)]
        #expect(all.bestOfOverlapping() == [all[1], all[2]])
    }

    @Test func turnedDetectionsKeepTheirBoxUpright() {
        let quarter = AffineTransform(a: 0, b: -1, tx: 20, c: 1, d: 0, ty: 0)
        let turned = detection(0.9, 2, 3, 6, 9).applying(quarter)
        #expect(turned.box == Rectangle(x: 11, y: 2, width: 6, height: 4))
        #expect(turned.rightEye == [11, 6])
    }
}

struct FaceRegionTests {
    @Test func regionOfADetectionFollowsItsEyes() {
        var points = [SIMD2<Double>](repeating: .zero, count: 8)
        points[0] = [100, 50]
        points[1] = [140, 110]
        points[2] = [110, 70]
        points[3] = [110, 90]
        let region = TurnedSquare(face: Detection(score: 1, points: points))
        #expect(region == TurnedSquare(x: 120, y: 80, side: 90, rotation: .pi / 2))
    }

    @Test func regionOfLandmarksTurnsWithThem() {
        let face: [SIMD3<Double>] = (0..<FaceMesh.landmarkCount).map { index in
            let angle = Double(index) * 0.7
            return [80 * cos(angle), 100 * sin(angle), 0]
        }
        func turned(_ angle: Double) -> TurnedSquare {
            let (c, s) = (cos(angle), sin(angle))
            return TurnedSquare(landmarks: face.map { [300 + c * $0.x - s * $0.y, 200 + s * $0.x + c * $0.y, $0.z] })
        }
        let upright = turned(0)
        for angle in stride(from: 0.1, to: 6.2, by: 0.5) {
            let region = turned(angle)
            #expect(abs(sin((region.rotation - upright.rotation - angle) / 2)) < 1e-12)
            #expect(abs(region.side - upright.side) < 1e-9)
            let (distance, before) = (hypot(region.x - 300, region.y - 200), hypot(upright.x - 300, upright.y - 200))
            #expect(abs(distance - before) < 1e-9)
        }
    }

    @Test func squareIsMappedAroundItsCentre() {
        let region = TurnedSquare(x: 100, y: 50, side: 20, rotation: .pi / 2)
        let center = region.toFrame.apply(0.5, 0.5)
        #expect(abs(center.x - 100) < 1e-12 && abs(center.y - 50) < 1e-12)
        // Turned clockwise by a quarter, the upper left corner is at the upper right.
        let corner = region.toFrame.apply(0, 0)
        #expect(abs(corner.x - 110) < 1e-12 && abs(corner.y - 40) < 1e-12)
    }

    @Test func meshBoxIsByPixelEdges() {
        let mesh = FaceMesh(landmarks: [[10, 20, 0], [30, 25, 5], [12, 60, -3]], presence: 0.5)
        #expect(mesh.box == Rectangle(x: 10.5, y: 20.5, width: 20, height: 40))
        #expect(mesh.isFace && !FaceMesh(landmarks: mesh.landmarks, presence: 0.49).isFace)
    }

    @Test(arguments: [(1280, 720), (640, 480), (720, 1280), (500, 500), (1919, 803), (2000, 500), (3, 2)])
    func partsHoldEveryPlaceOfAFrameWithRoomAroundIt(width: Int, height: Int) {
        let parts = FaceDetector.parts(width: width, height: height)
        let longer = Double(max(width, height))
        #expect(parts.count <= 9 && parts.allSatisfy { $0.width == longer / 2 && $0.height == longer / 2 })
        let frame = Rectangle(x: 0, y: 0, width: Double(width), height: Double(height))
        for row in 0...10 {
            for column in 0...10 {
                // A face of a quarter of the longer side, as far as it is in the frame.
                let (x, y) = (Double(column) / 10 * frame.width, Double(row) / 10 * frame.height)
                let half = longer / 8
                let face = Rectangle(x: x - half, y: y - half, width: 2 * half, height: 2 * half).intersection(frame)
                #expect(parts.contains { $0.intersection(face).area > face.area * (1 - 1e-9) }, "(\(x), \(y))")
            }
        }
    }

    // Hair over a face that looks down, taken for a face upside down, and the face (as they were met); heads side by side.
    @Test func aHeadIsOneFace() {
        let face = Rectangle(x: 213.7, y: 216.6, width: 198, height: 200.9)
        let hair = Rectangle(x: 218.5, y: 94.9, width: 212.3, height: 238.1)
        #expect(FaceTracker.areOne(face, hair) && FaceTracker.areOne(hair, face) && FaceTracker.areOne(face, face))
        let beside = Rectangle(x: 330, y: 200, width: 198, height: 200.9)
        #expect(!FaceTracker.areOne(face, beside) && !FaceTracker.areOne(beside, face))
    }

    /// A detection of a face whose eyes lie `rotation` radians clockwise.
    private func face(_ score: Double, rotation: Double) -> Detection {
        let eye = 10 * SIMD2(cos(rotation), sin(rotation))
        return Detection(score: score, points: [[-20, -20], [20, 20], -eye, eye] + Array(repeating: .zero, count: 4))
    }

    @Test func onlyASurerDetectionTellsThatAFaceIsFollowedTheWrongWayUp() {
        let mesh = FaceMesh(landmarks: Array(repeating: .zero, count: FaceMesh.landmarkCount), presence: 1)
        for turn in [0, 0.7, -3] {
            let followed = FaceTracker.Face(
                id: 0, score: 0.8, mesh: mesh, region: TurnedSquare(face: face(0.8, rotation: turn)))
            for other in [Double.pi, 1.2, -1.2] {
                #expect(followed.isWronglyTurned(face(0.81, rotation: turn + other)))
                #expect(!followed.isWronglyTurned(face(0.8, rotation: turn + other)))
            }
            for near in [0, 0.9, -0.9] { #expect(!followed.isWronglyTurned(face(0.99, rotation: turn + near))) }
        }
    }
}
