// One run of a command: its output, its times and its memory.
#ifndef CABERNET_BENCHMARKS_HARNESS_RUN_H
#define CABERNET_BENCHMARKS_HARNESS_RUN_H

#include <stdbool.h>
#include <stddef.h>

typedef struct Run {
    double wall_ms;  // from before fork to the end of the process
    double cpu_ms;   // user and system time of the process and its reaped children
    long max_rss_kib;
    int status;    // exit code, or 128 + signal
    bool late;     // killed at the time limit
    char *output;  // standard output, NUL-terminated
    size_t length;
} Run;

// Ends the program with the message followed by the detail on standard error, and exit code 2.
_Noreturn void run_die(const char *message, const char *detail);
// The integer in text; run_die when it is not one, or not between low and high.
int run_number(const char *text, int low, int high);
// Returns `cpu` if the program may run on that processor; run_die otherwise.
int run_processor(int cpu);

// Splits a command line at blanks; single and double quotes group. Returns a NULL-terminated vector
// (free with run_free_words), or NULL when a quote is not closed.
char **run_split(const char *text);
void run_free_words(char **words);

// Runs argv with standard error into the file descriptor err_fd and no standard input, on processor
// `cpu` (-1: any), for at most limit_s seconds. False, with errno, when it could not be started.
// The caller frees run->output.
bool run_command(char *const *argv, int cpu, int err_fd, double limit_s, Run *run);

#endif
