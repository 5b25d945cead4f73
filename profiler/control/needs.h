// The needs of a profile (ProfileNeeds), computed from the needs of its analyses.
#ifndef CABERNET_PROFILER_CONTROL_NEEDS_H
#define CABERNET_PROFILER_CONTROL_NEEDS_H

#include "profiler/ring/transport.h"
#include "vm/api/profiler.h"

typedef struct ProfileRequest Request;

// The needs of the profile whose analyses have begun, without shadow_sink.
ProfileNeeds needs_make(const Request *r);

// The contents of the rings that the analyses need.
TransportNeeds needs_of_rings(const Request *r);

// Events that are only counted by every analysis that takes them.
EventSet needs_only_counts(const Request *r);

#endif
