// The parsed form of files of recorded plans: docs/FORMATS.md, "Plans". Names stay text; replay.c finds what they
// denote once the program has loaded it. Private to replay.c.
//
// All text points into the file's bytes, which are kept. Records are immutable after reading, except for `done`,
// `changed` and `gone`.
#ifndef CABERNET_JIT_REPLAY_REPLAY_FILE_H
#define CABERNET_JIT_REPLAY_REPLAY_FILE_H

#include "jit/plan/plan.h"

typedef struct ReplaySite {
    uint32_t bci;
    SiteKind kind;
    char type;
    uint8_t null_check;
    bool initialized, slot, guarded, leaves;
    uint8_t more_count;
    struct {
        const char *receiver, *target;
    } more[MORE_GUARDS];
    uint16_t targets;
    int32_t index;
    int64_t bits;
    const char *field, *cls, *method, *receiver, *target, *unique, *constant, *member, *instance;  // NULL: not given
} ReplaySite;

typedef struct ReplayCalls {
    uint32_t bci;
    uint64_t count;
    const char *name;  // of the callee, or of the receivers' class
} ReplayCalls;

typedef struct ReplayCallsList {
    ReplayCalls *rows;  // by bci
    uint32_t count, room;
} ReplayCallsList;

typedef struct ReplayBody {
    const char *method;
    uint32_t in, at;    // body and bci of the call; unused in the first body
    uint32_t guard;     // number of the call's target
    EventSet events;    // that its code reported
    uint32_t bytes;     // plan_bytes_hash when recorded
    ReplaySite *sites;  // by bci
    uint32_t site_count, site_room;
    ReplayCallsList calls, receivers;
    uint64_t *blocks;  // by number: how often each began
    uint8_t *never;    // Plan.never
    uint32_t block_count, block_room, never_room;
} ReplayBody;

typedef struct ReplayRecord {
    const char *method;
    int32_t osr_bci;
    EventSet events;   // reported when recorded; a replay reports what its own run asks for
    EventSet counted;  // the counted ones among these; a replay that reports the same counts no others
    CompilerSampling sampling;
    PlanSnapshot snapshot;  // that the plan read
    bool stress;
    bool replaces;  // CompileTask.replaces
    uint32_t hotness;
    uint64_t hash;
    ReplayBody *bodies;  // callers first
    uint32_t body_count, body_room;
    const char **depends;
    uint32_t depend_count, depend_room;
    uint32_t line;  // in the file
    bool done;
    const char *changed;  // the name of a method in it that has other bytecode now or no longer exists, once known
    bool gone;            // the method no longer exists
    struct ReplayRecord *next;  // in the file
} ReplayRecord;

// Reads a file. False: *error (size bytes) has file, line and problem.
bool replay_read(const char *path, ReplayRecord **records, char *error, size_t size);

#endif
