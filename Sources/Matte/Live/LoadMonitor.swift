/// Notices when frames come faster than they can be made, and what they cost meanwhile; tells it once.
struct LoadMonitor {
    /// How long a look lasts, in seconds.
    private static let window = 5.0
    /// The share of frames whose loss is no matter.
    private static let tolerance = 0.05
    /// How many looks in a row have to show an overload: start-up and other disturbances pass within one.
    private static let patience = 2

    /// Where the time of a frame went, in seconds.
    struct Cost: Equatable {
        /// Making its mask at the frame's size, and finding the faces meanwhile.
        var mask: Double
        /// Everything after that.
        var rest: Double
    }

    /// What looks of some seconds have shown.
    struct Overload: Equatable {
        /// Frames a second that came.
        let arriving: Double
        /// Frames a second that were made.
        let made: Double
        /// The mean of the frames that were made.
        let cost: Cost
    }

    private var start: Double?
    private var arrived = 0
    private var dropped = 0
    private var sum = Cost(mask: 0, rest: 0)
    /// How many looks before this one have shown an overload.
    private var overloads = 0
    private var hasTold = false

    /// Begins its looks anew, after a time that says nothing about the machine.
    mutating func beginAnew() {
        let hasTold = hasTold
        self = LoadMonitor()
        self.hasTold = hasTold
    }

    /// Notes a frame that is made at `time` seconds, with those that were dropped for it; tells of an overload that lasts.
    mutating func note(dropped count: Int, cost: Cost, at time: Double) -> Overload? {
        // What was dropped for the first frame of all came while nothing ran yet.
        guard let begin = start else {
            start = time
            return nil
        }
        arrived += 1 + count
        dropped += count
        sum.mask += cost.mask
        sum.rest += cost.rest
        let length = time - begin
        guard length >= Self.window else { return nil }
        let overload = Overload(
            arriving: Double(arrived) / length, made: Double(arrived - dropped) / length,
            cost: Cost(mask: sum.mask / Double(arrived - dropped), rest: sum.rest / Double(arrived - dropped)))
        let isOverloaded = Double(dropped) > Self.tolerance * Double(arrived)
        let looks = isOverloaded ? overloads + 1 : 0
        beginAnew()
        (start, overloads) = (time, looks)
        guard looks >= Self.patience, !hasTold else { return nil }
        hasTold = true
        return overload
    }
}
