extension UnsignedInteger where Self: FixedWidthInteger {
    /// The whole number nearest to `value`, which lies in 0…65535 and in this type's range.
    @inlinable @inline(__always)
    package init(nearest value: Float) {
        // Adding 2^23 rounds to a whole number in the lowest bits of the pattern: no conversion that could trap, and one that
        // vectorises.
        self.init(truncatingIfNeeded: (value + 8_388_608).bitPattern & 0xFFFF)
    }
}
