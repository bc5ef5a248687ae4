import Foundation
import Imaging
import Measuring
import Testing

@testable import SpeedSuite

struct KernelTests {
    @Test func everyKernelAgreesWithItsPlainForm() throws {
        let folder = try WorkingFolder()
        let picture = try KernelPicture(width: 320, height: 180, models: Checkout.models, folder: folder)
        let kernels = Kernel.all(picture)
        #expect(Set(kernels.map(\.name)).count == kernels.count)
        for kernel in kernels { try KernelBenchmark.check(kernel) }
    }

    @Test func aKernelThatDisagreesIsNotMeasured() {
        let (result, expected) = (Samples<UInt8>([0, 0]), Samples<UInt8>([0, 0]))
        let kernel = Kernel("off", pixelCount: 2, byteCount: 4, tolerance: 1, result, expected) {
            result[1] = 10
        } reference: {
            expected[1] = 12
        }
        let error = BenchmarkError(
            "can't measure the kernel 'off': it is 2.0 off its plain implementation, and 1.0 is allowed; mend it first")
        #expect(throws: error) { try KernelBenchmark.check(kernel) }
    }

    @Test func notANumberDoesNotAgree() {
        let kernel = Kernel(
            "nothing", pixelCount: 1, byteCount: 4, tolerance: 1, Samples<Float>([.nan]), Samples<Float>([0])
        ) {
        } reference: {
        }
        #expect(throws: BenchmarkError.self) { try KernelBenchmark.check(kernel) }
    }

    @Test func thePlainBlendIsExactAtBothEndsAndRoundsBetween() {
        #expect(PlainKernels.blend(UInt8(200), UInt8(10), alpha: 255) == 200)
        #expect(PlainKernels.blend(UInt8(200), UInt8(10), alpha: 0) == 10)
        #expect(PlainKernels.blend(UInt16(1000), UInt16(0), alpha: 51) == 200)
        #expect(PlainKernels.blend(UInt8(1), UInt8(0), alpha: 128) == 1)
    }
}
