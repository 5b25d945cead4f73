// What hot-stream keeps: for each thread a grammar of its data references (profiler/streams/sequitur.h), and for the process which
// objects there are. A trace outlives its thread; the next thread goes on with it, behind a separator. Reports read it all
// while threads stand still.
//
// Memory is bounded by limit=: grammars' nodes, references and objects are taken from it. What there is no room for is lost, and counted.
#ifndef CABERNET_PROFILER_HOTSTREAM_H
#define CABERNET_PROFILER_HOTSTREAM_H

#include "profiler/analyses/analysis.h"
#include "profiler/streams/hotstreams.h"

// An object by its number in order of appearance, and where it was made; `method` STREAM_UNKNOWN: that was not recorded.
typedef struct StreamObject {
    uintptr_t address;
    uint32_t number, cls, method;
    int32_t bci;
} StreamObject;
#define STREAM_UNKNOWN UINT32_MAX

// A data reference, which is a terminal of the grammar: an object, and a field or the offset of an element.
#define STREAM_ELEMENT 0x80000000u
typedef struct StreamSymbol {
    StreamObject object;   // number 0: of a static field
    uint32_t what;         // field id, or the bit with the bytes from the array's address
    uintptr_t word;        // of 8 bytes, that it is in
} StreamSymbol;

typedef struct StreamTrace {
    struct StreamTrace *next;
    bool taken;            // a thread has it
    Sequitur grammar;
    StreamSymbol *symbols;
    uint32_t symbol_count, symbol_room;
    uint32_t *slots, mask; // of symbols by what they are, one more than their numbers
    uint64_t lost;
    double weight;         // what each reference stands for (phases=)
} StreamTrace;

const AnalysisSettings *hotstream_settings(void);   // heat= and limit=
StreamTrace *hotstream_traces(void);                // all of them
uint64_t hotstream_objects(void);                   // that there are numbers of
uint64_t hotstream_lost_untraced(void);             // events lost by threads for which limit= has no room for a trace
void hotstream_report(Sections *out, bool last);

// A shadow finds its streams itself, with heat= of its own references, and gives what a report would show; the program's report adds
// up what shadows gave. So what is hot in one shadow and not in another counts for the one.
void hotstream_give(const struct ProfileHost *host, FILE *out);
bool hotstream_take(const uint8_t *data, size_t size);

// Around a fork: nobody is in the middle of a change.
void hotstream_lock(void);
void hotstream_unlock(void);

#endif
