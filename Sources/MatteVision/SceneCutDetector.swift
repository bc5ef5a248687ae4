/// Tells when a sequence goes on with another scene.
///
/// A cut changes most of the picture at once: the mean difference of two frames is large, and larger by far than between the
/// frames before it, so that a shaking camera or a waving arm is none.
struct SceneCutDetector {
    /// Mean difference (0…1) below which two frames belong to one scene, in enough light.
    private static let floor: Float = 0.08
    /// How many times the usual difference a cut makes.
    private static let ratio: Float = 3

    private var past: [Float] = []
    /// What is left of differences in the light of the past.
    private var pastShare: Float = 1
    private var usual: Float = 0

    /// Whether `picture` (brightness or colours in 0…1) begins another scene than the one before it, which had the same size.
    mutating func isCut(_ picture: [Float]) -> Bool {
        let share = LittleLight.share(in: picture)
        defer { pastShare = share }
        guard past.count == picture.count else {
            past = picture
            // A copy of its own, so that the caller's picture can be written again where it is.
            past.withUnsafeMutableBufferPointer { _ in }
            return false
        }
        let floor = Self.floor * max(share, pastShare)
        let difference = takeDifference(picture) / Float(picture.count)
        let isCut = difference > floor && difference > Self.ratio * usual
        // What is usual in the new scene is not known; should that be motion, it is no cut again and again.
        usual = isCut ? floor : usual + (difference - usual) * 0.2
        return isCut
    }

    // The sum of all differences to the past, which `picture` takes the place of.
    private mutating func takeDifference(_ picture: [Float]) -> Float {
        past.withUnsafeMutableBufferPointer { past in
            picture.withUnsafeBufferPointer { picture in
                // Several sums side by side, because one alone would wait for each addition.
                var sums = SIMD8<Float>.zero
                let whole = picture.count & ~7
                for i in stride(from: 0, to: whole, by: 8) {
                    let now = UnsafeRawPointer(picture.baseAddress! + i).loadUnaligned(as: SIMD8<Float>.self)
                    let before = UnsafeMutableRawPointer(past.baseAddress! + i)
                    let change = now - before.loadUnaligned(as: SIMD8<Float>.self)
                    // Without their signs; the vector's own comparisons are no single instruction.
                    sums += unsafeBitCast(
                        unsafeBitCast(change, to: SIMD8<UInt32>.self) & 0x7FFF_FFFF, to: SIMD8<Float>.self)
                    before.storeBytes(of: now, as: SIMD8<Float>.self)
                }
                var sum = sums.sum()
                for i in whole..<picture.count {
                    sum += abs(picture[i] - past[i])
                    past[i] = picture[i]
                }
                return sum
            }
        }
    }

    /// Forgets the past.
    mutating func reset() {
        past = []
        usual = 0
    }
}
