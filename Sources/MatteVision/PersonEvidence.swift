import Imaging

/// What a look at a region of the frame brought: whether it speaks for people there.
struct PersonEvidence {
    /// How many values of a mask may lie between, for each that says person.
    private static let doubt = 0.45
    /// The share of a stranger's region's edges inside the frame on which a mask is a flood and no person.
    private static let flood = 0.2
    /// The share of a stranger's region's edges on which a mask is a flood where a detector is sure of them: somebody's raised arm may go on to a good part of an edge.
    private static let floodIfSure = 0.6

    let map: ScalarMap

    /// Where a look was had.
    struct Surroundings {
        let region: Rectangle
        let frame: Rectangle
        /// The regions of other people.
        let others: [Rectangle]
    }

    /// Whether it shows people; `certainty` is that of a detector that was asked, nil where there is none.
    func isPerson(in place: Surroundings, certainty: PersonCertainty? = nil) -> Bool {
        guard let certainty else { return Self.isDecided(map) && Self.flooded(map, place) <= Self.flood }
        return certainty.isEnough && Self.flooded(map, place) <= (certainty.isInDoubt ? Self.flood : Self.floodIfSure)
    }

    /// Whether it shows something else than people, wherever it is.
    var isDoubtful: Bool { map.values.contains { $0 > 0.5 } && !Self.isDecided(map) }

    /// Whether the mask is one or the other but at edges: things that are a little like people are soft all over.
    static func isDecided(_ map: ScalarMap) -> Bool {
        var (people, doubtful) = (0, 0)
        for value in map.values {
            if value > 0.5 { people += 1 }
            if value > 0.1 && value < 0.9 { doubtful += 1 }
        }
        return Double(doubtful) < Self.doubt * Double(people)
    }

    // The share of the region's edges inside the frame, and outside of other people's regions, that the mask goes on to. Around
    // a person there is background: that of a busy background goes on.
    private static func flooded(_ map: ScalarMap, _ place: Surroundings) -> Double {
        var (flooded, length) = (0, 0)
        let rectangle = place.region
        func isOthers(_ index: Int) -> Bool {
            let x = rectangle.x + (Double(index % map.width) + 0.5) / Double(map.width) * rectangle.width
            let y = rectangle.y + (Double(index / map.width) + 0.5) / Double(map.height) * rectangle.height
            return place.others.contains { $0.contains(x: x, y: y) }
        }
        func count(_ indices: some Sequence<Int>) {
            for index in indices where !isOthers(index) {
                length += 1
                if map.values[index] > 0.5 { flooded += 1 }
            }
        }
        let (width, last) = (map.width, map.values.count)
        if rectangle.y > 0 { count(0..<width) }
        if rectangle.maxY < place.frame.height { count(last - width..<last) }
        if rectangle.x > 0 { count(stride(from: 0, to: last, by: width)) }
        if rectangle.maxX < place.frame.width { count(stride(from: width - 1, to: last, by: width)) }
        return length > 0 ? Double(flooded) / Double(length) : 0
    }
}
