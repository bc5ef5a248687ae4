extension ColorConversion {
    /// The conversion for the pixels of `frame`, whose light it takes out.
    init(_ frame: VideoFrame) {
        self.init(of: frame)
        if frame.illuminant != .white { multiplyRGB(by: frame.illuminant.gains) }
    }

    /// Writes red, green, blue (0…1, not clipped) of `width` by `height` pixels, interleaved, from maps of the components'
    /// code values, whose pixels lie as `walk` says; of grey only the first map counts.
    func writeRGB(
        _ components: [UnsafeMutablePointer<Float>], walk: StoredWalk, into target: UnsafeMutablePointer<Float>,
        width: Int, height: Int
    ) {
        let (m, o) = (toRGB, toRGBOffset)
        let (m00, m01, m02) = (m[0][0], m[0][1], m[0][2])
        let (m10, m11, m12) = (m[1][0], m[1][1], m[1][2])
        let (m20, m21, m22) = (m[2][0], m[2][1], m[2][2])
        let (o0, o1, o2) = (o[0], o[1], o[2])
        let (first, second, third) = (components[0], components[isGray ? 0 : 1], components[isGray ? 0 : 2])
        for y in 0..<height {
            for x in 0..<width {
                let index = walk.origin &+ y &* walk.perRow &+ x &* walk.perColumn
                let (c0, c1, c2) = (first[index], second[index], third[index])
                let pixel = target + 3 &* (y &* width &+ x)
                pixel[0] = m00 * c0 + m01 * c1 + m02 * c2 + o0
                pixel[1] = m10 * c0 + m11 * c1 + m12 * c2 + o1
                pixel[2] = m20 * c0 + m21 * c1 + m22 * c2 + o2
            }
        }
    }
}
