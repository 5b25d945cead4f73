// Records are read in order and put into a queue for each kind of call and descriptor, so a call gets the program's
// next result for its own stream, whichever thread makes it. A descriptor's number may be used again: each record that
// opens a descriptor begins another generation of its number, with queues of its own.
#include "vm/shadow/replay.h"

#include <limits.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "arch_pause.h"
#include "vm/shadow/shadow_internal.h"

enum { DESCRIPTORS = 1 << 16, QUEUES = 1 << 16, ENTRIES = 1 << 20 };

typedef struct Entry {
    uint64_t at;          // of the record
    uint32_t used;        // bytes of its data that earlier calls have taken
    uint32_t generation;  // of the descriptor that it opens
    uint32_t next;        // 0: the last
} Entry;

typedef struct Queue {
    uint32_t kind, generation;
    int32_t key;
    uint32_t first, last;  // entries
    bool used;
} Queue;

typedef struct Descriptor {
    int32_t key;          // the program's descriptor
    uint32_t generation;  // of that number
    bool mapped;          // false: stands for its own number
    bool own;
} Descriptor;

// What the shadow knows, in memory of its own.
typedef struct Known {
    Queue queues[QUEUES];
    Entry entries[ENTRIES];  // 0 is none
    Descriptor descriptors[DESCRIPTORS];
    uint32_t generations[DESCRIPTORS];  // of the program's numbers, as far as records were read
    uint32_t entry_count, free_entry;   // free_entry: a list
    uint64_t at;                        // of the next record to be read
    int descriptor_end;                 // none from here on is mapped
} Known;

static struct Replay {
    _Atomic uint32_t lock;  // a spin lock: in a shadow a holder does not block
    _Atomic uint32_t waiting;
    Known *known;
} replay;

static void lock(void) {
    while (atomic_exchange(&replay.lock, 1)) arch_pause();
}
static void unlock(void) { atomic_store(&replay.lock, 0); }

bool replay_begin(void) {
    if (!inputs.log) return true;
    void *memory = mmap(NULL, sizeof *replay.known, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                        -1, 0);
    if (memory == MAP_FAILED) return false;
    replay.known = memory;
    replay.known->at = inputs.at_fork;
    return true;
}

// ---- descriptors ------------------------------------------------------------------------------------

static Descriptor *descriptor(int fd) {
    return replay.known && fd >= 0 && fd < DESCRIPTORS ? &replay.known->descriptors[fd] : NULL;
}

void replay_note_own(int fd) {
    Descriptor *d = descriptor(fd);
    if (d) *d = (Descriptor){.own = true};
}

bool replay_is_own(int fd) {
    const Descriptor *d = descriptor(fd);
    return d && d->own;
}

int replay_local(int fd) {
    const Known *k = replay.known;
    int found = -1;
    for (int i = 0; k && i < k->descriptor_end; i++) {
        const Descriptor *d = &k->descriptors[i];
        if (d->mapped && d->key == fd && (found < 0 || d->generation > k->descriptors[found].generation)) found = i;
    }
    return found >= 0 ? found : fd;
}

// ---- records ----------------------------------------------------------------------------------------

static _Noreturn void lost(void) { shadow_end(SHADOW_BEHIND, 0, "the program has read more than is kept for shadows"); }

// Copies bytes of the ring. False: the program may have overwritten them.
static bool copy(uint64_t at, void *to, size_t n) {
    size_t offset = at % INPUT_RING, first = n < INPUT_RING - offset ? n : INPUT_RING - offset;
    memcpy(to, inputs.log->ring + offset, first);
    if (n > first) memcpy((uint8_t *)to + first, inputs.log->ring, n - first);
    atomic_thread_fence(memory_order_acquire);
    return atomic_load(&inputs.log->reserved) - at <= INPUT_RING;
}

// The queue; NULL: there is none, or with `add`, no room.
static Queue *queue_of(InputKind kind, int32_t key, uint32_t generation, bool add) {
    uint32_t hash = ((uint32_t)key * 31 + (uint32_t)kind) * 31 + generation;
    for (uint32_t i = 0; i < QUEUES; i++) {
        Queue *q = &replay.known->queues[(hash * 2654435761u + i) % QUEUES];
        if (q->used && q->kind == (uint32_t)kind && q->key == key && q->generation == generation) return q;
        if (q->used) continue;
        if (!add) return NULL;
        *q = (Queue){.kind = (uint32_t)kind, .key = key, .generation = generation, .used = true};
        return q;
    }
    return NULL;
}

static uint32_t take_entry(Known *k) {
    uint32_t e = k->free_entry;
    if (e) k->free_entry = k->entries[e].next;
    else if (k->entry_count < ENTRIES - 1) e = ++k->entry_count;
    return e;
}

static bool opens(InputKind kind) { return kind == INPUT_ACCEPT || kind == INPUT_SOCKET; }

// Puts the record at `at` into its queue. False: no room.
static bool enqueue(const InputRecord *r, uint64_t at) {
    Known *k = replay.known;
    bool has_number = r->kind != INPUT_SOCKET && r->key >= 0 && r->key < DESCRIPTORS;
    Queue *q = queue_of(r->kind, r->key, has_number ? k->generations[r->key] : 0, true);
    uint32_t e = q ? take_entry(k) : 0;
    if (!e) return false;
    k->entries[e] = (Entry){.at = at};
    if (opens(r->kind) && r->result >= 0 && r->result < DESCRIPTORS)
        k->entries[e].generation = ++k->generations[r->result];
    if (q->first) k->entries[q->last].next = e;
    else q->first = e;
    q->last = e;
    return true;
}

// Reads the records that have been added. False: they are lost.
static bool read_records(void) {
    Known *k = replay.known;
    for (uint64_t head = atomic_load(&inputs.log->head); k->at < head;) {
        InputRecord r;
        if (!copy(k->at, &r, sizeof r) || !enqueue(&r, k->at)) return false;
        k->at += r.size;
    }
    return true;
}

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

// Copies the record's data to the caller and removes it from the queue, unless data of a stream is left over.
static bool deliver(Queue *q, InputRecord *r, uint32_t *generation, ReplayTarget *to) {
    Known *k = replay.known;
    uint32_t at = q->first;
    Entry *e = &k->entries[at];
    if (!copy(e->at, r, sizeof *r)) return false;
    uint64_t data = e->at + sizeof *r + r->address;
    size_t left = r->data - e->used;
    to->address_got = r->address;
    to->data_got = least(left, to->data_limit);
    if (!copy(e->at + sizeof *r, to->address, least(r->address, to->address_limit)) ||
        !copy(data + e->used, to->data, to->data_got))
        return false;
    *generation = e->generation;
    if (r->kind == INPUT_READ && r->result > 0) r->result = (int32_t)to->data_got;
    if (r->kind == INPUT_READ && left > to->data_got) {
        e->used += (uint32_t)to->data_got;
        return true;
    }
    q->first = e->next;
    e->next = k->free_entry;
    k->free_entry = at;
    return true;
}

// A descriptor that stands for the one that the program has opened. Calls on it never reach its socket.
static long open_local(int program, uint32_t generation) {
    int fd = shadow.stand_in >= 0 ? dup(shadow.stand_in) : -1;
    if (fd < 0 || fd >= DESCRIPTORS) shadow_end(SHADOW_BEHIND, 0, "no descriptor for a connection");
    replay.known->descriptors[fd] = (Descriptor){.key = program, .generation = generation, .mapped = true};
    if (fd >= replay.known->descriptor_end) replay.known->descriptor_end = fd + 1;
    return fd;
}

static long next(InputKind kind, int32_t key, uint32_t generation, ReplayTarget *to) {
    InputRecord r;
    uint32_t opened = 0;
    bool found = false;
    if (!replay.known) shadow_end(SHADOW_BEHIND, 0, "no memory for the program's input");
    while (!found) {
        uint32_t changes = atomic_load(&inputs.log->changes);
        lock();
        bool kept = read_records();
        Queue *q = kept ? queue_of(kind, key, generation, false) : NULL;
        found = q && q->first;
        if (found) kept = deliver(q, &r, &opened, to);
        unlock();
        if (!kept) lost();
        if (found) break;
        atomic_fetch_add(&replay.waiting, 1);
        syscall(SYS_futex, &inputs.log->changes, FUTEX_WAIT, changes, NULL, NULL, 0);
        atomic_fetch_sub(&replay.waiting, 1);
    }
    return opens(kind) && r.result >= 0 ? open_local(r.result, opened) : r.result;
}

long replay_next(InputKind kind, int fd, ReplayTarget *to) {
    const Descriptor *d = descriptor(fd);
    return d && d->mapped ? next(kind, d->key, d->generation, to) : next(kind, fd, 0, to);
}

long replay_next_of_thread(InputKind kind, ReplayTarget *to) {
    const Thread *self = thread_current();
    return next(kind, self ? (int32_t)self->serial : 0, 0, to);
}

uint32_t replay_waiting(void) { return atomic_load(&replay.waiting); }
