// The commands JFR.start, JFR.check, JFR.dump and JFR.stop: a recording is a profile that the program cabernet-prof,
// installed beside the VM, converts to the format of JDK Flight Recorder. A process has one recording at a time. All
// functions: running state, any thread; they write the answer, or the reason of a refusal, to `out`.
#ifndef CABERNET_VM_MANAGEMENT_RECORDING_H
#define CABERNET_VM_MANAGEMENT_RECORDING_H

#include <stdio.h>

#include "vm/threads/thread.h"

typedef struct RecordingRequest {
    const char *name, *filename, *settings, *duration;  // as given; or NULL
} RecordingRequest;

// False: refused.
bool recording_start(Thread *self, const RecordingRequest *request, FILE *out);
// Writes the present recording, and continues it.
bool recording_dump(Thread *self, const RecordingRequest *request, FILE *out);
bool recording_stop(Thread *self, const RecordingRequest *request, FILE *out);
void recording_check(Thread *self, FILE *out);
// After a fork, in the child: it has no recording.
void recording_after_fork_child(void);

#endif
