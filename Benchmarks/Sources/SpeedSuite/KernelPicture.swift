import Imaging
import MatteVision
import Measuring
import Media

/// A frame and its mask for kernels to work on.
struct KernelPicture {
    /// 8-bit 4:2:0.
    let frame: VideoFrame
    /// What the product makes at balanced.
    let mask: PixelBuffer
    /// The mask without soft edges.
    let hardMask: PixelBuffer
    /// The frame in a few steps of brightness, in which there is no noise.
    let posterized: PixelBuffer

    /// The sample clip's first frame at `width` by `height`.
    ///
    /// - Throws: `BenchmarkError` where `ffmpeg` can't be run, `MediaError` where the frame can't be read, `VisionError` where
    ///   a model is missing.
    init(width: Int, height: Int, models: String, folder: WorkingFolder) throws {
        let clip = try EnlargedVideo(
            of: Checkout.sampleVideo, width: width, height: height, times: 1, frameCount: 1, name: "kernels.mp4",
            in: folder)
        let reader = try MediaReader(path: clip.path)
        var found: VideoFrame?
        while found == nil, let item = try reader.next() {
            if case .frame(let frame) = item { found = frame }
        }
        guard var frame = found else { throw BenchmarkError("can't read '\(clip.path)': it has no frames") }
        let plain = PlainPicture(frame.pixelBuffer)
        frame.pixelBuffer = plain.buffer(.yuv420p)
        let request = GeneratePersonSegmentationRequest(models: ModelLibrary(directory: models))
        self.frame = frame
        mask = try request.perform(on: frame).pixelBuffer
        hardMask = PlainPicture(mask).buffer(.gray8) { $0 < 128 ? 0 : 255 }
        posterized = plain.buffer(.yuv420p) { $0 & 0xe0 }
    }

    var width: Int { frame.pixelBuffer.width }
    var height: Int { frame.pixelBuffer.height }
    var pixelCount: Int { width * height }
}
