// The profiler's part of where=shadow: recording in a shadow, and adding the results of shadows to the profile.
#ifndef CABERNET_PROFILER_CONTROL_SHADOWS_H
#define CABERNET_PROFILER_CONTROL_SHADOWS_H

#include "vm/api/profiler.h"

extern struct Shadows {
    ShadowFact *facts;  // rows of the profile's header
    int fact_count;
    uint64_t collapsed;  // entries of hidden methods
} shadows;

// The profile has ended: forgets what shadows have handed over. No-op if there were none.
void shadows_end(void);

extern const ShadowSink shadows_sink;

#endif
