import Imaging

extension VideoFrame {
    /// How many pixels of the stored picture a length of 1 is, which is told for a picture 720 pixels high: across and down,
    /// for pixels that are not square.
    var lengthUnit: (across: Double, down: Double) {
        let unit = Double(uprightSize.height) / 720
        let beside = unit / uprightPixelAspect
        return orientation.swapsAxes ? (unit, beside) : (beside, unit)
    }
}
