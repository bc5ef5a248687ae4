#define _GNU_SOURCE
#include "CLinux.h"

#include <fcntl.h>
#include <unistd.h>

int linux_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC); }

int linux_set_pipe_capacity(int pipe, int capacity) { return fcntl(pipe, F_SETPIPE_SZ, capacity); }

ssize_t linux_splice(int source, off_t *offset, int target, size_t count) {
    return splice(source, offset, target, NULL, count, 0);
}
