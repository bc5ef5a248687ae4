import CFFmpeg
import Imaging

extension RGBColor {
    /// The colour that `name` stands for: a CSS colour name in any case, `#rrggbb` or `#rgb`; nil for anything else.
    ///
    /// Names are those of FFmpeg's `av_parse_color` and CSS's other spellings with "grey".
    public init?(name: String) {
        let digits = name.dropFirst()
        let isHexadecimal = name.first == "#" && [3, 6].contains(digits.utf8.count) && digits.allSatisfy(\.isHexDigit)
        let hexadecimal = "#" + (digits.count == 3 ? digits.map { "\($0)\($0)" }.joined() : String(digits))
        // FFmpeg knows forms beyond CSS's ("random", "0x…", "red@0.5"), which are no names.
        let isWord = name.allSatisfy { $0.isASCII && $0.isLetter } && name.lowercased() != "random"
        guard isHexadecimal || isWord else { return nil }
        let american = name.lowercased().split(separator: "grey", omittingEmptySubsequences: false).joined(
            separator: "gray")
        LibraryLog.install()
        var components: [UInt8] = [0, 0, 0, 0]
        guard av_parse_color(&components, isHexadecimal ? hexadecimal : american, -1, nil) >= 0 else { return nil }
        self.init(
            red: Float(components[0]) / 255, green: Float(components[1]) / 255, blue: Float(components[2]) / 255)
    }

    /// The names of colours that FFmpeg has, in small letters.
    package static var names: [String] {
        (Int32(0)...).lazy.map { av_get_known_color_name($0, nil) }.prefix { $0 != nil }
            .compactMap { $0.map { String(cString: $0).lowercased() } }
    }

    /// The colour as `#rrggbb`.
    public var name: String {
        let bytes = [red, green, blue].map { Int((min(max($0, 0), 1) * 255).rounded()) }
        return "#" + bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
