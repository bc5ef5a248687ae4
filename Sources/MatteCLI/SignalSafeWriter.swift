import Glibc

/// Writes text to a descriptor with nothing that a signal handler may not call: no memory is asked for.
struct SignalSafeWriter {
    let descriptor: CInt

    func write(_ bytes: UnsafeRawBufferPointer) {
        var (next, count) = (bytes.baseAddress, bytes.count)
        while let start = next, count > 0 {
            let written = Glibc.write(descriptor, start, count)
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { return }
            next = start + written
            count -= written
        }
    }

    func write(_ text: StaticString) {
        write(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Text that ends with a zero.
    func write(_ text: UnsafePointer<CChar>) { write(UnsafeRawBufferPointer(start: text, count: strlen(text))) }

    func write(hexadecimal number: UInt) {
        write("0x")
        digits(number, base: 16)
    }

    func write(decimal number: UInt) { digits(number, base: 10) }

    private func digits(_ number: UInt, base: UInt) {
        withUnsafeTemporaryAllocation(byteCount: 24, alignment: 1) { buffer in
            var (rest, start) = (number, buffer.count)
            repeat {
                start -= 1
                let digit = UInt8(truncatingIfNeeded: rest % base)
                buffer[start] = digit < 10 ? 0x30 + digit : 0x57 + digit
                rest /= base
            } while rest > 0
            write(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[start...]))
        }
    }
}
