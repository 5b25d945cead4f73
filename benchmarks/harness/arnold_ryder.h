// The measurements behind `cabernet-bench arnold-ryder`: programs, configurations, and what each
// configuration did to each program. arnold_ryder.c runs them, arnold_ryder_turns.c times them, arnold_ryder_tables.c shows what came of it.
#ifndef CABERNET_BENCHMARKS_ARNOLD_RYDER_H
#define CABERNET_BENCHMARKS_ARNOLD_RYDER_H

#include <stdbool.h>
#include <stdint.h>

#include "benchmarks/harness/stats.h"

enum ArConfig {
#define CONFIG(id, profile, tables, timed) AR_##id,
#include "benchmarks/harness/arnold_ryder.def"
    AR_CONFIGS
};

enum { AR_MAX_PROGRAMS = 40, AR_MAX_PAIRS = 200, AR_MOST_ALIVE = 8 };  // alive: configurations that take turns, beside the VM without a profile

// How good a sampled profile is; percentages.
typedef struct ArAccuracy {
    bool known;
    double overlap[2], ideal[2];  // of call-edge and field-access; NAN: not in the profile
    double samples, checks, events;
} ArAccuracy;

// What -Xjit:stats says of a run.
typedef struct ArCost {
    double compile_ms, code, methods;  // code: bytes; methods: compilations, for not all plans are asked for
} ArCost;

// One configuration of one program: pairs of a run without a profile and one with it.
typedef struct ArCell {
    char *profile;                // text after -Xprofile:
    bool failed;
    int runs;                     // 1: plain_cost and cost are known
    int n;                        // times; from turns one for each stretch of each layout of the code, of processor time without the compiler's
    bool timed;                   // by turns
    double plain_ms[AR_MAX_PAIRS], ms[AR_MAX_PAIRS];
    ArCost plain_cost, cost;
    ArAccuracy accuracy;
} ArCell;

typedef struct ArProgram {
    char *name;
    char *spec;                   // NAME=[OPTIONS] CLASS[.METHOD] [ARGUMENTS]
    char **args;                  // behind the VM's: the same, some iterations in one process
    double plain_ms;              // of the run without a profile
    ArCost plain_cost;
    char *expected;               // what it prints, without times
    char *expected_turns;         // checksum of what an iteration prints
    bool failed;
    ArCell cell[AR_CONFIGS];
} ArProgram;

typedef struct ArBench {
    const char *vm_text, *prof, *out, *tables, *driver;
    char **vm;
    int layouts, skip, iterations;
    double budget_s;              // for everything; 0: as long as it takes
    int64_t start_ns;
    bool replay;
    double limit_s;
    int error_log;
    ArProgram program[AR_MAX_PROGRAMS];
    int count;
} ArBench;

// Does a table that was asked for need this configuration?
bool ar_wanted(const ArBench *b, int config);

const char *ar_id(int config);
bool ar_is_exact(int config);    // with the analyses that samples are compared with
bool ar_is_sampled(int config);  // with accuracy

// OUT/PROGRAM.SUFFIX; the caller frees it.
char *ar_path(const ArBench *b, const ArProgram *p, const char *suffix);
// What the file of -Xjit:stats says; 0 for what it does not.
void ar_read_stats(const char *path, ArCost *cost);
void ar_keep_costs(ArCell *c, const ArCost *plain, const ArCost *with);
// The overlap of two profiles; *a stays as it is if they cannot be compared, which is said.
void ar_compare(const ArBench *b, const ArProgram *p, const char *exact, const char *sampled, ArAccuracy *a);
// Times of so many configurations (at most AR_MOST_ALIVE), in turns that take about so many seconds in all. False, with a message,
// when the program fails without a profile, or was interrupted; configurations that fail are marked.
bool ar_take_turns(const ArBench *b, ArProgram *p, const int *configs, int n, int layout, double seconds);

// The tables on stdout; all data in OUT/arnold-ryder.json; OUT/arnold-ryder.gp and .dat, and the plot
// that gnuplot makes of them if it is installed.
void ar_print(const ArBench *b);
void ar_write_json(const ArBench *b);
void ar_plot(const ArBench *b);

// Everything: `cabernet-bench arnold-ryder OPTIONS`. Returns the exit code.
int arnold_ryder(int argc, char **argv);

#endif
