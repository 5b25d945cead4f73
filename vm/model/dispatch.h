// The interpreter's dispatch tables, one for each mode of execution.
#ifndef CABERNET_VM_MODEL_DISPATCH_H
#define CABERNET_VM_MODEL_DISPATCH_H

typedef enum InterpTable {
    INTERP_PLAIN,         // no profiling test at all
    INTERP_CHECKING,      // sampling: entries and loops count checks (vm/instrument/sampling.h), no events
    INTERP_SAMPLING,      // sampling: the same, and events
    INTERP_INSTRUMENTED,  // every event
    INTERP_STOP,          // every instruction first calls thread_safepoint
    INTERP_TABLES
} InterpTable;

#endif
