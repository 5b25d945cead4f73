#include "profiler/ring/ringsamples.h"

#include <stdlib.h>

#include "base/splitmix.h"
#include "profiler/ring/eventwords.h"

enum { KEPT_LAPS = 16 };  // limit on kept words, in laps

void ringsamples_begin(RingSamples *s, const Cab *c, uint32_t rate, uint32_t lines, uint64_t seed) {
    size_t burst = lines * CACHE_LINE_WORDS;
    size_t chunk = (c->chunk + CACHE_LINE_WORDS - 1) / CACHE_LINE_WORDS * CACHE_LINE_WORDS;
    *s = (RingSamples){.burst = burst,
                       .rate = rate,
                       .stretch = rate ? burst * 100 / rate : chunk,
                       .random = seed,
                       .producer_random = ~seed};
}

// Start of the i-th stretch of a piece, rounded down to a cache line.
static size_t stretch_at(const RingSamples *s, size_t i) {
    size_t at = s->rate ? i * s->burst * 100 / s->rate : i * s->stretch;
    return at / CACHE_LINE_WORDS * CACHE_LINE_WORDS;
}

void ringsamples_end(RingSamples *s) {
    for (RingSample *k = atomic_exchange(&s->kept, NULL), *next; k; k = next) {
        next = k->next;
        free(k);
    }
}

static bool is_middle(uint64_t word) { return eventwords_tag(word) == EVENTWORDS_MORE; }

// Samples `n` words after the first `from`, all in one lap. NULL: out of memory.
static RingSample *sample(const RingSamples *s, const Cab *c, uint64_t from, size_t n, uint64_t *random) {
    size_t room = (n / s->stretch + 1) * (s->burst + CAB_LONGEST);
    RingSample *to = malloc(sizeof *to + (room + 1) * sizeof *to->words);
    if (!to) return NULL;
    *to = (RingSample){.room = room};
    const uint64_t *start = cab_slot(c, from);
    for (size_t i = 0; stretch_at(s, i) < n; i++) {
        // The last stretch may be incomplete; its words are as likely to be sampled as the others.
        size_t at = stretch_at(s, i), lines = (stretch_at(s, i + 1) - at) / CACHE_LINE_WORDS,
               burst = s->burst / CACHE_LINE_WORDS;
        size_t first = at + splitmix_next(random) % (lines - burst + 1) * CACHE_LINE_WORDS;
        if (first >= n) break;
        size_t here = first + s->burst > n ? n - first : s->burst;
        // Copies the events that begin in the burst, including their words after its end.
        const uint64_t *word = start + first, *end = word + here;
        while (word < end && is_middle(cab_peek(word))) word++;
        for (; word < c->end && to->count < to->room && (word < end || is_middle(cab_peek(word))); word++)
            to->words[to->count++] = cab_peek(word);
        to->seen += here;
    }
    to->words[to->count] = CAB_PAD;
    return to;
}

// ---- the producer ------------------------------------------------------------------------------

void ringsamples_next_lap(RingSamples *s, Cab *c, bool keeps) {
    cab_wrap(c);
    uint64_t end = cab_written(c), from = cab_claimed(c);
    if (!keeps || atomic_load(&s->kept_words) > KEPT_LAPS * c->words) return;
    while (from < end && !cab_claim(c, from, end)) from = cab_claimed(c);
    if (from >= end) return;
    uint64_t gone = end - from > c->words ? end - from - c->words : 0;
    RingSample *k = sample(s, c, from + gone, end - from - gone, &s->producer_random);
    atomic_fetch_add(&s->overwritten, k ? gone : end - from);
    if (!k) return;
    atomic_fetch_add(&s->kept_words, k->count);
    k->next = atomic_load(&s->kept);
    while (!atomic_compare_exchange_weak(&s->kept, &k->next, k)) {}
}

// ---- the consumer ------------------------------------------------------------------------------

bool ringsamples_ready(const RingSamples *s, const Cab *c) {
    return atomic_load(&s->kept) || cab_written(c) >= cab_claimed(c) + 2 * c->chunk;
}

// Claims the next piece, which is inside one chunk and before the producer. 0: there is none.
static size_t claim_next(RingSamples *s, Cab *c, bool last, uint64_t *from) {
    for (;;) {
        uint64_t written = cab_written(c);
        *from = cab_claimed(c);
        size_t n = c->chunk - *from % c->chunk;
        if (written > *from + c->words) {
            // Skips what is overwritten, and what will be soon.
            uint64_t to = written - c->words + c->chunk;
            to += (c->chunk - to % c->chunk) % c->chunk;
            if (cab_claim(c, *from, to)) atomic_fetch_add(&s->overwritten, to - *from);
            continue;
        }
        if (last && n > written - *from) n = written - *from;
        if (!last && written < *from + n + c->chunk) return 0;
        if (n == 0 || cab_claim(c, *from, *from + n)) return n;
    }
}

RingSample *ringsamples_take(RingSamples *s, Cab *c, bool last) {
    RingSample *k = atomic_load(&s->kept);
    while (k && !atomic_compare_exchange_weak(&s->kept, &k, k->next)) {}
    if (k) {
        atomic_fetch_sub(&s->kept_words, k->count);
        return k;
    }
    uint64_t from;
    size_t n = claim_next(s, c, last, &from);
    if (n == 0) return NULL;
    k = sample(s, c, from, n, &s->random);
    if (k && cab_is_untouched(c, from)) return k;
    atomic_fetch_add(&s->overwritten, n);
    free(k);
    return NULL;
}
