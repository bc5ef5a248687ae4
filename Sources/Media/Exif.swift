import Imaging

/// What a camera tells of a picture: a TIFF structure as its bytes (Exif 2.32, 4.5).
struct Exif: Equatable, Sendable {
    private(set) var bytes: [UInt8]

    /// What JPEG has before the structure, and some programs take along into other files (Exif 2.32, 4.7.2.1).
    static let signature = Array("Exif\0\0".utf8)

    /// The signature is left out, however often it stands there; nothing else is checked.
    init(_ bytes: some Collection<UInt8>) {
        var structure = bytes[...]
        while structure.starts(with: Self.signature) { structure = structure.dropFirst(Self.signature.count) }
        self.bytes = Array(structure)
    }

    /// How the stored picture is turned; nil where that is not told.
    var orientation: Orientation? {
        guard let place = orientationPlace, let value = reader.uint16(at: place) else { return nil }
        return UInt8(exactly: value).flatMap { Orientation(rawValue: $0) }
    }

    /// The same with another orientation; one that tells none tells none afterwards.
    func turned(_ orientation: Orientation) -> Exif {
        guard let place = orientationPlace else { return self }
        var result = self
        let isLittle = reader.isLittleEndian
        result.bytes[place] = isLittle ? orientation.rawValue : 0
        result.bytes[place + 1] = isLittle ? 0 : orientation.rawValue
        return result
    }

    /// The same without the thumbnail, which shows the picture as it was: its bytes are 0, and nothing refers to them.
    ///
    /// Previews in a maker's own notes, whose form nobody else knows, stay; so does what is told of the picture itself, even where
    /// a damaged file has the thumbnail in the same place.
    var withoutThumbnail: Exif {
        guard let directory = firstDirectory, let count = reader.uint16(at: directory),
            let thumbnail = reader.uint32(at: directory + 2 + 12 * count), thumbnail > 0
        else { return self }
        let link = directory + 2 + 12 * count
        var result = self
        func clear(_ start: Int, _ size: Int) {
            for place in start..<max(start, min(start + size, bytes.count))
            where place >= Self.headerSize && !(directory..<link).contains(place) { result.bytes[place] = 0 }
        }
        // One JPEG, or strips of pixels of which there is usually one (Exif 2.32, 4.6.4).
        for (place, length) in [(0x0201, 0x0202), (0x0111, 0x0117)] {
            guard let start = value(of: place, in: thumbnail), let size = value(of: length, in: thumbnail) else {
                continue
            }
            clear(start, size)
        }
        if let entries = reader.uint16(at: thumbnail) { clear(thumbnail, 2 + 12 * entries + 4) }
        clear(link, 4)
        return result
    }

    /// A number that stands in an entry itself.
    private func value(of tag: Int, in directory: Int) -> Int? {
        guard let entry = entry(of: tag, in: directory) else { return nil }
        return reader.uint16(at: entry + 2) == 3 ? reader.uint16(at: entry + 8) : reader.uint32(at: entry + 8)
    }

    /// Where a directory's first entry of that tag is.
    private func entry(of tag: Int, in directory: Int) -> Int? {
        let reader = reader
        guard let count = reader.uint16(at: directory) else { return nil }
        for index in 0..<count {
            let entry = directory + 2 + 12 * index
            guard let other = reader.uint16(at: entry) else { return nil }
            if other == tag { return entry }
        }
        return nil
    }

    /// The order of bytes, 42, and where the first directory is.
    private static let headerSize = 8

    private var firstDirectory: Int? {
        let reader = reader
        guard reader.starts(with: Array("II".utf8)) || reader.starts(with: Array("MM".utf8)),
            reader.uint16(at: 2) == 42, let place = reader.uint32(at: 4), place >= Self.headerSize
        else { return nil }
        return place
    }

    private var reader: BoundedBytes { BoundedBytes(bytes, isLittleEndian: bytes.first == UInt8(ascii: "I")) }

    /// Where the value of tag 0x0112 stands in the first directory, two bytes that are there.
    private var orientationPlace: Int? {
        let reader = reader
        guard let directory = firstDirectory, let entry = entry(of: 0x0112, in: directory),
            // One value of 16 bits stands in the entry itself.
            reader.uint16(at: entry + 2) == 3, reader.uint16(at: entry + 8) != nil
        else { return nil }
        return entry + 8
    }
}
