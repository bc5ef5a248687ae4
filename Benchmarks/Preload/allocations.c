// Counts what a program allocates, from outside: preloaded into it, and written to the file that ALLOCATIONS_FILE names when
// it ends. Memory that is mapped without malloc is not counted. For glibc, whose own entrances do the work.
//
// The file has a line for all allocations, one for those that the program's own code makes rather than a library's, and one
// for each place that makes large ones, which is told by its call stack:
//
//     all COUNT BYTES
//     own COUNT BYTES
//     large COUNT BYTES MODULE+OFFSET MODULE+OFFSET ...
//
// MODULE is the path of the program or a library, the innermost caller first.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <link.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);

enum { large = 64 * 1024, depth = 24, placeCount = 4096 };

struct Place {
    _Atomic uint64_t hash;
    _Atomic uint64_t count;
    _Atomic uint64_t bytes;
    void *stack[depth];
    int frames;
};

static _Atomic uint64_t count;
static _Atomic uint64_t bytes;
static _Atomic uint64_t ownCount;
static _Atomic uint64_t ownBytes;
// Where the program's own code lies.
static uintptr_t codeStart;
static uintptr_t codeEnd;
static struct Place places[placeCount];
static _Atomic int isReady;
// Walking the stack may allocate.
static __thread int isInside __attribute__((tls_model("initial-exec")));

__attribute__((noinline)) static void noteLarge(size_t size) {
    if (isInside || !isReady) return;
    isInside = 1;
    void *stack[depth];
    int frames = backtrace(stack, depth);
    uint64_t hash = 1469598103934665603u;
    // The first two are this file's own.
    for (int i = 2; i < frames; i++) hash = (hash ^ (uint64_t)stack[i]) * 1099511628211u;
    if (hash == 0) hash = 1;
    for (uint64_t probe = 0; probe < placeCount; probe++) {
        struct Place *place = &places[(hash + probe) % placeCount];
        uint64_t found = 0;
        if (atomic_compare_exchange_strong(&place->hash, &found, hash)) {
            memcpy(place->stack, stack, sizeof stack);
            place->frames = frames;
            found = hash;
        }
        if (found != hash) continue;
        place->count++;
        place->bytes += size;
        break;
    }
    isInside = 0;
}

__attribute__((always_inline)) static inline void note(size_t size, void *caller) {
    atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&bytes, size, memory_order_relaxed);
    if ((uintptr_t)caller >= codeStart && (uintptr_t)caller < codeEnd) {
        atomic_fetch_add_explicit(&ownCount, 1, memory_order_relaxed);
        atomic_fetch_add_explicit(&ownBytes, size, memory_order_relaxed);
    }
    if (size >= large) noteLarge(size);
}

void *malloc(size_t size) {
    note(size, __builtin_return_address(0));
    return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
    note(number * size, __builtin_return_address(0));
    return __libc_calloc(number, size);
}

void *realloc(void *memory, size_t size) {
    if (size > 0) note(size, __builtin_return_address(0));
    return __libc_realloc(memory, size);
}

void *memalign(size_t alignment, size_t size) {
    note(size, __builtin_return_address(0));
    return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    note(size, __builtin_return_address(0));
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **result, size_t alignment, size_t size) {
    note(size, __builtin_return_address(0));
    void *memory = __libc_memalign(alignment, size);
    if (!memory) return ENOMEM;
    *result = memory;
    return 0;
}

static int findCode(struct dl_phdr_info *info, size_t size, void *data) {
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type != PT_LOAD || !(part->p_flags & PF_X)) continue;
        codeStart = info->dlpi_addr + part->p_vaddr;
        codeEnd = codeStart + part->p_memsz;
    }
    // The program comes first; no more is wanted.
    return 1;
}

__attribute__((constructor)) static void begin(void) {
    dl_iterate_phdr(findCode, NULL);
    // The first walk loads the unwinder.
    void *stack[2];
    isInside = 1;
    backtrace(stack, 2);
    isInside = 0;
    isReady = 1;
}

__attribute__((destructor)) static void end(void) {
    isReady = 0;
    const char *path = getenv("ALLOCATIONS_FILE");
    uint64_t total = count, size = bytes, own = ownCount, ownSize = ownBytes;
    FILE *file = path ? fopen(path, "w") : NULL;
    if (!file) return;
    fprintf(file, "all %llu %llu\n", (unsigned long long)total, (unsigned long long)size);
    fprintf(file, "own %llu %llu\n", (unsigned long long)own, (unsigned long long)ownSize);
    for (int i = 0; i < placeCount; i++) {
        struct Place *place = &places[i];
        if (!place->hash) continue;
        fprintf(file, "large %llu %llu", (unsigned long long)place->count, (unsigned long long)place->bytes);
        for (int frame = 2; frame < place->frames; frame++) {
            Dl_info info;
            // A return address lies behind the call.
            char *address = (char *)place->stack[frame] - 1;
            if (!dladdr(address, &info)) continue;
            fprintf(file, " %s+%llx", info.dli_fname, (unsigned long long)(address - (char *)info.dli_fbase));
        }
        fprintf(file, "\n");
    }
    fclose(file);
}

// Ends the process as the system's does, which takes nothing apart before.
void _exit(int code) {
    end();
    for (;;) syscall(SYS_exit_group, code);
}
