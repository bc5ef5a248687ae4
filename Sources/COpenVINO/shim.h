#ifndef MATTE_COPENVINO_SHIM_H
#define MATTE_COPENVINO_SHIM_H

#include <openvino/c/openvino.h>

/// Compiles a model from its file; the runtime's own call is variadic, which Swift can't see.
/// `cache_directory` may be empty: then nothing is cached.
static inline ov_status_e matte_compile_model(
    const ov_core_t *core, const char *path, const char *device, const char *precision, const char *threads,
    const char *cache_directory, ov_compiled_model_t **model
) {
    return ov_core_compile_model_from_file(
        core, path, device, 12, model, "ENABLE_CPU_PINNING", "NO", "INFERENCE_PRECISION_HINT", precision, "INFERENCE_NUM_THREADS", threads,
        "NUM_STREAMS", "1", "PERFORMANCE_HINT", "LATENCY", "CACHE_DIR", cache_directory);
}

#endif
