import Media
import TestSupport
import Testing

/// What FFmpeg was built with, as its own program lists it.
struct CodecSupportTests {
    /// The names in a list of ffmpeg's, such as "-encoders".
    private func names(_ list: String) throws -> Set<String> {
        let lines = try Tool.ffmpeg("-v", "error", list).split(separator: "\n")
        return Set(lines.compactMap { $0.split(separator: " ").dropFirst().first.map(String.init) })
    }

    @Test func encodersAreThoseOfTheProgram() throws {
        let listed = try names("-encoders")
        for name in ["libx264", "libx265", "libvpx-vp9", "libsvtav1", "aac", "h264_nvenc", "no_such"] {
            #expect((CodecSupport.encoder(of: name) == name) == listed.contains(name), "\(name)")
        }
        #expect(CodecSupport.encoder(of: "no_such") == nil)
    }

    @Test func decodersAreThoseOfTheProgram() throws {
        let listed = try names("-decoders")
        for codec in ["h264", "hevc", "vp9", "av1", "mjpeg", "prores", "aac"] {
            let decoder = try #require(CodecSupport.decoder(of: codec))
            #expect(listed.contains(decoder), "\(codec): \(decoder)")
        }
        #expect(CodecSupport.decoder(of: "no_such") == nil)
    }

    @Test func accelerationsAreThoseOfTheProgram() throws {
        let lines = try Tool.ffmpeg("-v", "error", "-hwaccels").split(separator: "\n").map(String.init)
        #expect(Set(HardwareAcceleration.all().map(\.name)) == Set(lines.dropFirst()))
    }
}
