import Dispatch
import Foundation
import Glibc
import Imaging
import MatteVision
import TestSupport
import Testing

@testable import Matte

/// What a live run is made of.
struct LiveTests {
    @Test func ofFramesTheNewestIsKeptAndNothingElseIsLost() {
        let box = Mailbox<String>()
        let isFrame = { (letter: String) in letter.hasPrefix("frame") }
        box.put("frame 1", replacing: isFrame)
        box.put("packet")
        box.put("frame 2", replacing: isFrame)
        box.put("command")
        box.put("frame 3", replacing: isFrame)
        #expect(box.replacedCount == 2)
        #expect((0..<3).map { _ in box.take(timeout: 0) } == ["packet", "command", "frame 3"])
        #expect(box.take(timeout: 0) == nil)
        // The signals of letters that were taken back are no letters.
        #expect(box.take(timeout: 0.01) == nil)
    }

    @Test func ofPacketsTheNewestAreKept() {
        let box = Mailbox<String>()
        let isPacket = { (letter: String) in letter.hasPrefix("packet") }
        box.put("packet 1", keeping: 2, of: isPacket)
        box.put("command")
        for number in 2...4 { box.put("packet \(number)", keeping: 2, of: isPacket) }
        #expect((0..<3).map { _ in box.take(timeout: 0) } == ["command", "packet 3", "packet 4"])
        #expect(box.take(timeout: 0) == nil)
        #expect(box.replacedCount == 0)
    }

    @Test func whoWaitsIsWoken() {
        let box = Mailbox<Int>()
        DispatchQueue.global().async { box.put(7) }
        #expect(box.take() == 7)
    }

    @Test func percentilesAreThoseOfTheSortedTimes() {
        var times = TimeDistribution()
        #expect(times.percentile(0.5) == 0)
        let values = (1...1000).map { Double($0 * 7919 % 1000) / 1e4 }
        for value in values { times.note(value) }
        let sorted = values.sorted()
        for part in [0.01, 0.25, 0.5, 0.9, 0.99, 1] {
            let expected = sorted[Int((part * 1000).rounded(.up)) - 1]
            #expect(abs(times.percentile(part) - expected) < 1e-9)
        }
        #expect(times.count == 1000)
        #expect("\(times)" == "p50 49.9 ms  p99 98.9 ms  max 99.9 ms")
        times.note(5)
        #expect(times.maximum == 5 && times.percentile(1) == 5)
        #expect(times.percentile(2) == 5 && times.percentile(.nan) == times.percentile(0), "the nearest part there is")
        times.note(.infinity)
        times.note(.nan)
        #expect(times.count == 1003 && times.percentile(1) == .infinity)
    }

    /// A frame of 10 ms.
    private static let cost = LoadMonitor.Cost(mask: 0.008, rest: 0.002)

    @Test func aMachineThatHoldsTheRateIsLeftAlone() {
        var monitor = LoadMonitor()
        let overloads = (0..<600).compactMap {
            monitor.note(dropped: $0 % 50 == 0 ? 1 : 0, cost: Self.cost, at: Double($0) / 30)
        }
        #expect(overloads.isEmpty)
    }

    @Test func anOverloadIsToldAfterTwoLooks() throws {
        var monitor = LoadMonitor()
        // Every second frame is lost.
        let overloads = (0..<165).compactMap { frame in
            monitor.note(dropped: 1, cost: Self.cost, at: Double(frame) / 15).map { (frame, $0) }
        }
        let (frame, overload) = try #require(overloads.first)
        #expect(overloads.count == 1 && frame == 150)
        #expect(abs(overload.arriving - 30) < 0.01 && abs(overload.made - 15) < 0.01)
        #expect(abs(overload.cost.mask - 0.008) < 1e-9 && abs(overload.cost.rest - 0.002) < 1e-9)
    }

    @Test func anOverloadIsToldOnce() {
        var monitor = LoadMonitor()
        func overloads(from start: Double) -> Int {
            (0..<600).count { monitor.note(dropped: 1, cost: Self.cost, at: start + Double($0) / 15) != nil }
        }
        #expect(overloads(from: 0) == 1)
        monitor.beginAnew()
        #expect(overloads(from: 100) == 0, "not even after a pause")
        monitor = LoadMonitor()
        #expect(overloads(from: 200) == 1)
    }

    @Test func aPauseIsNoPartOfALook() {
        var monitor = LoadMonitor()
        // A little more than one look's time.
        func overloads(from start: Double) -> Int {
            (0..<80).count { monitor.note(dropped: 1, cost: Self.cost, at: start + Double($0) / 15) != nil }
        }
        #expect(overloads(from: 0) == 0)
        monitor.beginAnew()
        #expect(overloads(from: 60) == 0)
    }

    @Test func whatTheFirstFrameOfAllCostIsNoLoad() {
        var monitor = LoadMonitor()
        // A look at a second that is overloaded follows, which alone is not told.
        let overloads = (0...300).compactMap { frame in
            monitor.note(dropped: frame == 0 ? 90 : frame > 150 ? 1 : 0, cost: Self.cost, at: Double(frame) / 30)
        }
        #expect(overloads.isEmpty)
    }

    @Test(arguments: [30, 149])
    func aDisturbanceWithinALookIsNoOverload(frame disturbed: Int) {
        var monitor = LoadMonitor()
        var time = 0.0
        let overloads = (0..<600).compactMap { frame in
            time += frame == disturbed ? 3 : 1.0 / 30
            return monitor.note(dropped: frame == disturbed ? 90 : 0, cost: Self.cost, at: time)
        }
        #expect(overloads.isEmpty)
    }

    @Test func theBestLevelThatShouldHoldIsAdvised() {
        let advice = LevelAdvice(costs: ["fast": 5, "balanced": 10, "accurate": 20])
        func advised(_ mask: Double, rest: Double) -> GeneratePersonSegmentationRequest.QualityLevel? {
            advice.lowerLevel(than: .accurate, cost: .init(mask: mask, rest: rest), interval: 0.04)
        }
        // 30 of 40 ms may be used.
        #expect(advised(0.05, rest: 0.004) == .balanced)
        #expect(advised(0.05, rest: 0.006) == .fast)
        #expect(advised(0.05, rest: 0.017) == .fast)
        #expect(advised(0.05, rest: 0.018) == nil)
        #expect(advice.lowerLevel(than: .fast, cost: Self.cost, interval: 0.04) == nil)
    }

    @Test func levelsWhoseCostNobodyKnowsAreNotAdvised() throws {
        let advice = LevelAdvice(costs: ["accurate": 20, "fast": 5])
        #expect(advice.lowerLevel(than: .accurate, cost: Self.cost, interval: 0.04) == .fast)
        #expect(advice.lowerLevel(than: .balanced, cost: Self.cost, interval: 0.04) == nil)
        let shipped = try LevelAdvice(ModelLibrary())
        #expect(shipped.lowerLevel(than: .accurate, cost: Self.cost, interval: 0.04) == .balanced)
        let own = try LevelAdvice(ModelLibrary(segmentationModel: "own.json"))
        #expect(own.lowerLevel(than: .accurate, cost: Self.cost, interval: 0.04) == nil)
    }

    @Test(arguments: [
        (
            "background teal",
            LiveCommand.background(.color(RGBColor(red: 0, green: Float(128) / 255, blue: Float(128) / 255)))
        ),
        ("  background   pose\t", .background(.pose(.all))),
        ("background /my pictures/a b.png ", .background(.media(path: "/my pictures/a b.png"))),
        ("effect dim shadow:0.4", .effects([.dim(stops: 1), .shadow(opacity: 0.4)])), ("effect none", .effects([])),
        ("quality fast", .quality(.fast)), ("on", .on),
        ("off", .off),
        ("status", .status), ("toggle", .toggle), ("quit", .quit),
    ])
    func aLineIsACommand(line: String, command: LiveCommand) throws {
        #expect(try LiveCommand(line) == command)
    }

    @Test(arguments: [
        (
            "",
            "can't make anything of '': say background NAME, effect NAME …, quality LEVEL, on, off, toggle, status or quit"
        ),
        (
            "on now",
            "can't make anything of 'on now': say background NAME, effect NAME …, quality LEVEL, on, off, toggle, status or quit"
        ),
        (
            "effect glow",
            "there is no effect 'glow': take dim[:STOPS], desaturate[:AMOUNT], pixelate[:SIDE], spotlight[:STOPS], "
                + "shadow[:OPACITY], outline[:WIDTH[:COLOR]] or light-wrap[:AMOUNT]"
        ),
        ("quality best", "there is no quality 'best': take fast, balanced or accurate"),
    ])
    func whatIsNoCommandIsToldSo(line: String, sentence: String) {
        #expect(throws: MatteError(.usage, sentence)) { try LiveCommand(line) }
    }

    // MARK: The socket

    @Test func aLineIsAnswered() throws {
        let folder = TemporaryFolder()
        let socket = try ControlSocket(path: folder.path("s")) { line, reply in reply("heard \(line)") }
        #expect(try ControlSocket.ask("one", at: socket.path) == "heard one")
        #expect(try ControlSocket.ask("two", at: socket.path) == "heard two")
        let mode = try FileManager.default.attributesOfItem(atPath: socket.path)[.posixPermissions] as? Int
        #expect(mode == 0o600, "nobody else may ask")
    }

    /// As `echo status | nc -N -U` asks.
    @Test func whoHasSaidAllIsAnswered() throws {
        let folder = TemporaryFolder()
        let socket = try ControlSocket(path: folder.path("s")) { line, reply in
            DispatchQueue.global().async { reply("heard \(line)") }
        }
        let heard = try Tool("python3")(
            "-c",
            """
            import socket
            client = socket.socket(socket.AF_UNIX)
            client.connect('\(socket.path)')
            client.sendall(b'one\\n')
            client.shutdown(socket.SHUT_WR)
            print(client.recv(99).decode(), end='')
            client = socket.socket(socket.AF_UNIX)
            client.connect('\(socket.path)')
            client.sendall(b'two')
            client.shutdown(socket.SHUT_WR)
            print(client.recv(99).decode(), end='')
            """)
        #expect(heard == "heard one\nheard two\n")
    }

    @Test func aCommandIsOneLine() throws {
        let folder = TemporaryFolder()
        let socket = try ControlSocket(path: folder.path("s")) { line, reply in reply(line) }
        let error = #expect(throws: MatteError.self) { try ControlSocket.ask("background red\nquit", at: socket.path) }
        #expect(error?.kind == .usage && error?.description == "a command is one line: leave the line break out")
    }

    @Test func somebodyElsesSocketStays() throws {
        let folder = TemporaryFolder()
        let path = folder.path("s")
        let datagrams = Glibc.socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue), 0)
        defer { close(datagrams) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let isBound = withUnsafeBytes(of: &address) {
            bind(datagrams, $0.assumingMemoryBound(to: sockaddr.self).baseAddress, socklen_t($0.count)) == 0
        }
        try #require(isBound)
        let error = #expect(throws: MatteError.self) { try ControlSocket(path: path) { line, reply in reply(line) } }
        #expect(
            error?.kind == .cannotCreate
                && error?.description == "can't listen for commands at '\(path)': protocol wrong type for socket")
        #expect(folder.contents == ["s"])

        try FileManager.default.removeItem(atPath: path)
        var former: ControlSocket? = try ControlSocket(path: path) { line, reply in reply(line) }
        try FileManager.default.removeItem(atPath: path)
        let socket = try ControlSocket(path: path) { line, reply in reply("heard \(line)") }
        #expect(former?.path == path)
        former = nil
        #expect(try ControlSocket.ask("one", at: socket.path) == "heard one")
    }

    @Test(.timeLimit(.minutes(1))) func manyLinesAtOnceAreAnsweredAndALineTooLongIsRefused() throws {
        let folder = TemporaryFolder()
        let socket = try ControlSocket(path: folder.path("s")) { line, reply in reply("heard \(line)") }
        let heard = try Tool("python3")(
            "-c",
            """
            import socket
            def client(said):
                client = socket.socket(socket.AF_UNIX)
                client.connect('\(socket.path)')
                if said: client.sendall(said)
                return client.makefile()
            answers = client((b'1' * 99 + b'\\n') * 100)
            print(sum(answers.readline() == 'heard ' + '1' * 99 + '\\n' for _ in range(100)))
            print(client(b'x' * 5000 + b'\\n').readline(), end='')
            idle = [client(b'') for _ in range(64)]
            print(client(b'').readline(), end='')
            del idle, answers
            """)
        #expect(heard == "100\nerror: a line has at most 4096 bytes\nerror: too many are connected\n")
        // Those who have left may be counted for a moment.
        var answer = ""
        repeat { answer = try ControlSocket.ask("three", at: socket.path) } while answer.hasPrefix("error: too many")
        #expect(answer == "heard three")
    }

    @Test(.timeLimit(.minutes(1))) func whoDoesNotListenHoldsNobodyUp() throws {
        let folder = TemporaryFolder()
        let socket = try ControlSocket(path: folder.path("s")) { line, reply in
            reply(String(repeating: line, count: 100_000))
        }
        // Asks for more than a socket holds, and stays.
        let deaf = Process()
        deaf.executableURL = URL(filePath: "/usr/bin/env")
        deaf.arguments = [
            "python3", "-c",
            """
            import socket, sys
            client = socket.socket(socket.AF_UNIX)
            client.connect('\(socket.path)')
            client.sendall(b'x\\n' * 100)
            print(flush=True)
            sys.stdin.read()
            """,
        ]
        let (input, output) = (Pipe(), Pipe())
        (deaf.standardInput, deaf.standardOutput) = (input, output)
        try deaf.run()
        _ = try output.fileHandleForReading.read(upToCount: 1)
        #expect(try ControlSocket.ask("o", at: socket.path).count == 100_000)
        try input.fileHandleForWriting.close()
        deaf.waitUntilExit()
    }

    @Test func aSocketHasOneListener() throws {
        let folder = TemporaryFolder()
        let path = folder.path("s")
        do {
            let socket = try ControlSocket(path: path) { _, reply in reply("first") }
            #expect(
                throws: MatteError(
                    .cannotCreate,
                    "can't listen for commands at '\(path)': another run listens there; pass --control with another path"
                )
            ) { try ControlSocket(path: path) { _, _ in } }
            #expect(try ControlSocket.ask("who", at: socket.path) == "first")
        }
        #expect(folder.contents.isEmpty, "the socket went with its listener")
        #expect(
            throws: MatteError(
                .unavailable, "nobody listens at '\(path)': is there a 'matte' that reads a camera or runs with --live?"
            )
        ) { try ControlSocket.ask("who", at: path) }
        try Data().write(to: folder.url("file"))
        let beneath = folder.path("file/s")
        #expect(throws: MatteError(.unavailable, "can't ask at '\(beneath)': not a directory")) {
            try ControlSocket.ask("who", at: beneath)
        }
        let long = folder.path(String(repeating: "s", count: 200))
        #expect(throws: MatteError(.unavailable, "can't ask at '\(long)': the path is too long for a socket")) {
            try ControlSocket.ask("who", at: long)
        }
    }

    @Test func whatARunLeftBehindIsReplacedAndNothingElse() throws {
        let folder = TemporaryFolder()
        // A socket whose listener is gone, as after a kill.
        try Tool("python3")(
            "-c", "import socket; socket.socket(socket.AF_UNIX).bind('\(folder.path("s"))')")
        let socket = try ControlSocket(path: folder.path("s")) { _, reply in reply("mine") }
        #expect(try ControlSocket.ask("who", at: socket.path) == "mine")
        try Data("a file".utf8).write(to: folder.url("f"))
        #expect(
            throws: MatteError(
                .cannotCreate,
                "can't listen for commands at '\(folder.path("f"))': something that is no socket lies there")
        ) { try ControlSocket(path: folder.path("f")) { _, _ in } }
        #expect(FileManager.default.contents(atPath: folder.path("f")) == Data("a file".utf8))
    }
}
