// Call contexts of events in rings. The thread that makes an event stores its context here once and writes the number
// into its ring; the consumer finds the frames by the number. Contexts stay until the profile ends.
//
// Any thread; a lock is held briefly.
#ifndef CABERNET_PROFILER_RING_RINGCONTEXTS_H
#define CABERNET_PROFILER_RING_RINGCONTEXTS_H

#include "vm/api/events.h"

enum { RINGCONTEXTS_FRAMES = 40 };
// The number of the current thread's context, in which an event is made: its innermost frames, or with `deep`
// CALLCONTEXT_MOST (vm/api/callcontext.h). 0: it has no frames, or there is no memory.
uint32_t ringcontexts_here(bool deep);
// The frames of a context, which stay where they are; *to keeps its time. 0 has none.
void ringcontexts_at(uint32_t number, EventMoment *to);
// No thread refers to a context any more.
void ringcontexts_forget(void);
// Around a fork.
void ringcontexts_fork(bool before);

#endif
