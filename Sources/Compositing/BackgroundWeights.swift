import Imaging

/// How much each sample of a frame counts for what is behind the people: wholly where the mask is 0, not at all from one half on.
///
/// Keeps its working memory, and is therefore for one thread at a time.
struct BackgroundWeights {
    private var values: [UInt8] = []
    private var line: [Float] = []
    private var chroma = AlphaPlane()
    private var width = 0
    private var height = 0
    private var isChromaCurrent = false
    private var (chromaLocation, isInterlaced) = (ColorDescription.ChromaLocation.unspecified, false)

    /// Makes the weights of `frame` with its `mask`; with `prefersLights` bright samples count far more than dark ones, as
    /// lights do that are brighter than a picture can show.
    mutating func update(_ frame: VideoFrame, mask: PixelBuffer, prefersLights: Bool) {
        let buffer = frame.pixelBuffer
        (width, height) = (buffer.width, buffer.height)
        isChromaCurrent = false
        (chromaLocation, isInterlaced) = (frame.color.chromaLocation, frame.isInterlaced)
        if values.count != width * height { values = Array(repeating: 0, count: width * height) }
        if line.count != width { line = Array(repeating: 0, count: width) }
        let width = width
        mask.withPlane(0) { mask in
            buffer.withPlane(0) { plane in
                values.withUnsafeMutableBufferPointer { values in
                    line.withUnsafeMutableBufferPointer { line in
                        for y in 0..<mask.height {
                            let (alpha, row) = (mask.row(y, as: UInt8.self), values.baseAddress! + y * width)
                            for x in 0..<width {
                                let weight = 255 &- 2 &* min(alpha[x], 127)
                                row[x] = alpha[x] > 127 ? 0 : weight
                            }
                            guard prefersLights else { continue }
                            Luma.row(
                                y, of: plane, format: buffer.format, into: line.baseAddress!)
                            Self.favourLights(row, luma: line.baseAddress!, count: width)
                        }
                    }
                }
            }
        }
        // Where people are everywhere, there is no other colour to be had than theirs.
        if !values.contains(where: { $0 != 0 }) {
            values.withUnsafeMutableBufferPointer { $0.update(repeating: 255) }
        }
    }

    // From one thirty-second of the weight up to all of it, for what is white.
    private static func favourLights(_ row: UnsafeMutablePointer<UInt8>, luma: UnsafePointer<Float>, count: Int) {
        for x in 0..<count {
            let brightness = min(max(luma[x] - 0.7, 0) * 4, 1)
            let share = (1 + 31 * brightness * brightness) * (1 / 32)
            row[x] = UInt8(nearest: Float(row[x]) * share)
        }
    }

    /// Calls `body` with the weights of the samples of a plane of this size with `layout`; the chroma planes of a format are
    /// alike.
    mutating func withPlane<R>(
        _ layout: PixelFormat.PlaneLayout, width: Int, height: Int, _ body: (Plane) -> R
    ) -> R {
        values.withUnsafeBufferPointer { values in
            let full = Plane(
                base: values.baseAddress!, bytesPerRow: self.width, width: self.width, height: self.height)
            guard layout.isSubsampled else { return body(full) }
            if !isChromaCurrent {
                chroma.update(
                    from: full, layout: layout, width: width, height: height, chromaLocation: chromaLocation,
                    isInterlaced: isInterlaced)
                isChromaCurrent = true
            }
            return chroma.withPlane { plane in
                guard Self.isNothing(plane) else { return body(plane) }
                // Next to nothing at the full size is nothing at chroma's: there, too, people's colour is all there is.
                let whole = [UInt8](repeating: 255, count: plane.width * plane.height)
                return whole.withUnsafeBufferPointer {
                    body(
                        Plane(
                            base: $0.baseAddress!, bytesPerRow: plane.width, width: plane.width, height: plane.height))
                }
            }
        }
    }

    private static func isNothing(_ plane: Plane) -> Bool {
        (0..<plane.height).allSatisfy { y in
            let row = plane.row(y, as: UInt8.self)
            return (0..<plane.width).allSatisfy { row[$0] == 0 }
        }
    }
}
