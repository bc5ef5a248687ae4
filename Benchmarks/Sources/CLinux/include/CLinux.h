// Calls of Linux that the C library declares for GNU's dialect alone, so that Swift does not see them.

#pragma once

#include <stddef.h>
#include <sys/types.h>

/// pipe2(2) with O_CLOEXEC.
int linux_pipe(int ends[2]);

/// fcntl(2) with F_SETPIPE_SZ.
int linux_set_pipe_capacity(int pipe, int capacity);

/// splice(2) from a file at `*offset`, which moves on, or from a pipe where `offset` is NULL.
ssize_t linux_splice(int source, off_t *offset, int target, size_t count);
