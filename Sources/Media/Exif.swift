import Imaging

/// What a camera tells of a picture: a TIFF structure as its bytes (Exif 2.32, 4.5).
struct Exif: Equatable, Sendable {
    private(set) var bytes: [UInt8]

    /// Nothing is checked: an embedded thumbnail, say, stays as it is.
    init(_ bytes: [UInt8]) { self.bytes = bytes }

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

    private var reader: BoundedBytes { BoundedBytes(bytes, isLittleEndian: bytes.first == UInt8(ascii: "I")) }

    /// Where the value of tag 0x0112 stands in the first directory, two bytes that are there.
    private var orientationPlace: Int? {
        let reader = reader
        guard reader.starts(with: Array("II".utf8)) || reader.starts(with: Array("MM".utf8)),
            reader.uint16(at: 2) == 42, let directory = reader.uint32(at: 4), let count = reader.uint16(at: directory)
        else { return nil }
        for index in 0..<count {
            let entry = directory + 2 + 12 * index
            guard let tag = reader.uint16(at: entry) else { return nil }
            // One value of 16 bits stands in the entry itself.
            guard tag == 0x0112 else { continue }
            return reader.uint16(at: entry + 2) == 3 && reader.uint16(at: entry + 8) != nil ? entry + 8 : nil
        }
        return nil
    }
}
