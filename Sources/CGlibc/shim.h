// What the program needs of glibc that Swift can't see. All of it but malloc.h may be called in a signal handler.

#ifndef MATTE_CGLIBC_SHIM_H
#define MATTE_CGLIBC_SHIM_H

#include <execinfo.h>
#include <malloc.h>
#include <signal.h>
#include <stdint.h>
#include <ucontext.h>

/// Makes `thread` the owner where there is none, which is 0; returns the owner before.
static inline uintptr_t BacktraceClaim(uintptr_t *owner, uintptr_t thread) {
    uintptr_t before = 0;
    __atomic_compare_exchange_n(owner, &before, thread, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    return before;
}

/// Whether a process sent the signal, rather than an instruction that failed.
static inline int BacktraceIsSent(const siginfo_t *info) { return info->si_code <= 0; }

/// The address that the failing instruction was after.
static inline uintptr_t BacktraceFaultAddress(const siginfo_t *info) { return (uintptr_t)info->si_addr; }

/// The instruction at which the signal came; 0 where that is not known.
static inline uintptr_t BacktraceProgramCounter(const void *context) {
#if defined(__x86_64__)
    // REG_RIP, which is hidden without _GNU_SOURCE.
    return (uintptr_t)((const ucontext_t *)context)->uc_mcontext.gregs[16];
#elif defined(__aarch64__)
    return (uintptr_t)((const ucontext_t *)context)->uc_mcontext.pc;
#else
    (void)context;
    return 0;
#endif
}

#endif
