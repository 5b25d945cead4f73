// cabernet-bench: the programs that compare and measure, by the first word of the command line.
#include <stdio.h>
#include <string.h>

#include "benchmarks/harness/arnold_ryder.h"
#include "benchmarks/harness/pair.h"
#include "benchmarks/harness/pairs.h"

int main(int argc, char **argv)
{
    const char *mode = argc >= 2 ? argv[1] : "";
    if (strcmp(mode, "pair") == 0)
        return pair_main(argc - 1, argv + 1);
    if (strcmp(mode, "stats") == 0)
        return pairs_stats(argc - 1, argv + 1);
    if (strcmp(mode, "arnold-ryder") == 0)
        return arnold_ryder(argc - 1, argv + 1);
    bool help = strcmp(mode, "--help") == 0 || strcmp(mode, "-h") == 0;
    FILE *to = help ? stdout : stderr;
    pair_usage(to);
    fputs("       cabernet-bench stats FILE            the ratios of a file of raw data, once more\n"
          "       cabernet-bench arnold-ryder --help\n", to);
    return help ? 0 : 2;
}
