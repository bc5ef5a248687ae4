/// The colours of a small picture as a guide for a mask, as `ColorGuide` has those of a frame; valid only inside of `with`.
struct ColorGuideMap {
    private let components: (UnsafePointer<Float>, UnsafePointer<Float>, UnsafePointer<Float>)
    private let colorModel: PixelFormat.ColorModel

    /// Calls `body` with the colours that `components` are those of, of a picture of `colorModel`; a gray one has one component.
    static func with(
        _ components: [ScalarMap], _ colorModel: PixelFormat.ColorModel, _ body: (ColorGuideMap) -> Void
    ) {
        let last = components.count - 1
        components[0].values.withUnsafeBufferPointer { first in
            components[min(1, last)].values.withUnsafeBufferPointer { second in
                components[last].values.withUnsafeBufferPointer { third in
                    body(
                        ColorGuideMap(
                            components: (first.baseAddress!, second.baseAddress!, third.baseAddress!),
                            colorModel: colorModel))
                }
            }
        }
    }

    /// Luma, two chroma components, and 1, of pixel `index`.
    @inline(__always)
    subscript(index: Int) -> SIMD4<Float> {
        switch colorModel {
        case .gray: SIMD4(components.0[index], 0, 0, 1)
        case .yuv: SIMD4(components.0[index], components.1[index], components.2[index], 1)
        case .rgb:
            SIMD4(
                ColorGuide.components(
                    red: components.0[index], green: components.1[index], blue: components.2[index]), 1)
        }
    }
}
