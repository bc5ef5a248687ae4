import Imaging

extension PixelBufferPool {
    /// A mask of the size of `mask`, each row of which `body` writes: it gets the row's number, that of `mask` and its own.
    func makeMask(
        like mask: PixelBuffer, _ body: (Int, UnsafePointer<UInt8>, UnsafeMutablePointer<UInt8>) -> Void
    ) -> PixelBuffer {
        var target = makeBuffer(format: .gray8, width: mask.width, height: mask.height)
        mask.withPlane(0) { mask in
            target.withMutablePlane(0) { target in
                for y in 0..<mask.height { body(y, mask.row(y, as: UInt8.self), target.row(y, as: UInt8.self)) }
            }
        }
        return target.publish()
    }
}
