import Foundation
import Imaging
import TestSupport
import Testing

@testable import MatteVision

/// Detector, mesh and angles against recorded results of the reference implementation, and of MediaPipe itself.
///
/// Pixels of pictures of 640x360, as index coordinates; angles in degrees.
struct FaceReferenceTests {
    struct Reference: Decodable {
        struct Detection: Decodable {
            var score: Double
            var box: [Double]
            var keyPoints: [[Double]]
        }

        struct Angles: Decodable {
            var roll: Double
            var yaw: Double
            var pitch: Double
        }

        struct Region: Decodable {
            var x: Double
            var y: Double
            var side: Double
            var rotation: Double
        }

        struct Pass: Decodable {
            var region: Region
            var presence: Double
            var landmarks: [[Double]]
            var angles: Angles
        }

        struct MediaPipe: Decodable {
            var landmarks: [[Double]]
        }

        struct Frame: Decodable {
            var picture: String
            var detection: Detection
            /// The mesh in the region of the detection.
            var fromDetection: Pass
            /// The mesh in the region of those landmarks.
            var fromLandmarks: Pass
            var mediapipe: MediaPipe
        }

        /// The vertices whose landmarks are recorded.
        var vertices: [Int]
        var frames: [Frame]
    }

    private let reference: Reference
    private let library = ModelLibrary(directory: Checkout.models)

    init() throws {
        let data = try Data(contentsOf: URL(filePath: Checkout.fixture("face_reference.json")))
        reference = try JSONDecoder().decode(Reference.self, from: data)
    }

    @Test func detectorFindsWhatTheReferenceFinds() throws {
        let detector = try FaceDetector(library.installed().faceModel(\.detector), library: library)
        for frame in reference.frames {
            let found = try detector.detect(.uprightFirst, in: FixturePicture.load(frame.picture))
            #expect(found.count == 1)
            let box = found[0].box
            let numbers = [box.x, box.y, box.maxX, box.maxY] + found[0].points[2...].flatMap { [$0.x, $0.y] }
            let wanted = frame.detection.box + frame.detection.keyPoints.flatMap { $0 }
            #expect(abs(found[0].score - frame.detection.score) < 1e-4)
            #expect(zip(numbers, wanted).allSatisfy { abs($0 - $1) < 0.001 }, "\(frame.picture)")
        }
    }

    private func distance(_ mesh: FaceMesh, _ wanted: [[Double]], axes: Int) -> Double {
        zip(reference.vertices, wanted).map { vertex, point in
            (0..<axes).map { abs(mesh.landmarks[vertex][$0] - point[$0]) }.max()!
        }.max()!
    }

    @Test func meshFitsAsTheReferenceDoes() throws {
        let network = try FaceMeshNetwork(library.installed().faceModel(\.mesh), library: library)
        let canonicalFace = try CanonicalFace(path: "\(Checkout.models)/canonical_face.csv")
        for frame in reference.frames {
            let picture = try FixturePicture.load(frame.picture)
            for pass in [frame.fromDetection, frame.fromLandmarks] {
                let mesh = try network.fit(TurnedSquare(pass.region), in: picture)
                #expect(abs(mesh.presence - pass.presence) < 1e-3)
                #expect(distance(mesh, pass.landmarks, axes: 3) < 0.02, "\(frame.picture)")
                let pose = HeadPose(landmarks: mesh.landmarks, canonicalFace: canonicalFace, width: 640, height: 360)
                let degrees = [pose.roll, pose.yaw, pose.pitch].map { $0 * 180 / .pi }
                let wanted = [pass.angles.roll, pass.angles.yaw, pass.angles.pitch]
                #expect(zip(degrees, wanted).allSatisfy { abs($0 - $1) < 0.05 }, "\(frame.picture)")
            }
            // MediaPipe's own crop is rounded to 8 bits and to 1/32 pixel.
            let mesh = try network.fit(TurnedSquare(frame.fromDetection.region), in: picture)
            #expect(distance(mesh, frame.mediapipe.landmarks, axes: 2) < 0.25, "\(frame.picture)")
        }
    }

    @Test func regionOfTheNextFrameIsTheReferences() throws {
        let network = try FaceMeshNetwork(library.installed().faceModel(\.mesh), library: library)
        for frame in reference.frames {
            let mesh = try network.fit(
                TurnedSquare(frame.fromDetection.region), in: FixturePicture.load(frame.picture))
            let (region, wanted) = (TurnedSquare(landmarks: mesh.landmarks), TurnedSquare(frame.fromLandmarks.region))
            #expect(hypot(region.x - wanted.x, region.y - wanted.y) < 0.02)
            #expect(abs(region.side - wanted.side) < 0.05 && abs(region.rotation - wanted.rotation) < 5e-4)
        }
    }

    @Test func requestReadsTheReferencesAngles() throws {
        let request = DetectFaceRectanglesRequest(models: library)
        for frame in reference.frames {
            request.reset()
            let faces = try request.perform(on: FixturePicture.load(frame.picture))
            #expect(faces.count == 1 && faces[0].confidence > 0.99)
            let degrees = [faces[0].roll, faces[0].yaw, faces[0].pitch].map { $0 * 180 / .pi }
            let wanted = [
                frame.fromLandmarks.angles.roll, frame.fromLandmarks.angles.yaw, frame.fromLandmarks.angles.pitch,
            ]
            #expect(zip(degrees, wanted).allSatisfy { abs($0 - $1) < 0.1 }, "\(frame.picture)")
        }
    }
}

extension TurnedSquare {
    fileprivate init(_ region: FaceReferenceTests.Reference.Region) {
        self.init(x: region.x, y: region.y, side: region.side, rotation: region.rotation)
    }
}
