// cabernet-bench pair: the ratio of two commands, measured with both alive and taking turns.
#ifndef CABERNET_BENCHMARKS_HARNESS_PAIR_H
#define CABERNET_BENCHMARKS_HARNESS_PAIR_H

#include <stdio.h>

// argv[0] is "pair". Returns the exit code; ends the process with exit code 2 on wrong options.
int pair_main(int argc, char **argv);
void pair_usage(FILE *to);

// The words of a program ([OPTIONS] CLASS[.METHOD] [ARGUMENTS]) with the driver Repeat before the class and on the
// class path, and `how` after it: "turns", or a number of iterations. Ends the process if there is no class. Free them
// with run_free_words.
char **pair_driven_words(const char *driver, char **words, const char *how);
// The class path of the driver built or installed with this program. Constant after the first call.
const char *pair_own_driver(void);
// Values of the marks in a command. If `plan` or `program` is NULL, {plan} or {program} is not a mark.
typedef struct Marks {
    int layout;
    const char *side, *plan, *program;
} Marks;
// The word with the marks {layout}, {side}, {plan} and {program} replaced. The caller frees it.
char *pair_filled(const char *word, const Marks *marks);

#endif
