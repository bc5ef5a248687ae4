import CFFmpeg

/// Frames of one size and format that lie in a device.
final class DeviceFrames {
    let reference: UnsafeMutablePointer<AVBufferRef>

    /// `pixelFormat` is the device's own, `memoryFormat` that of the same frames in memory.
    init(
        _ device: HardwareDevice, pixelFormat: AVPixelFormat, memoryFormat: AVPixelFormat, width: CInt, height: CInt
    ) throws(AVError) {
        reference = try AVError.allocated(av_hwframe_ctx_alloc(device.reference))
        reference.pointee.data.withMemoryRebound(to: AVHWFramesContext.self, capacity: 1) { frames in
            frames.pointee.format = pixelFormat
            frames.pointee.sw_format = memoryFormat
            frames.pointee.width = width
            frames.pointee.height = height
            // As FFmpeg's example has it: enough for what encoders hold back.
            frames.pointee.initial_pool_size = 20
        }
        try AVError.check(av_hwframe_ctx_init(reference))
    }

    deinit {
        var reference: UnsafeMutablePointer<AVBufferRef>? = reference
        av_buffer_unref(&reference)
    }

    /// `frame` in the device, with all that it carries.
    func upload(_ frame: FrameReference) throws(AVError) -> FrameReference {
        let target = try FrameReference()
        try AVError.check(av_hwframe_get_buffer(reference, target.pointer, 0))
        try AVError.check(av_hwframe_transfer_data(target.pointer, frame.pointer, 0))
        try AVError.check(av_frame_copy_props(target.pointer, frame.pointer))
        return target
    }
}

extension FrameReference {
    /// The same frame in memory, with all that it carries, if it lies in a device; itself otherwise.
    func inMemory() throws(AVError) -> FrameReference {
        guard pointer.pointee.hw_frames_ctx != nil else { return self }
        let target = try FrameReference()
        try AVError.check(av_hwframe_transfer_data(target.pointer, pointer, 0))
        try AVError.check(av_frame_copy_props(target.pointer, pointer))
        // A frame in a device is cropped at the right and at the bottom alone.
        try AVError.check(av_frame_apply_cropping(target.pointer, CInt(AV_FRAME_CROP_UNALIGNED)))
        return target
    }
}
