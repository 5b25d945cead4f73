// See vm/interp/flowcounts.h.
#include "vm/interp/flowcounts.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/hash.h"
#include "base/invariant.h"
#include "bytecode/classfile/opcodes.h"
#include "vm/api/eventsets.h"
#include "vm/instrument/fieldid.h"
#include "vm/instrument/profile.h"
#include "vm/instrument/report.h"
#include "vm/instrument/scope.h"
#include "vm/instrument/selectors.h"
#include "vm/objects/classes.h"

// Control has entered a method in the middle, or left it there: by an exception, deoptimisation or on-stack
// replacement. A reading also has one for each frame that is in the middle of its method.
typedef struct Crossing {
    uint32_t method;  // Method.id
    uint16_t bci;
    bool after;     // after the event of the invocation at bci
    int64_t count;  // entered less left
} Crossing;

typedef struct Chunk {
    struct Chunk *next;
    uint32_t used, room;
    uint64_t words[];
} Chunk;

enum { FIRST_BITS = 4, FIRST_CHUNK = 48, LARGEST_CHUNK = 8192, FREE_SIZES = 32 };

// Belongs to one thread. Other threads that read while it runs, and its changes to these arrays, take the lock.
struct FlowMore {
    pthread_mutex_t lock;
    Crossing *crossings;
    uint32_t crossing_count, crossing_room;
    HashTable crossing_table;  // of indexes into `crossings` + 1
    Chunk *chunks;
    uint64_t *free[FREE_SIZES];  // counters of unloaded methods, by their number, linked through the first word
};

// Marks a slot whose method has been unloaded.
static const Method gone;

// `lost` takes the counts for which there is no memory. It is never read.
static struct FlowSystem {
    pthread_mutex_t lock;  // held while a running thread is read, and while one ends
    bool counting;         // a profile counts and records; changes while the world is stopped, or before threads run
    EventSet counted;      // changes at the same times
    uint64_t lost[FLOW_MOST + FLOW_CALL_WORDS + 1];
} flow = {.lock = PTHREAD_MUTEX_INITIALIZER};

static const FlowSlot no_slots[2];
static const struct FlowCounts nothing = {.slots = (FlowSlot *)no_slots, .shift = 31};

// Events that depend on branches and on control that leaves methods in the middle.
static const EventSet in_the_code = EVENT_BIT(EVENT_call_edge) | EVENT_BIT(EVENT_branch) | EVENT_BIT(EVENT_jump) |
    EVENT_BIT(EVENT_backedge) | EVENT_BIT(EVENT_field_access) | EVENT_BIT(EVENT_array_access);

EventSet flow_counted(void) { return flow.counted; }
bool flow_counts_code(void) { return flow.counted & in_the_code; }

// ---- memory of a thread ----------------------------------------------------------------------------

static struct FlowCounts *make(void) {
    struct FlowCounts *f = calloc(1, sizeof *f);
    if (f) {
        f->slots = calloc((size_t)1 << FIRST_BITS, sizeof *f->slots);
        f->shift = 32 - FIRST_BITS;
        f->more = calloc(1, sizeof *f->more);
        if (f->slots && f->more) {
            pthread_mutex_init(&f->more->lock, NULL);
            return f;
        }
        free(f->slots);
        free(f->more);
        free(f);
    }
    return (struct FlowCounts *)&nothing;
}

static void discard(struct FlowCounts *f) {
    while (f->more->chunks) {
        Chunk *c = f->more->chunks;
        f->more->chunks = c->next;
        free(c);
    }
    free(f->more->crossings);
    hash_free(&f->more->crossing_table);
    pthread_mutex_destroy(&f->more->lock);
    free(f->more);
    free(f->slots);
    free(f);
}

static FlowSlot *find(const struct FlowCounts *f, const Method *m) {
    uint32_t mask = UINT32_MAX >> f->shift;
    uint32_t i = flow_slot(m, f->shift);
    while (f->slots[i].method && f->slots[i].method != m) i = (i + 1) & mask;
    return &f->slots[i];
}

// Makes room for one more method. Unloaded methods are dropped.
static bool grow(struct FlowCounts *f) {
    struct FlowCounts larger = *f;
    larger.used = 0;
    uint32_t size = UINT32_MAX >> f->shift, live = 0;
    for (uint32_t i = 0; i <= size; i++) live += f->slots[i].method && f->slots[i].method != &gone;
    if (live > size / 4) larger.shift--;
    if (larger.shift < 2) return false;
    larger.slots = calloc((size_t)1 << (32 - larger.shift), sizeof *larger.slots);
    if (!larger.slots) return false;
    for (uint32_t i = 0; i <= size; i++) {
        if (!f->slots[i].method || f->slots[i].method == &gone) continue;
        *find(&larger, f->slots[i].method) = f->slots[i];
        larger.used++;
    }
    free(f->slots);
    *f = larger;
    return true;
}

static uint32_t counts_of(const Method *m) { return m->flow_counts ? m->flow_counts : 1; }

static uint64_t *take(struct FlowMore *more, uint32_t count) {
    uint64_t **spare = count < FREE_SIZES ? &more->free[count] : NULL;
    if (spare && *spare) {
        uint64_t *counts = *spare;
        memcpy(spare, counts, sizeof *spare);
        memset(counts, 0, count * sizeof *counts);
        return counts;
    }
    Chunk *c = more->chunks;
    if (!c || c->room - c->used < count) {
        uint32_t room = !c ? FIRST_CHUNK : c->room < LARGEST_CHUNK ? 2 * c->room : LARGEST_CHUNK;
        if (room < count) room = count;
        c = calloc(1, sizeof *c + room * sizeof c->words[0]);
        if (!c) return NULL;
        c->room = room;
        c->next = more->chunks;
        more->chunks = c;
    }
    c->used += count;
    return c->words + c->used - count;
}

uint64_t *flow_counts_slow(Thread *self, const Method *m) {
    struct FlowCounts *f = self->flow;
    uint64_t *counts = NULL;
    if (f != &nothing) {
        const FlowSlot *slot = find(f, m);
        if (slot->method) return slot->counts;
        pthread_mutex_lock(&f->more->lock);
        bool has_room = f->used <= UINT32_MAX >> f->shift >> 1 || grow(f);
        if (has_room && (counts = take(f->more, counts_of(m)))) {
            *find(f, m) = (FlowSlot){m, counts};
            f->used++;
        }
        pthread_mutex_unlock(&f->more->lock);
    }
    if (counts) return counts;
    report_counts_lost();
    return flow.lost;
}

// ---- control that enters or leaves in the middle -----------------------------------------------------

static uint32_t hash_of(uint32_t method, uint32_t bci, bool after) { return method * 31 + bci * 2 + after; }
static uint32_t crossing_hash(const void *owner, uintptr_t item) {
    const Crossing *t = &((const struct FlowMore *)owner)->crossings[item - 1];
    return hash_of(t->method, t->bci, t->after);
}
static bool crossing_same(const void *owner, uintptr_t item, const void *key) {
    const Crossing *t = &((const struct FlowMore *)owner)->crossings[item - 1], *k = key;
    return t->method == k->method && t->bci == k->bci && t->after == k->after;
}
static const HashKind crossings = {crossing_hash, crossing_same};

static void crossing(Thread *t, const Frame *frame, bool after, int64_t count) {
    int bci = method_bci(frame->method, frame->pc);
    if (t->flow == &nothing) return;
    ASSERT(bci >= 0, "a frame of %s.%s has not begun", frame->method->cls->name->text, frame->method->name->text);
    struct FlowMore *more = t->flow->more;
    Crossing made = {frame->method->id, (uint16_t)bci, after, count};
    uint32_t hash = hash_of(made.method, made.bci, after);
    uintptr_t item = hash_find(&more->crossing_table, &crossings, more, hash, &made);
    if (item) {
        more->crossings[item - 1].count += count;
        return;
    }
    pthread_mutex_lock(&more->lock);
    bool ok = GROW(more->crossings, more->crossing_room, more->crossing_count + 1);
    if (ok) {
        more->crossings[more->crossing_count] = made;
        ok = hash_add(&more->crossing_table, &crossings, more, hash, more->crossing_count + 1);
        more->crossing_count += ok;
    }
    pthread_mutex_unlock(&more->lock);
    if (!ok) report_counts_lost();
}

void flow_left(Thread *self, const Frame *frame) { crossing(self, frame, frame->call == FRAME_CALL_ENTERED, -1); }
void flow_entered(Thread *self, Frame *frame) { crossing(self, frame, false, 1); }

void flow_frames_made(Thread *self, Frame *top, const Frame *below) {
    if (!flow.counting || !self->flow) return;
    for (Frame *f = top; f != below; f = f->prev) {
        f->counts = flow_counts(self, f->method);
        crossing(self, f, f != top, 1);
    }
}

// ---- calls -------------------------------------------------------------------------------------------

void flow_count_call(Thread *self, const Frame *caller, const Method *callee) {
    if (!report_wants_edge(callee)) return;
    uint32_t number = flow_call_number(caller->pc);
    FlowCall *call = (FlowCall *)(caller->counts + number);
    for (int i = 0; number != FLOW_NO_CALL && i < FLOW_CALL_ENTRIES; i++, call++) {
        if (call->callee && call->callee != callee->id) continue;
        if (!call->callee) selectors_number((Method *)callee);
        call->callee = callee->id;
        call->count++;
        return;
    }
    report_call_edge(self, caller->method, method_bci(caller->method, caller->pc), callee);
}

// ---- counts of instructions -----------------------------------------------------------------------------

typedef struct Reading {
    bool exact;
    CountedFn *fn;
    void *arg;
    int64_t *into;  // by word of the method: number of times that branches led there
    uint32_t room;
    Crossing *crossings;  // of the thread and of the invocations in progress on its stack, by method and bytecode
                          // index
    uint32_t crossing_count, crossing_room;
    bool failed;
} Reading;

static void report(const Reading *r, const Method *m, enum EventId event, const uint32_t *words, int64_t times) {
    ASSERT(!r->exact || times >= 0, "event %u of %s.%s happened %lld times", event, m->cls->name->text, m->name->text,
           (long long)times);
    (void)m;
    if (times > 0) r->fn(r->arg, event, words, (uint64_t)times);
}

static int64_t load(const uint64_t *count) { return (int64_t)__atomic_load_n(count, __ATOMIC_RELAXED); }

// A walk over a method's instructions, in their order.
typedef struct Walk {
    Reading *r;
    const Method *m;
    const uint64_t *counts;
    const uint8_t *bytes;
    uint32_t bci, word;
    unsigned opcode;
    const Crossing *crossing, *crossing_end;  // the rest of the method's crossings, at this bytecode index or later
    int64_t control;                          // number of times that control has reached the instruction
} Walk;

static void begin_walk(Walk *w, Reading *r, const Method *m, const uint64_t *counts) {
    *w = (Walk){.r = r, .m = m, .counts = counts, .bytes = m->info->code->code};
    while (m->bci[w->word] != 0) w->word++;
}

static bool next_instruction(Walk *w) {
    w->bci += opcodes_length(w->bytes, w->m->info->code->code_len, w->bci);
    while (w->word < w->m->code_words && w->m->bci[w->word] != w->bci) w->word++;
    return w->word < w->m->code_words;
}

static uint32_t target_of(const Walk *w, uint32_t bci) { return (uint32_t)(method_pc_at(w->m, (int)bci) - w->m->code); }

static void count_branch(Walk *w) {
    unsigned flags = opcodes_info[w->opcode = w->bytes[w->bci]].flags;
    const uint64_t *counts = w->counts + w->m->code[w->word].a;
    if (flags & OPF_SWITCH) {
        OpcodeSwitch s = opcodes_switch(w->bytes, w->bci);
        for (uint32_t i = 0; i <= s.count; i++)
            w->r->into[target_of(w, opcodes_switch_target(&s, i))] += load(&counts[i]);
    } else if (flags & OPF_BRANCH) {
        w->r->into[target_of(w, opcodes_branch_target(w->bytes, w->bci))] += load(counts);
        if (flags & OPF_JSR) w->r->into[w->word + 1] += load(&counts[1]);
    }
}

static void count_place(const Walk *w, enum EventId event, int64_t times) {
    if (times && instrument_wants(w->m, (int32_t)w->bci, event) && flow.counted >> event & 1)
        report(w->r, w->m, event, (uint32_t[]){w->m->id, w->bci}, times);
}

static void count_number(const Walk *w, enum EventId event, uint32_t number, int64_t times) {
    if (times && instrument_wants(w->m, (int32_t)w->bci, event) && flow.counted >> event & 1)
        report(w->r, w->m, event, (uint32_t[]){w->m->id, w->bci, number}, times);
}

static void count_backedge(const Walk *w, uint32_t target, int64_t times) {
    if (target <= w->bci) count_place(w, EVENT_backedge, times);
}

// Returns the number of times that control falls through the branch.
static int64_t report_taken(const Walk *w, unsigned flags) {
    const uint64_t *counts = w->counts + w->m->code[w->word].a;
    if (flags & OPF_SWITCH) {
        OpcodeSwitch s = opcodes_switch(w->bytes, w->bci);
        for (uint32_t i = 0; i <= s.count; i++) {
            count_number(w, EVENT_branch, i, load(&counts[i]));
            count_backedge(w, opcodes_switch_target(&s, i), load(&counts[i]));
        }
        return 0;
    }
    int64_t taken = load(counts);
    count_backedge(w, opcodes_branch_target(w->bytes, w->bci), taken);
    if (flags & OPF_COND) {
        count_number(w, EVENT_branch, 1, taken);
        count_number(w, EVENT_branch, 0, w->control - taken);
        return w->control - taken;
    }
    count_place(w, EVENT_jump, taken);
    return 0;
}

// Counts of a running thread may include an instruction that has not resolved its field yet.
static void count_field(const Walk *w) {
    Field *f = w->m->cls->cp[opcodes_cp_index(w->bytes, w->bci)].field;
    ASSERT(f || !w->r->exact, "%s.%s@%u was executed", w->m->cls->name->text, w->m->name->text, w->bci);
    if (!f) return;
    uint32_t words[] = {w->m->id, w->bci, fieldid_of(f), w->opcode == OPC_putfield || w->opcode == OPC_putstatic};
    if (instrument_wants(w->m, (int32_t)w->bci, EVENT_field_access) && flow.counted >> EVENT_field_access & 1)
        report(w->r, w->m, EVENT_field_access, words, w->control);
}

static void count_element(const Walk *w) {
    uint32_t words[] = {w->m->id, w->bci, opcodes_stores_element(w->opcode), (uint8_t)opcodes_element_type(w->opcode)};
    if (instrument_wants(w->m, (int32_t)w->bci, EVENT_array_access) && flow.counted >> EVENT_array_access & 1)
        report(w->r, w->m, EVENT_array_access, words, w->control);
}

// Invocations that select their target have entries; the others call the method that they name.
static void count_call(const Walk *w) {
    const Insn *pc = w->m->code + w->word;
    const Method *callee = NULL;
    unsigned op = __atomic_load_n(&pc->op, __ATOMIC_ACQUIRE);
    if (!(flow.counted >> EVENT_call_edge & 1) || !scope_visible(w->m)) return;
    if (interp_selects(op)) {
        uint32_t number = flow_call_number(pc);
        const FlowCall *call = (const FlowCall *)(w->counts + number);
        for (int i = 0; number != FLOW_NO_CALL && i < FLOW_CALL_ENTRIES; i++, call++)
            report(w->r, w->m, EVENT_call_edge, (uint32_t[]){w->m->id, w->bci, (uint32_t)call->callee},
                   load(&call->count));
        return;
    }
    if (op == INSN_invokestatic) callee = w->m->cls->cp[opcodes_cp_index(w->bytes, w->bci)].method;
    else if (op == INSN_invoke_static || op == INSN_invoke_special || op == INSN_invoke_object_init) callee = pc[1].p;
    if (callee && report_wants_edge(callee))
        report(w->r, w->m, EVENT_call_edge, (uint32_t[]){w->m->id, w->bci, callee->id}, w->control);
}

static int64_t crossings_here(Walk *w, bool after) {
    int64_t count = 0;
    while (w->crossing < w->crossing_end && w->crossing->bci < w->bci) w->crossing++;
    for (const Crossing *t = w->crossing; t < w->crossing_end && t->bci == w->bci; t++)
        if (t->after == after) count += t->count;
    return count;
}

static void walk_instruction(Walk *w) {
    unsigned flags = opcodes_info[w->opcode = opcodes_at(w->bytes, w->bci)].flags;
    w->control += w->r->into[w->word] + crossings_here(w, false);
    ASSERT(!w->r->exact || w->control >= 0, "%s.%s@%u was executed %lld times", w->m->cls->name->text, w->m->name->text,
           w->bci, (long long)w->control);
    if (w->control && flags & OPF_FIELD) count_field(w);
    else if (w->control && flags & OPF_ARRAY) count_element(w);
    else if (flags & OPF_INVOKE && (w->control || interp_selects(w->m->code[w->word].op))) count_call(w);
    w->control += crossings_here(w, true);
    if (flags & OPF_BRANCH) w->control = report_taken(w, flags);
    else if (flags & OPF_STOP) w->control = 0;
}

static int by_place(const void *a, const void *b) {
    const Crossing *x = a, *y = b;
    if (x->method != y->method) return x->method < y->method ? -1 : 1;
    return (x->bci > y->bci) - (x->bci < y->bci);
}

static void find_crossings(Walk *w) {
    uint32_t low = 0, high = w->r->crossing_count;
    while (low < high) {
        uint32_t mid = (low + high) / 2;
        if (w->r->crossings[mid].method < w->m->id) low = mid + 1;
        else high = mid;
    }
    w->crossing = w->crossing_end = w->r->crossings + low;
    const Crossing *end = w->r->crossings + w->r->crossing_count;
    while (w->crossing_end < end && w->crossing_end->method == w->m->id) w->crossing_end++;
}

static void read_instructions(Reading *r, const Method *m, const uint64_t *counts) {
    if (!GROW(r->into, r->room, m->code_words + 1)) {
        r->failed = true;
        return;
    }
    memset(r->into, 0, (m->code_words + 1) * sizeof *r->into);
    Walk w;
    begin_walk(&w, r, m, counts);
    do count_branch(&w);
    while (next_instruction(&w));
    begin_walk(&w, r, m, counts);
    find_crossings(&w);
    w.control = load(&counts[FLOW_ENTRY]);
    do walk_instruction(&w);
    while (next_instruction(&w));
}

static void read_method(Reading *r, const Method *m, const uint64_t *counts) {
    bool has_done = m->mflags & MF_INTRINSIC && m->code_words;
    int64_t entries = load(&counts[FLOW_ENTRY]) + (has_done ? load(&counts[FLOW_DONE]) : 0);
    if (flow.counted & m->events & EVENT_BIT(EVENT_method_entry)) report(r, m, EVENT_method_entry, &m->id, entries);
    if (m->code_words && flow_counts_code()) read_instructions(r, m, counts);
}

// ---- reading -----------------------------------------------------------------------------------------

static void add_reading(Reading *r, const Crossing *t) {
    if (!GROW(r->crossings, r->crossing_room, r->crossing_count + 1)) r->failed = true;
    else r->crossings[r->crossing_count++] = *t;
}

// A walk over a thread's frames that are in the middle of their methods.
typedef struct ActiveFrames {
    Frame *next, *above;
    Frame *frame;
    bool after;  // the event of the invocation there has happened
} ActiveFrames;

static bool next_active(ActiveFrames *a) {
    while (a->next) {
        const Frame *above = a->above;
        Frame *f = a->frame = a->above = a->next;
        a->next = f->prev;
        if (f->kind != FRAME_INTERP || f->not_begun || f->call == FRAME_CALL_LOCKS) continue;
        // The invocation has entered its method, which the frame above then executes.
        a->after = f->call == FRAME_CALL_ENTERED ||
            (above && above->kind != FRAME_ENTRY && !above->not_begun && above->call != FRAME_CALL_LOCKS);
        return true;
    }
    return false;
}

static void prepare(Reading *r, const Thread *t, bool with_stack) {
    const struct FlowMore *more = t->flow->more;
    for (uint32_t i = 0; i < more->crossing_count; i++) add_reading(r, &more->crossings[i]);
    for (ActiveFrames a = {.next = with_stack && flow.counting ? t->frame : NULL}; next_active(&a);) {
        int bci = method_bci(a.frame->method, a.frame->pc);
        if (bci >= 0) add_reading(r, &(Crossing){a.frame->method->id, (uint16_t)bci, a.after, -1});
    }
    if (r->crossing_count) qsort(r->crossings, r->crossing_count, sizeof *r->crossings, by_place);
}

static void read_all(Thread *t, Reading *r, bool with_stack) {
    prepare(r, t, with_stack);
    for (uint32_t i = 0; i <= UINT32_MAX >> t->flow->shift; i++) {
        const FlowSlot *slot = &t->flow->slots[i];
        if (slot->method && slot->method != &gone) read_method(r, slot->method, slot->counts);
    }
    if (r->failed) report_counts_lost();
    free(r->crossings);
    free(r->into);
}

void flow_read(Thread *t, CountersState state, CountedFn *fn, void *arg) {
    Reading r = {.exact = state == COUNTERS_AT_REST, .fn = fn, .arg = arg};
    if (state != COUNTERS_MOVING) {
        if (t->flow && t->flow != &nothing) read_all(t, &r, r.exact);
        return;
    }
    pthread_mutex_lock(&flow.lock);
    if (t->flow && t->flow != &nothing) {
        pthread_mutex_lock(&t->flow->more->lock);
        read_all(t, &r, false);
        pthread_mutex_unlock(&t->flow->more->lock);
    }
    pthread_mutex_unlock(&flow.lock);
}

// ---- life cycle of a thread's counters ------------------------------------------------------------------

// Entries and call edges are counted together or not at all.
EventSet flow_configure(EventSet events, EventSet counted) {
    const EventSet calls = EVENT_BIT(EVENT_method_entry) | EVENT_BIT(EVENT_call_edge);
    counted &= in_the_code | calls;
    if (events & calls & ~counted) counted &= ~calls;
    flow.counted = counted;
    flow.counting = counted != 0;
    return counted;
}

void flow_begin(Thread *t) {
    if (!flow.counted) return;
    if (!t->flow || t->flow == &nothing) t->flow = make();
    for (ActiveFrames a = {.next = flow.counting ? t->frame : NULL}; next_active(&a);) {
        a.frame->counts = flow_counts(t, a.frame->method);
        crossing(t, a.frame, a.after, 1);
    }
}

void flow_pause(Thread *t) {
    for (ActiveFrames a = {.next = t->flow ? t->frame : NULL}; next_active(&a);) crossing(t, a.frame, a.after, -1);
}

void flow_record(bool on) { flow.counting = on && flow.counted; }

void flow_hand_in(Thread *self) {
    struct FlowCounts *f = self->flow;
    if (!f || f == &nothing) return;
    Reading r = {.exact = true, .fn = profile_counted, .arg = self};
    read_all(self, &r, true);
    pthread_mutex_lock(&flow.lock);
    self->flow = (struct FlowCounts *)&nothing;
    pthread_mutex_unlock(&flow.lock);
    discard(f);
}

void flow_forget(Thread *t) {
    struct FlowCounts *f = t->flow;
    if (!f || f == &nothing) return;
    pthread_mutex_lock(&flow.lock);
    t->flow = (struct FlowCounts *)&nothing;
    pthread_mutex_unlock(&flow.lock);
    discard(f);
}

static void hand_in_class(Thread *t, struct FlowCounts *f, const Class *c) {
    Reading r = {.exact = true, .fn = profile_counted, .arg = t};
    prepare(&r, t, false);
    for (uint32_t i = 0; i < c->method_count; i++) {
        const FlowSlot *slot = find(f, &c->methods[i]);
        if (slot->method) read_method(&r, slot->method, slot->counts);
    }
    if (r.failed) report_counts_lost();
    free(r.crossings);
    free(r.into);
}

static void remove_class(struct FlowCounts *f, const Class *c) {
    pthread_mutex_lock(&flow.lock);
    for (uint32_t i = 0; i < c->method_count; i++) {
        FlowSlot *slot = find(f, &c->methods[i]);
        if (!slot->method) continue;
        uint32_t count = counts_of(slot->method);
        if (count < FREE_SIZES) {
            memcpy(slot->counts, &f->more->free[count], sizeof *slot->counts);
            f->more->free[count] = slot->counts;
        }
        slot->method = &gone;
    }
    pthread_mutex_unlock(&flow.lock);
}

// The threads are stopped, and none executes a method of a dead class. The counts are merged without the lock: merging
// takes the profiler's lock, and a compile thread that makes a snapshot takes this lock while it holds the profiler's.
// Such a snapshot may count them twice.
void flow_forget_class(const Class *c) {
    if (!flow.counted) return;
    for (Thread *t = threads.first; t; t = t->next) {
        if (!t->flow || t->flow == &nothing) continue;
        hand_in_class(t, t->flow, c);
        remove_class(t->flow, c);
    }
}

void flow_before_fork(void) { pthread_mutex_lock(&flow.lock); }
void flow_after_fork(void) { pthread_mutex_unlock(&flow.lock); }
