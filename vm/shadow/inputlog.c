#include "vm/shadow/inputlog.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

struct Inputs inputs = {.lock = PTHREAD_MUTEX_INITIALIZER};

bool inputlog_open(void) {
    void *memory = mmap(NULL, sizeof(InputLog), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1,
                        0);
    inputs.log = memory == MAP_FAILED ? NULL : memory;
    return inputs.log;
}

static void put(uint64_t at, const void *from, size_t n) {
    size_t offset = at % INPUT_RING, first = n < INPUT_RING - offset ? n : INPUT_RING - offset;
    memcpy(inputs.log->ring + offset, from, first);
    if (n > first) memcpy(inputs.log->ring, (const uint8_t *)from + first, n - first);
}

// Under the lock.
static void append(InputRecord r, uint32_t thread, const void *address, const void *data) {
    uint64_t at = atomic_load(&inputs.log->head), bytes = sizeof r + (uint64_t)r.address + r.data;
    bool fits = bytes <= INPUT_RING / 4;
    r.thread = thread;
    // A record that is too long makes shadows find the ring overwritten.
    r.size = fits ? (uint32_t)((bytes + 7) & ~UINT64_C(7)) : INPUT_RING;
    atomic_store(&inputs.log->reserved, at + r.size);
    if (fits) {
        put(at, &r, sizeof r);
        put(at + sizeof r, address, r.address);
        put(at + sizeof r + r.address, data, r.data);
    }
    atomic_store(&inputs.log->head, at + r.size);
    atomic_fetch_add(&inputs.log->changes, 1);
}

void inputlog_begin(void) {
    Thread *self = thread_current();
    if (!self || !self->again.fn) return;
    pthread_mutex_lock(&inputs.lock);
    self->again.input = true;
    pthread_mutex_unlock(&inputs.lock);
}

void inputlog_end(const InputRecord *r, const void *address, const void *data) {
    int saved = errno;
    Thread *self = thread_current();
    pthread_mutex_lock(&inputs.lock);
    bool recorded = inputs.records;
    if (recorded) append(*r, self ? (uint32_t)self->serial : 0, address, data);
    // From here on the native method has an effect, so it cannot be called again.
    if (self) {
        self->again.input = false;
        if (atomic_load(&self->state) == THREAD_NATIVE) self->again.fn = NULL;
    }
    pthread_mutex_unlock(&inputs.lock);
    if (recorded) syscall(SYS_futex, &inputs.log->changes, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
    errno = saved;
}

static void nothing(void *arg) { (void)arg; }

void inputlog_native_is_over(Thread *self) {
    pthread_mutex_lock(&inputs.lock);
    self->again.fn = nothing;
    self->again.over = true;
    pthread_mutex_unlock(&inputs.lock);
}

void inputlog_record(bool on) {
    pthread_mutex_lock(&inputs.lock);
    inputs.records = on;
    pthread_mutex_unlock(&inputs.lock);
}

void inputlog_before_fork(void) {
    pthread_mutex_lock(&inputs.lock);
    if (inputs.log) inputs.at_fork = atomic_load(&inputs.log->head);
}

void inputlog_after_fork(void) { pthread_mutex_unlock(&inputs.lock); }
