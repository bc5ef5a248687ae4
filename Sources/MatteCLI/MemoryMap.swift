import Glibc

/// The files that are mapped into this process (proc(5), `/proc/self/maps`), read with nothing that a signal handler may not call.
struct MemoryMap {
    /// A file and the address that its beginning is mapped to.
    struct Module {
        /// Followed by a zero.
        let path: UnsafeRawBufferPointer
        let base: UInt

        /// The path's last part.
        var name: UnsafeRawBufferPointer {
            var start = path.count
            while start > 0, path[start - 1] != 0x2F { start -= 1 }
            return UnsafeRawBufferPointer(rebasing: path[start...])
        }
    }

    private let text: UnsafeRawBufferPointer

    /// Reads as much as fits into `memory`, which must stay as long as what comes from here.
    init(into memory: UnsafeMutableRawBufferPointer) {
        var count = 0
        let descriptor = open("/proc/self/maps", O_RDONLY | O_CLOEXEC)
        while descriptor >= 0, count < memory.count {
            let read = Glibc.read(descriptor, memory.baseAddress! + count, memory.count - count)
            if read < 0, errno == EINTR { continue }
            guard read > 0 else { break }
            count += read
        }
        if descriptor >= 0 { close(descriptor) }
        // A last line that did not fit is none.
        while count > 0, memory[count - 1] != 0x0A { count -= 1 }
        for index in 0..<count where memory[index] == 0x0A { memory[index] = 0 }
        text = UnsafeRawBufferPointer(rebasing: memory[..<count])
    }

    /// The file that the code at `address` is of.
    func module(of address: UInt) -> Module? {
        var position = 0
        var last = UnsafeRawBufferPointer(rebasing: text[0..<0])
        var base: UInt = 0
        while position < text.count {
            var end = position
            while end < text.count, text[end] != 0 { end += 1 }
            var cursor = position
            let start = number(&cursor)
            cursor += 1
            let limit = number(&cursor)
            // The path, if there is one, is what begins with the first slash.
            while cursor < end, text[cursor] != 0x2F { cursor += 1 }
            let path = UnsafeRawBufferPointer(rebasing: text[cursor..<end])
            if path.count != last.count
                || memcmp(path.baseAddress ?? text.baseAddress!, last.baseAddress ?? text.baseAddress!, path.count) != 0
            {
                (last, base) = (path, start)
            }
            if address >= start, address < limit { return path.isEmpty ? nil : Module(path: path, base: base) }
            position = end + 1
        }
        return nil
    }

    private func number(_ cursor: inout Int) -> UInt {
        var number: UInt = 0
        while cursor < text.count {
            let character = text[cursor]
            let digit: UInt8
            switch character {
            case 0x30...0x39: digit = character - 0x30
            case 0x61...0x66: digit = character - 0x57
            default: return number
            }
            number = number << 4 | UInt(digit)
            cursor += 1
        }
        return number
    }
}
