// Memory figures for java.lang.management and jcmd: two pools, the Java heap and class metadata, and the collections.
// Young and full collections count as those of two collectors of the heap. Any thread, any state; locks are held only
// briefly.
#ifndef CABERNET_VM_MANAGEMENT_MEMORYPOOL_H
#define CABERNET_VM_MANAGEMENT_MEMORYPOOL_H

#include <stdbool.h>
#include <stdint.h>

#include "gc/heap.h"

typedef enum MemoryPool { POOL_HEAP, POOL_METADATA, POOL_COUNT } MemoryPool;

// Names that MXBeans show.
typedef enum Collector { COLLECTOR_YOUNG, COLLECTOR_FULL, COLLECTOR_COUNT } Collector;
const char *memorypool_collector_name(Collector collector);
#define MEMORYPOOL_METADATA_MANAGER "Metaspace Manager"
const char *memorypool_name(MemoryPool pool);

// In bytes; -1: not defined.
typedef struct MemoryFigures {
    int64_t init, used, committed, max;
} MemoryFigures;

MemoryFigures memorypool_usage(MemoryPool pool);
MemoryFigures memorypool_peak(MemoryPool pool);  // since the start or the last reset
void memorypool_reset_peak(MemoryPool pool);

typedef struct LastCollection {
    Collector collector;
    uint64_t number;           // of this collector; 1 for the first
    int64_t total_ms;          // duration of all of this collector's
    int64_t start_ms, end_ms;  // since the VM's start
    const char *cause;         // static text
    MemoryFigures before[POOL_COUNT], after[POOL_COUNT];
} LastCollection;

// The last collection of all, and of one collector. False: none yet; all figures are zero.
bool memorypool_last_collection(LastCollection *out);
bool memorypool_last_collection_of(Collector collector, LastCollection *out);
// Number of collections that have finished.
uint64_t memorypool_collections(void);

// From now on wakes this thread (thread_wake), which must never end, after each collection. One thread.
struct Thread;
void memorypool_wake_after_collections(struct Thread *thread);
// Wakes it now.
void memorypool_wake_waiting(void);

// For vm/boot/heapglue.c: HeapCallbacks.collection_finished.
void memorypool_collection_finished(void *ctx, const HeapReport *report);

#endif
