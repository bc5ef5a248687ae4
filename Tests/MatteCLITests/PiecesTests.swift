import Foundation
import TestSupport
import Testing

/// A video in pieces: what a run-in is for, and the samples that cut, matte and join.
struct PiecesTests {
    private let matte = Checkout.program("matte")
    private let folder = TemporaryFolder()
    private let models = TemporaryFolder()
    /// A level that sees the whole frame only: what it remembers of the frames before settles, where crops stay a little longer
    /// wherever people were.
    private let settling: String

    init() throws {
        let manifest = try String(contentsOfFile: "\(Checkout.models)/manifest.json", encoding: .utf8)
        var parts = try #require(try JSONSerialization.jsonObject(with: Data(manifest.utf8)) as? [String: Any])
        var levels = try #require(parts["levels"] as? [String: [String: Any]])
        levels["fast"]?["following"] = nil
        levels["fast"]?["detector"] = nil
        levels["fast"]?["verifier"] = nil
        levels["fast"]?["objectDetector"] = nil
        parts["levels"] = levels
        let copied = try Checkout.shell("cp -r '\(Checkout.models)' whole", in: models)
        try #require(copied.status == 0)
        try JSONSerialization.data(withJSONObject: parts).write(to: models.url("whole/manifest.json"))
        settling = "-q fast --models '\(models.path("whole"))'"
    }

    @discardableResult
    private func shell(_ line: String) throws -> Tool.Result {
        let samples = Checkout.root.appending(path: "samples/batch").path
        let result = try Checkout.shell("PATH='\(samples)':$PATH; set -e; \(line)", in: folder)
        try #require(result.status == 0, "\(result.error)")
        return result
    }

    /// A hash of each frame's picture.
    private func pictures(_ name: String) throws -> [String] {
        try Tool.ffmpeg("-v", "error", "-i", folder.path(name), "-map", "0:v", "-f", "framemd5", "-")
            .split(separator: "\n").filter { !$0.hasPrefix("#") }
            .compactMap { $0.split(separator: ",").last.map(String.init) }
    }

    /// The values of all frames of a mask, one after the other.
    private func pixels(_ name: String) throws -> Data {
        let raw = folder.path("raw")
        try Tool.ffmpeg("-v", "error", "-y", "-i", folder.path(name), "-map", "0:v", "-f", "rawvideo", raw)
        return try Data(contentsOf: folder.url("raw"))
    }

    @Test func piecesWithARunInAreTheWhole() throws {
        let options = "--quiet \(settling) --output-kind mask --codec ffv1 --run-in 2"
        let input = Checkout.sampleClip
        try shell(
            """
            matte --quiet \(settling) --output-kind mask --codec ffv1 '\(input)' whole.mkv
            matte \(options) --start 0 --duration 1.7 '\(input)' a.mkv
            matte \(options) --start 1.7 --duration 0.81 '\(input)' b.mkv
            matte \(options) --start 2.51 '\(input)' c.mkv
            """)
        let (whole, pieces) = (try pixels("whole.mkv"), try ["a.mkv", "b.mkv", "c.mkv"].flatMap(pixels))
        #expect(pieces.count == whole.count && whole.count == 96 * 640 * 360)
        // What the frames before have left is less than a step, which may still turn how a value is rounded.
        #expect(zip(pieces, whole).allSatisfy { abs(Int($0) - Int($1)) <= 1 })
    }

    @Test func standardInputThatIsAFileIsReadTwice() throws {
        let options = "--quiet -q fast --codec ffv1 --start 1 --duration 0.3 --run-in 0.5"
        try shell(
            """
            cp '\(Checkout.sampleClip)' in.mp4
            matte \(options) in.mp4 named.mkv
            matte \(options) - piped.mkv <in.mp4
            matte --quiet -q fast --limit 3 --crop-to-person - cropped.mkv <in.mp4
            """)
        #expect(try pictures("piped.mkv") == pictures("named.mkv"))
        #expect(try pictures("cropped.mkv").count == 3)
    }

    @Test func aVideoBehindThePeopleStaysInPhase() throws {
        // Grey, in which no network sees anybody: frames are those of the loop.
        try Clips.make(folder.path("in.mp4"), seconds: 1.6, filter: "lutyuv=y=128:u=128:v=128")
        try Tool.ffmpeg(
            "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=64x64:r=10:d=0.5", "-c:v", "ffv1", folder.path("loop.mkv"))
        // The first frame at or after 0.7 s is that of 0.72 s.
        try shell(
            """
            matte --quiet -q fast -b loop.mkv --codec ffv1 in.mp4 whole.mkv
            matte --quiet -q fast -b loop.mkv --codec ffv1 --start 0.7 --duration 0.6 in.mp4 part.mkv
            matte --quiet -q fast -b loop.mkv --codec ffv1 --start 0.7 --duration 0.6 --run-in 0.3 in.mp4 settled.mkv
            """)
        let whole = try pictures("whole.mkv")
        #expect(try pictures("part.mkv") == Array(whole[18..<33]))
        #expect(try pictures("settled.mkv") == Array(whole[18..<33]))
        #expect(Set(whole).count > 3)
    }

    @Test func aRunInWithoutAPlaceIsRefused() throws {
        func refuse(_ status: Int32, _ words: String, _ line: String) throws {
            let result = try Checkout.shell(line, in: folder)
            #expect(result.status == status)
            #expect(result.error.hasPrefix("\(words)\n"), "\(result.error)")
        }
        let input = Checkout.sampleClip
        try refuse(64, "Error: --run-in needs --start", "matte --run-in 1 '\(input)' out.mp4")
        try refuse(
            64, "matte: --run-in is for files that are not live: leave it out",
            "matte --live --start 1 --run-in 1 '\(input)' out.mp4")
        try refuse(
            64,
            "matte: can't read standard input: a run-in must go back in it, which only a file lets; leave --run-in out",
            "ffmpeg -v error -i '\(input)' -c copy -f matroska - | matte --start 1 --run-in 1 - out.mp4")
        #expect(folder.contents.isEmpty)
    }

    private func makeLongClip() throws {
        try Tool.ffmpeg(
            "-v", "error", "-i", Checkout.sampleClip, "-f", "lavfi", "-i", "sine=d=4", "-map", "0:v", "-map", "1:a",
            "-c:v",
            "copy", "-c:a", "aac", "-metadata", "title=Long", folder.path("it's \"long\".mp4"))
        try shell(
            "matte --quiet \(settling) --output-kind mask --codec ffv1 --output-dir whole --output-extension mkv \"it's \\\"long\\\".mp4\""
        )
    }

    private func expectWhole(_ name: String) throws {
        let whole = "whole/it's \"long\".mkv"
        #expect(try pictures(name) == pictures(whole))
        #expect(try Probe(folder.path(name)).frameTimes().count == 96)
        #expect(
            try Probe(folder.path(name)).packetHashes("a:0")
                == Probe(folder.path(whole)).packetHashes("a:0"))
        #expect(try Probe(folder.path(name)).format.tags?["title"] == "Long")
    }

    @Test func theSampleJoinsItsPieces() throws {
        try makeLongClip()
        try shell(
            "RUN_IN=1.5 matte-pieces all \"it's \\\"long\\\".mp4\" 'in pieces.mkv' 3 \(settling) --output-kind mask --codec ffv1"
        )
        try expectWhole("in pieces.mkv")
        #expect(folder.contents == ["in pieces.mkv", "it's \"long\".mp4", "whole"])
        let again = try Checkout.shell(
            "'\(Checkout.root.path)/samples/batch/matte-pieces' cut whole/*.mkv 'in pieces.mkv' 3", in: folder)
        #expect(again.status == 73)
        #expect(
            again.error
                == "matte-pieces: can't create 'in pieces.mkv': it exists already; choose another name\n")
        #expect(folder.contents == ["in pieces.mkv", "it's \"long\".mp4", "whole"])
    }

    @Test func piecesKeepTheTimesOfFrames() throws {
        // Frames of uneven length from 0.2 s on, with sound before them.
        try Tool.ffmpeg(
            "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=160x120:r=30:d=1.5", "-f", "lavfi", "-i", "sine=d=1.5",
            "-filter:v", "select=not(eq(mod(n\\,7)\\,3)),setpts=PTS+0.2/TB", "-fps_mode", "vfr", "-c:v", "libx264",
            "-c:a", "aac", folder.path("in.mp4"))
        try shell("matte-pieces all in.mp4 out.mp4 4 -q fast -b red --threads 1")
        let (before, after) = (try Probe(folder.path("in.mp4")), try Probe(folder.path("out.mp4")))
        let times = try zip(before.frameTimes(), after.frameTimes()).map { abs($0 - $1) }
        #expect(times.count == 39 && times.allSatisfy { $0 < 0.0001 }, "\(times)")
        #expect(try before.packetHashes("a:0") == after.packetHashes("a:0"))
    }

    /// ffprobe tells more of MPEG-TS's packets than their times.
    @Test func aTransportStreamIsCutWhereItsFramesAre() throws {
        try Clips.make(folder.path("in.ts"), seconds: 1)
        try shell("matte-pieces cut in.ts out.mkv 3")
        let cuts = try String(contentsOf: folder.url("out.mkv.pieces/cuts"), encoding: .utf8).split(separator: "\n")
            .map { $0.split(separator: " ").compactMap { Double($0) } }
        let times = try Probe(folder.path("in.ts")).frameTimes()
        try #require(times.count == 25 && cuts.map(\.count) == [2, 2, 1])
        for (cut, frame) in zip(cuts, [0, 8, 16]) {
            #expect(abs(cut[0] - cuts[0][0] - (times[frame] - times[0])) < 1e-5)
        }
    }

    /// Packets before an edit list's beginning are decoded and not shown.
    @Test func whatIsTrimmedAwayIsInNoPiece() throws {
        try Clips.make(folder.path("whole.mp4"), seconds: 2)
        try Tool.ffmpeg(
            "-v", "error", "-ss", "0.6", "-i", folder.path("whole.mp4"), "-c", "copy", folder.path("in.mp4"))
        try shell("matte-pieces all in.mp4 out.mp4 3 -q fast -b red --threads 1")
        let (before, after) = (try Probe(folder.path("in.mp4")), try Probe(folder.path("out.mp4")))
        #expect(try before.frameTimes().count < Probe(folder.path("whole.mp4")).frameTimes().count)
        let times = try zip(before.frameTimes(), after.frameTimes()).map { abs($0 - $1) }
        #expect(try times.count == before.frameTimes().count && times.count == after.frameTimes().count)
        #expect(times.allSatisfy { $0 < 0.0001 }, "\(times)")
    }

    @Test func soundThatCannotBeJoinedIsToldFirst() throws {
        try Tool.ffmpeg(
            "-v", "error", "-i", Checkout.sampleClip, "-f", "lavfi", "-i", "sine=d=4", "-map", "0:v", "-map", "1:a",
            "-c:v",
            "copy", "-c:a", "aac", folder.path("in.mp4"))
        let result = try Checkout.shell(
            "'\(Checkout.root.path)/samples/batch/matte-pieces' all in.mp4 out.webm 2", in: folder)
        #expect(result.status == 64)
        #expect(
            result.error == "matte-pieces: can't create 'out.webm': .webm can't hold the sound of 'in.mp4'; "
                + "choose a name that ends in .mkv\n")
        #expect(folder.contents == ["in.mp4"])
    }

    @Test func theSlurmJobsDoTheSame() throws {
        try makeLongClip()
        try shell(
            """
            export RUN_IN=1.5
            matte-pieces cut "it's \\"long\\".mp4" 'by slurm.mkv' 3
            for task in 3 1 2; do
                SLURM_ARRAY_TASK_ID=$task in-pieces.sbatch "it's \\"long\\".mp4" 'by slurm.mkv' \(settling) --output-kind mask --codec ffv1
            done
            matte-pieces join "it's \\"long\\".mp4" 'by slurm.mkv'
            """)
        try expectWhole("by slurm.mkv")
        try Clips.make(folder.path("a b.mp4"))
        try shell(
            """
            ls *.mp4 >list.txt
            SLURM_ARRAY_TASK_ID=1 many-files.sbatch list.txt out -q fast --limit 3
            """)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("out")) == ["a b.mp4"])
        #expect(try Probe(folder.path("out/a b.mp4")).frameTimes().count == 3)
    }

    @Test func manyFilesWithoutWhatTheyNeedEndInASentence() throws {
        let script = Checkout.root.appending(path: "samples/batch/matte-many").path
        for arguments in ["", "-o", "-o '-q fast' out", "out"] {
            let result = try Checkout.shell("'\(script)' \(arguments)", in: folder)
            #expect(result.status == 64)
            #expect(result.error == "matte-many: name the folder of the results, and the files\n")
        }
        let result = try Checkout.shell("PATH=/nowhere '\(script)' out a.mp4", in: folder)
        #expect(result.status == 69)
        #expect(result.error.hasPrefix("matte-many: it needs GNU parallel"))
    }

    @Test(.enabled(if: (try? Tool("parallel").run(["--version"]).status) == 0, "GNU parallel is not installed"))
    func manyFilesGoSideBySide() throws {
        try Clips.make(folder.path("a 'b'.mp4"))
        try Clips.make(folder.path("c.mp4"))
        try shell("JOBS=2 matte-many -o '-q fast --limit 3' 'the out' *.mp4")
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.path("the out")).sorted() == [
                "a 'b'.mp4", "c.mp4",
            ])
    }
}
