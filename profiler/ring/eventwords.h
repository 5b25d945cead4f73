// Encoding of events as words of a ring (profiler/ring/cab.h), generated from vm/api/events.def.
//
// The six highest bits of a word are its tag: the kind of event for the first word, or a mark for a following word. The
// other bits hold the fields of the payload, packed from the low end, as many per word as fit: entry, call edge and
// branch take one word. Fields have the widths below. A payload with a larger number uses the long form: the first word
// holds the kind as a number, and each field takes words of 32 bits. A first word with tag 0 is the number of an event
// of compiled code with its constant fields (ProfilerInterface.site); the other fields follow. A word with the tag
// EVENTWORDS_STAMP begins no event; it is the stamp of the next one (transport.h), and following words belong to it. A
// word with the tag EVENTWORDS_SWITCH says whose the next events are (also there). No word equals CAB_CLEAR or CAB_MAGIC.
//
// Pure functions.
#ifndef CABERNET_PROFILER_RING_EVENTWORDS_H
#define CABERNET_PROFILER_RING_EVENTWORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "profiler/ring/cab.h"
#include "vm/api/events.h"

enum {
    EVENTWORDS_BITS = 58,
    EVENTWORDS_LONG = 0x3c,
    EVENTWORDS_MORE = 0x3d,
    EVENTWORDS_STAMP = 0x3f,
    EVENTWORDS_SWITCH = 0x3b
};
#define EVENTWORDS_TAG(tag) ((uint64_t)(tag) << EVENTWORDS_BITS)
#define EVENTWORDS_MASK (EVENTWORDS_TAG(1) - 1)
_Static_assert(EVENTWORDS_TAG(EVENTWORDS_MORE) == RING_MORE && (int)RING_AHEAD == (int)CAB_AHEAD,
               "as compiled code has it");
_Static_assert((int)RING_TAG_BIT == (int)EVENTWORDS_BITS, "likewise");
_Static_assert((int)EVENT_COUNT < (int)EVENTWORDS_SWITCH, "kinds of events have tags of their own");

static inline unsigned eventwords_tag(uint64_t word) { return (unsigned)(word >> EVENTWORDS_BITS); }

// ---- fields ------------------------------------------------------------------------------------

// Width in the short form, and whether the long form needs two words.
#define EVENTWORDS_BITS_METHOD 21
#define EVENTWORDS_BITS_BCI 16
#define EVENTWORDS_BITS_FIELD 21
#define EVENTWORDS_BITS_CLASS 21
#define EVENTWORDS_BITS_THREAD 42
#define EVENTWORDS_BITS_OBJECT 48
#define EVENTWORDS_BITS_ADDRESS 48
#define EVENTWORDS_BITS_VALUE 58
#define EVENTWORDS_BITS_NUMBER 21
#define EVENTWORDS_WIDE_METHOD 0
#define EVENTWORDS_WIDE_BCI 0
#define EVENTWORDS_WIDE_FIELD 0
#define EVENTWORDS_WIDE_CLASS 0
#define EVENTWORDS_WIDE_THREAD 1
#define EVENTWORDS_WIDE_OBJECT 1
#define EVENTWORDS_WIDE_ADDRESS 1
#define EVENTWORDS_WIDE_VALUE 1
#define EVENTWORDS_WIDE_NUMBER 0

// Pseudo-callers are the highest numbers of either width. The highest bytecode index means none.
enum { EVENTWORDS_PSEUDO = (1 << EVENTWORDS_BITS_METHOD) - 256 };
_Static_assert((int)RING_METHOD_BITS == EVENTWORDS_BITS_METHOD && (int)RING_BCI_BITS == EVENTWORDS_BITS_BCI &&
                   EVENTWORDS_BITS_NUMBER == EVENTWORDS_BITS_METHOD && (int)RING_METHODS == (int)EVENTWORDS_PSEUDO,
               "as compiled code has it");
static inline uint64_t eventwords_from_METHOD(uint32_t id) {
    if (id >= EVENT_PSEUDO_BASE) return EVENTWORDS_PSEUDO + (id - EVENT_PSEUDO_BASE);
    return id < EVENTWORDS_PSEUDO ? id : UINT64_MAX;
}
static inline uint32_t eventwords_to_METHOD(uint64_t v) {
    return (uint32_t)(v >= EVENTWORDS_PSEUDO ? v - EVENTWORDS_PSEUDO + EVENT_PSEUDO_BASE : v);
}
static inline uint64_t eventwords_from_BCI(int32_t bci) {
    return bci == EVENT_NO_BCI ? 0xffff : bci < 0xffff ? (uint64_t)bci : UINT64_MAX;
}
static inline int32_t eventwords_to_BCI(uint64_t v) { return v == 0xffff ? EVENT_NO_BCI : (int32_t)v; }
#define eventwords_from_FIELD(v) (v)
#define eventwords_to_FIELD(v) ((uint32_t)(v))
#define eventwords_from_CLASS(v) (v)
#define eventwords_to_CLASS(v) ((uint32_t)(v))
#define eventwords_from_THREAD(v) (v)
#define eventwords_to_THREAD(v) (v)
#define eventwords_from_OBJECT(v) (v)
#define eventwords_to_OBJECT(v) ((uintptr_t)(v))
#define eventwords_from_ADDRESS(v) (v)
#define eventwords_to_ADDRESS(v) ((uintptr_t)(v))
#define eventwords_from_VALUE(v) (v)
#define eventwords_to_VALUE(v) (v)
#define eventwords_from_NUMBER(v) (v)
#define eventwords_to_NUMBER(v) ((uint32_t)(v))

// ---- writing -----------------------------------------------------------------------------------

typedef struct EventPacker {
    uint64_t words[CAB_LONGEST];
    unsigned count, used;  // whole words before the last one; bits used in that
    bool too_large;        // for the short form
} EventPacker;

static inline __attribute__((always_inline)) void eventwords_pack(EventPacker *p, uint64_t v, unsigned bits) {
    if (v >> (bits - 1) > 1) p->too_large = true;
    if (p->used + bits > EVENTWORDS_BITS) {
        p->words[++p->count] = EVENTWORDS_TAG(EVENTWORDS_MORE);
        p->used = 0;
    }
    p->words[p->count] |= v << p->used;
    p->used += bits;
}

static inline void eventwords_pack_long(EventPacker *p, uint64_t v, bool wide) {
    p->words[++p->count] = EVENTWORDS_TAG(EVENTWORDS_MORE) | (uint32_t)v;
    if (wide) p->words[++p->count] = EVENTWORDS_TAG(EVENTWORDS_MORE) | v >> 32;
}

// eventwords_write_ID(p, payload): fills p->words and returns their number.
#define EVENTWORDS_PACK(type, name) eventwords_pack(p_, eventwords_from_##type(name), EVENTWORDS_BITS_##type);
#define EVENTWORDS_PACK_LONG(type, name) eventwords_pack_long(p_, (uint64_t)name, EVENTWORDS_WIDE_##type);
#define EVENT(id, text, payload, waits, counted, source, made_by)                                   \
    static inline unsigned eventwords_write_##id(EventPacker *p_, EVENT_SINK_PARAMETERS(payload)) { \
        p_->words[0] = EVENTWORDS_TAG(EVENT_##id + 1);                                              \
        p_->count = p_->used = 0;                                                                   \
        p_->too_large = false;                                                                      \
        EVENT_EACH(EVENTWORDS_PACK, payload)                                                        \
        if (__builtin_expect(!p_->too_large, 1)) return p_->count + 1;                              \
        p_->words[p_->count = 0] = EVENTWORDS_TAG(EVENTWORDS_LONG) | EVENT_##id;                    \
        EVENT_EACH(EVENTWORDS_PACK_LONG, payload)                                                   \
        return p_->count + 1;                                                                       \
    }
#include "vm/api/events.def"

// ---- reading -----------------------------------------------------------------------------------

typedef struct EventUnpacker {
    const uint64_t *at;  // the current word
    unsigned used;
} EventUnpacker;

static inline __attribute__((always_inline)) uint64_t eventwords_unpack(EventUnpacker *u, unsigned bits) {
    if (u->used + bits > EVENTWORDS_BITS) {
        u->at++;
        u->used = 0;
    }
    uint64_t v = (cab_peek(u->at) & EVENTWORDS_MASK) >> u->used & ((UINT64_C(2) << (bits - 1)) - 1);
    u->used += bits;
    return v;
}

static inline uint64_t eventwords_unpack_long(EventUnpacker *u, bool wide) {
    uint64_t low = (uint32_t)cab_peek(++u->at);
    return wide ? low | (uint64_t)(uint32_t)cab_peek(++u->at) << 32 : low;
}

// Decodes the event at `at` in a ring and delivers it to the list of sinks `to`. Returns its number of words.
#define EVENTWORDS_UNPACK(type, name) \
    EVENT_SINK_##type name = eventwords_to_##type(eventwords_unpack(&u_, EVENTWORDS_BITS_##type));
#define EVENTWORDS_UNPACK_LONG(type, name) \
    EVENT_SINK_##type name = (EVENT_SINK_##type)eventwords_unpack_long(&u_, EVENTWORDS_WIDE_##type);
#define EVENT(id, text, payload, waits, counted, source, made_by)                                      \
    static inline unsigned eventwords_give_##id(const EventSink_##id *to_, const uint64_t *at_) {      \
        EventUnpacker u_ = {at_, 0};                                                                   \
        EVENT_EACH(EVENTWORDS_UNPACK, payload)                                                         \
        to_->fn(to_, EVENT_NAMES(payload));                                                            \
        return (unsigned)(u_.at - at_) + 1;                                                            \
    }                                                                                                  \
    static inline unsigned eventwords_give_long_##id(const EventSink_##id *to_, const uint64_t *at_) { \
        EventUnpacker u_ = {at_, 0};                                                                   \
        EVENT_EACH(EVENTWORDS_UNPACK_LONG, payload)                                                    \
        to_->fn(to_, EVENT_NAMES(payload));                                                            \
        return (unsigned)(u_.at - at_) + 1;                                                            \
    }
#include "vm/api/events.def"

// Events whose constant payload fits in one word.
#define EVENTWORDS_PLUS_BITS(type, name) +EVENTWORDS_BITS_##type
#define EVENT(id, text, payload, waits, counted, source, made_by) \
    | ((EventSet)(0 EVENT_EACH(EVENTWORDS_PLUS_BITS, payload) <= EVENTWORDS_BITS) << EVENT_##id)
static const EventSet eventwords_single = 0
#include "vm/api/events.def"
    ;

// The fields of such a word.
#define EVENTWORDS_FIELD(type, name) \
    words_[field_++] = (uint32_t)eventwords_to_##type(eventwords_unpack(&u_, EVENTWORDS_BITS_##type));
static inline void eventwords_fields(enum EventId event, uint64_t word, uint32_t words_[7]) {
    uint64_t copy[CAB_LONGEST] = {word};
    EventUnpacker u_ = {copy, 0};
    unsigned field_ = 0;
    switch (event) {
// clang-format off
#define EVENT(id, text, payload, waits, counted, source, made_by) case EVENT_##id: EVENT_EACH(EVENTWORDS_FIELD, payload) break;
#include "vm/api/events.def"
            // clang-format on
        case EVENT_COUNT: break;
    }
}

// An event of compiled code, with its constant fields.
typedef struct EventSite {
    enum EventId event;
    uint32_t dynamic;  // fields that follow, by position
    uint32_t words[7];
    uint8_t length;   // words in a ring
    uint8_t address;  // the position of the word of its ADDRESS; 0: it has none
} EventSite;

static inline uint64_t eventwords_next(const EventSite *s, EventUnpacker *u, unsigned field, bool follows) {
    return follows || s->dynamic >> field & 1 ? cab_peek(++u->at) & EVENTWORDS_MASK : s->words[field];
}

#define EVENTWORDS_SITE(type, name) \
    EVENT_SINK_##type name = (EVENT_SINK_##type)eventwords_next(site_, &u_, field_++, EVENTWORDS_WIDE_##type);
#define EVENT(id, text, payload, waits, counted, source, made_by)                                    \
    static inline unsigned eventwords_give_site_##id(const EventSink_##id *to_, const uint64_t *at_, \
                                                     const EventSite *site_) {                       \
        EventUnpacker u_ = {at_, 0};                                                                 \
        unsigned field_ = 0;                                                                         \
        EVENT_EACH(EVENTWORDS_SITE, payload)                                                         \
        to_->fn(to_, EVENT_NAMES(payload));                                                          \
        return (unsigned)(u_.at - at_) + 1;                                                          \
    }
#include "vm/api/events.def"

// The event that begins with this word. EVENT_COUNT: none begins; the word is inside an event or pads the end of a lap.
static inline enum EventId eventwords_event(uint64_t word) {
    unsigned tag = eventwords_tag(word);
    if (tag >= 1 && tag <= EVENT_COUNT) return (enum EventId)(tag - 1);
    return tag == EVENTWORDS_LONG ? (enum EventId)(word & EVENTWORDS_MASK) : EVENT_COUNT;
}

#endif
