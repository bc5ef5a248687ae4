/// How what covers a part of a picture fades out towards the part's ends.
public enum EdgeFade {
    /// The weights of `count` rows or columns from `start` on, of `limit` in all: 1 inside, falling over `share` of them towards an
    /// end that is not the picture's.
    public static func weights(_ start: Int, _ count: Int, limit: Int, share: Float) -> [Float] {
        (0..<count).map { i in
            let position = (Float(i) + 0.5) / Float(count)
            let fromStart = start > 0 ? position / share : 1
            let fromEnd = start + count < limit ? (1 - position) / share : 1
            return min(1, fromStart, fromEnd)
        }
    }
}
