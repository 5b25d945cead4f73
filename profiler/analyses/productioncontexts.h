// The calling contexts recorded by productions (action context): each distinct context once with its count, per
// process. Their number is limited; contexts beyond the limit are counted.
#ifndef CABERNET_PROFILER_ANALYSES_PRODUCTIONCONTEXTS_H
#define CABERNET_PROFILER_ANALYSES_PRODUCTIONCONTEXTS_H

#include <stdint.h>
#include <stdio.h>

#include "profiler/analyses/section.h"

enum { PRODUCTION_CONTEXTS = 16384 };

// Records the current thread's context, at most `frames` frames of it, for a production. `entered`: a method being
// entered, whose own frame may already exist and is left out; UINT32_MAX: none. Takes a lock briefly; no Java
// allocation.
void productioncontexts_take(uint32_t production, uint32_t frames, uint32_t entered);

// Writes a section for each production with contexts, most frequent first.
void productioncontexts_report(Sections *out, bool last);

// Hands a shadow's contexts to the program, whose report then shows only these (Analysis.give and take).
void productioncontexts_give(const struct ProfileHost *host, FILE *out);
bool productioncontexts_from_shadow(const uint8_t *data, size_t size);

// Analysis.end. Contexts from shadows, whose profile lasts as long as the process, stay.
void productioncontexts_end(void);

#endif
