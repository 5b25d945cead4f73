// The counters as requested by the option events= of -Xprofile: NAME or NAME/PERIOD, separated by commas, where NAME is
// a row of vm/api/counters.def, and PERIOD the number of events from one sample to the next (k, m: units; 0: no
// samples). No state.
#ifndef CABERNET_PROFILER_ANALYSES_COUNTERREQUEST_H
#define CABERNET_PROFILER_ANALYSES_COUNTERREQUEST_H

#include <stddef.h>

#include "vm/api/counters.h"

// The text for an absent option.
#define COUNTERREQUEST_DEFAULT "cycles,instructions,cache-misses"

// Reads the text into *to. False with *error when a name is unknown or named twice, or a period is out of range.
// Allocates with malloc.
bool counterrequest_parse(CounterRequest *to, const char *text, char *error, size_t error_size);
// The request as a text that counterrequest_parse accepts.
enum { COUNTERREQUEST_TEXT = 512 };
void counterrequest_text(const CounterRequest *request, char text[static COUNTERREQUEST_TEXT]);
// Why the system has no such counter: `error` is the errno of counter_open, `paranoid` what
// /proc/sys/kernel/perf_event_paranoid contains.
void counterrequest_explain(enum CounterId id, int error, int paranoid, char *text, size_t size);

const char *counterrequest_name(enum CounterId id);
// Where it counts: "user", "user and kernel" or "kernel".
const char *counterrequest_where(enum CounterId id);

#endif
