import Media

extension DeviceWatch {
    /// Milliseconds that a consumer must stay before the camera is taken up; programs that list devices are gone sooner.
    private static let arrivalPatience: Int32 = 250
    /// Milliseconds that nobody must be there before the camera is let go; programs that change its mode come back sooner.
    private static let departurePatience: Int32 = 2000

    /// Tells whether anybody watches whenever that has changed and stayed so for a moment; returns when it is interrupted.
    func follow(_ onChange: (Bool) -> Void) {
        var wasWatched = true
        var change: ContinuousClock.Instant?
        while true {
            let isWatched = isWatched
            change = isWatched == wasWatched ? nil : change ?? .now
            // Programs may come and go all the time without a change.
            let patience = change.map { change in
                let whole = isWatched ? Self.arrivalPatience : Self.departurePatience
                return Int32(max(0, Double(whole) - change.duration(to: .now).seconds * 1000).rounded(.up))
            }
            if patience != 0 {
                switch waitForChange(milliseconds: patience) {
                case .interrupted: return
                case .ready: continue
                case .timedOut: break
                }
            }
            onChange(isWatched)
            wasWatched = isWatched
        }
    }
}
