import CFFmpeg

/// A hardware acceleration that FFmpeg was built with, and whether there is a device for it here.
public struct HardwareAcceleration: Hashable, Sendable {
    /// FFmpeg's name, such as `vaapi`.
    public let name: String
    /// Why its first device can't be opened, in one clause; nil where it can.
    public let problem: String?

    /// Every acceleration of this FFmpeg; the first device of each is opened and closed again.
    public static func all() -> [HardwareAcceleration] {
        HardwareDevice.typeNames.map { name in
            do throws(MediaError) {
                _ = try HardwareDevice(
                    av_hwdevice_find_type_by_name(name), device: nil, file: name, operation: "open", advice: "")
                return HardwareAcceleration(name: name, problem: nil)
            } catch {
                return HardwareAcceleration(name: name, problem: error.cause)
            }
        }
    }
}
