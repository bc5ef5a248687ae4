import ArgumentParser

/// What runs on which hardware.
struct HardwareOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "OpenVINO's name of the device that runs the networks: CPU, GPU, GPU.1, NPU, or AUTO, which takes the best one.",
            valueName: "name"))
    var device = "CPU"

    @Option(
        help: ArgumentHelp(
            "FFmpeg's name of the hardware acceleration that decodes the input: vaapi, cuda, qsv, vdpau, vulkan, … or none.",
            valueName: "name"))
    var hwaccel: String?

    @Option(
        help: ArgumentHelp(
            "FFmpeg's name of the device for --hwaccel and for hardware encoders, such as /dev/dri/renderD128 "
                + "(default: the first).", valueName: "device"))
    var hwaccelDevice: String?

    @Option(
        help: ArgumentHelp(
            "FFmpeg's name of the decoder, such as h264_cuvid or libdav1d (default: the codec's usual one).",
            valueName: "name"))
    var decoder: String?

    /// Whether hardware is to decode.
    var accelerates: Bool { hwaccel != nil && hwaccel != "none" }

    func validate() throws { try Self.validate(device: device) }

    static func validate(device: String) throws {
        if device.isEmpty { throw ValidationError("--device takes a name, such as CPU, GPU or AUTO") }
    }
}
