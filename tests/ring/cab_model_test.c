// A model check of the ring and of the queues that it is compared with: runs the code of profiler/ring/queue.h, with
// small queues, in every interleaving of the producer's and the consumer's accesses. Memory orders weaker than program
// order are not covered here; see cab_test and queue_test under ThreadSanitizer and the comment of cab.h.
//
// Producer and consumer run on separate stacks and stop before each access of a slot. A state is the ring, the test's
// variables and both stacks with their registers. From each new state either actor takes its next step; an actor that
// waits returns to the same state. Checks that each event arrives once, whole and in order, and that no state has both
// actors waiting forever.
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

static void step(void);
#define CAB_STEP() step()
enum { CAB_LONGEST = 3, CAB_AHEAD = 3, CAB_LEAST_CHUNK = 3 };
#define FASTFORWARD_DANGER 3
#define FASTFORWARD_SAFE 6
#include "profiler/ring/cab.c"
#include "profiler/ring/queue.c"

enum {
    WORDS = CAB_LEAST_CHUNKS * CAB_LEAST_CHUNK,
    CHUNK = CAB_LEAST_CHUNK,
    NWAY_WORDS = 4,
    LAMPORT_WORDS = 8,
    BEFORE = -RING_LAMPORT_WRITTEN / 8,
    STACK = 16 * 1024,
    ACTORS = 2,
    SEEN_BITS = 24,
    SEEN = 8 * WORDS
};

typedef enum Scenario { EXHAUSTIVE, UNTIL_STOPPED, OVERWRITING, SCENARIOS } Scenario;

// The state that an execution changes.
typedef struct World {
    _Alignas(64) uint64_t before[BEFORE], slots[WORDS + BEHIND];
    Queue queue;
    uint64_t *next;
    uint32_t sent, received, gaps;  // events; of an overwriting ring, pieces and overwritten pieces
    uint32_t seen[SEEN];            // 1 + the positions of the sampled words
    bool producer_ended, stopped, wrong;
    bool ended[ACTORS];
    ucontext_t context[ACTORS];
    _Alignas(16) char stack[ACTORS][STACK];
} World;

static struct {
    World now;
    Scenario scenario;
    RingKind kind;
    uint32_t events;
    int actor;
    ucontext_t explorer;
    uint64_t *seen;
    uint64_t states;
} model;

// Switches to the explorer. Does nothing outside an actor, while the test prepares the ring.
static void step(void) {
    if (model.actor < 0) return;
    swapcontext(&model.now.context[model.actor], &model.explorer);
}

static uint64_t word_of(uint32_t event) { return event + 1; }
static size_t length_of(uint32_t event) { return 1 + event % CAB_LONGEST; }

// ---- the actors -----------------------------------------------------------------------------------

// An actor that has claimed a piece of an overwriting ring reads it, then checks whether it was overwritten meanwhile.
// The producer's pieces never are.
static void sample(World *w, uint64_t at, size_t count, bool is_producer) {
    uint64_t words[WORDS];
    for (size_t i = 0; i < count; i++) words[i] = cab_peek(cab_slot(&w->queue.cab, at + i));
    step();
    bool overwritten = !cab_is_untouched(&w->queue.cab, at);
    for (size_t i = 1; i < count && !overwritten; i++)
        if (words[i] < words[i - 1] && words[i] != CAB_PAD) w->wrong = true;  // of different laps
    if (overwritten && is_producer) w->wrong = true;
    w->gaps += overwritten;
    for (size_t i = 0; i < count; i++) w->wrong |= w->seen[(at + i) % SEEN] == at + i + 1;  // sampled twice
    for (size_t i = 0; i < count; i++) w->seen[(at + i) % SEEN] = (uint32_t)(at + i + 1);
    w->received++;
}

static void begin_lap(World *w) {
    cab_wrap(&w->queue.cab);
    uint64_t end = cab_written(&w->queue.cab), from = cab_claimed(&w->queue.cab);
    while (from < end && !cab_claim(&w->queue.cab, from, end)) from = cab_claimed(&w->queue.cab);
    if (from < end && end - from <= WORDS) sample(w, from, end - from, true);
}

static void sample_chunk(World *w) {
    uint64_t from = cab_claimed(&w->queue.cab), written = cab_written(&w->queue.cab), to = from + CHUNK;
    if (written < from + 2 * CHUNK) return;
    if (cab_claim(&w->queue.cab, from, to)) sample(w, from, CHUNK, false);
}

static void produce(void) {
    World *w = &model.now;
    while (w->sent < model.events && !w->stopped) {
        size_t n = length_of(w->sent);
        if (model.scenario == OVERWRITING) {
            if (w->next + n > w->queue.cab.end) begin_lap(w);
        } else if (!queue_is_free(&w->queue, n) && queue_room(&w->queue, n) == CAB_FULL) {
            while (!queue_is_backed_off(&w->queue) && !w->stopped) {}
            if (w->stopped) break;
            CabRoom room = queue_room(&w->queue, n);  // two chunks should be free, or one buffer
            if (room == CAB_FULL || (room == CAB_SHORT && model.kind != RING_NWAY)) w->wrong = true;
        }
        uint64_t words[CAB_LONGEST];
        for (size_t i = 0; i < n; i++) words[i] = word_of(w->sent);
        queue_put(&w->queue, words, n);
        w->sent++;
    }
    w->producer_ended = true;
}

static void take_event(World *w) {
    const uint64_t *at = queue_read(&w->queue);
    if (cab_peek(at) == CAB_PAD) {
        queue_take(&w->queue, 1);
        return;
    }
    size_t n = length_of(w->received);
    for (size_t i = 0; i < n; i++)
        if (cab_peek(at + i) != word_of(w->received)) w->wrong = true;
    w->received++;
    queue_take(&w->queue, n);
}

static void take_piece(World *w) {
    const uint64_t *start = queue_read(&w->queue), *end = queue_piece_end(&w->queue);
    while (queue_read(&w->queue) >= start && queue_read(&w->queue) < end && !w->wrong) take_event(w);
}

static void consume(void) {
    World *w = &model.now;
    while (!w->producer_ended && !w->wrong) {
        if (model.scenario == UNTIL_STOPPED && w->received > 6) {
            w->stopped = true;  // ended or dead: the producer continues without it
            return;
        }
        if (model.scenario == OVERWRITING) sample_chunk(w);
        else if (queue_is_ready(&w->queue)) take_piece(w);
    }
    while (model.scenario != OVERWRITING && !w->wrong && queue_has(&w->queue, 0)) take_event(w);
}

static void enter(int actor) {
    if (actor == 0) produce();
    else consume();
    model.now.ended[actor] = true;
}

// ---- the explorer ----------------------------------------------------------------------------------

static void begin_queue(World *w, RingKind kind) {
    Queue *q = &w->queue;
    *q = (Queue){.kind = kind, .next = &w->next};
    if (kind == RING_NWAY) nway_init(&q->nway, w->slots, NWAY_WORDS, WORDS / NWAY_WORDS, &w->next);
    else if (kind == RING_LAMPORT) lamport_init(&q->lamport, w->slots, LAMPORT_WORDS, &w->next);
    else {
        q->cab = (Cab){.start = w->slots,
                       .end = w->slots + WORDS,
                       .words = WORDS,
                       .chunk = CHUNK,
                       .next = &w->next,
                       .read = w->slots};
        for (size_t i = 0; i < BEHIND; i++) q->cab.end[i] = CAB_MAGIC;
        w->next = w->slots;
    }
}

static void begin(RingKind kind, Scenario scenario, uint32_t events) {
    World *w = &model.now;
    memset(w, 0, sizeof *w);
    model.scenario = scenario;
    model.kind = kind;
    model.events = events;
    model.actor = -1;
    begin_queue(w, kind);
    for (int a = 0; a < ACTORS; a++) {
        getcontext(&w->context[a]);
        w->context[a].uc_stack.ss_sp = w->stack[a];
        w->context[a].uc_stack.ss_size = STACK;
        w->context[a].uc_link = &model.explorer;
        makecontext(&w->context[a], (void (*)(void))enter, 1, a);
    }
}

static void run(int actor) {
    model.actor = actor;
    swapcontext(&model.explorer, &model.now.context[actor]);
    model.actor = -1;
}

static uint64_t mix(uint64_t h, const void *from, size_t bytes) {
    const char *at = from;
    for (size_t i = 0; i + 8 <= bytes; i += 8) {
        uint64_t v;
        memcpy(&v, at + i, 8);
        h = (h ^ v) * UINT64_C(0x9e3779b97f4a7c15);
        h ^= h >> 29;
    }
    return h;
}

// Hashes the state that the rest of the execution depends on; of a stack, the part in use.
static uint64_t hash_of(const World *w) {
    uint64_t h = mix(1, w, offsetof(World, context));
    for (int a = 0; a < ACTORS; a++) {
        if (w->ended[a]) continue;
        const greg_t *r = w->context[a].uc_mcontext.gregs;
        static const int kept[] = {REG_RBX, REG_RBP, REG_R12, REG_R13, REG_R14, REG_R15, REG_RSP, REG_RIP};
        for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) h = mix(h, &r[kept[i]], 8);
        size_t top = (size_t)((const char *)r[REG_RSP] - model.now.stack[a]);  // actors run in model.now
        h = mix(h, w->stack[a] + top, STACK - top);
    }
    return h ? h : 1;
}

static bool add(uint64_t h) {
    uint64_t mask = (UINT64_C(1) << SEEN_BITS) - 1;
    for (uint64_t i = h & mask;; i = (i + 1) & mask) {
        if (model.seen[i] == h) return false;
        if (model.seen[i]) continue;
        model.seen[i] = h;
        model.states++;
        assert_true(model.states < mask / 2);
        return true;
    }
}

typedef struct Branch {
    struct Branch *below;
    World world;
} Branch;

static void check_end(const World *w) {
    assert_true(w->ended[0]);
    if (model.scenario == EXHAUSTIVE) {
        assert_int_equal(w->sent, model.events);
        assert_int_equal(w->received, model.events);
    }
}

// Explores depth first. Returns the number of executions that ended.
static uint64_t explore(RingKind kind, Scenario scenario, uint32_t events) {
    uint64_t ends = 0;
    memset(model.seen, 0, sizeof(uint64_t) << SEEN_BITS);
    model.states = 0;
    begin(kind, scenario, events);
    Branch *top = malloc(sizeof *top);
    assert_non_null(top);
    top->below = NULL;
    top->world = model.now;
    add(hash_of(&model.now));
    while (top) {
        Branch *b = top;
        top = b->below;
        uint64_t here = hash_of(&b->world);
        bool moved = false, runs = false;
        for (int a = 0; a < ACTORS; a++) {
            if (b->world.ended[a]) continue;
            runs = true;
            model.now = b->world;
            run(a);
            assert_false(model.now.wrong);
            uint64_t h = hash_of(&model.now);
            moved |= h != here;
            if (!add(h)) continue;
            Branch *n = malloc(sizeof *n);
            assert_non_null(n);
            n->below = top;
            n->world = model.now;
            top = n;
        }
        if (!runs) {
            check_end(&b->world);
            ends++;
        } else {
            assert_true(moved);  // else both wait forever
        }
        free(b);
    }
    print_message("kind %d, scenario %d, %u events: %llu states, %llu ends\n", (int)kind, (int)scenario, events,
                  (unsigned long long)model.states, (unsigned long long)ends);
    return ends;
}

static void every_interleaving(void **state) {
    (void)state;
    model.seen = malloc(sizeof(uint64_t) << SEEN_BITS);
    assert_non_null(model.seen);
    static const RingKind kinds[] = {RING_CAB, RING_FASTFORWARD, RING_NWAY, RING_LAMPORT};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        assert_true(explore(kinds[i], EXHAUSTIVE, 2) > 0);   // flushed without a full chunk
        assert_true(explore(kinds[i], EXHAUSTIVE, 24) > 0);  // four laps, with wraps and waits
        assert_true(explore(kinds[i], UNTIL_STOPPED, 24) > 0);
    }
    assert_true(explore(RING_CAB, OVERWRITING, 16) > 0);
    free(model.seen);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_interleaving)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
