// The measurements of `cabernet-bench arnold-ryder`: programs, configurations, and the effect of each configuration on
// each program. arnold_ryder.c runs them, arnold_ryder_turns.c times them, arnold_ryder_tables.c prints the results.
#ifndef CABERNET_BENCHMARKS_HARNESS_ARNOLD_RYDER_H
#define CABERNET_BENCHMARKS_HARNESS_ARNOLD_RYDER_H

#include <stdbool.h>
#include <stdint.h>

#include "benchmarks/harness/stats.h"

enum ArConfig {
#define CONFIG(id, profile, tables, timed) AR_##id,
#include "benchmarks/harness/arnold_ryder.def"
    AR_CONFIGS
};

enum { AR_MAX_PROGRAMS = 40, AR_MAX_PAIRS = 200, AR_MOST_ALIVE = 8 };  // alive: in turns with the VM without a profile

// Accuracy of a sampled profile, in percent.
typedef struct ArAccuracy {
    bool known;
    double overlap[2], ideal[2];  // of call-edge and field-access; NAN: not in the profile
    double samples, checks, events;
} ArAccuracy;

// Costs of a run, from -Xjit:stats.
typedef struct ArCost {
    double compile_ms, code, methods;  // code: bytes; methods: compilations, because not all plans are requested
} ArCost;

// One configuration of one program: pairs of a run without a profile and one with it.
typedef struct ArCell {
    char *profile;  // text after -Xprofile:
    bool failed;
    int runs;    // 1: plain_cost and cost are known
    int n;       // times; from turns: one per stretch and layout, without compilation; else one per iteration of a run
    bool timed;  // by turns
    double plain_ms[AR_MAX_PAIRS], ms[AR_MAX_PAIRS];
    ArCost plain_cost, cost;
    ArAccuracy accuracy;
} ArCell;

typedef struct ArProgram {
    char *name;
    char *spec;                     // NAME=[OPTIONS] CLASS[.METHOD] [ARGUMENTS]
    char **args;                    // after the VM's: the same, with several iterations in one process
    double plain_ms[AR_MAX_PAIRS];  // of the iterations of the run without a profile
    int plain_n;
    ArCost plain_cost;
    char *expected;        // its output, without times
    char *expected_turns;  // checksum of an iteration's output
    bool failed;
    ArCell cell[AR_CONFIGS];
} ArProgram;

typedef struct ArBench {
    const char *vm_text, *prof, *out, *tables, *driver;
    char **vm;
    int layouts, skip, iterations;
    double budget_s;     // for everything; 0: no limit
    double turns_share;  // of the budget, for the first turns
    int64_t start_ns;
    bool replay;
    double limit_s;
    int error_log;
    ArProgram program[AR_MAX_PROGRAMS];
    int count;
} ArBench;

// Whether a requested table needs this configuration.
bool ar_wanted(const ArBench *b, int config);

const char *ar_id(int config);
bool ar_is_exact(int config);    // has the analyses that samples are compared with
bool ar_is_sampled(int config);  // accuracy is computed

// OUT/PROGRAM.SUFFIX; the caller frees it.
char *ar_path(const ArBench *b, const ArProgram *p, const char *suffix);
// Reads the file of -Xjit:stats; missing values become 0.
void ar_read_stats(const char *path, ArCost *cost);
void ar_keep_costs(ArCell *c, const ArCost *plain, const ArCost *with);
// The overlap of two profiles. Leaves *a unchanged and prints a message if they cannot be compared.
void ar_compare(const ArBench *b, const ArProgram *p, const char *exact, const char *sampled, ArAccuracy *a);
// Times n configurations (at most AR_MOST_ALIVE), in turns that take about `seconds` in all. False, with a message,
// when the program fails without a profile, or on interruption; configurations that fail are marked.
bool ar_take_turns(const ArBench *b, ArProgram *p, const int *configs, int n, int layout, double seconds);

// Prints the tables on stdout; writes all data to OUT/arnold-ryder.json, and the plot's OUT/arnold-ryder.gp and .dat,
// which gnuplot plots if it is installed.
void ar_print(const ArBench *b);
void ar_write_json(const ArBench *b);
void ar_plot(const ArBench *b);

// Runs `cabernet-bench arnold-ryder OPTIONS`. Returns the exit code.
int arnold_ryder(int argc, char **argv);

#endif
