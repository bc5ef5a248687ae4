import Imaging
import Synchronization
import TestSupport
import Testing

@testable import MatteVision

struct SegmentationEngineTests {
    /// Somebody: the person of the fixture, of the frame's height divided by `part`, at its bottom.
    private struct Figure {
        let left: Int
        let part: Int
    }

    private let farAway = Figure(left: 230, part: 6)

    /// Of the sizes of noise, from the largest on.
    private static let weights = [1, 0.6, 0.36, 0.216, 0.13]

    /// Smooth noise of many sizes, in which a network that sees it small finds people.
    private static func busy(_ seed: Int) -> [Double] {
        func lattice(_ column: Int, _ row: Int, _ octave: Int) -> Double {
            let place = column &* 73_856_093 ^ row &* 19_349_663 ^ (octave + 8 * seed) &* 83_492_791
            var bits = UInt32(truncatingIfNeeded: place)
            bits = (bits ^ bits >> 15) &* 0x2c1b_3c6d
            bits = (bits ^ bits >> 12) &* 0x297a_2d39
            return Double(bits >> 8) / Double(1 << 23) - 1
        }
        func ease(_ t: Double) -> Double { t * t * (3 - 2 * t) }
        var sum = [Double](repeating: 0, count: 640 * 360)
        for (octave, weight) in weights.enumerated() {
            let step = 120.0 / Double(1 << octave)
            let columns = Int(639 / step) + 2
            let points = (0..<(Int(359 / step) + 2) * columns).map { lattice($0 % columns, $0 / columns, octave) }
            for y in 0..<360 {
                let row = Int(Double(y) / step)
                let t = ease(Double(y) / step - Double(row))
                for x in 0..<640 {
                    let column = Int(Double(x) / step)
                    let s = ease(Double(x) / step - Double(column))
                    let place = row * columns + column
                    let upper = points[place] * (1 - s) + points[place + 1] * s
                    let lower = points[place + columns] * (1 - s) + points[place + columns + 1] * s
                    sum[y * 640 + x] += (upper * (1 - t) + lower * t) * weight
                }
            }
        }
        return sum
    }

    /// The backgrounds that were drawn so far, by their seeds: most tests have the same one.
    private static let backgrounds = Mutex<[Int: [SIMD3<Double>]]>([:])

    private func background(seed: Int) -> [SIMD3<Double>] {
        Self.backgrounds.withLock { known in
            if let drawn = known[seed] { return drawn }
            let drawn = zip(Self.busy(seed), Self.busy(seed + 1)).map { light, tint in
                var pixel = SIMD3(tint, 0, -tint) * 0.12 + 0.3 * light + 0.45
                pixel.clamp(lowerBound: .zero, upperBound: .one)
                return pixel
            }
            known[seed] = drawn
            return drawn
        }
    }

    /// `figures` before a busy background, and their alpha.
    private func scene(_ figures: [Figure], seed: Int = 0, pts: Int64 = 0) throws -> (frame: VideoFrame, alpha: [Bool])
    {
        let person = try RGBPicture(fixture: "anna_048.png")
        let matte = try FixturePicture.load("anna_048_matting.png").pixelBuffer
        var alpha = [Bool](repeating: false, count: 640 * 360)
        let background = background(seed: seed)
        let picture = RGBPicture(width: 640, height: 360) { x, y in
            var pixel = background[y * 640 + x]
            for figure in figures {
                let (column, row) = ((x - figure.left) * figure.part, 360 - (360 - y) * figure.part)
                guard column >= 0, row >= 0, column < 640 else { continue }
                let value = matte.withPlane(0) { plane in
                    Double(plane.row(row * 288 / 360, as: UInt16.self)[column * 512 / 640]) / 65535
                }
                if value > 0.5 { alpha[y * 640 + x] = true }
                let own = person[column, row]
                pixel = pixel * (1 - value) + SIMD3(Double(own.x), Double(own.y), Double(own.z)) / 255 * value
            }
            return SIMD3<UInt8>(pixel * 255)
        }
        return (picture.frame(pts), alpha)
    }

    private func values(_ mask: PixelBuffer) -> [UInt8] {
        mask.withPlane(0) { plane in
            (0..<360).flatMap { y in UnsafeBufferPointer(start: plane.row(y, as: UInt8.self), count: 640) }
        }
    }

    private func people(_ mask: PixelBuffer) -> [Bool] {
        values(mask).map { $0 > 127 }
    }

    private func intersectionOverUnion(_ first: [Bool], _ second: [Bool]) -> Double {
        let both = zip(first, second).count { $0 && $1 }
        return Double(both) / Double(max(1, zip(first, second).count { $0 || $1 }))
    }

    @Test(arguments: GeneratePersonSegmentationRequest.QualityLevel.allCases)
    func somebodyFarAwayIsFoundBeforeABusyBackground(_ level: GeneratePersonSegmentationRequest.QualityLevel) throws {
        let (frame, alpha) = try scene([farAway])
        let mask = try GeneratePersonSegmentationRequest(qualityLevel: level).perform(on: frame).pixelBuffer
        #expect(intersectionOverUnion(people(mask), alpha) > 0.9)
    }

    /// An engine for frames at whose edges nothing changes, as far as the thumbnail that it gets with each of them tells; what changes
    /// in their middle is told beside them.
    private func engine(_ level: String) throws -> (VideoFrame, Bool) throws -> [Bool] {
        let engine = try SegmentationEngine(
            level: level, networks: LoadedNetworks(ModelLibrary(directory: Checkout.models)), width: 640, height: 360,
            pixelAspect: 1)
        return { frame, hasChanged in
            var thumbnail = ScalarMap(width: 64, height: 36)
            for x in 48..<52 where hasChanged { thumbnail.values[18 * 64 + x] = 0.1 }
            let mask = try engine.mask(of: frame, thumbnail: thumbnail, sighted: [], format: .gray8)
            return self.people(mask.refined().pixelBuffer)
        }
    }

    @Test(arguments: [("fast", 10), ("balanced", 10), ("accurate", 3)])
    func whoAppearsIsSeenWithTheNextSearch(_ level: String, interval: Int) throws {
        let (known, newcomer) = (Figure(left: 0, part: 4), Figure(left: 440, part: 3))
        let people = try engine(level)
        let (before, alone) = try scene([known])
        let (after, both) = try scene([known, newcomer])
        #expect(intersectionOverUnion(try people(before, false), alone) > 0.9)
        let masks = try (1...interval).map { _ in try people(after, true) }
        #expect(intersectionOverUnion(masks[interval - 2], alone) > 0.9, "its time has not come")
        #expect(intersectionOverUnion(masks[interval - 1], both) > 0.9)
    }

    /// What is made of each frame at the fast level, which takes masks along for two frames: the part of the frame that is looked
    /// at, and its mask before it is refined.
    private func looks(at frames: [VideoFrame]) throws -> [(place: Rectangle, map: ScalarMap)] {
        let engine = try SegmentationEngine(
            level: "fast", networks: LoadedNetworks(ModelLibrary(directory: Checkout.models)), width: 640, height: 360,
            pixelAspect: 1)
        let thumbnail = ScalarMap(width: 64, height: 36)
        return try frames.map { frame in
            let mask = try engine.mask(of: frame, thumbnail: thumbnail, sighted: [], format: .gray8)
            let alpha = try #require(mask.regions.first).alpha
            return (alpha.place, alpha.map)
        }
    }

    private let wholeFrame = Rectangle(x: 0, y: 0, width: 640, height: 360)

    /// The person of the fixture, so near that they fill the frame, in so much fog and perhaps behind a bar.
    private func near(fog: Double = 0, bar: Range<Int> = 0..<0) throws -> VideoFrame {
        let person = try RGBPicture(fixture: "anna_048.png")
        return RGBPicture(width: 640, height: 360) { x, y in
            let fog = bar.contains(y) ? 1 : fog
            let pixel = SIMD3<Double>(person[120 + x * 5 / 8, 100 + y * 5 / 8]) * (1 - fog)
            return SIMD3<UInt8>(pixel + SIMD3(repeating: 128 * fog))
        }.frame()
    }

    // The search is due in the eleventh frame, whose mask would be taken along otherwise.
    @Test func whoStepsBackGetsARegionWithTheNextSearch() throws {
        let person = try RGBPicture(fixture: "anna_048.png")
        let far = RGBPicture(width: 640, height: 360) { x, y in person[x, y] }.frame()
        let places = try looks(at: Array(repeating: near(), count: 2) + Array(repeating: far, count: 10)).map(\.place)
        #expect(places[..<11].allSatisfy { $0 == wholeFrame }, "\(places)")
        #expect(places[11] != wholeFrame)
    }

    // A mask that is soft all over speaks against somebody; three looks in a row would have to say so.
    @Test func aMaskThatIsTakenAlongIsNoSecondLook() throws {
        let (clear, soft) = (try near(), try near(fog: 0.7, bar: 150..<210))
        let looks = try looks(at: [clear, clear, soft, soft, soft])
        #expect(looks.allSatisfy { $0.place == wholeFrame })
        #expect(looks[3].map == looks[2].map && looks[4].map == looks[2].map)
    }

    /// Frames that the person of the fixture comes into from the right, and their alpha.
    private struct Entrance {
        private let person: RGBPicture
        private let matte: PixelBuffer

        init() throws {
            person = try RGBPicture(fixture: "anna_048.png")
            matte = try FixturePicture.load("anna_048_matting.png").pixelBuffer
        }

        /// The frame in which the fixture's picture begins `left` pixels from the left.
        func frame(_ left: Int) -> VideoFrame {
            RGBPicture(width: 640, height: 360) { x, y in
                isPerson(x, y, left) ? person[x - left, y] : [120, 130, UInt8(140 - x / 10)]
            }.frame()
        }

        func alpha(_ left: Int) -> [Bool] { (0..<640 * 360).map { isPerson($0 % 640, $0 / 640, left) } }

        private func isPerson(_ x: Int, _ y: Int, _ left: Int) -> Bool {
            guard x >= left else { return false }
            return matte.withPlane(0) { $0.row(y * 288 / 360, as: UInt16.self)[(x - left) * 512 / 640] } > 32767
        }
    }

    // A detector knows them no sooner than by half a face.
    @Test(arguments: GeneratePersonSegmentationRequest.QualityLevel.allCases)
    func whoComesInAtTheFramesEdgeIsSeenByTheShoulder(_ level: GeneratePersonSegmentationRequest.QualityLevel) throws {
        let entrance = try Entrance()
        let request = GeneratePersonSegmentationRequest(qualityLevel: level)
        for _ in 0..<4 {
            let mask = people(try request.perform(on: entrance.frame(640)).pixelBuffer)
            #expect(mask.allSatisfy { !$0 })
        }
        for left in stride(from: 460, through: 300, by: -10) {
            let mask = people(try request.perform(on: entrance.frame(left)).pixelBuffer)
            // The first tip of it is too small to be told.
            guard left <= 440 else { continue }
            #expect(intersectionOverUnion(mask, entrance.alpha(left)) > 0.8, "\(left)")
        }
    }

    // It may be a thing, or a curtain.
    @Test func aShoulderOfWhichNoPersonFollowsIsNobody() throws {
        let entrance = try Entrance()
        let request = GeneratePersonSegmentationRequest(qualityLevel: .fast)
        for left in [640, 640, 450, 440, 430] { _ = try request.perform(on: entrance.frame(left)) }
        let (shoulder, alpha) = (entrance.frame(420), entrance.alpha(420))
        let masks = try (0..<60).map { _ in values(try request.perform(on: shoulder).pixelBuffer) }
        #expect(masks[..<20].allSatisfy { intersectionOverUnion($0.map { $0 > 127 }, alpha) > 0.8 })
        #expect(masks[40...].allSatisfy { $0.allSatisfy { $0 == 0 } })
        // All at once, and not as a ghost that fades.
        #expect(masks.count { $0.contains { (1..<128).contains($0) } && !$0.contains { $0 > 127 } } == 0)
    }

    @Test func whomADetectorFoundIsSeenWithoutASearch() throws {
        let (known, newcomer) = (Figure(left: 0, part: 4), Figure(left: 440, part: 3))
        let (before, alone) = try scene([known])
        let (after, both) = try scene([known, newcomer])
        let models = ModelLibrary(directory: Checkout.models)
        func people(after sighted: [Detection]) throws -> [Bool] {
            let engine = try SegmentationEngine(
                level: "fast", networks: LoadedNetworks(models), width: 640, height: 360, pixelAspect: 1)
            // Nothing changes at the frame's edge.
            let thumbnail = ScalarMap(width: 64, height: 36)
            _ = try engine.mask(of: before, thumbnail: thumbnail, sighted: [], format: .gray8).refined()
            let mask = try engine.mask(of: after, thumbnail: thumbnail, sighted: sighted, format: .gray8)
            return self.people(mask.refined().pixelBuffer)
        }
        let detector = try #require(
            try SegmentationEngine(
                level: "fast", networks: LoadedNetworks(models), width: 640, height: 360, pixelAspect: 1
            ).personDetector)
        let right = Rectangle(x: 280, y: 0, width: 360, height: 360)
        let found = try detector.look(at: right, of: after).people
        #expect(!found.isEmpty)
        #expect(intersectionOverUnion(try people(after: []), alone) > 0.9, "no search is due")
        #expect(intersectionOverUnion(try people(after: found), both) > 0.9)
    }

    // In no window does the network's mask show all of the person.
    @Test(arguments: [(81, 36), (74, 28)])
    func whomOnlyTheDetectorKnowsFromAfarIsSeenAtOnce(_ x: Int, _ y: Int) throws {
        let person = try RGBPicture(fixture: "anna_048.png")
        let picture = RGBPicture(width: 640, height: 360) { column, row in
            guard column >= x, row >= y, column < x + 160, row < y + 90 else { return [128, 128, 128] }
            return person[4 * (column - x), 4 * (row - y)]
        }
        let request = GeneratePersonSegmentationRequest(qualityLevel: .fast)
        let mask = people(try request.perform(on: picture.frame()).pixelBuffer)
        // The middle of the chest.
        #expect(mask[(y + 75) * 640 + x + 80])
    }

    // The detector sees some of them in a part of the frame only.
    @Test(arguments: [3, 5])
    func whoIsFarAwayMayLieOrStandOnTheirHead(_ part: Int) throws {
        let (frame, alpha) = try scene([Figure(left: 60, part: part)])
        for quarters in 0...3 {
            let mask = try GeneratePersonSegmentationRequest(qualityLevel: .fast)
                .perform(on: frame.turned(by: quarters)).pixelBuffer
            #expect(intersectionOverUnion(people(mask), alpha) > 0.9, "\(quarters)")
        }
    }

    // In these fetched networks take the background for people.
    @Test(arguments: [6, 8, 10])
    func aBusyBackgroundAloneIsNobody(_ seed: Int) throws {
        let frame = try scene([], seed: seed).frame
        for level in GeneratePersonSegmentationRequest.QualityLevel.allCases {
            let mask = try GeneratePersonSegmentationRequest(qualityLevel: level).perform(on: frame).pixelBuffer
            #expect(people(mask).count { $0 } < 100, "\(level)")
        }
    }

    private func networks(_ models: ModelLibrary) throws -> RegionPass.Networks {
        let installed = try models.installed()
        var sources = LoadedNetworks.Sources(segmentation: try installed.model("person_segmentation"))
        sources.matting = try installed.model("matting")
        return try LoadedNetworks(models).networks(sources)
    }

    @Test func whatIsHigherThanWideIsSeenUpright() throws {
        let models = ModelLibrary(directory: Checkout.models)
        let networks = LoadedNetworks(models)
        let plan = try LevelPlan(level: "fast", networks: networks)
        let all = try plan.load(networks)
        // Pixels are twice as wide as high.
        let pass = RegionPass(
            plan.level, networks: .init(segmentation: all.segmentation, matting: nil, detector: nil), pixelAspect: 2)
        let frame = try scene([farAway]).frame
        for (width, height, seen) in [(100.0, 240.0, (192, 256)), (100, 220, (256, 192)), (200, 100, (256, 192))] {
            pass.move(to: Rectangle(x: 0, y: 0, width: width, height: height))
            try pass.segment(frame)
            #expect((pass.map.width, pass.map.height) == seen, "\(width)x\(height)")
        }
        let search = PersonSearch(
            all.segmentation, searchesParts: true, width: 200, height: 360, pixelAspect: 1)
        let masks = try search.windows.indices.map { try search.mask($0, of: frame) }
        #expect((masks[0].width, masks[0].height) == (192, 256), "the whole frame")
        #expect(masks.dropFirst().allSatisfy { ($0.width, $0.height) == (256, 192) } && masks.count > 1)
    }

    @Test func aMaskInWhichTheDetectorSeesNobodyIsEmptied() throws {
        let models = ModelLibrary(directory: Checkout.models)
        let networks = LoadedNetworks(models)
        let plan = try LevelPlan(level: "balanced", networks: networks)
        let frame = try scene([farAway]).frame
        let all = try plan.load(networks)
        let pass = RegionPass(
            plan.level,
            networks: .init(segmentation: all.segmentation, matting: all.matting, detector: all.detector),
            pixelAspect: 1)
        pass.move(to: Rectangle(x: 220, y: 260, width: 180, height: 100))
        try pass.segment(frame)
        let mask = pass.map
        try pass.verify(frame)
        #expect(pass.map == mask && pass.presence.isPresent)
        // The mask is still that of somebody; where the detector looks there is nobody.
        pass.presence = .unknown
        try pass.verify(RGBPicture.gray(width: 640, height: 360).frame())
        #expect(pass.presence.isAbsent && pass.map.values.allSatisfy { $0 == 0 })
    }

    @Test(arguments: ["fast", "balanced", "accurate"]) func everyLevelHasWhomItAsksInDoubt(_ level: String) throws {
        let networks = LoadedNetworks(ModelLibrary(directory: Checkout.models))
        let first = try LevelPlan(level: level, networks: networks).load(networks)
        let second = try LevelPlan(level: level, networks: networks).load(networks)
        #expect(first.detector != nil && first.verifier != nil && first.objectDetector != nil)
        let turned = try first.segmentation.network(forWidth: 2, height: 3)
        #expect(turned !== first.segmentation.usual)
        #expect(try second.segmentation.network(forWidth: 2, height: 3) === turned)
        #expect(
            first.segmentation.usual === second.segmentation.usual && first.detector === second.detector, "loaded once")
        #expect(first.verifier === second.verifier && first.objectDetector === second.objectDetector)
    }

    // In fog the detector is not sure any more.
    @Test func whereTheDetectorIsInDoubtOthersHaveTheirSay() throws {
        let models = ModelLibrary(directory: Checkout.models)
        let networks = LoadedNetworks(models)
        let plan = try LevelPlan(level: "balanced", networks: networks)
        let loaded = try plan.load(networks)
        let verifier = try #require(loaded.verifier)
        let region = Rectangle(x: 0, y: 0, width: 640, height: 360)
        let person = try RGBPicture(fixture: "anna_048.png")
        func certainty(
            fog: Double, bar: Range<Int> = 0..<0, lean: Double = 0, _ verifier: PersonVerifier?,
            _ objectDetector: ObjectDetector? = nil
        ) throws -> PersonCertainty {
            let person = lean == 0 ? person : person.turned(by: lean)
            let frame = RGBPicture(width: 640, height: 360) { x, y in
                let fog = bar.contains(y) ? 1 : fog
                let pixel = SIMD3<Double>(person[x, y]) * (1 - fog)
                return SIMD3<UInt8>(pixel + SIMD3(repeating: 128 * fog))
            }.frame()
            let pass = RegionPass(
                plan.level,
                networks: .init(
                    segmentation: loaded.segmentation, matting: nil, detector: loaded.detector, verifier: verifier,
                    objectDetector: objectDetector), pixelAspect: 1)
            pass.move(to: region)
            try pass.segment(frame)
            let certainty = try #require(try pass.certainty(of: frame))
            if let objectDetector, certainty.isInDoubt {
                let expected = try objectDetector.confidence(in: pass.map, of: region, frame: frame)
                #expect(certainty.objectConfidence == expected)
            }
            guard let verifier, certainty.isInDoubt else { return certainty }
            let lane = NetworkLane(loaded.segmentation)
            var picture = RGBMap(width: lane.width, height: lane.height)
            FrameSampler().sample(frame, source: region, into: &picture)
            try lane.segment(picture, of: frame, rectangle: region)
            let expected = try verifier.logOdds(
                of: pass.map, seenAs: lane.mask, of: region, frame: frame)
            // What is seen along the axes of who leans speaks more for them.
            let difference = certainty.verification - expected
            #expect(lean == 0 ? abs(difference) < 0.3 : difference > 0.5, "it sees the network's own mask")
            return certainty
        }
        let sure = try certainty(fog: 0, verifier, loaded.objectDetector)
        #expect(sure.verification == 0 && sure.objectConfidence == nil, "not asked")
        #expect(try certainty(fog: 0.925, lean: 0.6, verifier).isInDoubt)
        let alone = try certainty(fog: 0.8, bar: 150..<190, nil)
        let both = try certainty(fog: 0.8, bar: 150..<190, verifier)
        #expect(alone.isInDoubt && !alone.isEnough && alone.verification == 0)
        #expect(both.confidence == alone.confidence && both.verification != 0 && both.objectConfidence == nil)
        let all = try certainty(fog: 0.8, bar: 150..<190, verifier, loaded.objectDetector)
        #expect(all.verification == both.verification && all.objectConfidence != nil)
        #expect(
            try certainty(fog: 0.8, bar: 150..<190, nil, loaded.objectDetector).objectConfidence == all.objectConfidence
        )
    }

    @Test(arguments: [GeneratePersonSegmentationRequest.QualityLevel.fast, .balanced])
    func whatWasSeenBeforeAResetDoesNotMatter(_ level: GeneratePersonSegmentationRequest.QualityLevel) throws {
        let person = DrawnPerson(x: 200, top: 30, height: 300)
        let tall = RGBPicture(width: 640, height: 360) { x, y in person.color(x, y) ?? [150, 150, 150] }
        let next = try scene([Figure(left: 100, part: 2)]).frame
        let (used, fresh) = (
            GeneratePersonSegmentationRequest(qualityLevel: level),
            GeneratePersonSegmentationRequest(qualityLevel: level)
        )
        for pts in Int64(0)..<3 { _ = try used.perform(on: tall.frame(pts)) }
        used.reset()
        for _ in 1...2 {
            #expect(try values(used.perform(on: next).pixelBuffer) == values(fresh.perform(on: next).pixelBuffer))
        }
    }

    // Regions have margins: whose face is in somebody else's is somebody, too.
    @Test func whoStandsCloseToSomebodyIsSeenAtOnce() throws {
        let people = [DrawnPerson(x: 200, top: 30, height: 300), DrawnPerson(x: 310, top: 160, height: 170)]
        let picture = RGBPicture(width: 640, height: 360) { x, y in
            people.lazy.compactMap { $0.color(x, y) }.first ?? [150, 150, 150]
        }
        let request = GeneratePersonSegmentationRequest(qualityLevel: .fast)
        let mask = self.people(try request.perform(on: picture.frame(0)).pixelBuffer)
        for person in people {
            let own = (0..<360 * 640).filter { person.color($0 % 640, $0 / 640) != nil }
            let seen = own.count { mask[$0] }
            #expect(Double(seen) > 0.5 * Double(own.count), "\(seen) of \(own.count)")
        }
    }
}
