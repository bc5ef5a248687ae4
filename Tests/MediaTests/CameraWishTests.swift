import Testing

@testable import Media

/// Which mode of a camera is taken: what was asked for, or what is nearest to 1280x720 at 30.
struct CameraWishTests {
    private func mode(_ format: String, _ width: Int, _ height: Int, _ rates: Double...) -> CameraMode {
        CameraMode(pixelFormat: format, size: .init(width: width, height: height), rates: .some(rates))
    }

    /// A usual webcam: raw pictures are slow where they are large.
    private var webcam: [CameraMode] {
        [
            mode("yuyv422", 640, 480, 30, 15), mode("yuyv422", 1280, 720, 10, 5), mode("yuyv422", 1920, 1080, 5),
            mode("mjpeg", 640, 480, 30), mode("mjpeg", 1280, 720, 60, 30), mode("mjpeg", 1920, 1080, 30),
        ]
    }

    private func choice(_ wish: CameraWish, _ modes: [CameraMode]) -> String? {
        wish.choice(among: modes).map { "\($0.format) \($0.width)x\($0.height) \($0.rate ?? 0)" }
    }

    @Test func withoutAWishItIs720p30() {
        #expect(choice(CameraWish(), webcam) == "mjpeg 1280x720 30.0")
    }

    @Test func rawIsTakenWhereItIsAsFast() {
        #expect(choice(CameraWish(), webcam + [mode("nv12", 1280, 720, 30)]) == "nv12 1280x720 30.0")
        #expect(choice(CameraWish(size: (640, 480)), webcam) == "yuyv422 640x480 30.0")
    }

    @Test func theRateCountsAsMuchAsTheSize() {
        // A third of the rate would be worse than a quarter of the pixels.
        let slow = [mode("yuyv422", 1280, 720, 10), mode("yuyv422", 640, 360, 30), mode("yuyv422", 320, 180, 30)]
        #expect(choice(CameraWish(), slow) == "yuyv422 640x360 30.0")
        #expect(choice(CameraWish(), [mode("mjpeg", 1280, 720, 29.97)]) == "mjpeg 1280x720 29.97")
    }

    @Test func whatIsAskedForIsMetOrNothing() {
        #expect(choice(CameraWish(format: "yuyv422"), webcam) == "yuyv422 640x480 30.0")
        #expect(choice(CameraWish(rate: 60), webcam) == "mjpeg 1280x720 60.0")
        #expect(choice(CameraWish(size: (1920, 1080), rate: 5), webcam) == "yuyv422 1920x1080 5.0")
        #expect(choice(CameraWish(size: (1024, 768)), webcam) == nil)
        #expect(choice(CameraWish(format: "h264"), webcam) == nil)
        #expect(choice(CameraWish(format: "yuyv422", size: (1280, 720), rate: 30), webcam) == nil)
    }

    @Test func sizesAndRatesInStepsAreFitted() {
        let any = CameraMode(
            pixelFormat: "yuv420p", size: .init(minimum: (48, 32), maximum: (8192, 8192), step: (16, 2)),
            rates: .all(1...60)
        )
        #expect(choice(CameraWish(), [any]) == "yuv420p 1280x720 30.0")
        #expect(choice(CameraWish(size: (648, 480)), [any]) == nil)
        #expect(choice(CameraWish(size: (656, 480), rate: 12), [any]) == "yuv420p 656x480 12.0")
        #expect(choice(CameraWish(rate: 90), [any]) == nil)
        #expect(any.description == "yuv420p 48x32…8192x8192 at 1…60 fps")
    }

    @Test func modesAndWishesAreNamed() {
        #expect(mode("mjpeg", 1280, 720, 30, 29.97, 7.5).description == "mjpeg 1280x720 at 30, 29.97, 7.5 fps")
        #expect(mode("mjpeg", 1280, 720).description == "mjpeg 1280x720")
        #expect(CameraWish(format: "mjpeg", size: (640, 480), rate: 30).description == "mjpeg 640x480 at 30 fps")
    }

    @Test func formatsHaveFFmpegsNames() {
        #expect(CameraMode.formatName(of: 0x5659_5559) == "yuyv422")
        #expect(CameraMode.formatName(of: 0x4750_4A4D) == "mjpeg")
        #expect(CameraMode.formatName(of: 0x2020_2020) == nil)
        for name in ["yuyv422", "uyvy422", "yuv420p", "nv12", "rgb24"] {
            #expect(CameraMode.fourCharacterCode(of: name).flatMap(CameraMode.formatName(of:)) == name)
        }
        // YU12 is 4:2:0 in FFmpeg's order of planes; YV12 is not.
        #expect(CameraMode.fourCharacterCode(of: "yuv420p") == 0x3231_5559)
    }
}
