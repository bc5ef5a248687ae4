import Foundation
import Imaging
import TestSupport
import Testing

@testable import MatteVision

/// Networks that take one colour for people: what is yellow is one for both, and what is red or green is a mistake of one.
struct FloodTests {
    private let folder = TemporaryFolder()

    /// OpenVINO IR of a convolution of one pixel, which leaves one channel of the picture.
    private static let network = """
        <?xml version="1.0"?>
        <net name="color" version="11"><layers>
        <layer id="0" name="image" type="Parameter" version="opset1"><data shape="1,3,64,64" element_type="f32"/>
        <output><port id="0" precision="FP32" names="image"><dim>1</dim><dim>3</dim><dim>64</dim><dim>64</dim></port></output>
        </layer>
        <layer id="1" name="weights" type="Const" version="opset1">
        <data element_type="f32" shape="1,3,1,1" offset="0" size="12"/>
        <output><port id="0" precision="FP32"><dim>1</dim><dim>3</dim><dim>1</dim><dim>1</dim></port></output></layer>
        <layer id="2" name="convolution" type="Convolution" version="opset1">
        <data strides="1, 1" dilations="1, 1" pads_begin="0, 0" pads_end="0, 0" auto_pad="explicit"/>
        <input><port id="0"><dim>1</dim><dim>3</dim><dim>64</dim><dim>64</dim></port>
        <port id="1"><dim>1</dim><dim>3</dim><dim>1</dim><dim>1</dim></port></input>
        <output><port id="2" precision="FP32" names="mask"><dim>1</dim><dim>1</dim><dim>64</dim><dim>64</dim></port></output>
        </layer>
        <layer id="3" name="result" type="Result" version="opset1">
        <input><port id="0"><dim>1</dim><dim>1</dim><dim>64</dim><dim>64</dim></port></input></layer>
        </layers><edges>
        <edge from-layer="0" from-port="0" to-layer="2" to-port="0"/>
        <edge from-layer="1" from-port="0" to-layer="2" to-port="1"/>
        <edge from-layer="2" from-port="2" to-layer="3" to-port="0"/>
        </edges></net>
        """

    private func models(selection: String) throws -> ModelLibrary {
        func model(_ name: String, weights: [Float]) throws -> String {
            try Data(Self.network.utf8).write(to: folder.url("\(name).xml"))
            try weights.withUnsafeBytes { try Data($0).write(to: folder.url("\(name).bin")) }
            return """
                {"name": "\(name)", "file": "\(name).xml",
                 "input": {"name": "image", "width": 64, "height": 64, "range": [0, 1], "layout": "NCHW"},
                 "output": {"name": "mask", "kind": "probability"}}
                """
        }
        let models = [try model("red", weights: [1, 0, 0]), try model("green", weights: [0, 1, 0])]
        let manifest = """
            {"models": [\(models.joined(separator: ", "))],
             "levels": {"fast": {"segmentation": ["red", "green"], "selection": "\(selection)",
                "following": {"regions": 2, "interval": 1}, "smoothing": {"strength": 0, "motion": 1}, "cost": 1}},
             "face": {"detector": "face", "mesh": "mesh", "canonicalFace": "face.csv"}}
            """
        try Data(manifest.utf8).write(to: folder.url("manifest.json"))
        return ModelLibrary(directory: folder.url.path)
    }

    /// Somebody in yellow with a red hat before black, and a red wall on the left and a green one on the right where they are
    /// told of.
    private func frame(walls: Bool, pts: Int64) -> VideoFrame {
        RGBPicture(width: 640, height: 360) { x, y in
            if (300..<340).contains(x), (100..<120).contains(y) { return [255, 0, 0] }
            if (280..<360).contains(x), (120..<300).contains(y) { return [255, 255, 0] }
            guard walls, (150..<250).contains(y) else { return [0, 0, 0] }
            return (200..<270).contains(x) ? [255, 0, 0] : (370..<440).contains(x) ? [0, 255, 0] : [0, 0, 0]
        }.frame(pts)
    }

    /// On the left, at the person, on the right, and at the hat.
    private func mask(_ request: GeneratePersonSegmentationRequest, walls: Bool, pts: Int64) throws -> [UInt8] {
        try request.perform(on: frame(walls: walls, pts: pts)).pixelBuffer.withPlane(0) { plane in
            [262, 320, 378].map { plane.row(200, as: UInt8.self)[$0] } + [plane.row(110, as: UInt8.self)[320]]
        }
    }

    @Test func ofAFloodThatRemainsOnlyThatCountsOnWhichTheWitnessesAgree() throws {
        let request = GeneratePersonSegmentationRequest(
            qualityLevel: .fast, models: try models(selection: "nearestAspect"))
        #expect(try mask(request, walls: false, pts: 0) == [0, 255, 0, 255], "one network's people are people")
        #expect(try mask(request, walls: true, pts: 1) == [0, 255, 0, 0])
        #expect(try mask(request, walls: true, pts: 2) == [0, 255, 0, 0], "as long as there is a flood")
        #expect(try mask(request, walls: false, pts: 3) == [0, 255, 0, 255])
    }

    @Test func whereAllNetworksMakeTheMaskItStays() throws {
        let request = GeneratePersonSegmentationRequest(qualityLevel: .fast, models: try models(selection: "all"))
        #expect(try mask(request, walls: false, pts: 0) == [0, 255, 0, 255])
        for pts in 1...2 as ClosedRange<Int64> {
            #expect(try mask(request, walls: true, pts: pts) == [255, 255, 0, 255], "the first one's")
        }
    }

    @Test func whoIsKnownIsThereForAsLongAsOneNetworkSeesThem() throws {
        let request = GeneratePersonSegmentationRequest(qualityLevel: .fast, models: try models(selection: "all"))
        func value(_ color: SIMD3<UInt8>, pts: Int64) throws -> UInt8 {
            let picture = RGBPicture(width: 640, height: 360) { x, y in
                (280..<360).contains(x) && (120..<300).contains(y) ? color : [0, 0, 0]
            }
            return try request.perform(on: picture.frame(pts)).pixelBuffer.withPlane(0) {
                $0.row(200, as: UInt8.self)[320]
            }
        }
        let (yellow, green, black) = (SIMD3<UInt8>(255, 255, 0), SIMD3<UInt8>(0, 255, 0), SIMD3<UInt8>(0, 0, 0))
        #expect(try value(green, pts: 0) == 0, "where there are two, it is the first that counts")
        for pts in Int64(1)..<3 { #expect(try value(yellow, pts: pts) == 255) }
        for pts in Int64(3)..<6 { #expect(try value(green, pts: pts) == 255) }
        #expect(try value(black, pts: 6) == 0)
        #expect(try value(green, pts: 7) == 0, "somebody else")
    }

    // The region moves with them.
    @Test func whoWalksIsThereForAsLongAsOneNetworkSeesThem() throws {
        let request = GeneratePersonSegmentationRequest(qualityLevel: .fast, models: try models(selection: "all"))
        func value(_ color: SIMD3<UInt8>, pts: Int64) throws -> UInt8 {
            let left = 200 + 25 * Int(pts)
            let picture = RGBPicture(width: 640, height: 360) { x, y in
                (left..<left + 80).contains(x) && (120..<300).contains(y) ? color : [0, 0, 0]
            }
            return try request.perform(on: picture.frame(pts)).pixelBuffer.withPlane(0) {
                $0.row(200, as: UInt8.self)[left + 40]
            }
        }
        for pts in Int64(0)..<3 { #expect(try value([255, 255, 0], pts: pts) == 255) }
        for pts in Int64(3)..<8 { #expect(try value([0, 255, 0], pts: pts) == 255, "\(pts)") }
    }

    @Test func aMapShowsTheSameWhereItMoved() {
        let map = ScalarMap(width: 4, height: 2, values: [1, 2, 3, 4, 5, 6, 7, 8])
        let origin = Rectangle(x: 100, y: 50, width: 40, height: 20)
        #expect(map.moved(from: origin, to: origin) == map)
        let right = map.moved(from: origin, to: Rectangle(x: 120, y: 50, width: 40, height: 20))
        #expect(right.values == [3, 4, 0, 0, 7, 8, 0, 0])
        let up = map.moved(from: origin, to: Rectangle(x: 100, y: 40, width: 40, height: 20))
        #expect(up.values == [0, 0, 0, 0, 1, 2, 3, 4])
        let part = map.moved(from: origin, to: Rectangle(x: 120, y: 60, width: 20, height: 10))
        #expect(part.values == [7, 7, 8, 8, 7, 7, 8, 8])
    }
}
