import ArgumentParser
import Media

/// `matte devices`: the cameras and virtual cameras of this machine.
struct DevicesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "matte devices",
        abstract: "Lists cameras and virtual cameras.",
        discussion: """
            A camera is named by its path, by a link below /dev/v4l/by-id, or by a part of its name; below it are \
            its links, who uses it, and its modes, which --pix-fmt, --size and --rate choose.
            """)

    func run() throws {
        let devices = VideoDevice.all()
        let cameras = devices.filter { !$0.isVirtualCamera }.flatMap(Self.lines)
        let virtual = devices.filter(\.isVirtualCamera).flatMap(Self.lines)
        let advice = [
            "  none; make one with v4l2loopback (Debian's package v4l2loopback-dkms):",
            "    sudo modprobe v4l2loopback exclusive_caps=1 card_label=matte",
        ]
        let lines =
            ["Cameras:"] + (cameras.isEmpty ? ["  none"] : cameras)
            + ["", "Virtual cameras:"] + (virtual.isEmpty ? advice : virtual)
        try StandardOutput.write(lines.map { Console.printable($0) + "\n" }.joined())
    }

    private static func lines(_ device: VideoDevice) -> [String] {
        let holders = device.holders.map(\.description).joined(separator: ", ")
        return ["  \(device.path)  \(device.name)"]
            + device.links.map { "    \($0)" }
            + (device.problem.map { ["    can't be asked: \($0)"] } ?? [])
            + (holders.isEmpty ? [] : ["    in use by \(holders)"])
            + device.modes.map { "    \($0)" }
    }
}
