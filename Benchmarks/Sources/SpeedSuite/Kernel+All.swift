import Compositing
import Imaging
import Measuring

extension Kernel {
    /// Every kernel that is measured: a new one is an entry here and its plain form in `PlainKernels`.
    static func all(_ picture: KernelPicture) -> [Kernel] {
        let teal = RGBColor(red: 0, green: 0.5, blue: 0.5)
        return [
            blend(picture, as: UInt8.self, peak: 255, name: "blend, 8 bits"),
            blend(picture, as: UInt16.self, peak: 1023, name: "blend, 10 bits"),
            separate(picture),
            chromaAlpha(picture),
            boxFilter(),
            sample(picture),
            renderMap(picture),
            renderRefined(picture),
            composite(picture, picture.hardMask, name: "composite, hard mask") { _ in teal },
            composite(picture, picture.mask, name: "composite") { _ in teal },
            composite(picture, picture.mask, name: "composite, another colour each time") { count in
                RGBColor(red: Float(count % 32) / 31, green: 0.5, blue: 0.5)
            },
        ]
    }

    private static func noise<T: FixedWidthInteger>(_ type: T.Type, upTo peak: T, count: Int, seed: String) -> Samples<
        T
    > {
        var generator = SeededGenerator(seed: seed)
        return Samples((0..<count).map { _ in T(generator.next() % (UInt64(peak) + 1)) })
    }

    private static func blend<T: PixelComponent & BinaryConvertible>(
        _ picture: KernelPicture, as type: T.Type, peak: T, name: String
    ) -> Kernel {
        let (width, height, count) = (picture.width, picture.height, picture.pixelCount)
        let foreground = noise(type, upTo: peak, count: count, seed: "foreground")
        let background = noise(type, upTo: peak, count: count, seed: "background")
        let alpha = PlainPicture(picture.mask).planes[0].samples
        let (result, expected) = (Samples<T>(repeating: 0, count: count), Samples<T>(repeating: 0, count: count))
        // The product divides by 256 where this divides by 255.
        let tolerance = 1 + Double(peak) / 512
        return Kernel(
            name, pixelCount: count, byteCount: count * (3 * MemoryLayout<T>.size + 1), tolerance: tolerance, result,
            expected
        ) {
            for y in 0..<height {
                let row = y * width
                T.blend(
                    foreground: foreground.readOnly + row, background: background.readOnly + row,
                    alpha: alpha.readOnly + row, into: result.base + row, count: width)
            }
        } reference: {
            PlainKernels.blend(foreground, background, alpha: alpha, into: expected)
        }
    }

    private static func separate(_ picture: KernelPicture) -> Kernel {
        let (width, height, count) = (picture.width, picture.height, picture.pixelCount)
        let source = noise(UInt8.self, upTo: 255, count: count, seed: "mixture")
        let alpha = noise(UInt8.self, upTo: 255, count: count, seed: "alpha")
        // The colours on both sides at the upper and the lower end.
        let colors = ["a", "b", "c", "d"].map { seed in
            Samples((noise(UInt8.self, upTo: 255, count: width, seed: seed)).floats)
        }
        let (result, expected) = (
            Samples<UInt8>(repeating: 0, count: count), Samples<UInt8>(repeating: 0, count: count)
        )
        return Kernel(
            "people's own colour at soft edges", pixelCount: count, byteCount: 3 * count, tolerance: 1, result, expected
        ) {
            for y in 0..<height {
                let mixture = ForegroundMixture(
                    upperForeground: colors[0].readOnly, lowerForeground: colors[1].readOnly,
                    upperBackground: colors[2].readOnly, lowerBackground: colors[3].readOnly,
                    fraction: Float(y % 8) / 8)
                let row = y * width
                UInt8.separate(
                    source.readOnly + row, alpha: alpha.readOnly + row, mixture: mixture, peak: 255,
                    into: result.base + row, count: width)
            }
        } reference: {
            for y in 0..<height {
                let fraction = Float(y % 8) / 8
                for x in 0..<width {
                    let foreground = colors[0][x] * (1 - fraction) + colors[1][x] * fraction
                    let background = colors[2][x] * (1 - fraction) + colors[3][x] * fraction
                    let a = Float(alpha[y * width + x]) / 255
                    let expectedMix = a * foreground + (1 - a) * background
                    let rest = Float(source[y * width + x]) - expectedMix
                    let value = foreground + a * a * (3 - 2 * a) * rest
                    expected[y * width + x] = UInt8(min(max(value, 0), 255).rounded())
                }
            }
        }
    }

    private static func chromaAlpha(_ picture: KernelPicture) -> Kernel {
        let (width, height) = (picture.width, picture.height)
        let alpha = PlainPicture(picture.mask).planes[0].samples
        let expected = Samples<UInt8>(repeating: 0, count: width / 2 * (height / 2))
        let result = Samples<UInt8>(repeating: 0, count: expected.count)
        let mask = picture.mask
        let layout = picture.frame.pixelBuffer.format.planes[1]
        var plane = AlphaPlane()
        return Kernel(
            "mask at chroma's size", pixelCount: picture.pixelCount, byteCount: picture.pixelCount * 5 / 4, tolerance: 0
        ) {
            mask.withPlane(0) {
                plane.update(from: $0, layout: layout, width: width / 2, height: height / 2, chromaLocation: .left)
            }
        } reference: {
            PlainKernels.chromaAlpha(alpha, width: width, height: height, into: expected)
        } difference: {
            plane.withPlane { plane in
                for y in 0..<plane.height {
                    (result.base + y * plane.width).update(from: plane.row(y, as: UInt8.self), count: plane.width)
                }
            }
            return result.largestDifference(from: expected)
        }
    }

    // About the size of a mask.
    private static let mapSize = (width: 256, height: 144)

    private static func boxFilter() -> Kernel {
        let (width, height) = mapSize
        let source = Samples(noise(UInt8.self, upTo: 255, count: width * height, seed: "box").floats)
        let expected = Samples<Float>(repeating: 0, count: width * height)
        let result = Samples<Float>(repeating: 0, count: width * height)
        var filter = BoxFilter(width: width, height: height, radius: 2)
        return Kernel(
            "box filter of a map", pixelCount: width * height, byteCount: 8 * width * height, tolerance: 0.01, result,
            expected
        ) {
            filter.mean(source.readOnly, into: result.base)
        } reference: {
            PlainKernels.boxMean(source, width: width, height: height, radius: 2, into: expected)
        }
    }

    private static func sample(_ picture: KernelPicture) -> Kernel {
        let (width, height) = mapSize
        let frame = picture.frame
        let source = Rectangle(x: 0, y: 0, width: Double(picture.width), height: Double(picture.height))
        let sampler = FrameSampler()
        let result = Samples<Float>(repeating: 0, count: 3 * width * height)
        let expected = Samples<Float>(repeating: 0, count: 3 * width * height)
        let plain = PlainPicture(frame.pixelBuffer)
        let isLeft = [.unspecified, .left].contains(frame.color.chromaLocation)
        let conversion = ColorConversion(
            format: frame.pixelBuffer.format, color: frame.color, width: picture.width, height: picture.height)
        return Kernel(
            "frame to a network's input", pixelCount: picture.pixelCount,
            byteCount: picture.pixelCount * 3 / 2 + 12 * width * height, tolerance: 0.002, result, expected
        ) {
            sampler.sample(
                frame, source: source, width: width, height: height,
                into: UnsafeMutableBufferPointer(start: result.base, count: result.count))
        } reference: {
            let components = plain.planes.enumerated().map { index, plane in
                let columns = PlainKernels.resampling(plane.width, to: width, shift: index > 0 && isLeft ? 0.25 : 0)
                let rows = PlainKernels.resampling(plane.height, to: height, shift: 0)
                let target = Samples<Float>(repeating: 0, count: width * height)
                for y in 0..<height {
                    for x in 0..<width {
                        var sum: Float = 0
                        for row in rows[y] {
                            for column in columns[x] {
                                let value = plane.samples[row.index * plane.width + column.index]
                                sum += row.weight * column.weight * Float(value)
                            }
                        }
                        target[y * width + x] = sum
                    }
                }
                return target
            }
            for i in 0..<width * height {
                for c in 0..<3 {
                    let row = conversion.toRGB[c]
                    expected[3 * i + c] =
                        row[0] * components[0][i] + row[1] * components[1][i] + row[2] * components[2][i]
                        + conversion.toRGBOffset[c]
                }
            }
        }
    }

    private static func map(_ seed: String) -> Samples<Float> {
        Samples(noise(UInt8.self, upTo: 255, count: mapSize.width * mapSize.height, seed: seed).floats.map { $0 / 255 })
    }

    private static func scalarMap(_ samples: Samples<Float>) -> ScalarMap {
        ScalarMap(
            width: mapSize.width, height: mapSize.height, values: (0..<samples.count).map { samples[$0] })
    }

    private static func renderMap(_ picture: KernelPicture) -> Kernel {
        let (width, height, frame) = (picture.width, picture.height, picture.frame.pixelBuffer)
        let values = map("map")
        let enlarger = MapEnlarger()
        enlarger.prepare(scalarMap(values), width: width, height: height)
        return render(picture, frame, name: "mask of the frame's size from a map") {
            MaskPatch(x: 0, y: 0, width: width, height: height, enlarger: enlarger)
        } value: { x, y in
            PlainKernels.enlarged(
                values, width: mapSize.width, height: mapSize.height, x: x, y: y, fullWidth: width, fullHeight: height)
        }
    }

    private static func renderRefined(_ picture: KernelPicture) -> Kernel {
        let (width, height) = (picture.width, picture.height)
        let frame = VideoFrame(pixelBuffer: picture.posterized)
        let settings = MaskRefiner.Settings(radius: 2, lumaVariance: 0.03, chromaVariance: 0.0002)
        let refiner = MaskRefiner(width: mapSize.width, height: mapSize.height, settings: settings)
        let components = smallComponents(of: frame)
        let mask = smallComponents(of: VideoFrame(pixelBuffer: picture.mask))[0]
        let planes = PlainPicture(picture.posterized).planes
        var fitted: [Samples<Float>] = []
        return render(picture, frame.pixelBuffer, name: "mask of the frame's size, edges fitted") {
            MaskPatch(
                x: 0, y: 0, width: width, height: height, of: frame.pixelBuffer, refiner: refiner, mask: mask,
                components: components,
                noise: NoiseEstimator.deviations(
                    of: frame.pixelBuffer, color: frame.color, columns: 0..<width, rows: 0..<height))
        } prepare: {
            fitted = PlainKernels.discriminants(
                mask: Samples(mask.values), components: components.map { Samples($0.values) },
                width: mapSize.width, height: mapSize.height, radius: settings.radius,
                variances: [settings.lumaVariance, settings.chromaVariance, settings.chromaVariance])
        } value: { x, y in
            func enlarged(_ map: Samples<Float>) -> Float {
                PlainKernels.enlarged(
                    map, width: mapSize.width, height: mapSize.height, x: x, y: y, fullWidth: width,
                    fullHeight: height)
            }
            let luma = Float(planes[0].samples[y * width + x])
            let chroma = planes[1...].map {
                PlainKernels.chroma($0.samples, width: $0.width, height: $0.height, x: x, y: y)
            }
            return zip(fitted[1...], [luma] + chroma).reduce(enlarged(fitted[0])) {
                $0 + enlarged($1.0) * $1.1 / 255
            }
        }
    }

    // Those of a whole frame at the size of a map.
    private static func smallComponents(of frame: VideoFrame) -> [ScalarMap] {
        let (width, height) = (Double(frame.pixelBuffer.width), Double(frame.pixelBuffer.height))
        let sampler = FrameSampler()
        var (picture, components) = (RGBMap(width: mapSize.width, height: mapSize.height), [ScalarMap]())
        sampler.sample(frame, source: Rectangle(x: 0, y: 0, width: width, height: height), into: &picture)
        sampler.components(of: frame, width: mapSize.width, height: mapSize.height, into: &components)
        return components
    }

    private static func render(
        _ picture: KernelPicture, _ frame: PixelBuffer, name: String, patch: @escaping () -> MaskPatch,
        prepare: @escaping () -> Void = {}, value: @escaping (Int, Int) -> Float
    ) -> Kernel {
        let (width, height, count) = (picture.width, picture.height, picture.pixelCount)
        let renderer = MaskRenderer()
        let expected = Samples<UInt8>(repeating: 0, count: count)
        var result: PixelBuffer?
        return Kernel(
            name, pixelCount: count, byteCount: 2 * count + 4 * mapSize.width * mapSize.height, tolerance: 1
        ) {
            result = renderer.render([patch()], over: VideoFrame(pixelBuffer: frame), format: .gray8)
        } reference: {
            prepare()
            for y in 0..<height {
                for x in 0..<width { expected[y * width + x] = PlainKernels.byte(value(x, y)) }
            }
        } difference: {
            PlainPicture(result!).planes[0].samples.largestDifference(from: expected)
        }
    }

    // Soft edges are left out of the comparison: there the product takes the old background out of the colours, too.
    private static func composite(
        _ picture: KernelPicture, _ mask: PixelBuffer, name: String, color: @escaping (Int) -> RGBColor
    ) -> Kernel {
        let (width, height) = (picture.width, picture.height)
        let frame = picture.frame
        let compositor = Compositor()
        let (plain, alpha) = (PlainPicture(frame.pixelBuffer), PlainPicture(mask).planes[0].samples)
        let small = Samples<UInt8>(repeating: 0, count: width / 2 * (height / 2))
        let expected = plain.planes.map { Samples<UInt8>(repeating: 0, count: $0.samples.count) }
        let conversion = ColorConversion(
            format: frame.pixelBuffer.format, color: frame.color, width: width, height: height)
        var (count, result): (Int, PixelBuffer?) = (0, nil)
        return Kernel(
            name, pixelCount: picture.pixelCount, byteCount: 4 * picture.pixelCount, tolerance: 0
        ) {
            result = compositor.composite(frame, mask: mask, over: .color(color(count))).pixelBuffer
            count += 1
        } reference: {
            // The colour of the last run.
            let last = color(max(0, count - 1))
            let values = conversion.codeValues(red: last.red, green: last.green, blue: last.blue)
            PlainKernels.chromaAlpha(alpha, width: width, height: height, into: small)
            for (index, plane) in plain.planes.enumerated() {
                let (alpha, value, target) = (index == 0 ? alpha : small, UInt8(values[index]), expected[index])
                for i in 0..<plane.samples.count {
                    target[i] = PlainKernels.blend(plane.samples[i], value, alpha: alpha[i])
                }
            }
        } difference: {
            var largest = 0.0
            for (index, plane) in PlainPicture(result!).planes.enumerated() {
                let alpha = index == 0 ? alpha : small
                for i in 0..<plane.samples.count where alpha[i] == 0 || alpha[i] == 255 {
                    largest = max(largest, abs(plane.samples[i].double - expected[index][i].double))
                }
            }
            return largest
        }
    }
}

extension Samples where T: BinaryConvertible {
    fileprivate var floats: [Float] { (0..<count).map { Float(base[$0].double) } }
}
