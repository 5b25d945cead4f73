// The request given by -Xprofile. The grammar:
//
//     -Xprofile:NAME[,NAME...][:KEY=VALUE]...   NAME: an analysis or a preset
//     -Xprofile:help[=all|=NAME|=KEY]
//
// A backslash makes the next character literal, so a file name may contain a colon. The words are the rows of
// analyses.def, preset.def and options.def. Pure functions; malloc only.
#ifndef CABERNET_PROFILER_CONTROL_REQUEST_H
#define CABERNET_PROFILER_CONTROL_REQUEST_H

#include <stdbool.h>
#include <stddef.h>

#include "profiler/concurrency/activity.h"
#include "profiler/analyses/analysis.h"
#include "profiler/control/scopefilter.h"
#include "profiler/ring/transport.h"
#include "profiler/productions/productions.h"
#include "vm/api/profiler.h"

typedef struct ProfileRequest {
    bool help;
    bool analysis[ANALYSIS_COUNT];
    bool part[PART_COUNT];     // of the analysis "threads"
    char *trace;               // file of trace=, NULL: none
    LockDetail locks;          // from locks=
    char *between;             // pairs of points from between=, NULL: none
    char *file;                // pattern from file=, NULL: default
    char *name;                // from name=, NULL: default
    bool fed[ANALYSIS_COUNT];  // subset of `analysis` that gets its events from productions only
    char *scope_text;          // from scope=, NULL: everything
    Scope *scope;              // the same, parsed
    bool from_main;            // the profile begins when the program's main is called
    bool message;              // report where the profile was written
    bool answers;              // with the methods that took most time (control/answers.h)
    SamplingRequest sampling;
    uint32_t phases;  // factor by which samples of known phases are rarer; 0: phases are not detected
    AnalysisSettings settings;
    AnalysisSettings compared;  // the same for the other side of transport=tee
    TransportRequest transport;
    uint32_t hz[TIME_CLOCKS];  // from hz=; 0: the clock is not sampled
    bool calls;                // transport=call: each event calls the analyses
    Productions *productions;  // from productions=, NULL: none
    bool in_shadows;           // where=shadow; the fields below belong to it
    ShadowRequest shadow;
    Scope *natives;  // NULL: none
} Request;

// Does an analysis take events from the VM? Otherwise productions hand them to it, or it is not requested.
static inline bool request_listens(const Request *r, int a) { return r->analysis[a] && !r->fed[a]; }
// Does an analysis take samples of allocation (every=)?
static inline bool request_samples_allocation(const Request *r) {
    return r->analysis[ANALYSIS_alloc_tree] || r->analysis[ANALYSIS_alloc_lifetime];
}
// Does an analysis read cache=?
static inline bool request_has_cache(const Request *r) {
    return r->analysis[ANALYSIS_cache] || r->analysis[ANALYSIS_reuse_distance] || r->analysis[ANALYSIS_sharing];
}

// Fills *r, which request_free releases whatever the outcome. False: *error (NUL-terminated, truncated to error_size)
// says what is wrong and what would be valid.
bool request_parse(Request *r, const char *text, char *error, size_t error_size);
void request_free(Request *r);

// Changes a running profile's sampling by KEY=VALUE[:KEY=VALUE]...: interval, jitter and burst. Other values are kept;
// a jitter that does not fit the new interval becomes its default. False with *error and *s unchanged if the change is
// invalid.
bool request_change(SamplingRequest *s, const char *text, char *error, size_t error_size);

// The same for a profile with productions, whose registers can also be changed by NAME=VALUE: all changes are made, or
// none. Threads see a new value when they next load a counter from it; *s changes at once if the productions control
// sampling.
bool request_change_productions(Productions *p, SamplingRequest *s, const char *text, char *error, size_t error_size);

// The current interval, burst and phase of productions of the sampling shape. False with *error if they are invalid.
bool request_sampling_of(const Productions *p, SamplingRequest *s, char *error, size_t error_size);

// The word of options.def for how the request samples. Static.
const char *request_mode_name(const SamplingRequest *s);

// The same for transport=.
const char *request_transport_name(const Request *r);

// The file name: %p in the pattern becomes the process id, %% a percent sign. malloc'd, NULL when out of memory.
char *request_file(const Request *r, long process_id);

// The help that `text` asks for: "help", "help=all" or "help=NAME", which request_parse has accepted. malloc'd; NULL
// when out of memory.
char *request_help(const char *text);

#endif
