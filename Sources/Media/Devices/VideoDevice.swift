import CFFmpeg
import CV4L2
import Glibc

/// A camera, or a virtual one that programs see as a camera while something is written to it.
public struct VideoDevice: Hashable, Sendable {
    /// What a device is looked for as.
    public enum Role: Sendable {
        /// Pictures come from it.
        case camera
        /// Pictures go to it: a device of v4l2loopback.
        case virtualCamera
    }

    /// Such as `/dev/video0`, or the link that it was found by.
    public let path: String
    /// What it calls itself, such as "HD Webcam C920".
    public let name: String
    /// The links below `/dev/v4l/by-id`, which stay the same wherever the camera is plugged in.
    public let links: [String]
    /// Why it can't be asked about itself: nil where it can.
    public var problem: String? { errorNumber.map { LocalFile.errorText($0) } }
    /// The system's `errno` for that.
    let errorNumber: CInt?
    private let driver: String
    private let capabilities: UInt32

    /// Whether pictures come from it now; a virtual camera gives some only while something writes to it.
    public var isCamera: Bool { capabilities & UInt32(V4L2_CAP_VIDEO_CAPTURE) != 0 }
    /// Whether it takes pictures that other programs see as a camera's.
    public var isVirtualCamera: Bool {
        driver == "v4l2 loopback" || capabilities & UInt32(V4L2_CAP_VIDEO_OUTPUT) != 0
    }

    /// The modes that it has as a camera.
    public var modes: [CameraMode] { V4L2Descriptor(path: path)?.modes ?? [] }

    /// The programs that have it open, as far as this user may know.
    public var holders: [DeviceHolder] { DeviceHolder.all(of: path) }

    /// The programs that write to it as a virtual camera, as far as this user may know.
    ///
    /// v4l2loopback before 0.13 lets two write at once, and goes on to say that one does when it has ended. Who reads a camera maps
    /// its memory, who writes to a virtual one need not.
    var writers: [DeviceHolder] {
        let takesPictures = capabilities & UInt32(V4L2_CAP_VIDEO_OUTPUT) != 0
        return takesPictures ? [] : holders.filter { !$0.maps(path) }
    }

    /// All cameras and virtual cameras of this machine, by number; nodes that give no pictures are left out.
    public static func all() -> [VideoDevice] {
        let prefix = "video"
        let numbers = LocalFile.names(inFolder: "/dev").filter { $0.hasPrefix(prefix) }.compactMap {
            Int($0.dropFirst(prefix.count))
        }
        return numbers.sorted().map { VideoDevice(path: "/dev/video\($0)") }
            .filter { $0.isCamera || $0.isVirtualCamera || $0.problem != nil }
    }

    /// The device that `name` means: a path, a link to one, or a part of what exactly one device calls itself.
    ///
    /// nil where it means none, and is a file's name at most.
    /// - Throws: `.noInput` or `.cannotCreate`, by its role, where it can only mean a device and there is none, `.usage`
    ///   where several are called so.
    public static func find(_ name: String, as role: Role) throws(MediaError) -> VideoDevice? {
        if let file = LocalFile(path: name) { return file.isVideoDevice ? VideoDevice(path: name) : nil }
        if name.hasPrefix("/dev/video") || name.hasPrefix("/dev/v4l/") {
            throw DeviceErrors(path: name, role: role).missing
        }
        guard !name.isEmpty, !name.contains("/"), name != StandardStream.path else { return nil }
        let named = all().filter {
            $0.name.lowercased().contains(name.lowercased()) && (role == .camera ? $0.isCamera : $0.isVirtualCamera)
        }
        guard named.count > 1 else { return named.first }
        throw DeviceErrors(path: name, role: role).ambiguous(named)
    }

    /// What the device at `path` says of itself.
    init(path: String) {
        self.path = path
        let target = Self.target(of: path)
        let folder = "/dev/v4l/by-id"
        links = LocalFile.names(inFolder: folder).map { "\(folder)/\($0)" }.filter { Self.target(of: $0) == target }
            .sorted()
        let node = target.split(separator: "/").last.map(String.init) ?? ""
        guard let descriptor = V4L2Descriptor(path: path) else {
            errorNumber = errno
            (name, driver, capabilities) = (Self.systemName(of: node) ?? node, "", 0)
            return
        }
        errorNumber = nil
        guard let answer = descriptor.capability else {
            (name, driver, capabilities) = (node, "", 0)
            return
        }
        name = Self.text(answer.card)
        driver = Self.text(answer.driver)
        let isOfDevice = answer.capabilities & UInt32(V4L2_CAP_DEVICE_CAPS) != 0
        capabilities = isOfDevice ? answer.device_caps : answer.capabilities
    }

    /// The kernel's name of a device that may not be opened.
    private static func systemName(of node: String) -> String? {
        LocalFile.lines(of: "/sys/class/video4linux/\(node)/name").first
    }

    /// Where a chain of links ends.
    static func target(of path: String) -> String {
        guard let resolved = realpath(path, nil) else { return path }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// The text in a C array of characters.
    private static func text<Characters>(_ characters: Characters) -> String {
        withUnsafeBytes(of: characters) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}
