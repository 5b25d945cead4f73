// The functions of the profiler's interface to the VM (vm/api/profiler.h), declared for the profiler's own files and
// tests.
#ifndef CABERNET_PROFILER_PROFILER_H
#define CABERNET_PROFILER_PROFILER_H

#include "vm/api/profiler.h"

ProfilerParse profiler_parse(const char *text, char *error, size_t error_size);
char *profiler_help(void);
bool profiler_start(const char *text, const ProfileHost *host, char *error, size_t error_size);
void profiler_describe_run(const ProfileRun *run);
EventSet profiler_events(void);
EventSet profiler_placed_events(void);
EventSet profiler_counts(void);
bool profiler_has_ring(void);
bool profiler_overwrites(void);
bool profiler_waits(void);
SamplingRequest profiler_sampling(void);
bool profiler_in_scope(const char *class_name, const char *name, const char *desc);
bool profiler_watches(const char *class_name, const char *name, const char *desc);
const char *profiler_mode_name(const SamplingRequest *s);
bool profiler_change_sampling(SamplingRequest *s, const char *text, char *error, size_t error_size);
EventThread *profiler_thread_start(uint64_t thread_id, const char *name, bool service, EventPlaces *places);
void profiler_thread_rename(EventThread *t, const char *name);
void profiler_thread_end(EventThread *t);
void profiler_counted(EventThread *t, enum EventId event, const uint32_t *words, uint64_t times);
void profiler_lost(enum EventId event);
void profiler_write(const char *why);
bool profiler_dump(const char *path, char *error, size_t error_size);
ProfileSnapshot *profiler_snapshot(uint64_t version, const SamplingRequest *sampling);
const ShadowRequest *profiler_shadow_request(void);
void profiler_shadow_begin(void);
bool profiler_shadow_give(uint8_t **data, size_t *size);
bool profiler_shadow_take(const uint8_t *data, size_t size, double part);
void profiler_shadow_lost(void);
bool profiler_shadow_converged(void);
void profiler_shadow_call(uint32_t caller, uint32_t callee);
bool profiler_shadow_phase(void);
bool profiler_shadow_native(const char *class_name, const char *name, const char *desc);
void profiler_shadow_facts(const ShadowFact *facts, int count);
void profiler_forget(void);

#endif
