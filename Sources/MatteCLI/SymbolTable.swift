import Glibc

/// The functions of a program or a library (elf(5)), found with nothing that a signal handler may not call.
struct SymbolTable {
    /// A function's mangled name and how far into it an address lies.
    struct Symbol {
        let name: UnsafePointer<CChar>
        let offset: UInt
    }

    private let file: UnsafeRawBufferPointer

    private enum Size {
        static let header = 64
        static let programHeader = 56
        static let sectionHeader = 64
        static let symbol = 24
    }

    /// Maps the file at `path`; it stays mapped.
    init?(path: UnsafePointer<CChar>) {
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size >= Size.header,
            let base = mmap(nil, Int(status.st_size), PROT_READ, MAP_PRIVATE, descriptor, 0), base != MAP_FAILED
        else { return nil }
        file = UnsafeRawBufferPointer(start: base, count: Int(status.st_size))
        // Of 64 bits, with the lowest byte first.
        guard number(0, as: UInt32.self) == 0x464C_457F, number(4, as: UInt16.self) == 0x0102 else { return nil }
    }

    private func number<Number: FixedWidthInteger & BitwiseCopyable>(_ offset: UInt, as type: Number.Type) -> UInt {
        guard offset <= UInt(file.count), UInt(MemoryLayout<Number>.size) <= UInt(file.count) - offset else { return 0 }
        return UInt(truncatingIfNeeded: file.loadUnaligned(fromByteOffset: Int(offset), as: type))
    }

    /// The address in the file's own count of what is `offset` beyond where its beginning is mapped.
    func address(of offset: UInt) -> UInt {
        let (table, count) = (number(32, as: UInt64.self), number(56, as: UInt16.self))
        for index in 0..<count {
            let header = table &+ index &* UInt(Size.programHeader)
            // The loaded segment that has the file's beginning.
            if number(header, as: UInt32.self) == 1, number(header &+ 8, as: UInt64.self) == 0 {
                return offset &+ number(header &+ 16, as: UInt64.self)
            }
        }
        return offset
    }

    /// The function that `address` lies in.
    func symbol(at address: UInt) -> Symbol? {
        // All symbols, or those for other files where these were stripped.
        symbol(at: address, inTable: 2) ?? symbol(at: address, inTable: 11)
    }

    private func symbol(at address: UInt, inTable type: UInt) -> Symbol? {
        let (table, count) = (number(40, as: UInt64.self), number(60, as: UInt16.self))
        for index in 0..<count {
            let header = table &+ index &* UInt(Size.sectionHeader)
            guard number(header &+ 4, as: UInt32.self) == type else { continue }
            let (start, size) = (number(header &+ 24, as: UInt64.self), number(header &+ 32, as: UInt64.self))
            let names = number(
                table &+ number(header &+ 40, as: UInt32.self) &* UInt(Size.sectionHeader) &+ 24, as: UInt64.self)
            return search(address, start: start, count: min(size, UInt(file.count)) / UInt(Size.symbol), names: names)
        }
        return nil
    }

    private func search(_ address: UInt, start: UInt, count: UInt, names: UInt) -> Symbol? {
        var best: (value: UInt, name: UInt)?
        for index in 0..<count {
            let symbol = start &+ index &* UInt(Size.symbol)
            // A function that is defined here.
            guard number(symbol &+ 4, as: UInt8.self) & 15 == 2, number(symbol &+ 6, as: UInt16.self) != 0 else {
                continue
            }
            let (value, size) = (number(symbol &+ 8, as: UInt64.self), number(symbol &+ 16, as: UInt64.self))
            if address >= value, address &- value < max(size, 1) || size == 0, value >= best?.value ?? 0 {
                best = (value, number(symbol, as: UInt32.self))
            }
        }
        guard let best, names &+ best.name < UInt(file.count) else { return nil }
        let name = file.baseAddress! + Int(names &+ best.name)
        guard memchr(name, 0, file.count - Int(names &+ best.name)) != nil else { return nil }
        return Symbol(name: name.assumingMemoryBound(to: CChar.self), offset: address &- best.value)
    }
}
