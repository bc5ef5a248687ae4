import Imaging

extension PixelFormat {
    /// Which of the three code values that `ColorConversion` makes each component of plane `plane` is; nil for alpha.
    func codeIndices(ofPlane plane: Int) -> [Int?] {
        switch colorModel {
        case .gray: [0]
        case .yuv: planes[plane].componentCount == 2 ? [1, 2] : [plane]
        case .rgb: (0..<planes[plane].componentCount).map { redGreenBlue.firstIndex(of: $0) }
        }
    }
}
