import Compositing
import Imaging
import Matte
import MatteVision
import Media

// Puts a colour that follows the head behind the people of a video: FacePoseSegmentation in.mp4 out.mp4
@main
struct FacePoseSegmentation {
    static func main() throws {
        let paths = CommandLine.arguments.dropFirst()
        guard let input = paths.first, let output = paths.last, paths.count == 2 else {
            print("usage: FacePoseSegmentation in.mp4 out.mp4")
            return
        }
        // Grey frames get room for the colour.
        let reader = try MediaReader(path: input, options: .init(addition: .color))
        let writer = try MediaWriter(path: output, reader: reader)

        // Both requests remember the frames before: make them once for the whole sequence.
        let personSegmentation = GeneratePersonSegmentationRequest(qualityLevel: .balanced)
        let faceRectangles = DetectFaceRectanglesRequest()
        let compositor = Compositor()
        var color = PoseColor.all.color(roll: 0, yaw: 0, pitch: 0)

        while let item = try reader.next() {
            // Sound, subtitles and whatever else the video carries go through as they are.
            guard case .frame(let frame) = item else {
                try writer.write(item)
                continue
            }
            let (mask, faces) = try ImageRequestHandler(frame).perform(personSegmentation, faceRectangles)
            if let face = faces.first {
                color = PoseColor.all.color(roll: face.roll, yaw: face.yaw, pitch: face.pitch)
            }
            try writer.write(.frame(compositor.composite(frame, mask: mask.pixelBuffer, over: .color(color))))
        }
        try writer.finish()
    }
}
