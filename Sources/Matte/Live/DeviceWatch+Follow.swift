import Media

extension DeviceWatch {
    /// Milliseconds that a consumer must stay before the camera is taken up; programs that list devices are gone sooner.
    private static let arrivalPatience: Int32 = 250
    /// Milliseconds that nobody must be there before the camera is let go; programs that change its mode come back sooner.
    private static let departurePatience: Int32 = 2000

    /// Tells whether anybody watches whenever that has changed and stayed so for a moment; returns when it is interrupted.
    func follow(_ onChange: (Bool) -> Void) {
        var wasWatched = true
        while true {
            let isWatched = isWatched
            let patience = isWatched == wasWatched ? nil : isWatched ? Self.arrivalPatience : Self.departurePatience
            switch waitForChange(milliseconds: patience) {
            case .interrupted: return
            case .ready: continue
            case .timedOut:
                onChange(isWatched)
                wasWatched = isWatched
            }
        }
    }
}
