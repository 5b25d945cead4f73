// Records are read in order and put into a queue for each kind of call and descriptor, so a call gets the program's
// next result for its own stream, whichever thread makes it. A descriptor's number may be used again: each record that
// opens a descriptor begins another generation of its number, which has separate queues.
//
// Threads get their records in the program's order. Otherwise threads that wait for each other in the program, a client
// and its server say, would run independently in the shadow, each at its own speed, and their shares would be wrong. A
// thread therefore waits while another one computes that has made an earlier call in the program. A thread that has not
// made that call within STRAYS_MS does something else than in the program, and is not waited for until its next call.
#include "vm/shadow/inputreplay.h"

#include <limits.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "arch_pause.h"
#include "vm/shadow/shadow_internal.h"

enum {
    DESCRIPTORS = 1 << 16,
    QUEUES = 1 << 16,
    ENTRIES = 1 << 20,
    READERS = 1 << 12,
    STRAYS_MS = 100,
};

typedef struct Entry {
    uint64_t at;          // of the record
    uint32_t used;        // bytes of its data that earlier calls have taken
    uint32_t generation;  // of the descriptor that it opens
    uint32_t next;        // in its queue; 0: the last
    uint32_t next_of_reader;
    uint8_t lists;  // that it is in: its queue, its reader's
    bool delivered;
} Entry;

// A kind of call on a descriptor of the program.
typedef struct Wanted {
    InputKind kind;
    int32_t key;
    uint32_t generation;
} Wanted;

typedef struct Queue {
    Wanted of;
    uint32_t first, last;  // entries
    bool used;
} Queue;

// A thread of the shadow, with the records of the program's thread of that serial.
typedef struct Reader {
    uint32_t serial;       // 0: none
    uint32_t first, last;  // entries; some may have been delivered to other threads
    Wanted wanted;
    bool waits;   // in the call `wanted`
    bool strays;  // is not waited for
} Reader;

typedef struct Descriptor {
    int32_t key;          // the program's descriptor
    uint32_t generation;  // of that number
    bool mapped;          // false: stands for its own number
    bool own;
} Descriptor;

// The records that were read, and the descriptors. Private memory of the shadow.
typedef struct Known {
    Queue queues[QUEUES];
    Entry entries[ENTRIES];   // 0 is none
    Reader readers[READERS];  // 0 is none
    int reader_count;
    Descriptor descriptors[DESCRIPTORS];
    uint32_t generations[DESCRIPTORS];  // of the program's numbers, as far as records were read
    uint32_t entry_count, free_entry;   // free_entry: a list
    uint64_t at;                        // of the next record to be read
    int descriptor_end;                 // none from here on is mapped
} Known;

static struct Replay {
    _Atomic uint32_t lock;   // a spin lock: in a shadow a holder does not block
    _Atomic uint32_t turns;  // futex: counts what threads may wait for that wait for their turn
    Known *known;
} replay;

static void lock(void) {
    while (atomic_exchange(&replay.lock, 1)) arch_pause();
}
static void unlock(void) { atomic_store(&replay.lock, 0); }

// The thread's reader; NULL: there is none, or with `add`, no room.
static Reader *reader_of(uint32_t serial, bool add) {
    Known *k = replay.known;
    for (int i = 1; i <= k->reader_count; i++)
        if (k->readers[i].serial == serial) return &k->readers[i];
    if (!add || k->reader_count == READERS - 1) return NULL;
    Reader *r = &k->readers[++k->reader_count];
    r->serial = serial;
    return r;
}

bool inputreplay_begin(void) {
    if (!inputs.log) return true;
    void *memory = mmap(NULL, sizeof *replay.known, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                        -1, 0);
    if (memory == MAP_FAILED) return false;
    replay.known = memory;
    replay.known->at = inputs.at_fork;
    for (const Thread *t = threads.first; t; t = t->next)
        if (thread_can_be_adopted(t)) reader_of((uint32_t)t->serial, true);
    return true;
}

// ---- descriptors ------------------------------------------------------------------------------------

static Descriptor *descriptor(int fd) {
    return replay.known && fd >= 0 && fd < DESCRIPTORS ? &replay.known->descriptors[fd] : NULL;
}

void inputreplay_note_own(int fd) {
    Descriptor *d = descriptor(fd);
    if (d) *d = (Descriptor){.own = true};
}

bool inputreplay_is_own(int fd) {
    const Descriptor *d = descriptor(fd);
    return d && d->own;
}

int inputreplay_local(int fd) {
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
static Queue *queue_of(const Wanted *w, bool add) {
    uint32_t hash = ((uint32_t)w->key * 31 + (uint32_t)w->kind) * 31 + w->generation;
    for (uint32_t i = 0; i < QUEUES; i++) {
        Queue *q = &replay.known->queues[(hash * 2654435761u + i) % QUEUES];
        bool same = q->of.kind == w->kind && q->of.key == w->key && q->of.generation == w->generation;
        if (q->used && same) return q;
        if (q->used) continue;
        if (!add) return NULL;
        *q = (Queue){.of = *w, .used = true};
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

static bool opens(InputKind kind) { return kind == INPUT_ACCEPT || kind == INPUT_OPEN; }

// Puts the record at `at` into its queue. False: no room.
static bool enqueue(const InputRecord *r, uint64_t at) {
    Known *k = replay.known;
    bool has_number = r->kind != INPUT_OPEN && r->key >= 0 && r->key < DESCRIPTORS;
    Queue *q = queue_of(&(Wanted){r->kind, r->key, has_number ? k->generations[r->key] : 0}, true);
    uint32_t e = q ? take_entry(k) : 0;
    if (!e) return false;
    k->entries[e] = (Entry){.at = at, .lists = 1};
    if (opens(r->kind) && r->result >= 0 && r->result < DESCRIPTORS)
        k->entries[e].generation = ++k->generations[r->result];
    if (q->first) k->entries[q->last].next = e;
    else q->first = e;
    q->last = e;
    Reader *reader = r->thread ? reader_of(r->thread, false) : NULL;
    if (!reader) return true;
    k->entries[e].lists = 2;
    if (reader->first) k->entries[reader->last].next_of_reader = e;
    else reader->first = e;
    reader->last = e;
    return true;
}

static void leave_list(uint32_t entry) {
    Known *k = replay.known;
    Entry *e = &k->entries[entry];
    if (--e->lists) return;
    e->next = k->free_entry;
    k->free_entry = entry;
}

// The reader's oldest entry that was not delivered; 0: none.
static uint32_t oldest_of(Reader *r) {
    const Entry *entries = replay.known->entries;
    while (r->first && entries[r->first].delivered) {
        uint32_t delivered = r->first;
        r->first = entries[delivered].next_of_reader;
        leave_list(delivered);
    }
    return r->first;
}

// Whether the thread has to wait for others before it gets the entry. `strays`: those that it would wait for stray.
static bool waits_for_others(const Reader *self, uint32_t entry, bool strays) {
    Known *k = replay.known;
    bool waits = false;
    for (Reader *r = k->readers + 1; r <= k->readers + k->reader_count; r++) {
        uint32_t oldest = r == self || r->strays ? 0 : oldest_of(r);
        if (!oldest || k->entries[oldest].at >= k->entries[entry].at) continue;
        const Queue *q = r->waits ? queue_of(&r->wanted, false) : NULL;
        if (r->waits && (!q || q->first != oldest)) continue;
        r->strays |= strays;
        waits |= !strays;
    }
    return waits;
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
    e->delivered = true;
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
    leave_list(at);
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

static void wait_for(_Atomic uint32_t *changes, uint32_t seen, bool shared, long ms) {
    struct timespec limit = {.tv_nsec = ms * 1000000};
    syscall(SYS_futex, changes, shared ? FUTEX_WAIT : FUTEX_WAIT_PRIVATE, seen, ms ? &limit : NULL, NULL, 0);
}

static void end_turn(void) {
    atomic_fetch_add(&replay.turns, 1);
    syscall(SYS_futex, &replay.turns, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

typedef enum Step { DELIVERED, NOT_MADE, NOT_YET, LOST } Step;

// Delivers the record if it is there and it is the thread's turn.
static Step try_next(Reader *self, const Wanted *w, bool patient, InputRecord *r, uint32_t *opened, ReplayTarget *to) {
    if (!read_records()) return LOST;
    Queue *q = queue_of(w, false);
    uint32_t entry = q ? q->first : 0;
    if (self) {
        self->waits = true;
        self->strays = false;
        self->wanted = *w;
    }
    if (!entry) return NOT_MADE;
    if (waits_for_others(self, entry, !patient)) return NOT_YET;
    if (!deliver(q, r, opened, to)) return LOST;
    if (self) self->waits = false;
    return DELIVERED;
}

static long next(const Wanted *w, ReplayTarget *to) {
    const Thread *thread = thread_current();
    InputRecord r;
    uint32_t opened = 0;
    bool patient = true;
    if (!replay.known) shadow_end(SHADOW_BEHIND, 0, "no memory for the program's input");
    atomic_fetch_add(&shadow.page->calls[WAY_REPLAYED], 1);
    for (int64_t since = 0;;) {
        uint32_t changes = atomic_load(&inputs.log->changes), turns = atomic_load(&replay.turns);
        lock();
        Reader *self = thread ? reader_of((uint32_t)thread->serial, true) : NULL;
        bool began = self && !self->waits;
        Step step = try_next(self, w, patient, &r, &opened, to);
        unlock();
        if (step == LOST) lost();
        if (step == DELIVERED || began) end_turn();
        if (step == DELIVERED) break;
        if (step == NOT_MADE) wait_for(&inputs.log->changes, changes, true, 0);
        else wait_for(&replay.turns, began ? turns + 1 : turns, false, STRAYS_MS);
        int64_t now = thread_now();
        if (step == NOT_MADE || atomic_load(&replay.turns) != turns || !since) since = now;
        patient = now - since < STRAYS_MS * INT64_C(1000000);
    }
    return opens(w->kind) && r.result >= 0 ? open_local(r.result, opened) : r.result;
}

long inputreplay_next(InputKind kind, int fd, ReplayTarget *to) {
    const Descriptor *d = descriptor(fd);
    bool mapped = d && d->mapped;
    return next(&(Wanted){kind, mapped ? d->key : fd, mapped ? d->generation : 0}, to);
}

long inputreplay_next_of_thread(InputKind kind, ReplayTarget *to) {
    const Thread *self = thread_current();
    return next(&(Wanted){kind, self ? (int32_t)self->serial : 0, 0}, to);
}
