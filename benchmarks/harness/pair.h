// cabernet-bench pair: the ratio of two commands, measured with both alive and taking turns.
#ifndef CABERNET_BENCHMARKS_PAIR_H
#define CABERNET_BENCHMARKS_PAIR_H

#include <stdio.h>

// argv[0] is "pair". Returns the exit code; ends the process with 2 when the options are wrong.
int pair_main(int argc, char **argv);
void pair_usage(FILE *to);

// The words of a program ([OPTIONS] CLASS[.METHOD] [ARGUMENTS]) with the driver Repeat in front of the class and on the class path, and
// `how` behind it: "turns", or a number of iterations. Ends the process if there is no class. Free them with run_free_words.
char **pair_driven_words(const char *driver, char **words, const char *how);
// The word with the marks {layout} and {side} filled in. The caller frees it.
char *pair_filled(const char *word, int layout, const char *side);

#endif
