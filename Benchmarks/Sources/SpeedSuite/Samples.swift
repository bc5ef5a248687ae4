import Imaging

/// Memory that stays where it is, for kernels to read and write.
final class Samples<T> {
    let base: UnsafeMutablePointer<T>
    let count: Int

    init(repeating value: T, count: Int) {
        self.count = count
        base = .allocate(capacity: count)
        base.initialize(repeating: value, count: count)
    }

    convenience init(_ values: [T]) {
        self.init(repeating: values[0], count: values.count)
        base.update(from: values, count: count)
    }

    deinit { base.deallocate() }

    var readOnly: UnsafePointer<T> { UnsafePointer(base) }

    subscript(index: Int) -> T {
        get { base[index] }
        set { base[index] = newValue }
    }
}

/// A number that a difference can be taken of.
protocol BinaryConvertible {
    var double: Double { get }
}

extension UInt8: BinaryConvertible { var double: Double { Double(self) } }
extension UInt16: BinaryConvertible { var double: Double { Double(self) } }
extension Float: BinaryConvertible { var double: Double { Double(self) } }

extension Samples where T: BinaryConvertible {
    /// Not a number where one of the two isn't.
    func largestDifference(from other: Samples<T>) -> Double {
        precondition(count == other.count, "as many samples")
        return (0..<count).reduce(0) { largest, index in
            let difference = abs(base[index].double - other.base[index].double)
            return difference <= largest ? largest : difference
        }
    }
}
