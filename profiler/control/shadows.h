// The profiler's part of where=shadow: recording in a shadow, and adding the results of shadows to the profile.
#ifndef CABERNET_PROFILER_SHADOWS_H
#define CABERNET_PROFILER_SHADOWS_H

#include "vm/api/profiler.h"

extern struct Shadows {
    ShadowFact *facts;     // rows of the profile's header
    int fact_count;
    uint64_t collapsed;    // entries of hidden methods
} shadows;

// Functions of ProfilerInterface.
const ShadowRequest *shadows_request(void);
void shadows_begin(void);
bool shadows_give(uint8_t **data, size_t *size);
bool shadows_take(const uint8_t *data, size_t size, double part);
void shadows_lost(void);
bool shadows_native(const char *class_name, const char *name, const char *desc);
void shadows_facts(const ShadowFact *facts, int count);

#endif
