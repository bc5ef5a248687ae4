import CFFmpeg

/// What the caller tells of a video's colours where the video does not tell it itself, as raw frames and Y4M don't.
struct ColorTags {
    private let matrix: AVColorSpace?
    private let range: AVColorRange?

    /// - Throws: `.usage` for names that FFmpeg does not know.
    init(_ options: MediaReader.Options, path: String) throws(MediaError) {
        matrix = try Self.parse(options.colorspace, "colour space", "--colorspace", "bt709 or smpte170m", path) {
            let value = av_color_space_from_name($0)
            return value >= 0 ? AVColorSpace(rawValue: UInt32(value)) : nil
        }
        range = try Self.parse(options.colorRange, "colour range", "--color-range", "tv or pc", path) {
            let value = av_color_range_from_name($0)
            return value >= 0 ? AVColorRange(rawValue: UInt32(value)) : nil
        }
    }

    private static func parse<T>(
        _ name: String?, _ noun: String, _ option: String, _ examples: String, _ path: String,
        _ value: (String) -> T?
    ) throws(MediaError) -> T? {
        guard let name else { return nil }
        guard let value = value(name) else {
            throw MediaError(
                kind: .usage, file: path, operation: "read", cause: "there is no \(noun) '\(name)'",
                advice: "\(option) takes FFmpeg's names, such as \(examples)")
        }
        return value
    }

    /// Tells the decoder of `stream` what the container has not told; gives a sentence for what it tells otherwise, which holds.
    func complete(_ stream: UnsafeMutablePointer<AVStream>) -> [String] {
        let parameters = stream.pointee.codecpar!
        let (ownMatrix, ownRange) = (parameters.pointee.color_space, parameters.pointee.color_range)
        var setAside: [String] = []
        if let matrix {
            if ownMatrix == AVCOL_SPC_UNSPECIFIED {
                parameters.pointee.color_space = matrix
            } else if ownMatrix != matrix {
                setAside.append(Self.setAside("--colorspace", own: av_color_space_name(ownMatrix)))
            }
        }
        if let range {
            if ownRange == AVCOL_RANGE_UNSPECIFIED {
                parameters.pointee.color_range = range
            } else if ownRange != range {
                setAside.append(Self.setAside("--color-range", own: av_color_range_name(ownRange)))
            }
        }
        return setAside
    }

    private static func setAside(_ option: String, own: UnsafePointer<CChar>?) -> String {
        "\(option) is left aside, because the input tells its own, \(own.map { String(cString: $0) } ?? "one without a name")"
    }
}
