import Imaging

extension ScalarMap {
    /// Becomes a thumbnail of `frame`, at the map's own size: its brightness as it is stored, 0 where it is black and at most 1.
    mutating func takeBrightness(of frame: VideoFrame) {
        let (columns, rows) = (width, height)
        let black: Float = frame.color.isFullRange(in: frame.pixelBuffer.format.colorModel) ? 0 : 16.0 / 255
        values.withUnsafeMutableBufferPointer {
            Luma.sample(frame.pixelBuffer, columns: columns, rows: rows, into: $0.baseAddress!)
            for index in $0.indices { $0[index] = max($0[index] - black, 0) }
        }
    }
}
