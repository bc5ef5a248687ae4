import Glibc
import Imaging

/// Reads the probability of a person in each pixel, and the people's colours, out of a segmentation network's outputs.
struct MaskDecoder {
    let description: ModelDescription

    /// Where a pixel's channels lie in an output, whose batch has one picture.
    private struct Grid {
        let width: Int
        let height: Int
        let channels: Int
        let pixelStep: Int
        let channelStep: Int

        /// Nil for a shape that is no picture; without a dimension for channels there is one channel.
        init?(shape: [Int], layout: ModelDescription.Layout) {
            let sizes = Array(shape.drop { $0 == 1 })
            switch (sizes.count, layout) {
            case (2, _): (height, width, channels) = (sizes[0], sizes[1], 1)
            case (3, .channelsLast): (height, width, channels) = (sizes[0], sizes[1], sizes[2])
            case (3, .channelsFirst): (channels, height, width) = (sizes[0], sizes[1], sizes[2])
            default: return nil
            }
            pixelStep = layout == .channelsLast ? channels : 1
            channelStep = layout == .channelsLast ? 1 : width * height
        }
    }

    /// Writes the map in `elements`, an output of `shape`, whose size `map` takes.
    func decode(
        _ elements: UnsafeBufferPointer<Float>, shape: [Int], into map: inout ScalarMap
    ) throws(VisionError) {
        let grid = try grid(of: shape)
        guard elements.count == grid.width * grid.height * grid.channels else {
            throw invalid("its output of \(shape) has \(elements.count) numbers")
        }
        let output = description.output
        let people = output.classes ?? [0]
        map.resize(width: grid.width, height: grid.height)
        if output.kind == .probability, grid.channels == 1 {
            map.values.withUnsafeMutableBufferPointer { _ = $0.update(fromContentsOf: elements) }
        } else {
            for i in map.values.indices {
                let pixel = elements.baseAddress! + i * grid.pixelStep
                map.values[i] =
                    switch output.kind {
                    case .classMap: Int(exactly: pixel[0]).map(people.contains) == true ? 1 : 0
                    case .logits where grid.channels == 1: 1 / (1 + exp(-pixel[0]))
                    case .logits: Self.softmax(pixel, grid, of: people)
                    default: people.reduce(0) { $0 + pixel[$1 * grid.channelStep] }
                    }
            }
        }
        map.clampToProbabilities()
    }

    /// Refuses an output of a shape that can't be read as the description says.
    func check(shape: [Int]) throws(VisionError) { _ = try grid(of: shape) }

    private func grid(of shape: [Int]) throws(VisionError) -> Grid {
        let output = description.output
        guard [.probability, .logits, .classMap].contains(output.kind) else {
            throw invalid("a segmentation network's output is probability, logits or classMap")
        }
        guard DescriptionCheck.count(shape) != nil,
            let grid = Grid(shape: shape, layout: output.layout ?? description.input.layout)
        else {
            throw invalid("its output of \(shape) is not a picture")
        }
        let people = output.classes ?? [0]
        if output.kind == .classMap {
            guard grid.channels == 1, output.classes != nil else {
                throw invalid("a map of classes has one channel, and 'classes' must tell which are people")
            }
        } else if output.classes == nil {
            guard grid.channels == 1 else {
                throw invalid("its output has \(grid.channels) channels, and 'classes' must tell which are people")
            }
        } else if let stranger = people.first(where: { !(0..<grid.channels).contains($0) }) {
            throw invalid("its output has \(grid.channels) classes, and no class \(stranger)")
        }
        return grid
    }

    /// The colours in `elements`, an output like the network's input.
    func foreground(_ elements: UnsafeBufferPointer<Float>) throws(VisionError) -> RGBMap {
        let input = description.input
        var map = RGBMap(width: input.width, height: input.height)
        guard elements.count == map.values.count else {
            throw invalid("its foreground does not have the size of its input")
        }
        let (low, scale) = (input.range[0], 1 / (input.range[1] - input.range[0]))
        let count = input.width * input.height
        for i in 0..<count {
            for component in 0..<3 {
                let value =
                    input.layout == .channelsLast ? elements[3 * i + component] : elements[component * count + i]
                let color = (value - low) * scale
                map.values[3 * i + component] = color > 0 ? min(color, 1) : 0
            }
        }
        return map
    }

    private static func softmax(_ pixel: UnsafePointer<Float>, _ grid: Grid, of people: [Int]) -> Float {
        var largest = -Float.infinity
        for channel in 0..<grid.channels { largest = max(largest, pixel[channel * grid.channelStep]) }
        var sum: Float = 0
        for channel in 0..<grid.channels { sum += exp(pixel[channel * grid.channelStep] - largest) }
        return people.reduce(0) { $0 + exp(pixel[$1 * grid.channelStep] - largest) } / sum
    }

    private func invalid(_ cause: String) -> VisionError {
        VisionError(.invalid, "the model '\(description.name)' does not fit its description: \(cause)")
    }
}

extension ScalarMap {
    /// Brings every value to 0…1, what is no number to 0: what networks give can't be trusted.
    mutating func clampToProbabilities() {
        values.withUnsafeMutableBufferPointer { values in
            for i in values.indices { values[i] = values[i] > 0 ? min(values[i], 1) : 0 }
        }
    }
}
