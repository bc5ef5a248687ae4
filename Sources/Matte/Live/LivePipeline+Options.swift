extension LivePipeline {
    /// How a run behaves.
    public struct Options: Sendable {
        /// The virtual camera whose consumers decide whether the camera runs; nil lets it run all the time.
        public var watchedDevice: String?
        /// How many frames are written at most.
        public var frameLimit: Int?
        /// Seconds after which the run ends.
        public var duration: Double?

        /// A run without an end of its own, unless one is told.
        public init(watchedDevice: String? = nil, frameLimit: Int? = nil, duration: Double? = nil) {
            self.watchedDevice = watchedDevice
            self.frameLimit = frameLimit
            self.duration = duration
        }
    }
}
