import ArgumentParser
import Media

/// `matte devices`: the cameras and virtual cameras of this machine.
struct DevicesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "matte devices",
        abstract: "Lists cameras and virtual cameras.",
        discussion: """
            A camera is named by its path, by a link below /dev/v4l/by-id, or by a part of its name; each line below it is a \
            mode that --pix-fmt, --size and --rate choose.
            """)

    func run() {
        let devices = VideoDevice.all()
        print("Cameras:")
        let cameras = devices.filter { !$0.isVirtualCamera }
        if cameras.isEmpty { print("  none") }
        for camera in cameras { Self.describe(camera) }
        print("\nVirtual cameras:")
        let virtual = devices.filter(\.isVirtualCamera)
        for device in virtual { Self.describe(device) }
        if virtual.isEmpty {
            print(
                """
                  none; make one with v4l2loopback (Debian's package v4l2loopback-dkms):
                    sudo modprobe v4l2loopback exclusive_caps=1 card_label=matte
                """)
        }
    }

    private static func describe(_ device: VideoDevice) {
        print("  \(device.path)  \(device.name)")
        for link in device.links { print("    \(link)") }
        if let problem = device.problem { print("    can't be asked: \(problem)") }
        let holders = device.holders
        if !holders.isEmpty { print("    in use by \(holders.map(\.description).joined(separator: ", "))") }
        for mode in device.modes { print("    \(mode)") }
    }
}
