// The states of a thread whose ring has several readers (shards=). The first reader's are the states of the record.
// Those of the other readers are here, only of the analyses that are shared out (Analysis.thread_shard); the rows of
// all are added.
//
// A Shards belongs to one record. The thread that uses the reader changes its states.
#ifndef CABERNET_PROFILER_CONTROL_SHARDS_H
#define CABERNET_PROFILER_CONTROL_SHARDS_H

#include "profiler/control/states.h"
#include "profiler/ring/transport.h"

typedef struct Shards Shards;

// Creates the states and sets the sinks of the ring's readers. `first`: the states of the first one. NULL: out of
// memory.
Shards *shards_new(Request *r, Transport *t, States *first);
// NULL is allowed.
void shards_free(Shards *s);

// For one analysis: adds the rows of its states, and the number of events that they could not record to *lost; frees
// its states. NULL is allowed.
void shards_collect(const Shards *s, int analysis, Table *table, uint64_t *lost);
void shards_drop(Shards *s, int analysis);

#endif
