// The calling contexts that productions take (action context): each once, with how often, for the process. A fixed number of
// them; what does not fit any more is counted.
#ifndef CABERNET_PROFILER_PRODUCTIONCONTEXTS_H
#define CABERNET_PROFILER_PRODUCTIONCONTEXTS_H

#include <stdint.h>
#include <stdio.h>

#include "profiler/analyses/section.h"

enum { PRODUCTION_CONTEXTS = 16384 };

// That of the current thread, `frames` of it at most, for a production. `entered`: a method that is being entered, whose own
// frame may be there already and does not count; UINT32_MAX: none. Takes a lock for a moment; no allocation.
void productioncontexts_take(uint32_t production, uint32_t frames, uint32_t entered);

// A section for each production that has any: its contexts, the most frequent first.
void productioncontexts_report(Sections *out);

// Those of a shadow, for the program, which reports them instead of its own (Analysis.give and take).
void productioncontexts_give(const struct ProfileHost *host, FILE *out);
bool productioncontexts_from_shadow(const uint8_t *data, size_t size);

#endif
