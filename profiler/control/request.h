// What -Xprofile asks for. The grammar:
//
//     -Xprofile:ANALYSIS[,ANALYSIS...][:KEY=VALUE]...
//     -Xprofile:PRESET[:KEY=VALUE]...
//     -Xprofile:help
//
// A backslash takes the next character literally, so a file name may hold a colon. The words are
// the rows of analyses.def and options.def. Pure functions; malloc only.
#ifndef CABERNET_PROFILER_REQUEST_H
#define CABERNET_PROFILER_REQUEST_H

#include <stdbool.h>
#include <stddef.h>

#include "profiler/analyses/activity.h"
#include "profiler/analyses/analysis.h"
#include "profiler/control/scope.h"
#include "profiler/control/transport.h"
#include "profiler/productions/productions.h"
#include "vm/api/sampling.h"
#include "vm/api/shadow.h"

typedef struct Request {
    bool help;
    bool analysis[ANALYSIS_COUNT];
    bool part[PART_COUNT];  // of the analysis "threads"
    char *trace;    // file of trace=, NULL: none
    LockDetail locks;  // of locks=
    char *between;  // pairs of points of between=, NULL: none
    char *file;     // pattern of file=, NULL: default
    bool fed[ANALYSIS_COUNT];  // of these: productions hand events to them, which they do not take themselves
    char *scope_text;  // of scope=, NULL: everything
    Scope *scope;      // the same, taken apart
    bool from_main; // the profile begins when the program's main is called
    bool message;   // say where the profile was written
    SamplingRequest sampling;
    uint32_t phases;   // how much rarer samples of known phases are; 0: phases are not looked for
    AnalysisSettings settings;
    TransportRequest transport;
    bool calls;              // transport=call: each event is a call of the analyses
    Productions *productions;  // of productions=, NULL: there are none
    bool in_shadows;   // where=shadow; the rest is for that
    ShadowRequest shadow;
    Scope *natives;    // NULL: none
} Request;

// Fills *r; request_free releases it whatever the outcome. False: *error (NUL-terminated, cut at
// error_size) says what is wrong and what would be right.
bool request_parse(Request *r, const char *text, char *error, size_t error_size);
void request_free(Request *r);

// Changes a running profile's sampling by KEY=VALUE[:KEY=VALUE]...: interval, jitter and burst. What is
// not named stays; a jitter that does not fit the new interval becomes its default. False with *error
// and *s unchanged when that cannot be.
bool request_change(SamplingRequest *s, const char *text, char *error, size_t error_size);

// The same of a profile with productions, whose registers are changed by NAME=VALUE as well: none of them, or all. Threads
// see the values when they next set a counter to them; *s, if the productions are the sampling framework, at once.
bool request_change_productions(Productions *p, SamplingRequest *s, const char *text, char *error, size_t error_size);

// The interval, burst and phase that productions of the sampling shape have now. False with *error when they cannot be.
bool request_sampling_of(const Productions *p, SamplingRequest *s, char *error, size_t error_size);

// The words of options.def for a value of the request. Static.
const char *request_mode_name(const SamplingRequest *s);
const char *request_dup_name(uint8_t dup);        // DUP_
const char *request_checks_name(uint8_t checks);  // CHECKS_
const char *request_copies_name(uint8_t copies);

// The file's name: %p in the pattern becomes the process id, %% a percent sign. malloc'd, NULL when
// out of memory.
char *request_file(const Request *r, long process_id);

// The text of -Xprofile:help, malloc'd; NULL when out of memory.
char *request_help(void);

#endif
