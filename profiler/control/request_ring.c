// Options of transport=cab and of the queues that it is compared with, and their combinations (request_parse.h).
#include <inttypes.h>

#include "profiler/control/request_parse.h"
#include "profiler/ring/ringsamples.h"

enum { ALL, SAMPLED, DISCARD, NONE };  // the words of CONSUME
enum { THREAD, CARRIER };              // the words of RINGS
enum { DEFAULT_BUFFER = 2 << 20, LEAST_CHUNKS = 4 };

static uint64_t power_below(uint64_t bytes) { return UINT64_C(1) << (63 - __builtin_clzll(bytes)); }

// Without a number the chunk is the largest that fits the buffer. The buffer becomes a whole number of chunks.
static bool resolve_sizes(Parse *p, TransportRequest *t) {
    uint64_t least = transport_least_chunk(), chunk = transport_usual_chunk();
    if (!request_bytes(p, KEY_BUFFER, LEAST_CHUNKS * least, DEFAULT_BUFFER, &t->buffer)) return false;
    if (t->kind == RING_LAMPORT) t->buffer = power_below(t->buffer);
    if (chunk > t->buffer / LEAST_CHUNKS) chunk = t->buffer / LEAST_CHUNKS;
    if (!request_bytes(p, KEY_CHUNK, least, chunk, &t->chunk)) return false;
    t->chunk = t->chunk / sizeof(uint64_t) * sizeof(uint64_t);
    if (t->kind == RING_NWAY || t->kind == RING_LAMPORT) t->chunk = power_below(t->chunk);
    if (t->chunk * LEAST_CHUNKS > t->buffer)
        return refuse(p, "chunk=%" PRIu64 " is too large: a buffer of %" PRIu64 " bytes must hold four chunks",
                      t->chunk, t->buffer);
    t->buffer -= t->buffer % t->chunk;
    return request_bytes(p, KEY_GROW, t->buffer, 0, &t->grow);
}

// The work of consumers. Samples need a ring whose producer shows how far it has written.
static bool resolve_consume(Parse *p, TransportRequest *t) {
    static const enum KeyId of_samples[] = {KEY_RATE, KEY_LINES}, of_consumers[] = {KEY_CONSUMERS, KEY_AFFINITY};
    int consume = p->values.CONSUME, transport = p->values.TRANSPORT;
    uint64_t rate = 0, lines;
    t->sampled = consume == SAMPLED;
    t->discards = consume == DISCARD;
    t->unread = consume == NONE || t->kind == RING_WORD;
    if (consume != ALL && (transport == TEE || transport == WORD))
        return refuse(p, "consume= needs transport=cab: tee analyses all events, and word none");
    if (t->grow && (transport != CAB || t->sampled || t->unread))
        return refuse(p,
                      "grow= needs transport=cab and consumers that read everything: other queues keep their size, "
                      "and rings that are overwritten are never full");
    if (t->sampled && transport != CAB) return refuse(p, "consume=sampled needs transport=cab");
    if (t->unread) {
        t->consumers = 0;
        if (!request_refuse_idle(p, of_consumers, LENGTH(of_consumers), "needs consumers")) return false;
    }
    if (!t->sampled)
        return request_refuse_idle(p, of_samples, LENGTH(of_samples),
                                   "needs consume=sampled: else all events are analysed");
    if (p->values.r->sampling.mode != SAMPLING_OFF)
        return refuse(p, "consume=sampled needs sampling=off: one of the two samples");
    uint64_t most = t->chunk / (sizeof(uint64_t) * CACHE_LINE_WORDS);
    if (p->values.RATE.given && !request_number(p, KEY_RATE, 1, 100, 0, &rate)) return false;
    if (!request_number(p, KEY_LINES, 1, most, 1, &lines)) return false;
    t->rate = (uint32_t)rate;
    t->lines = (uint32_t)lines;
    return true;
}

// One reader makes one order of the rings. Samples of them have gaps, in which threads may have synchronised.
static bool resolve_order(Parse *p, TransportRequest *t) {
    const Productions *productions = p->values.r->productions;
    if (productions && t->sampled)
        return refuse(p,
                      "productions decide by the events before one, which a sample of the rings does not have: "
                      "consume=all");
    if (productions && productions_take_contexts(productions))
        return refuse(p,
                      "context() examines the stack at its event, which has changed when a consumer takes the event: "
                      "transport=direct");
    for (int a = 0; a < ANALYSIS_COUNT; a++) {
        const Analysis *an = analysis_table[a];
        if (!p->values.r->analysis[a] || !an->ordered || t->unread || t->discards) continue;
        if (t->sampled)
            return refuse(
                p,
                "%s puts the events of all threads into one order, which a sample of the rings does not have: "
                "consume=all",
                an->name);
        if (t->consumers > 1)
            return refuse(p, "%s puts the events of all threads into one order, which one consumer makes: consumers=1",
                          an->name);
        t->ordered = true;
    }
    return true;
}

// A thread's events are in the rings of all its carriers. One consumer keeps their order.
static bool resolve_carriers(Parse *p, TransportRequest *t) {
    t->carriers = p->values.RINGS == CARRIER;
    if (!t->carriers) return true;
    if (t->kind != RING_CAB || t->sampled || t->unread)
        return refuse(
            p,
            "rings=carrier needs transport=cab and consumers that read everything: they learn from the events "
            "before one whose it is");
    if (t->consumers > 1 || p->values.SHARDS.given)
        return refuse(p,
                      "rings=carrier distributes a thread's events over several rings, whose order one consumer keeps: "
                      "consumers=1");
    if (t->grow)
        return refuse(p, "rings=carrier and grow=: there are as many rings as carriers, of the size of buffer=");
    return true;
}

bool request_resolve_ring(Parse *p) {
    static const enum KeyId idle[] = {KEY_BUFFER, KEY_CHUNK,   KEY_CONSUMERS, KEY_AFFINITY, KEY_GROW,
                                      KEY_SHARDS, KEY_CONSUME, KEY_RATE,      KEY_LINES,    KEY_RINGS};
    static const RingKind kinds[] = {[CAB] = RING_CAB,         [NWAY] = RING_NWAY, [FASTFORWARD] = RING_FASTFORWARD,
                                     [LAMPORT] = RING_LAMPORT, [TEE] = RING_CAB,   [WORD] = RING_WORD};
    TransportRequest *t = &p->values.r->transport;
    uint64_t consumers;
    t->on = p->values.TRANSPORT > CALL;
    t->kind = kinds[p->values.TRANSPORT];
    t->tee = p->values.TRANSPORT == TEE;
    p->values.r->calls = p->values.TRANSPORT == CALL;
    if (p->values.r->sampling.rate) p->given[KEY_RATE] = false;  // there it is the rate of samples
    if (!t->on) return request_refuse_idle(p, idle, LENGTH(idle), "needs transport=cab: there are no rings without");
    if (!resolve_sizes(p, t) || !request_number(p, KEY_CONSUMERS, 1, TRANSPORT_MOST_CONSUMERS, 1, &consumers))
        return false;
    t->consumers = (uint32_t)consumers;
    return resolve_consume(p, t) && resolve_order(p, t) && resolve_carriers(p, t);
}

// The least number of sets of the simulated levels.
static uint32_t fewest_sets(const CacheConfig *c) {
    uint32_t least = UINT32_MAX;
    for (int i = 0; i < CACHE_LEVELS; i++) {
        uint32_t sets = c->level[i].bytes / c->level[i].ways / c->line;
        if (sets < least) least = sets;
    }
    return least;
}

// The events of one part must be independent of those of the others, and an analysis without parts must read all.
bool request_resolve_shards(Parse *p) {
    Request *r = p->values.r;
    TransportRequest *t = &r->transport;
    bool shared_out = false;
    uint64_t shards;
    if (!t->on || !p->values.SHARDS.given) return true;
    if (!request_number(p, KEY_SHARDS, 2, TRANSPORT_MOST_CONSUMERS, 0, &shards)) return false;
    if (shards & (shards - 1)) return refuse(p, "shards=%" PRIu64 ": a power of two", shards);
    if (t->kind != RING_CAB || t->sampled || t->unread || t->discards)
        return refuse(p,
                      "shards= needs transport=cab and consumers that analyse all events: only that ring can have "
                      "several readers");
    for (int a = 0; a < ANALYSIS_COUNT; a++) shared_out |= r->analysis[a] && analysis_table[a]->thread_shard;
    if (!shared_out) return refuse(p, "shards= needs an analysis whose events are independent of each other: cache");
    if (t->ordered) return refuse(p, "shards= and one order of all threads' events, which one consumer makes");
    if (r->settings.cache.policy == CACHE_RANDOM)
        return refuse(p, "shards= and cache=random: the choices of all sets are one sequence");
    if (shards > fewest_sets(&r->settings.cache))
        return refuse(p, "shards=%" PRIu64 ": a set of the cache belongs to one of them, and a level has only %u sets",
                      shards, fewest_sets(&r->settings.cache));
    t->shards = (uint32_t)shards;
    t->line = r->settings.cache.line;
    if (!p->values.CONSUMERS.given) t->consumers = t->shards;
    return true;
}
