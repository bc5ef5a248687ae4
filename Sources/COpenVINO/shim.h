#ifndef MATTE_COPENVINO_SHIM_H
#define MATTE_COPENVINO_SHIM_H

#include <openvino/c/openvino.h>
#include <sys/syscall.h>
#include <unistd.h>

// The runtime's own calls are variadic, which Swift can't see.

/// Sets one property of a device for whatever is compiled for it or imported afterwards.
static inline ov_status_e matte_set_property(
    const ov_core_t *core, const char *device, const char *key, const char *value
) {
    return ov_core_set_property(core, device, key, value);
}

/// Compiles a model with the device's properties as they are.
static inline ov_status_e matte_compile_model(
    const ov_core_t *core, const ov_model_t *model, const char *device, ov_compiled_model_t **compiled
) {
    return ov_core_compile_model(core, model, device, 0, compiled);
}

/// Compiles a model for a device that hands work on to others; `device_properties` are theirs.
static inline ov_status_e matte_compile_model_for_devices(
    const ov_core_t *core, const ov_model_t *model, const char *device, const char *device_properties,
    ov_compiled_model_t **compiled
) {
    return ov_core_compile_model(
        core, model, device, 4, compiled, "PERFORMANCE_HINT", "LATENCY", "DEVICE_PROPERTIES", device_properties);
}

/// A descriptor of a file in memory that goes away with it (`memfd_create`); below 0 where none can be made.
static inline int matte_memory_file(void) { return (int)syscall(SYS_memfd_create, "matte", 1u /* MFD_CLOEXEC */); }

#endif
