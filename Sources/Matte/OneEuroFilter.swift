import Glibc

/// Smooths a noisy signal with little lag: the faster it moves, the less it is smoothed.
///
/// The 1€ filter of Casiez, Roussel and Vogel (CHI 2012, doi:10.1145/2207676.2208639).
struct OneEuroFilter {
    /// Cutoff frequency of a still signal, in hertz.
    let minimumCutoff: Double
    /// How much the cutoff rises with speed, in hertz per unit a second.
    let speedCoefficient: Double
    /// Cutoff frequency of the speed itself, in hertz.
    let derivativeCutoff = 1.0
    private var past: (time: Double, value: Double, speed: Double)?

    init(minimumCutoff: Double, speedCoefficient: Double) {
        self.minimumCutoff = minimumCutoff
        self.speedCoefficient = speedCoefficient
    }

    /// The smoothed value at `time` seconds; time that does not move forward gives the last value again.
    mutating func filter(_ value: Double, at time: Double) -> Double {
        guard let past else {
            past = (time, value, 0)
            return value
        }
        let interval = time - past.time
        guard interval > 0 else { return past.value }
        let rawSpeed = (value - past.value) / interval
        let speed = past.speed + (rawSpeed - past.speed) * Self.weight(derivativeCutoff, interval)
        let cutoff = minimumCutoff + speedCoefficient * abs(speed)
        let smoothed = past.value + (value - past.value) * Self.weight(cutoff, interval)
        self.past = (time, smoothed, speed)
        return smoothed
    }

    private static func weight(_ cutoff: Double, _ interval: Double) -> Double {
        1 / (1 + 1 / (2 * Double.pi * cutoff * interval))
    }
}
