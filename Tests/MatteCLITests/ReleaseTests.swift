import TestSupport
import Testing

/// Networks are kept till the process ends: to let go of them takes a while, and crashes while the runtime is being unloaded.
struct ReleaseTests {
    private let folder = TemporaryFolder()

    @Test(arguments: ["in.y4m out.mkv", "--live --control socket in.y4m out.mkv", "--output-dir out in.y4m"])
    func networksAreKeptTillTheProcessEnds(_ arguments: String) throws {
        let result = try Checkout.shell(
            """
            ffmpeg -v error -f lavfi -i testsrc=size=64x64:duration=0.2 -pix_fmt yuv420p in.y4m
            LD_PRELOAD='\(try PreloadedLibrary.releases.get().path)' \\
                matte --quiet --quality fast --background red --models '\(Checkout.models)' \(arguments)
            """, in: folder)
        #expect(result.status == 0)
        #expect(result.error == "")
    }
}
