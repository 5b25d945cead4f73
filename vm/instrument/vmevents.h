// Events of threads, monitors, stops and collections, which do not come from bytecode: from lower modules
// (vm/threads/threadevents.h) to the sinks. They belong to no method, so scope= does not affect them, and they are
// reported whether or not the thread is sampled. They are not reported while a profile is stopped.
#ifndef CABERNET_VM_INSTRUMENT_VMEVENTS_H
#define CABERNET_VM_INSTRUMENT_VMEVENTS_H

#include "vm/threads/thread.h"

// Starts to listen if an event of this kind is wanted (instrument_wants_any), or stops. sample_bytes: the distance of
// samples of allocation, 0: none. World stopped, or before the first thread starts.
void vmevents_listen(bool on, uint64_t sample_bytes);

// The profile is about to be written for the last time: ends the record of the thread named "VM". World stopped.
void vmevents_end(void);

// The first and the last event of a thread, on itself.
void vmevents_thread_start(Thread *self);
// Recording begins or resumes in a stopped thread.
void vmevents_stack(Thread *t);
void vmevents_thread_end(Thread *self);
// cabernet.Profile.mark, on the thread that calls it. `name` is UTF-8.
void vmevents_mark(Thread *self, const char *name, uint64_t key);
// Called by the collector, with the world stopped, when a collection is done.
void vmevents_collection(void);

#endif
