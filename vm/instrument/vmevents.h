// The events of threads, monitors, stops and collections, which do not come from bytecode: from the places in lower rooms
// (vm/threads/threadevents.h) to the sinks. They belong to no method, so scope= does not touch them, and they are
// reported whether or not the thread is sampled. They are not while a profile is stopped.
#ifndef CABERNET_VM_INSTRUMENT_VMEVENTS_H
#define CABERNET_VM_INSTRUMENT_VMEVENTS_H

#include "vm/threads/thread.h"

// Begins to listen, if an event of this kind is wanted (instrument_wants_anywhere), or ends it. World stopped, or before
// the first thread starts.
void vmevents_listen(bool on);

// The first and the last event of a thread, on itself.
void vmevents_thread_start(Thread *self);
// Recording begins or goes on in a thread that stands still.
void vmevents_stack(Thread *t);
void vmevents_thread_end(Thread *self);
// cabernet.Profile.mark, on the thread that calls it. `name` is UTF-8.
void vmevents_mark(Thread *self, const char *name, uint64_t key);
// By the collector, world stopped, when a collection is done.
void vmevents_collection(void);

#endif
