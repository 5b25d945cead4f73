// A thread's states of the analyses, and the sink lists through which events reach them. With phases= a thread has one
// set of states per phase.
#ifndef CABERNET_PROFILER_CONTROL_STATES_H
#define CABERNET_PROFILER_CONTROL_STATES_H

#include "profiler/analyses/analysis.h"
#include "profiler/control/phases.h"
#include "vm/api/eventplaces.h"

typedef struct Profiler Profiler;
typedef struct ProfileRequest Request;

typedef struct States {
    struct AnySink *sinks;  // memory of the sink lists
    void **of;              // by AnalysisId, up to the last requested one. NULL: not requested, or shrunk to the
                            // record's table
    int count;
} States;

static inline void *states_of(const States *s, int analysis) { return analysis < s->count ? s->of[analysis] : NULL; }

// Creates the states of the thread that reports to `to`, with settings. `places`: where compiled code
// finds its position in a call tree; NULL: nowhere. False: out of memory; states_clear then frees what was created.
bool states_begin(States *s, const Profiler *p, AnalysisSettings *settings, EventThread *to, uint64_t id,
                  const char *name, EventPlaces *places);
void states_clear(States *s);
// Makes room for states of all requested analyses; states_begin does this as well. False: out of memory.
bool states_make_room(States *s, const Request *r);
// Frees the state of an analysis, if there is one.
void states_drop(States *s, int analysis);

// Builds the sink lists of all events that any analysis of the set takes, and installs them. `phases` receives calls;
// NULL: without phases=. False: out of memory.
bool states_listen(States *s, const Request *request, EventThread *t, Phases *phases);
// Installs sinks that do nothing.
void states_ignore(EventThread *t);

#endif
