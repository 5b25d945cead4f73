// One of several processes that take turns. A side runs only inside side_slice: before, between and after its slices
// the whole process group is stopped, including the VM's threads. So the other side has the machine to itself, and
// background compilation counts as processor time of the side that requested it. Not thread-safe; there may be several
// sides.
#ifndef CABERNET_BENCHMARKS_HARNESS_SIDE_H
#define CABERNET_BENCHMARKS_HARNESS_SIDE_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <time.h>

#include "base/text.h"

typedef enum SliceEnd {
    SLICE_OVER,      // the time is over, but the side is not done
    SLICE_ANSWERED,  // a line that starts with "turn " has arrived
    SLICE_ENDED,     // the process has ended with exit code 0
    SLICE_FAILED,    // it ended otherwise, exceeded its limit or could not be stopped; see `trouble`
    SLICE_INTERRUPTED,
} SliceEnd;

// The cost of one turn, or of one process from start to end.
typedef struct Cost {
    double cpu_ns;   // processor time of all threads, and of reaped children if it ended
    double wall_ns;  // of its slices
    long preempted;  // involuntary context switches of all threads
    long peak_kib;   // largest resident size since the process started
} Cost;

typedef struct Side {
    const char *name;       // for messages
    double limit_s;         // wall time of the slices of one turn
    int cpu;                // the processor to run on, -1: any
    bool fixed_addresses;   // without address space randomisation
    pid_t pid;              // 0: no process
    int process;            // its pidfd
    int requests, answers;  // pipes; requests is -1 when closed
    FILE *errors;           // its standard error: a temporary file
    Text output;            // output of the process since the last request
    double start_cpu_ns;    // readings when the turn began
    long start_preempted;
    Cost cost;  // of the current turn
    char trouble[200];
} Side;

// Set by the handler of SIGINT and SIGTERM: slices end soon after.
extern volatile sig_atomic_t side_interrupted;
void side_handle_signals(void);

// Starts the words as a stopped process. `padding` additional bytes in its environment shift its stack. False, with
// `trouble`, when that is impossible. A missing executable is noticed in the first slice.
bool side_start(Side *s, char *const *words, size_t padding);
// Begins a new turn: the process reads `iterations` when it runs. Clears cost and output of the last turn.
bool side_request(Side *s, int iterations);
// No more requests: the process reads the end of its input.
void side_close_requests(Side *s);
// Runs the side for `ms` milliseconds or until it answers or ends; on return it is stopped.
SliceEnd side_slice(Side *s, double ms);
// The line of the output that starts with "turn ", or NULL. Any bytes may precede it.
const char *side_answer(const Side *s);
// Whether both have printed the same bytes.
bool side_same_output(const Side *a, const Side *b);
// Kills the process group, if there is one, and clears everything about the process except its errors.
void side_kill(Side *s);
// Copies the process's standard error to ours.
void side_show_errors(const Side *s);

#endif
