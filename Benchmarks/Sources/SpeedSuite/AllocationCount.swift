import Foundation
import Measuring

/// What a program allocated, as `Preload/allocations.c` writes it down.
struct AllocationCount {
    /// How many allocations there were, and how large all together.
    struct Sum: Hashable {
        var count = 0
        var bytes = 0

        static func - (a: Sum, b: Sum) -> Sum { Sum(count: a.count - b.count, bytes: a.bytes - b.bytes) }
        static func + (a: Sum, b: Sum) -> Sum { Sum(count: a.count + b.count, bytes: a.bytes + b.bytes) }
    }

    /// All of the process, its libraries' too.
    private(set) var all = Sum()
    /// Those that the program's own code makes.
    private(set) var own = Sum()
    /// Those of 64 KiB or more by the place that makes them: modules and offsets, the innermost caller first.
    private(set) var places: [[String]: Sum] = [:]

    var large: Sum { places.values.reduce(Sum(), +) }

    /// Reads what stands in the file.
    ///
    /// - Throws: `BenchmarkError` where the text is something else.
    init(_ text: String) throws {
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ").map(String.init)
            guard words.count >= 3, let count = Int(words[1]), let bytes = Int(words[2]) else {
                throw BenchmarkError("can't count allocations: the counter wrote '\(line)'")
            }
            let sum = Sum(count: count, bytes: bytes)
            switch words[0] {
            case "all": all = sum
            case "own": own = sum
            default: places[Array(words[3...]), default: Sum()] = sum
            }
        }
        guard all.count > 0 else {
            throw BenchmarkError("can't count allocations: the counter was not loaded; does the program use glibc?")
        }
    }

    /// What came on top of `start`.
    func since(_ start: AllocationCount) -> AllocationCount {
        var result = self
        result.all = all - start.all
        result.own = own - start.own
        for (place, sum) in start.places { result.places[place] = result.places[place, default: Sum()] - sum }
        result.places = result.places.filter { $0.value.count > 0 }
        return result
    }
}
