import Imaging
import MatteVision
import TestSupport
import Testing

@testable import Matte

/// The masks and the angles against the exact truth of the rendered clip.
struct TruthTests {
    @Test(arguments: [
        (GeneratePersonSegmentationRequest.QualityLevel.fast, 0.965), (.balanced, 0.97), (.accurate, 0.975),
    ])
    func maskOverlapsTheTruth(_ level: GeneratePersonSegmentationRequest.QualityLevel, _ least: Double) throws {
        let request = GeneratePersonSegmentationRequest(qualityLevel: level)
        let alphas = try SampleClip.alphas()
        let frames = try SampleClip.frames()
        #expect(frames.count == 96 && alphas.count == 96)
        var sum = 0.0
        for (frame, alpha) in zip(frames, alphas) {
            let mask = try request.perform(on: frame)
            #expect(mask.pts == frame.pts)
            sum += intersectionOverUnion(mask.pixelBuffer.luma(), alpha.luma())
        }
        #expect(sum / Double(frames.count) >= least)
    }

    private func intersectionOverUnion(_ a: [UInt8], _ b: [UInt8]) -> Double {
        var (common, union) = (0, 0)
        for i in a.indices {
            let (inA, inB) = (a[i] > 127, b[i] > 127)
            if inA && inB { common += 1 }
            if inA || inB { union += 1 }
        }
        return Double(common) / Double(max(union, 1))
    }

    @Test func anglesFollowTheTruthInEveryFrame() throws {
        let request = DetectFaceRectanglesRequest()
        let poses = try SampleClip.poses()
        var sums = (roll: 0.0, yaw: 0.0, pitch: 0.0)
        for (frame, truth) in zip(try SampleClip.frames(), poses) {
            let face = try #require(try request.perform(on: frame).first)
            let degrees = 180 / Double.pi
            sums.roll += abs(face.roll * degrees - truth.roll)
            sums.yaw += abs(face.yaw * degrees - truth.yaw)
            sums.pitch += abs(face.pitch * degrees - truth.pitch)
        }
        let count = Double(poses.count)
        #expect(sums.roll / count <= 1.5)
        #expect(sums.yaw / count <= 4)
        #expect(sums.pitch / count <= 3)
    }
}
