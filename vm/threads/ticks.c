#include "vm/threads/ticks.h"

#include <stdatomic.h>
#include <stddef.h>

#include "base/clock.h"
#include "vm/threads/hooks.h"

// Signal handlers access it, so it must exist from the pthread's start on: the initial-exec model allocates nothing.
static _Thread_local struct TickThread {
    jmp_buf *recovery;  // NULL: a fault is fatal
    TickRole role;
    int64_t begin_ns;  // processor time when its timer began; 0: on another pthread, or it has none
    int64_t ticks;     // arrived since then
} tick_thread __attribute__((tls_model("initial-exec")));

void ticks_pthread_begins(TickRole role) {
    tick_thread.role = role;
    thread_hooks.pthread_begins();
}

void ticks_pthread_ends(void) { thread_hooks.pthread_ends(); }

TickRole ticks_role(void) { return tick_thread.role; }

void ticks_begin(void) {
    tick_thread.begin_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    tick_thread.ticks = 0;
}

void ticks_arrived(uint32_t n) { tick_thread.ticks += n; }

uint32_t ticks_missing(int64_t period_ns) {
    if (!tick_thread.begin_ns) return 0;
    int64_t due = (clock_ns(CLOCK_THREAD_CPUTIME_ID) - tick_thread.begin_ns) / period_ns;
    return due > tick_thread.ticks ? (uint32_t)(due - tick_thread.ticks) : 0;
}

void ticks_recover_to(jmp_buf *buffer) {
    tick_thread.recovery = buffer;
    atomic_signal_fence(memory_order_seq_cst);
}

void ticks_recover(void) {
    jmp_buf *buffer = tick_thread.recovery;
    if (!buffer) return;
    tick_thread.recovery = NULL;
    _longjmp(*buffer, 1);
}
