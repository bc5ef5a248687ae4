import ArgumentParser
import Glibc
import Imaging
import Media

/// What a stream or file does not tell of itself.
struct StreamOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "FFmpeg's specifier of the video stream to take, such as 2 for the file's third stream or v:1 for its second video "
                + "(default: the best).", valueName: "specifier"))
    var stream: String?

    @Option(help: "FFmpeg's name of the input's format, such as rawvideo (default: found by probing).")
    var format: String?

    @Option(
        name: .customLong("pix-fmt"),
        help: "Pixel format of raw frames or of a camera's pictures, such as yuv420p, rgb24 or mjpeg.")
    var pixelFormat: String?

    @Option(help: "Size of raw frames or of a camera's pictures, such as 1280x720 or hd720.")
    var size: String?

    @Option(
        help: "Rate of raw frames or of a camera, such as 30, 30000/1001 or ntsc (default: 25, of a camera near 30).")
    var rate: String?

    @Option(help: "Matrix of an input that does not tell it, such as bt709 or smpte170m (default: by its size).")
    var colorspace: String?

    @Option(help: "Range of an input that does not tell it: tv or pc (default: tv for YUV, pc for RGB and grey).")
    var colorRange: String?

    @Option(
        help:
            "FFmpeg's name of the output's format (default: as the name tells; raw frames and Y4M stay what they are).")
    var outputFormat: String?

    @Option(
        name: .customLong("output-pix-fmt"),
        help: "Pixel format of the output, such as rgba or gray16le (default: the input's, or the encoder's nearest).")
    var outputPixelFormat: String?

    /// How many bits a mask gets that comes out in this pixel format.
    var maskPixelFormat: PixelFormat {
        outputPixelFormat.map(PixelFormat.gray(deepEnoughFor:)) ?? .gray8
    }

    /// Refuses to read frames from, or to write them to, a terminal.
    static func refuseTerminals(input: String, output: String?) throws {
        if input == "-", isatty(STDIN_FILENO) == 1 {
            throw ValidationError(
                "standard input is a terminal: pipe a video into it, as in 'ffmpeg … -f matroska - | matte - out.mp4'")
        }
        if output == "-", isatty(STDOUT_FILENO) == 1 {
            throw ValidationError(
                "standard output is a terminal: pipe it on, as in 'matte in.mp4 --output-format matroska - | ffplay -'")
        }
    }
}
