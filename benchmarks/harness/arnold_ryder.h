// The measurements behind `cabernet-bench arnold-ryder`: programs, configurations, and what each
// configuration did to each program. arnold_ryder.c measures, arnold_ryder_tables.c shows.
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

enum { AR_MAX_PROGRAMS = 40, AR_MAX_PAIRS = 200 };

// How good a sampled profile is; percentages.
typedef struct ArAccuracy {
    bool known;
    double overlap[2], ideal[2];  // of call-edge and field-access; NAN: not in the profile
    double samples, checks, events;
} ArAccuracy;

// One configuration of one program: pairs of a run without a profile and one with it.
typedef struct ArCell {
    char *profile;                // text after -Xprofile:
    bool failed;
    int runs;                     // of which there are times to compile and sizes of code
    int n;                        // times; from turns one for each layout of the code, of processor time
    bool timed;                   // by turns
    double plain_ms[AR_MAX_PAIRS], ms[AR_MAX_PAIRS];
    double plain_compile_ms[AR_MAX_PAIRS], compile_ms[AR_MAX_PAIRS];
    double plain_code[AR_MAX_PAIRS], code[AR_MAX_PAIRS];  // bytes
    double plain_methods[AR_MAX_PAIRS], methods[AR_MAX_PAIRS];  // compilations: not all plans are asked for
    ArAccuracy accuracy;
} ArCell;

typedef struct ArProgram {
    char *name;
    char *spec;                   // NAME=[OPTIONS] CLASS[.METHOD] [ARGUMENTS]
    char **args;                  // behind the VM's: the same, some iterations in one process
    double plain_ms, plain_compile_ms, plain_code, plain_methods;  // of the run without a profile
    char *expected;               // what it prints, without times
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

// The tables on stdout; all data in OUT/arnold-ryder.json; OUT/arnold-ryder.gp and .dat, and the plot
// that gnuplot makes of them if it is installed.
void ar_print(const ArBench *b);
void ar_write_json(const ArBench *b);
void ar_plot(const ArBench *b);

// Everything: `cabernet-bench arnold-ryder OPTIONS`. Returns the exit code.
int arnold_ryder(int argc, char **argv);

#endif
