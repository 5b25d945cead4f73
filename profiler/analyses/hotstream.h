// The state of hot-stream: for each thread a grammar of its data references (profiler/streams/sequitur.h), and for the
// process its objects. A trace outlives its thread; the next thread appends to it after a separator. Reports read all
// traces while threads are stopped.
//
// limit= bounds the memory of grammar nodes, references and objects. When it is used up, a thread makes room in its
// trace (make_room): it leaves out references to collected objects that can be in no hot stream any more. Events that
// find no room even then are counted as lost, and no stream spans them.
#ifndef CABERNET_PROFILER_ANALYSES_HOTSTREAM_H
#define CABERNET_PROFILER_ANALYSES_HOTSTREAM_H

#include "profiler/analyses/analysis.h"
#include "profiler/streams/hotstreams.h"

// An object, numbered in order of appearance, and its allocation site. `method` STREAM_UNKNOWN: the allocation was not
// recorded.
typedef struct StreamObject {
    uintptr_t address;
    uint32_t number, cls, method;
    int32_t bci;
} StreamObject;
#define STREAM_UNKNOWN UINT32_MAX

// Streams have at most this length, and heat= is in this part of all references.
enum { STREAM_LONGEST = 100, STREAM_HEAT_UNIT = 1000 };

// A data reference, which is a terminal of the grammar: an object and a field or element offset.
#define STREAM_ELEMENT 0x80000000u
typedef struct StreamSymbol {
    StreamObject object;  // number 0: of a static field
    uint32_t what;        // field id, or STREAM_ELEMENT with the byte offset from the array's address
    uint32_t times;       // recorded references
    uintptr_t word;       // the 8-byte word that contains it
} StreamSymbol;

typedef struct StreamTrace {
    struct StreamTrace *next;
    bool taken;  // in use by a thread
    Sequitur grammar;
    StreamSymbol *symbols;
    uint32_t symbol_count, symbol_room;
    uint32_t *slots, mask;  // hash table of symbols: symbol number + 1
    uint64_t different;     // references that ever had a symbol
    uint64_t bursts, lost;
    // Of the last rebuild: the references that it kept, and the number appended then. `room_at`: references, appended
    // or lost, before which there is no room to make.
    uint64_t kept, appended_then, room_at;
    uint32_t collections;  // at the last attempt to make room
    double weight;         // references that each recorded one represents (phases=)
} StreamTrace;

typedef struct HotStreamState {
    const AnalysisSettings *settings;  // heat= and limit=; NULL: no thread has begun
    const StreamTrace *traces;         // the list of all traces
    uint64_t objects;                  // objects that have a number
    uint64_t lost_untraced;            // events lost by threads without a trace, because of limit=
} HotStreamState;
HotStreamState hotstream_state(void);
void hotstream_report(Sections *out, bool last);

// A shadow finds its own streams, applying heat= to its own references, and hands over the results of its report. The
// program's report adds up the shadows' results. A stream that is hot in only one shadow therefore counts for that
// shadow.
void hotstream_give(const struct ProfileHost *host, FILE *out);
bool hotstream_take(const uint8_t *data, size_t size);
// Forgets what was taken.
void hotstream_forget_taken(void);

// Before and after a fork: meanwhile no thread is in the middle of a change.
void hotstream_fork(bool before);

#endif
