import Foundation
import Media
import Reading

/// Y4M and raw frames through a pipe. The first byte chooses the layout of raw frames, or none for what tells it itself.
enum StreamTarget {
    private static let formats = [
        "yuv420p", "yuv422p10le", "yuv444p", "nv12", "rgb24", "gray", "rgba", "yuva420p", "p010le", "yuyv422", "pal8",
        "monob", "gbrp12le", "bayer_rggb8", "xyz12le",
    ]
    private static let sizes = ["16x16", "1x1", "17x9", "64x48"]

    static func run(_ bytes: [UInt8]) {
        guard let first = bytes.first else { return }
        var options = MediaReader.Options(threads: 1)
        if first < formats.count * sizes.count {
            options.format = "rawvideo"
            options.pixelFormat = formats[Int(first) / sizes.count]
            options.size = sizes[Int(first) % sizes.count]
        }
        options.addition = first & 1 != 0 ? .alpha : .color
        read(bytes.dropFirst(), options)
    }

    /// What does not fit the pipe waits for its reader in a thread.
    private static func read(_ bytes: ArraySlice<UInt8>, _ options: MediaReader.Options) {
        signal(SIGPIPE, SIG_IGN)
        let pipe = Pipe()
        let writing = DispatchGroup()
        let input = pipe.fileHandleForWriting
        DispatchQueue.global().async(group: writing) {
            try? input.write(contentsOf: Data(bytes))
            try? input.close()
        }
        _ = InputReading(path: "/proc/self/fd/\(pipe.fileHandleForReading.fileDescriptor)", options: options).perform()
        // Nobody reads on: a writer that still waits gets an error.
        try? pipe.fileHandleForReading.close()
        writing.wait()
    }
}
