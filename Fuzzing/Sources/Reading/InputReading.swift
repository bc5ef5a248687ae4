import Imaging
import Media

/// Reads an input as a run of the program does, to its end.
public struct InputReading {
    /// What came of an input.
    public enum Outcome: CustomStringConvertible {
        /// So many frames and packets of other streams.
        case read(frames: Int, packets: Int)
        /// It was refused.
        case refused(MediaError)

        public var description: String {
            switch self {
            case .read(let frames, let packets): "\(frames) frames, \(packets) packets"
            case .refused(let error): error.description
            }
        }
    }

    /// Frames after which reading stops: a file of a few that was mutated may repeat them many thousand times.
    public static let frameLimit = 256

    public var path: String
    public var options: MediaReader.Options

    public init(path: String, options: MediaReader.Options = .init()) {
        self.path = path
        self.options = options
    }

    /// Opens the input and takes all of it, the ends of every row looked at.
    public func perform() -> Outcome {
        options.limits.capAllocations()
        do throws(MediaError) {
            let reader = try MediaReader(path: path, options: options)
            var (frames, packets) = (0, 0)
            while frames < Self.frameLimit, let item = try reader.next() {
                switch item {
                case .frame(let frame), .runIn(let frame):
                    touch(frame.pixelBuffer)
                    frames += 1
                case .packet: packets += 1
                }
            }
            return .read(frames: frames, packets: packets)
        } catch {
            return .refused(error)
        }
    }

    /// Reads the first and the last byte of each row, which shows planes that lie outside their memory.
    private func touch(_ buffer: PixelBuffer) {
        var sum: UInt8 = 0
        buffer.withPlanes { planes in
            for (plane, layout) in zip(planes, buffer.format.planes) {
                let byteCount = plane.width * layout.componentCount * buffer.format.bytesPerComponent
                for y in 0..<plane.height {
                    let row = plane.row(y, as: UInt8.self)
                    sum &+= row[0] &+ row[byteCount - 1]
                }
            }
        }
        Self.sink = sum
    }

    /// Takes what was read, so that reading is not optimised away.
    nonisolated(unsafe) private static var sink: UInt8 = 0
}
