// What the records of a campaign come to: a cell for each program and configuration, ratios to the baseline with intervals,
// and what machines differ in.
#ifndef CABERNET_BENCHMARKS_SUMMARY_H
#define CABERNET_BENCHMARKS_SUMMARY_H

#include <stdbool.h>
#include <stdio.h>

#include "benchmarks/harness/changepoint.h"
#include "benchmarks/harness/records.h"
#include "benchmarks/harness/stats.h"

// One invocation of a program on a configuration that went well.
typedef struct Observation {
    const char *machine;   // in the records
    int invocation;
    int plan;              // number of the file of plans that the invocation had, counted from 0
    size_t n;              // iterations
    double *cpu_ns, *wall_ns;
    double steady_cpu_ns, steady_wall_ns;  // medians of the steady iterations
    double compile_ns;     // of all iterations
    double gc_ns;          // of a steady iteration, on average
    double peak_kib;
    Warmup warmup;         // of the time that the campaign is about
} Observation;

typedef struct Cell {
    Observation *observations;
    size_t n, capacity, failed;   // failed: invocations that did not go well; then the cell has no figures
    const char *status, *detail;  // of the first of them
    bool checked;                 // outputs were compared with what was expected
    WarmupClass warmup;
    double cpu_ms, wall_ms, compile_ms, gc_ms, peak_mib;  // means over observations; NAN without any
    double spread;                // standard deviation of the observations' steady times by their mean
    int least_heap_mib, heap_mib; // 0: not searched
    Interval cpu, wall;           // ratios to the baseline, of it 1; NAN where there is none
} Cell;

typedef struct MachineEffect {
    const char *machine;
    Interval ratio;        // geometric mean over all programs, of what the campaign is about
} MachineEffect;

typedef struct Summary {
    Campaign campaign;
    Cell *cells;                   // [subject * n_configurations + configuration]
    Interval *cpu, *wall;          // geometric means, of each configuration
    size_t *programs;              // that they are over
    const char **machines;
    size_t n_machines;
    MachineEffect *effects;        // [configuration * n_machines + machine]
    Interval *across;              // of each configuration, what a machine like these may show; NAN with one machine
    const Records *records;
} Summary;

// The records must live as long as the summary. Ends the process where their description is wrong.
Summary summary_of(const Records *r);
void summary_free(Summary *s);

static inline Cell *summary_cell(const Summary *s, size_t subject, size_t configuration)
{
    return &s->cells[subject * s->campaign.n_configurations + configuration];
}
// The baseline's invocation of the same block, on the same machine; NULL: there is none.
const Observation *summary_beside(const Cell *base, const Observation *o);
// Do the ratios of two configurations depend on plans, of which there are several? Then processes of one plan are not independent.
static inline bool summary_by_plan(const Summary *s, size_t one, size_t other)
{
    const Configuration *c = s->campaign.configurations;
    return s->campaign.plans > 1 && (c[one].replays || c[other].replays);
}
// Is there something to say of a cell by its plans? Of the baseline's that is how it varies.
bool summary_shows_plans(const Summary *s, size_t subject, size_t configuration);
// The ratio to the baseline with one plan: median over its invocations; NAN where there is none.
double summary_plan_ratio(const Summary *s, size_t subject, size_t configuration, int plan, bool wall);

// How much steady times vary, as parts of their mean: between plans, from process to process with the same one. NAN where unknown.
typedef struct PlanSpread {
    double between, within;
} PlanSpread;
PlanSpread summary_plan_spread(const Summary *s, const Cell *c);

// May the cell's figures be averaged?
static inline bool summary_good(const Cell *c) { return c->n > 0 && c->failed == 0; }

void summary_text(FILE *out, const Summary *s);
json_t *summary_json(const Summary *s);  // the caller owns it
void summary_html(FILE *out, const Summary *s);

// Table on standard output; result.json and report.html into the directory. True when a cell has failed.
bool summary_write(const Records *r, const char *dir);

#endif
