#include "vm/threads/ticks.h"

#include <stdatomic.h>
#include <stddef.h>

#include "vm/threads/hooks.h"

// Signal handlers access it, so it must exist from the pthread's start on: the initial-exec model allocates nothing.
static _Thread_local struct TickThread {
    jmp_buf *recovery;  // NULL: a fault is fatal
    TickRole role;
} tick_thread __attribute__((tls_model("initial-exec")));

void ticks_pthread_begins(TickRole role) {
    tick_thread.role = role;
    thread_hooks.pthread_begins();
}

void ticks_pthread_ends(void) { thread_hooks.pthread_ends(); }

TickRole ticks_role(void) { return tick_thread.role; }

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
