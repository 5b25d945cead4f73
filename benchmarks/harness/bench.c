// cabernet-bench: the subcommands that compare and measure; the first word of the command line selects one.
#include <stdio.h>
#include <string.h>

#include "benchmarks/harness/arnold_ryder.h"
#include "benchmarks/harness/campaign.h"
#include "benchmarks/harness/changepoint.h"
#include "benchmarks/harness/pair.h"
#include "benchmarks/harness/pairs.h"
#include "benchmarks/harness/run.h"

typedef struct Mode {
    const char *name;
    int (*run)(int argc, char **argv);  // argv[0] is the name
} Mode;

static const Mode modes[] = {
    {"pair", pair_main},         {"stats", pairs_stats},        {"run", campaign_run},
    {"report", campaign_report}, {"compare", campaign_compare}, {"jobs", campaign_jobs},
    {"merge", campaign_merge},   {"warmup", warmup_main},       {"arnold-ryder", arnold_ryder},
};

int main(int argc, char **argv) {
    const char *mode = argc >= 2 ? argv[1] : "";
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (strcmp(mode, modes[i].name) == 0) return modes[i].run(argc - 1, argv + 1);
    bool help = strcmp(mode, "help") == 0 || strcmp(mode, "--help") == 0 || strcmp(mode, "-h") == 0;
    if (mode[0] && !help) run_die("there is no command ", mode);
    FILE *to = help ? stdout : stderr;
    pair_usage(to);
    fputs("       cabernet-bench stats FILE            the ratios of a file of raw data, once more\n"
          "       cabernet-bench arnold-ryder --help\n",
          to);
    campaign_usage(to);
    return help ? 0 : 2;
}
