import CFFmpeg

/// How bright the display was on which the video was graded, and how bright the video gets: SMPTE ST 2086 and CTA-861.3.
struct LightLevels {
    /// An `AVMasteringDisplayMetadata` as it lies in memory.
    private(set) var masteringDisplay: [UInt8]?
    /// An `AVContentLightMetadata` as it lies in memory.
    private(set) var contentLight: [UInt8]?

    /// What the container tells, or else what the first frame does.
    init(sideData: [StreamSideData], firstFrame: FrameReference?) {
        masteringDisplay =
            sideData.first { $0.type == AV_PKT_DATA_MASTERING_DISPLAY_METADATA }?.bytes
            ?? firstFrame?.sideData(AV_FRAME_DATA_MASTERING_DISPLAY_METADATA).map(Array.init)
        contentLight =
            sideData.first { $0.type == AV_PKT_DATA_CONTENT_LIGHT_LEVEL }?.bytes
            ?? firstFrame?.sideData(AV_FRAME_DATA_CONTENT_LIGHT_LEVEL).map(Array.init)
    }

    /// The container's side data that tells the same.
    var sideData: [StreamSideData] {
        var pieces: [StreamSideData] = []
        if let masteringDisplay {
            pieces.append(StreamSideData(type: AV_PKT_DATA_MASTERING_DISPLAY_METADATA, bytes: masteringDisplay))
        }
        if let contentLight {
            pieces.append(StreamSideData(type: AV_PKT_DATA_CONTENT_LIGHT_LEVEL, bytes: contentLight))
        }
        return pieces
    }

    /// The same as `x265-params`: chromaticities in units of 0.00002, luminances of 0.0001 cd/m².
    var x265Parameters: [String] {
        var parameters: [String] = []
        if let display = load(masteringDisplay, as: AVMasteringDisplayMetadata.self),
            let text = Self.x265Text(display)
        {
            parameters.append("master-display=\(text)")
        }
        if let light = load(contentLight, as: AVContentLightMetadata.self) {
            parameters.append("max-cll=\(light.MaxCLL),\(light.MaxFALL)")
        }
        return parameters
    }

    /// nil where something is not told, or is no number.
    private static func x265Text(_ display: AVMasteringDisplayMetadata) -> String? {
        guard display.has_primaries != 0, display.has_luminance != 0 else { return nil }
        let (red, green, blue) = display.display_primaries
        let points = [("G", green), ("B", blue), ("R", red), ("WP", display.white_point)]
        var text = ""
        for (name, point) in points {
            guard let x = units(point.0, of: 50000), let y = units(point.1, of: 50000) else { return nil }
            text += "\(name)(\(x),\(y))"
        }
        guard let brightest = units(display.max_luminance, of: 10000),
            let darkest = units(display.min_luminance, of: 10000)
        else { return nil }
        return text + "L(\(brightest),\(darkest))"
    }

    /// How many parts, of which one is `scale`; nil where the ratio is none, as FFmpeg makes it of an infinite number.
    private static func units(_ ratio: AVRational, of scale: Double) -> Int64? {
        ratio.den == 0 ? nil : Int64((av_q2d(ratio) * scale).rounded())
    }

    private func load<T>(_ bytes: [UInt8]?, as type: T.Type) -> T? {
        guard let bytes, bytes.count >= MemoryLayout<T>.size else { return nil }
        return bytes.withUnsafeBytes { $0.loadUnaligned(as: type) }
    }
}

/// A piece of what a container tells about a whole stream.
struct StreamSideData {
    let type: AVPacketSideDataType
    let bytes: [UInt8]

    /// All pieces of a stream.
    static func all(of stream: UnsafeMutablePointer<AVStream>) -> [StreamSideData] {
        (0..<FFStreamSideDataCount(stream)).map { index in
            let piece = FFStreamSideData(stream, index).pointee
            return StreamSideData(
                type: piece.type, bytes: Array(UnsafeBufferPointer(start: piece.data, count: Int(piece.size))))
        }
    }

    func add(to stream: UnsafeMutablePointer<AVStream>) throws(AVError) {
        try AVError.check(FFStreamAddSideData(stream, type, bytes, bytes.count))
    }
}
