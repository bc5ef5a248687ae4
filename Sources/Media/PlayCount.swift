import Glibc

/// How often an animated image is shown, as its file tells before its first picture: 0 for without end.
enum PlayCount {
    /// What stands before the first picture is seldom more than a palette and a comment or a profile.
    private static let headLimit = 1 << 20

    /// nil for what is no animated image, or no file that can be read once more.
    static func of(path: String) -> Int? {
        guard let file = LocalFile(path: path), file.isRegular else { return nil }
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        let size = Int(min(file.size, Int64(headLimit)))
        let head = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            count = max(0, pread(descriptor, buffer.baseAddress, size, 0))
        }
        return of(head: head)
    }

    /// That of a file whose first bytes these are.
    static func of(head: [UInt8]) -> Int? {
        let reader = BoundedBytes(head, isLittleEndian: true)
        if reader.starts(with: Array("GIF8".utf8)) { return gif(reader) }
        return PNGFile.isOne(head) ? PNGFile.playCount(in: head) : nil
    }

    /// Netscape's extension tells how often it is shown again; without it a GIF is shown once (GIF89a, 26).
    private static func gif(_ reader: BoundedBytes) -> Int? {
        guard let flags = reader.slice(10, 1)?.first else { return nil }
        var position = 13 + (flags & 0x80 != 0 ? 3 << (Int(flags & 7) + 1) : 0)
        while let mark = reader.slice(position, 2), mark.first == 0x21 {
            let isApplication = mark.last == 0xFF
            position += 2
            let isLoop =
                isApplication && reader.starts(with: [11] + Array("NETSCAPE2.0".utf8) + [3, 1], at: position)
            if isLoop { return reader.uint16(at: position + 14).map { $0 == 0 ? 0 : $0 + 1 } }
            while let length = reader.slice(position, 1)?.first {
                position += 1 + Int(length)
                if length == 0 { break }
            }
        }
        return reader.slice(position, 1)?.first == 0x2C ? 1 : nil
    }
}
