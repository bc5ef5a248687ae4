import MatteVision
import Media

/// What `matte doctor` looks at, group by group; a problem is what keeps the program from working.
struct Diagnosis {
    let models: ModelLibrary

    func program() -> [Finding] {
        [
            .ok("matte", Version.number),
            .ok("FFmpeg", LibraryVersions.text),
        ]
    }

    func processor() -> [Finding] {
        let processor = ProcessorDescription()
        let cores = processor.coreCount == 1 ? "1 core" : "\(processor.coreCount) cores"
        let text = "\(processor.name), \(cores)"
        guard !processor.instructions.isEmpty else {
            return [
                .note(
                    "processor", "\(text); neither AVX2 nor NEON",
                    "the networks are slow here: --quality fast is the one to take")
            ]
        }
        return [.ok("processor", "\(text); \(processor.instructions.joined(separator: ", "))")]
    }

    func runtime() -> [Finding] {
        do throws(VisionError) {
            let devices = try ModelLibrary.devices()
            let text = "OpenVINO \(ModelLibrary.runtimeVersion), devices: \(devices.joined(separator: ", "))"
            if let missing = try models.missingDevice() {
                return [
                    .problem("runtime", "\(text), but no \(missing)", "choose another --device, or install its driver")
                ]
            }
            return [.ok("runtime", text)]
        } catch {
            return [
                .problem("runtime", error.description, "run 'make setup' in a checkout of matte, which installs it")
            ]
        }
    }

    func networks() -> [Finding] {
        do throws(VisionError) {
            let folder = try models.resolvedDirectory()
            let checks = try models.check()
            let problems = checks.compactMap { check in check.problem.map { Finding.problem("models", $0.description) }
            }
            let working = checks.filter { $0.problem == nil }.map(\.name)
            let list = working.isEmpty ? "none works" : working.joined(separator: ", ")
            return problems + [
                Finding(state: working.isEmpty ? .note : .ok, subject: "models", text: "\(list); in '\(folder)'")
            ]
        } catch {
            return [.problem("models", error.description)]
        }
    }

    func cache() -> [Finding] {
        let slow = "each run takes longer to begin"
        guard let cache = models.cacheFolder else {
            return [.note("cache", "there is no HOME and no XDG_CACHE_HOME: \(slow)")]
        }
        if let problem = cache.problem {
            return [
                .note(
                    "cache", "'\(cache.path)' is not used, because \(problem): \(slow)",
                    "make it a folder of your own with mode 700, or name another with XDG_CACHE_HOME")
            ]
        }
        return [
            .ok(
                "cache",
                "'\(cache.path)', \(cache.networkCount) networks, \((cache.byteCount + 500_000) / 1_000_000) MB")
        ]
    }

    func codecs() -> [Finding] {
        let advice = "install an FFmpeg that was built with them, if you need them"
        func finding(_ subject: String, _ names: [(name: String, found: String?)], needed: Set<String>) -> [Finding] {
            let there = names.filter { $0.found != nil }.map {
                $0.name == $0.found ? $0.name : "\($0.name) (\($0.found!))"
            }
            let missing = names.filter { $0.found == nil }.map(\.name)
            let lacking = missing.filter(needed.contains)
            var findings: [Finding] = []
            if !there.isEmpty { findings.append(.ok(subject, there.joined(separator: ", "))) }
            if !lacking.isEmpty {
                findings.append(
                    .problem(
                        subject, "missing: \(lacking.joined(separator: ", "))",
                        "install an FFmpeg that was built with them"))
            }
            let others = missing.filter { !needed.contains($0) }
            if !others.isEmpty { findings.append(.note(subject, "missing: \(others.joined(separator: ", "))", advice)) }
            return findings
        }
        let decoders = ["h264", "hevc", "vp9", "av1", "mjpeg", "prores", "aac"]
        let encoders = ["libx264", "libx265", "libvpx-vp9", "av1", "prores", "ffv1", "aac"]
        return finding("decoders", decoders.map { ($0, CodecSupport.decoder(of: $0)) }, needed: ["h264"])
            + finding("encoders", encoders.map { ($0, CodecSupport.encoder(of: $0)) }, needed: ["libx264"])
    }

    func hardware() -> [Finding] {
        let all = HardwareAcceleration.all()
        let working = all.filter { $0.problem == nil }.map(\.name)
        let others = all.filter { $0.problem != nil }.map(\.name)
        if !working.isEmpty { return [.ok("hwaccel", working.joined(separator: ", "))] }
        guard !others.isEmpty else { return [.note("hwaccel", "this FFmpeg has none; everything runs on the CPU")] }
        return [
            .note(
                "hwaccel", "no device for \(others.joined(separator: ", ")); everything runs on the CPU",
                "only for --hwaccel and hardware encoders: install the driver of your graphics card")
        ]
    }

    func cameras() -> [Finding] {
        let devices = VideoDevice.all()
        let refused = devices.compactMap { device in device.refusal.map { Finding.note("cameras", $0.description) } }
        let sound = devices.filter { $0.problem == nil }
        func list(_ devices: [VideoDevice]) -> String {
            devices.map { "\($0.name) (\($0.path))" }.joined(separator: ", ")
        }
        let (cameras, virtual) = (sound.filter { !$0.isVirtualCamera }, sound.filter(\.isVirtualCamera))
        return refused + [
            cameras.isEmpty ? .note("cameras", "none") : .ok("cameras", list(cameras)),
            virtual.isEmpty
                ? .note("virtual", "no virtual camera", "for meetings: 'matte devices' tells how to make one")
                : .ok("virtual", list(virtual)),
        ]
    }

    func crashes() -> [Finding] {
        guard let reports = CrashReports() else { return [] }
        _ = reports.tidy()
        guard let newest = reports.newest else { return [] }
        return [
            .note(
                "crashes", "the newest report is '\(newest)'",
                "please attach it to an issue if it is not known yet; remove it if you are done with it")
        ]
    }
}
