// Makes system calls fail as a broken disk, a full one or a clock that is set back would; to be preloaded (ld.so(8)).
//
// FAULT_CALL      which call fails: open, read, write, fsync, rename (or link) or clock
// FAULT_ERRNO     the number it fails with
// FAULT_SIGNAL    the number of a signal that the program gets instead
// FAULT_PATH      only for files whose path contains this
// FAULT_AFTER     not before so many bytes were read or written
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

static atomic_llong bytes;
static atomic_llong readings;

static int is_meant(const char *call, const char *path) {
    const char *meant = getenv("FAULT_CALL");
    if (!meant || strcmp(meant, call) != 0) return 0;
    const char *part = getenv("FAULT_PATH");
    if (part && !(path && strstr(path, part))) return 0;
    return 1;
}

static int is_open_meant(const char *call, int descriptor) {
    if (!getenv("FAULT_CALL")) return 0;
    char link[64], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, sizeof path - 1);
    path[length > 0 ? length : 0] = 0;
    return is_meant(call, path);
}

static int fail(void) {
    const char *signal = getenv("FAULT_SIGNAL");
    if (signal) raise(atoi(signal));
    const char *number = getenv("FAULT_ERRNO");
    errno = number ? atoi(number) : EIO;
    return -1;
}

static int is_over(size_t size) {
    const char *after = getenv("FAULT_AFTER");
    return atomic_fetch_add(&bytes, (long long)size) + (long long)size > (after ? atoll(after) : 0);
}

ssize_t read(int descriptor, void *buffer, size_t size) {
    if (is_open_meant("read", descriptor) && is_over(size)) return fail();
    return syscall(SYS_read, descriptor, buffer, size);
}

ssize_t pread(int descriptor, void *buffer, size_t size, off_t offset) {
    if (is_open_meant("read", descriptor) && is_over(size)) return fail();
    return syscall(SYS_pread64, descriptor, buffer, size, offset);
}

ssize_t pread64(int descriptor, void *buffer, size_t size, off64_t offset) __attribute__((alias("pread")));

ssize_t write(int descriptor, const void *buffer, size_t size) {
    if (is_open_meant("write", descriptor) && is_over(size)) return fail();
    return syscall(SYS_write, descriptor, buffer, size);
}

int fsync(int descriptor) {
    if (is_open_meant("fsync", descriptor)) return fail();
    return (int)syscall(SYS_fsync, descriptor);
}

int open(const char *path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    if (is_meant("open", path)) return fail();
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int open64(const char *path, int flags, ...) __attribute__((alias("open")));

int rename(const char *from, const char *to) {
    if (is_meant("rename", to)) return fail();
    return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

int link(const char *from, const char *to) {
    if (is_meant("rename", to)) return fail();
    return (int)syscall(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0);
}

// Every reading of the wall clock lies an hour before the one before.
int clock_gettime(clockid_t clock, struct timespec *time) {
    int code = (int)syscall(SYS_clock_gettime, clock, time);
    if (clock == CLOCK_REALTIME && is_meant("clock", NULL)) time->tv_sec -= 3600 * atomic_fetch_add(&readings, 1);
    return code;
}
