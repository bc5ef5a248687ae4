/// What a video's code values mean: the tags that travel with every frame.
///
/// Code points are those of ITU-T H.273 (ISO/IEC 23091-2), which FFmpeg's `AVColorSpace`, `AVColorPrimaries` and
/// `AVColorTransferCharacteristic` share; 2 is "unspecified".
public struct ColorDescription: Hashable, Sendable {
    /// H.273 MatrixCoefficients.
    public struct Matrix: RawRepresentable, Hashable, Sendable {
        public let rawValue: UInt8
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        public static let rgb = Matrix(rawValue: 0)
        public static let bt709 = Matrix(rawValue: 1)
        public static let unspecified = Matrix(rawValue: 2)
        public static let fcc = Matrix(rawValue: 4)
        public static let bt470bg = Matrix(rawValue: 5)
        public static let smpte170m = Matrix(rawValue: 6)
        public static let smpte240m = Matrix(rawValue: 7)
        public static let bt2020NonConstantLuminance = Matrix(rawValue: 9)
        public static let bt2020ConstantLuminance = Matrix(rawValue: 10)

        /// The matrix itself, or what players assume where none of Y'CbCr is told: BT.709 for high definition, else BT.601.
        public func resolved(width: Int, height: Int) -> Matrix {
            guard self == .unspecified || self == .rgb else { return self }
            return width >= 1280 || height > 576 ? .bt709 : .smpte170m
        }
    }

    /// Which code values black and white have.
    public enum Range: UInt8, Hashable, Sendable {
        case unspecified = 0
        /// 16…235 for luma and 16…240 for chroma at 8 bits: FFmpeg's `tv` or `mpeg`.
        case limited = 1
        /// 0…255 at 8 bits: FFmpeg's `pc` or `jpeg`.
        case full = 2
    }

    /// Whether black is 0 in pictures of that model: in RGB always, in gray unless something else is told, in YUV where it is told.
    package func isFullRange(in model: PixelFormat.ColorModel) -> Bool {
        switch model {
        case .rgb: true
        case .gray: range != .limited
        case .yuv: range == .full
        }
    }

    /// Where a subsampled chroma sample lies; values of FFmpeg's `AVChromaLocation`.
    public enum ChromaLocation: UInt8, Hashable, Sendable {
        case unspecified = 0
        /// Between two luma rows, on the left luma column: MPEG-2, H.264, HEVC.
        case left = 1
        /// In the middle of four luma samples: MPEG-1, JPEG.
        case center = 2
        /// On the upper left luma sample: BT.2020 video.
        case topLeft = 3
        case top = 4
        case bottomLeft = 5
        case bottom = 6

        /// Whether a sample lies on the left one of the two columns of luma that it stands for, and not between them.
        var isOnColumn: Bool {
            switch self {
            case .unspecified, .left, .topLeft, .bottomLeft: true
            case .center, .top, .bottom: false
            }
        }

        /// Which of the two rows of luma that it stands for a sample lies on; nil where it is between them.
        var row: Int? {
            switch self {
            case .top, .topLeft: 0
            case .bottom, .bottomLeft: 1
            case .unspecified, .left, .center: nil
            }
        }
    }

    /// How luma and chroma are made of red, green and blue.
    public var matrix: Matrix
    /// Which numbers stand for black and white.
    public var range: Range
    /// H.273 ColourPrimaries.
    public var primaries: UInt8
    /// H.273 TransferCharacteristics.
    public var transfer: UInt8
    /// Where the samples of chroma lie among those of luma.
    public var chromaLocation: ChromaLocation

    /// What is not told is unknown.
    public init(
        matrix: Matrix = .unspecified, range: Range = .unspecified, primaries: UInt8 = 2, transfer: UInt8 = 2,
        chromaLocation: ChromaLocation = .unspecified
    ) {
        self.matrix = matrix
        self.range = range
        self.primaries = primaries
        self.transfer = transfer
        self.chromaLocation = chromaLocation
    }

    /// Nothing is known.
    public static let unspecified = ColorDescription()
}
