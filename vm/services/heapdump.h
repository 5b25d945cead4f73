// Heap dumps: all live objects and their roots as a file in HPROF format (vm/services/hprof.h).
//
// A dump begins with a collection and is written before the world resumes, by the collector thread, so it is consistent.
// Unreachable objects are never in it: their memory may already be reused in part, so what they refer to need not be an
// object.
#ifndef CABERNET_VM_SERVICES_HEAPDUMP_H
#define CABERNET_VM_SERVICES_HEAPDUMP_H

#include <stdio.h>

#include "vm/services/hprof.h"
#include "vm/threads/thread.h"

typedef struct HeapDumpFile {
    const char *path;  // relative to the VM's directory
    int level;         // of gzip's compression, 1 to 9; 0: not compressed
    bool overwrite;    // an existing file
} HeapDumpFile;

// Writes a heap dump. `out`, unless NULL, receives HotSpot's messages. False: there is no file, or the existing one is
// unchanged; `error` has the reason. Running state; collects, stops the world and blocks; allocates no Java objects.
bool heapdump_write(Thread *self, const HeapDumpFile *file, FILE *out, char error[HPROF_ERROR]);

#endif
