import Imaging
import MatteVision
import TestSupport
import Testing

@testable import Matte

struct MatteFilterTests {
    private func configuration(_ change: (inout Configuration) -> Void = { _ in }) -> Configuration {
        var configuration = Configuration()
        configuration.qualityLevel = .fast
        change(&configuration)
        return configuration
    }

    @Test func theMaskIsTheFrameOfItsOwnOutput() throws {
        let filter = MatteFilter(configuration { $0.outputKind = .mask })
        for frame in try SampleClip.frames(limit: 3) {
            let output = try filter.process(frame)
            #expect(output.frame.pixelBuffer.luma() == output.mask.pixelBuffer.luma())
            #expect(output.frame.color == ColorDescription(range: .full))
            #expect(output.frame.pts == frame.pts && output.mask.pts == frame.pts)
            #expect(output.faces.isEmpty, "nobody asked for faces")
        }
    }

    @Test func thePersonStaysAndTheBackgroundGoes() throws {
        let black = RGBColor(red: 0, green: 0, blue: 0)
        let filter = MatteFilter(configuration { $0.background = .color(black) })
        let frame = try #require(try SampleClip.frames(limit: 1).first)
        let output = try filter.process(frame)
        let (before, after) = (frame.pixelBuffer.luma(), output.frame.pixelBuffer.luma())
        let mask = output.mask.pixelBuffer.luma()
        #expect(before.indices.allSatisfy { mask[$0] < 255 || after[$0] == before[$0] })
        #expect(before.indices.allSatisfy { mask[$0] > 0 || after[$0] == 16 })
    }

    @Test func theColourFollowsTheHead() throws {
        let filter = MatteFilter(configuration())
        var colorizer = PoseColorizer(.all)
        var shown: [(yaw: Double, luma: Int)] = []
        for (frame, pose) in zip(try SampleClip.frames(limit: 40), try SampleClip.poses()) {
            let output = try filter.process(frame)
            let color = colorizer.color(for: output.faces, at: try #require(frame.time))
            let buffer = output.frame.pixelBuffer
            let expected = ColorConversion(
                format: buffer.format, color: frame.color, width: buffer.width, height: buffer.height
            ).codeValues(red: color.red, green: color.green, blue: color.blue)
            let corner = buffer.format.planes.indices.map { buffer.withPlane($0) { Int($0.row(0, as: UInt8.self)[0]) } }
            #expect(corner == (0..<3).map { Int(expected[$0]) })
            shown.append((pose.yaw, corner[0]))
        }
        // Yaw is green, of which luma has most.
        let lumas = { (turned: (Double) -> Bool) in shown.filter { turned($0.yaw) }.map(\.luma) }
        #expect(try #require(lumas { $0 > 30 }.min()) > #require(lumas { $0 < -30 }.max()))
    }

    @Test func whatDoesNotGoTogetherIsRefusedWithoutPreparationToo() throws {
        let frame = try #require(try SampleClip.frames(limit: 1).first)
        let wish = configuration {
            $0.outputKind = .mask
            $0.effects = [.dim(stops: 1)]
        }
        let error = MatteError(.usage, "effects are for composites: a mask has no dim:1")
        #expect(throws: error) { try MatteFilter(wish).prepare(width: 640, height: 360) }
        #expect(throws: error) { try MatteFilter(wish).process(frame) }
    }

    @Test func aMaskInColourIsRefused() throws {
        let wish = configuration {
            $0.outputKind = .mask
            $0.maskPixelFormat = .yuv420p
        }
        #expect(throws: MatteError(.usage, "a mask can't be yuv420p: take gray, gray10le or gray16le")) {
            try MatteFilter(wish).prepareBackground()
        }
    }

    @Test func aMissingModelIsUnavailable() throws {
        let filter = MatteFilter(configuration { $0.models = ModelLibrary(directory: "/nowhere") })
        #expect(
            throws: MatteError(
                .unavailable,
                "can't read the model description '/nowhere/manifest.json': no such file or directory; name a folder or a file that is there"
            )
        ) { try filter.prepare(width: 64, height: 64) }
    }
}
