import Foundation
import Imaging
import MatteVision
import TestSupport
import Testing

@testable import Matte

struct PoseWriterTests {
    private let folder = TemporaryFolder()

    private func output(_ faces: [FaceObservation], pts: Int64) -> MatteFilter.Output {
        let picture = MutablePixelBuffer(format: .gray8, width: 200, height: 100).publish()
        var frame = VideoFrame(pixelBuffer: picture, pts: pts)
        frame.timeBase = Rational(1, 25)
        // Stored lying on its side: upright it is 100 wide and 200 high.
        frame.orientation = .right
        return .init(frame: frame, mask: PixelBufferObservation(pixelBuffer: picture, pts: pts), faces: faces)
    }

    private let face = FaceObservation(
        boundingBox: Rectangle(x: 0.1, y: 0.25, width: 0.5, height: 0.5), confidence: 0.75, roll: .pi / 6,
        yaw: -.pi / 4,
        pitch: 0, faceID: 7)

    @Test func csv() throws {
        let path = folder.path("pose.csv")
        let writer = try PoseWriter(path: path, overwrite: false)
        try writer.write(output([face, face], pts: 0), frame: 0)
        try writer.write(output([], pts: 1), frame: 1)
        #expect(folder.contents.count == 1 && !folder.contents.contains("pose.csv"), "not under its name yet")
        try writer.finish()
        let text = try String(contentsOfFile: path, encoding: .utf8)
        #expect(
            text == """
                frame,time,face,x,y,width,height,confidence,roll,pitch,yaw,id
                0,0.000000,0,10.00,50.00,50.00,100.00,0.7500,30.00,0.00,-45.00,7
                0,0.000000,1,10.00,50.00,50.00,100.00,0.7500,30.00,0.00,-45.00,7
                1,0.040000,,,,,,,,,,

                """)
        #expect(folder.contents == ["pose.csv"])
    }

    @Test func jsonLines() throws {
        let path = folder.path("pose.jsonl")
        let writer = try PoseWriter(path: path, overwrite: false)
        try writer.write(output([face], pts: 0), frame: 0)
        try writer.write(output([], pts: 1), frame: 1)
        try writer.finish()
        let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
        #expect(
            lines == [
                #"{"frame":0,"time":0.000000,"face":0,"x":10.00,"y":50.00,"width":50.00,"height":100.00,"confidence":0.7500,"roll":30.00,"pitch":0.00,"yaw":-45.00,"id":7}"#,
                #"{"frame":1,"time":0.040000,"face":null,"x":null,"y":null,"width":null,"height":null,"confidence":null,"roll":null,"pitch":null,"yaw":null,"id":null}"#,
            ])
    }

    @Test func discardLeavesNothing() throws {
        let writer = try PoseWriter(path: folder.path("pose.csv"), overwrite: false)
        writer.discard()
        #expect(folder.contents.isEmpty)
    }

    @Test func anExistingFileIsReplacedOnlyOnRequest() throws {
        let path = folder.path("pose.csv")
        try Data("mine".utf8).write(to: URL(filePath: path))
        #expect(
            throws: MatteError(
                .cannotCreate, "can't create '\(path)': it exists already; choose another name, or pass --overwrite")
        ) { try PoseWriter(path: path, overwrite: false) }
        try PoseWriter(path: path, overwrite: true).finish()
        #expect(try String(contentsOfFile: path, encoding: .utf8).hasPrefix("frame,time"))
    }

    @Test(arguments: [
        (0.0, 0, "0"), (-1.5, 0, "-2"), (1.25, 2, "1.25"), (0.004, 2, "0.00"), (-0.004, 2, "0.00"),
        (12345.678, 2, "12345.68"), (-0.5, 3, "-0.500"),
    ])
    func decimalsAreFixed(_ value: Double, _ digits: Int, _ text: String) {
        #expect(value.fixed(digits) == text)
    }
}
