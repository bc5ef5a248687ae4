import Foundation
import TestSupport
import Testing

/// A webcam in, a virtual webcam out, with real Video4Linux2 devices in a small guest.
///
/// The bench gives `/dev/video0`, a test pattern, and `/dev/video10` of v4l2loopback. What is done there are scripts; each runs a
/// matter from beginning to end and says what it saw, since a guest takes seconds to start.
@Suite(
    .serialized,
    .enabled(if: Bench.runs, "no bench with Video4Linux2 devices can run here: it needs shared/v4l2 and root")
)
struct DeviceTests {
    private let folder = TemporaryFolder()

    /// What the scripts share. The pattern has nobody in it, so that only the background is seen.
    private static let tools = """
        set -u
        live="matte --quality fast --size 320x180 --rate 10 --control /tmp/s"
        control() { matte control --socket /tmp/s "$@"; }
        # Waits until the answer to `status` contains a word.
        await() { local i; for i in $(seq 300); do control status 2>&1 | grep -q -- "$1" && return; sleep 0.1; done; echo "no $1"; exit 1; }
        # The colour in the middle of the next picture of the virtual camera, as red green blue.
        seen() { timeout 60 ffmpeg -v error -f v4l2 -fpsprobesize 0 -i /dev/video10 -frames:v 1 -vf crop=16:16,scale=1:1 -pix_fmt rgb24 \\
            -f rawvideo - | od -An -tu1 | xargs; }
        refused() { matte --quiet "$@" 2>&1; echo "status $?"; }
        """

    private func run(_ script: String) throws -> String {
        let result = try Bench.run(Self.tools + "\n" + script)
        try #require(result.status == 0, "\(result.output) \(result.error)")
        return result.output
    }

    @Test func theDevicesAreListedAndMistakesAreNamed() throws {
        let output = try run(
            """
            matte devices
            refused /dev/video0 /dev/video7
            refused /dev/video7 /dev/video10
            refused /dev/video0 /dev/video0
            refused /dev/video10 out.mp4
            refused --size 1024x768 vivid /dev/video10 | sed 's/; it has .*//'
            refused --pix-fmt mjpeg vivid Bench-output | sed 's/; it has .*//'
            refused --start 3 vivid Bench-output
            refused --output-pix-fmt gray10le vivid Bench-output
            """)
        #expect(output.contains("  /dev/video0  vivid\n"))
        #expect(output.contains("    yuyv422 640x480 at 25, 15, 12.5, 10, 5, 4, 2, 1 fps\n"))
        #expect(output.contains("Virtual cameras:\n  /dev/video10  Bench-output\n"))
        let modes = output.split(separator: "\n").filter { $0.hasSuffix(" fps") }
        #expect(Set(modes).count == modes.count, "the test pattern comes as YU12 and as YV12")
        let sentences = output.components(separatedBy: "Bench-output\n").last
        #expect(
            sentences == """
                matte: can't write to '/dev/video7': there is no such device; 'matte devices' lists those that there are
                status 73
                matte: can't open '/dev/video7': there is no such device; 'matte devices' lists those that there are
                status 66
                matte: can't write to '/dev/video0': it is not a virtual camera; make one with 'sudo modprobe v4l2loopback exclusive_caps=1 card_label=matte'
                status 73
                matte: can't open '/dev/video10': it is a virtual camera that nothing writes to; start the program that feeds it, or choose another camera
                status 66
                matte: can't open '/dev/video0': it has no mode with 1024x768
                status 64
                matte: can't open '/dev/video0': it has no mode with mjpeg
                status 64
                matte: can't open 'vivid': --start can't be had of a camera; leave it out
                status 64
                matte: can't write to 'Bench-output': a virtual camera can't give 'gray10le'; choose yuyv422, uyvy422, yuv420p, nv12, rgb24
                status 64

                """)
    }

    @Test func aMeetingKeepsItsCamera() throws {
        let output = try run(
            """
            $live --background red --stats vivid Bench-output 2>log & pid=$!
            await 'frames=[1-9]'
            echo "first $(seen)"
            ffprobe -v error -f v4l2 -fpsprobesize 0 -show_entries stream=width,height,pix_fmt -of csv=p=0 /dev/video10
            refused vivid out.mp4
            refused vivid Bench-output
            # Two consumers at once.
            timeout 60 ffmpeg -v error -f v4l2 -fpsprobesize 0 -i /dev/video10 -frames:v 30 -f null - & second=$!
            echo "both $(seen)"
            wait $second && echo "second done"
            control background blue >/dev/null
            echo "blue $(seen)"
            # The camera is pulled out: the background stays.
            echo vivid.0 >/sys/bus/platform/drivers/vivid/unbind
            await camera=waiting
            echo "gone $(seen)"
            control background lime >/dev/null
            echo "changed $(seen)"
            ffmpeg -v error -f lavfi -i "color=s=64x36:r=10:d=60,format=yuv420p,geq=lum=16+N/3:cb=16+mod(7*N\\,220):cr=128" -c:v ffv1 moving.mkv
            control background moving.mkv >/dev/null
            echo "moving $(seen)"
            echo "moved $(seen)"
            control background lime >/dev/null
            echo vivid.0 >/sys/bus/platform/drivers/vivid/bind
            await camera=showing
            echo "back $(seen)"
            kill -INT $pid
            wait $pid
            echo "status $?"
            ffmpeg -v error -f lavfi -i color=s=320x180:d=0.1 -pix_fmt yuyv422 -f v4l2 /dev/video10 && echo "another program has it"
            grep -v 'fps' log
            """)
        let lines = output.split(separator: "\n").map(String.init)
        func color(_ name: String) -> [Int] {
            let line = lines.first { $0.hasPrefix(name + " ") } ?? ""
            return line.split(separator: " ").compactMap { Int($0) }
        }
        func near(_ color: [Int], _ expected: [Int]) -> Bool {
            color.count == 3 && zip(color, expected).allSatisfy { abs($0 - $1) <= 4 }
        }
        #expect(near(color("first"), [255, 0, 0]), "\(output)")
        #expect(lines.contains("320,180,yuyv422"))
        #expect(lines.contains { $0.hasPrefix("matte: can't open '/dev/video0': it is in use by matte (process ") })
        #expect(
            lines.contains { $0.hasPrefix("matte: can't write to 'Bench-output': it is in use by matte (process ") })
        #expect(near(color("blue"), [0, 0, 255]))
        #expect(near(color("gone"), [0, 0, 255]))
        #expect(near(color("changed"), [0, 255, 0]))
        #expect(color("moving").count == 3 && color("moving") != color("moved"), "a video goes on: \(output)")
        #expect(near(color("back"), [0, 255, 0]))
        #expect(near(color("both"), [255, 0, 0]) && lines.contains("second done"))
        #expect(lines.contains("status 130"), "interrupted")
        #expect(lines.contains("another program has it"), "\(output)")
        #expect(lines.contains { $0.contains("can't open '/dev/video0': it is gone") && $0.contains("waiting for it") })
        #expect(lines.contains("the camera is back"))
        #expect(lines.contains { $0.hasPrefix("  latency  p50 ") })
    }

    @Test func nobodyWatchesAndTheCameraRests() throws {
        // As the sample's service runs it.
        let unit = Checkout.root.appending(path: "samples/webcam/matte.service").path
        let output = try run(
            """
            eval "$(sed -n -e 's/^Environment="\\([A-Z_]*\\)=\\(.*\\)"$/\\1="\\2"/p' -e 's/^Environment=\\([A-Z_]*=.*\\)/\\1/p' '\(unit)')"
            eval "set -- $(sed -n 's/^ExecStart=//p' '\(unit)')"
            echo "$@"
            $live "${@:2}" & pid=$!
            await camera=resting
            while matte devices | grep -A1 /dev/video0 | grep -q 'in use'; do sleep 0.1; done
            # It reads until it is told to end, however long what is looked at meanwhile takes.
            ffmpeg -nostdin -v error -f v4l2 -fpsprobesize 0 -i /dev/video10 -f framecrc -flush_packets 1 frames & consumer=$!
            await camera=showing
            matte devices | grep -A1 /dev/video0 | grep -o 'in use by matte'
            for i in $(seq 600); do [ "$(grep -c ^0 frames)" -ge 40 ] && break; sleep 0.1; done
            [ "$(grep -c ^0 frames)" -ge 40 ] && echo "the consumer has its frames"
            kill $consumer
            await camera=resting
            # Whoever comes next sees nothing of what the last one saw.
            echo vivid.0 >/sys/bus/platform/drivers/vivid/unbind
            echo "next $(seen)"
            kill -INT $pid
            wait $pid
            echo "status $?"
            """)
        #expect(
            output == """
                matte --quiet --on-demand --background blur /dev/video0 /dev/video10
                in use by matte
                the consumer has its frames
                next 0 0 0
                status 130

                """)
    }

    @Test func aCameraWhosePicturesCantBeDecodedGivesNone() throws {
        let output = try run(
            """
            ffmpeg -v error -f lavfi -i testsrc2=s=320x180:r=25:d=1 -c:v mjpeg -bsf:v noise=amount=1 broken.nut
            ffmpeg -v quiet -nostdin -re -stream_loop -1 -i broken.nut -c copy -f v4l2 /dev/video10 & feed=$!
            until matte devices | grep -q 'mjpeg 320x180'; do sleep 0.1; done
            refused --quality fast /dev/video10 out.mkv
            kill $feed
            """)
        #expect(
            output == """
                matte: can't open '/dev/video10': no picture came from it; check its cable and its shutter, or choose another mode
                status 66

                """)
    }

    @Test func aCameraIsRecorded() throws {
        let output = try run(
            """
            $live --quiet --background red --limit 12 vivid out.mkv
            ffprobe -v error -count_packets -show_entries stream=width,height,nb_read_packets -of csv=p=0 out.mkv
            # At the beginning, but for what the first frame took to come and to be matted, on a machine that does other things.
            ffprobe -v error -show_entries packet=pts_time -of csv=p=0 out.mkv | head -1 | grep -c '^0[.]'
            ls -a
            """)
        #expect(output == "320,180,12\n1\n.\n..\nout.mkv\n", "\(output)")
    }
}

/// The bench beside the checkout.
enum Bench {
    private static let script = Checkout.root.appending(path: "../shared/v4l2/bench.sh").standardized

    /// Whether a guest starts here and gives devices.
    static let runs: Bool = {
        guard FileManager.default.isExecutableFile(atPath: script.path), geteuid() == 0 else { return false }
        return (try? run("test -c /dev/video0 -a -c /dev/video10").status) == 0
    }()

    /// Runs `text` with bash in a guest, in an empty folder and with this package's programs on the search path.
    static func run(_ text: String) throws -> Tool.Result {
        let folder = TemporaryFolder()
        try Data(text.utf8).write(to: folder.url("script"))
        let programs = URL(filePath: Checkout.program("matte").program).deletingLastPathComponent().path
        return try Tool("bash").run([
            script.path, "--quiet", "--cache", script.deletingLastPathComponent().appending(path: "cache").path,
            "--timeout", "500", "--", "bash", "-c",
            "export PATH='\(programs)':\"$PATH\"; mkdir /tmp/work && cd /tmp/work && bash '\(folder.path("script"))'",
        ])
    }
}
