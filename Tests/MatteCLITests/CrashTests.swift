import Foundation
import TestSupport
import Testing

@testable import MatteCLI

/// A program that crashes leaves a report that says what happened and nothing about whose files it was.
struct CrashTests {
    private let folder = TemporaryFolder()
    private var reports: String { folder.path("state/matte") }

    private var names: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: reports)) ?? []).sorted()
    }

    private func permissions(_ path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return try #require(attributes[.posixPermissions] as? NSNumber).intValue
    }

    /// Sends `signal` to a run that has just given its first frame and waits for the second.
    private func crash(_ signal: String, environment: String = "") throws -> Tool.Result {
        try Checkout.shell(
            """
            # The Swift runtime's own report, which tests ask for, stays away.
            export HOME="$PWD" XDG_STATE_HOME="$PWD/state" SWIFT_BACKTRACE=enable=no \(environment)
            mkdir -p secret; mkfifo secret/in.y4m out
            matte --quiet --quality fast --background red --models '\(Checkout.models)' --format rawvideo --pix-fmt gray \\
                --size 64x64 --rate 25 --output-format rawvideo secret/in.y4m - >out & pid=$!
            exec 4<out 3>secret/in.y4m
            head -c 4096 /dev/zero >&3
            head -c 4096 <&4 | wc -c
            kill -\(signal) $pid
            wait $pid 2>/dev/null
            echo "status $?"
            rm -r secret out
            """, in: folder)
    }

    @Test(arguments: [("SEGV", 11), ("BUS", 7), ("ILL", 4), ("TRAP", 5), ("FPE", 8), ("ABRT", 6)])
    func aCrashIsReported(_ name: String, _ number: Int) throws {
        let result = try crash(name)
        #expect(result.output == "4096\nstatus \(128 + number)\n")
        let report = try #require(names.first)
        #expect(names.count == 1)
        #expect(report.wholeMatch(of: /crash-\d{8}T\d{6}Z-\d+\.txt/) != nil)
        let lines = result.error.split(separator: "\n").filter { $0.hasPrefix("matte:") }
        #expect(
            lines == [
                "matte: crashed (signal \(number)); the report is in '\(reports)/\(report)': please attach it to an issue"
            ])
        #expect(try permissions(reports) == 0o700 && permissions("\(reports)/\(report)") == 0o600)
        let text = try String(contentsOfFile: "\(reports)/\(report)", encoding: .utf8)
        #expect(text.contains("\nmatte \(Version.number)\nlibavutil "))
        #expect(text.contains("\nsignal: \(number), sent by a program\n"))
        #expect(
            text.contains(
                "\ncommand: matte --quiet --quality fast --background red --models FILE --format rawvideo --pix-fmt gray "
                    + "--size 64x64 --rate 25 --output-format rawvideo FILE.y4m -\n"))
        #expect(text.contains(/\nprocessor:\nprocessor\t: 0\n/))
        // Down to the beginning, by name, of which it may have two.
        #expect(text.contains(/\n  matte\+0x[0-9a-f]+  \$s8MatteCLI7ProgramO4main[^\n]*\n/))
        #expect(text.contains(/\n  matte\+0x[0-9a-f]+  (MatteCLI_)?main\+\d+\n/))
        #expect(!text.contains("secret") && !text.contains(folder.url.path) && !text.contains(Checkout.models))
    }

    @Test func theNewestAreKept() throws {
        try FileManager.default.createDirectory(atPath: reports, withIntermediateDirectories: true)
        for year in 2001...2007 { try Data().write(to: folder.url("state/matte/crash-\(year)0101T000000Z-1.txt")) }
        try Data().write(to: folder.url("state/matte/notes.txt"))
        _ = try crash("SEGV")
        let kept = names
        #expect(kept.count == 6 && kept.last == "notes.txt")
        #expect(Array(kept.prefix(4)) == (2004...2007).map { "crash-\($0)0101T000000Z-1.txt" })
    }

    @Test func theFolderOfStatesNeedsNoHome() throws {
        _ = try crash("SEGV", environment: "; unset HOME")
        #expect(names.count == 1)
    }

    @Test func whereNoReportCanBeItDiesAllTheSame() throws {
        let homeless = try crash("SEGV", environment: "; unset HOME; unset XDG_STATE_HOME")
        #expect(homeless.output == "4096\nstatus 139\n")
        #expect(!homeless.error.contains("matte: crashed") && folder.contents.isEmpty)
        let closed = try crash("ABRT", environment: "XDG_STATE_HOME=/proc/none")
        #expect(closed.output == "4096\nstatus 134\n")
        #expect(closed.error.contains("matte: crashed (signal 6); no report could be written\n"))
    }

    @Test func aCrashOfTheHandlerItselfEndsTheProgram() throws {
        // The first call is the one that loads the library.
        let calls = "static int calls; if (calls++ > 0) abort();"
        let made = try Checkout.shell(
            """
            echo 'void abort(void); int backtrace(void **frames, int count) { \(calls) return 0; }' \\
                | clang -shared -fPIC -x c -o backtrace.so -
            """, in: folder)
        #expect(made.status == 0, "\(made.error)")
        let result = try crash("SEGV", environment: "; export LD_PRELOAD=\(folder.path("backtrace.so"))")
        #expect(result.output == "4096\nstatus 134\n")
        #expect(result.error.contains("matte: crashed (signal 11); the report is in '"))
    }

    @Test func aHandlerThatHangsIsEnded() throws {
        let start = """
            import os, signal
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})
            os.execvp("matte", ["matte", "--quiet", "in.y4m", "out.mkv"])
            """
        let result = try Checkout.shell(
            """
            export HOME="$PWD" SWIFT_BACKTRACE=enable=no
            mkfifo in.y4m errors; exec 3<>errors
            # Whoever starts the program holds the alarm back, and nobody reads its errors.
            python3 -c '\(start)' 2>errors & pid=$!
            exec 4>in.y4m
            dd if=/dev/zero of=errors bs=4096 count=1000 oflag=nonblock 2>/dev/null
            kill -SEGV $pid
            wait $pid 2>/dev/null
            echo "status $?"
            """, in: folder)
        // The alarm's number is 14.
        #expect(result.output == "status 142\n", "\(result.error)")
    }

    @Test(arguments: [
        ("/home/anna/in.mp4 out.MKV", "FILE.mp4 FILE.mkv"),
        ("--background beach.jpg -b teal --background blur:30", "--background FILE.jpg -b teal --background blur:30"),
        ("--background=#00b140 --quality=best", "--background=#00b140 --quality=best"),
        ("--pose-output /tmp/anna/head.csv - -", "--pose-output FILE.csv - -"),
        ("--model net.json --models /srv/anna", "--model FILE.json --models FILE"),
        ("--title Anna --overwrite anna", "--title FILE --overwrite FILE"),
        ("--encoder-option stats=/home/anna/x.log", "--encoder-option FILE.log"),
        ("--crf 18.5 --rate 30000/1001 --size 640x360", "--crf 18.5 --rate FILE --size 640x360"),
        ("/dev/video0 /dev/video10 /dev/video0/../../anna", "/dev/video0 /dev/video10 FILE"),
        ("--format Package.swift", "--format FILE.swift"), ("--format Sources", "--format FILE"),
        ("--Anna's -", "-… -"), ("name.with-a-long-suffix", "FILE"),
        ("-b teal -- -anna-smith out.mkv", "-b teal -- FILE FILE.mkv"), ("-q fast --", "-q fast --"),
        ("devices", "devices"), ("--overwrite devices", "--overwrite FILE"),
    ])
    func theCommandLineTellsNothingOfItsUser(_ line: String, _ summary: String) {
        #expect(CommandLineSummary(line.split(separator: " ").map(String.init)).text == "matte \(summary)")
    }

    @Test func optionsThatAreShownExist() throws {
        let help = try Checkout.program("matte")("--help")
        for option in CommandLineSummary.openOptions where option.hasPrefix("--") {
            #expect(help.contains("\(option) "), "\(option)")
        }
    }

    @Test func timesAreThoseOfTheCalendar() {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        for seconds in stride(from: 0, to: 8_000_000_000, by: 7_654_321) {
            let parts = calendar.dateComponents(
                [.year, .month, .day, .hour, .minute, .second], from: Date(timeIntervalSince1970: Double(seconds)))
            let time = UTCTime(seconds: seconds)
            #expect([time.year, time.month, time.day] == [parts.year, parts.month, parts.day])
            #expect([time.hour, time.minute, time.second] == [parts.hour, parts.minute, parts.second])
        }
    }
}
