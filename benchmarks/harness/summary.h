// The results of a campaign's records: a cell for each program and configuration, ratios to the baseline with
// intervals, and the differences between machines.
#ifndef CABERNET_BENCHMARKS_HARNESS_SUMMARY_H
#define CABERNET_BENCHMARKS_HARNESS_SUMMARY_H

#include <stdbool.h>
#include <stdio.h>

#include "benchmarks/harness/changepoint.h"
#include "benchmarks/harness/rawdata.h"
#include "benchmarks/harness/stats.h"

// One successful invocation of a program on a configuration.
typedef struct Observation {
    const char *machine;  // owned by the records
    int invocation;
    int plan;  // number of the plan file of the invocation, counted from 0
    size_t n;  // iterations
    double *cpu_ns, *wall_ns;
    double steady_cpu_ns, steady_wall_ns;  // medians of the steady iterations
    double compile_ns;                     // of all iterations
    double gc_ns;                          // of a steady iteration, on average
    double peak_kib;
    Warmup warmup;  // of the time that the campaign measures
} Observation;

typedef struct Cell {
    Observation *observations;
    size_t n, capacity, failed;   // failed: invocations that failed; then the cell has no figures
    const char *status, *detail;  // of the first failure
    bool checked;                 // outputs were compared with the expected one
    WarmupClass warmup;
    double cpu_ms, wall_ms, compile_ms, gc_ms, peak_mib;  // means over observations; NAN without any
    double spread;                 // standard deviation of the observations' steady times, relative to their mean
    int least_heap_mib, heap_mib;  // 0: not searched
    Interval cpu, wall;            // ratios to the baseline, for which they are 1; NAN where there is none
} Cell;

typedef struct MachineEffect {
    const char *machine;
    Interval ratio;  // geometric mean over all programs, of the time that the campaign measures
} MachineEffect;

typedef struct Summary {
    Campaign campaign;
    Cell *cells;           // [subject * n_configurations + configuration]
    Interval *cpu, *wall;  // geometric means for each configuration
    size_t *programs;      // numbers of programs in these means
    const char **machines;
    size_t n_machines;
    MachineEffect *effects;  // [configuration * n_machines + machine]
    Interval *across;        // interval of each configuration for a machine of this kind; NAN with one machine
    const Records *records;
} Summary;

// The records must outlive the summary. Ends the process if their description is wrong.
Summary summary_of(const Records *r);
void summary_free(Summary *s);

static inline Cell *summary_cell(const Summary *s, size_t subject, size_t configuration) {
    return &s->cells[subject * s->campaign.n_configurations + configuration];
}
// The baseline's invocation in the same block on the same machine, or NULL.
const Observation *summary_beside(const Cell *base, const Observation *o);
// Whether the ratio of two configurations depends on plans, of which there are several. Processes of one plan are then
// not independent.
static inline bool summary_by_plan(const Summary *s, size_t one, size_t other) {
    const Configuration *c = s->campaign.configurations;
    return s->campaign.plans > 1 && (c[one].replays || c[other].replays);
}
// Whether to show a cell by its plans; for the baseline's cell, that shows its variation.
bool summary_shows_plans(const Summary *s, size_t subject, size_t configuration);
// The ratio to the baseline with one plan: the median over its invocations; NAN where there is none.
double summary_plan_ratio(const Summary *s, size_t subject, size_t configuration, int plan, bool wall);

// Variation of steady times, relative to their mean: between plans, and between processes with the same plan. NAN where
// unknown.
typedef struct PlanSpread {
    double between, within;
} PlanSpread;
PlanSpread summary_plan_spread(const Summary *s, const Cell *c);

// Whether the cell's figures may be averaged.
static inline bool summary_good(const Cell *c) { return c->n > 0 && c->failed == 0; }

void summary_text(FILE *out, const Summary *s);
json_t *summary_json(const Summary *s);  // the caller owns it
void summary_html(FILE *out, const Summary *s);

// Prints the table on standard output; writes result.json and report.html into the directory. True when a cell has
// failed.
bool summary_write(const Records *r, const char *dir);

#endif
