// Files of recorded plans as they are read: docs/FORMATS.md, "Plans". Names stay text; what they stand for
// is found when the program has got so far (replay.c). Private to replay.c.
//
// All text points into the file's bytes, which are kept. Immutable but for `done` once read.
#ifndef CABERNET_JIT_REPLAY_FILE_H
#define CABERNET_JIT_REPLAY_FILE_H

#include "jit/plan/plan.h"

typedef struct ReplaySite {
    uint32_t bci;
    SiteKind kind;
    char type;
    uint8_t null_check;
    bool initialized, slot, guarded, leaves;
    uint8_t more_count;
    struct { const char *receiver, *target; } more[MORE_GUARDS];
    uint16_t targets;
    int32_t index;
    int64_t bits;
    const char *field, *cls, *method, *receiver, *target, *unique, *constant, *member, *instance;  // NULL: not given
} ReplaySite;

typedef struct ReplayCalls {
    uint32_t bci;
    uint64_t count;
    const char *name;          // of the callee, or of the receivers' class
} ReplayCalls;

typedef struct ReplayCallsList {
    ReplayCalls *rows;         // by bci
    uint32_t count, room;
} ReplayCallsList;

typedef struct ReplayBody {
    const char *method;
    uint32_t in, at;           // body and bci of the call; not of the first one
    uint32_t guard;            // which of the call's targets
    EventSet events;           // what its places reported
    uint32_t bytes;            // plan_bytes_hash then
    ReplaySite *sites;         // by bci
    uint32_t site_count, site_room;
    ReplayCallsList calls, receivers;
    uint64_t *blocks;          // by number: how often they had begun
    uint8_t *never;            // Plan.never
    uint32_t block_count, block_room, never_room;
} ReplayBody;

typedef struct ReplayRecord {
    const char *method;
    int32_t osr_bci;
    EventSet events;           // what was reported then; a replay reports what its own run asks for
    EventSet counted;          // of these, which were counted; a replay that reports the same counts no others
    CompilerSampling sampling;
    PlanSnapshot snapshot;     // that the plan had read
    bool stress;
    bool replaces;             // CompileTask.replaces
    uint32_t hotness;
    uint64_t hash;
    ReplayBody *bodies;        // callers first
    uint32_t body_count, body_room;
    const char **depends;
    uint32_t depend_count, depend_room;
    uint32_t line;             // in the file
    bool done;
    const char *changed;       // a method in it has other bytecode now, or is not there: its name, once that is known
    bool gone;                 // it is not there
    struct ReplayRecord *next;  // of the file
} ReplayRecord;

// Reads a file. False: *error (size bytes) names file, line and what is wrong there.
bool replay_read(const char *path, ReplayRecord **records, char *error, size_t size);

#endif
