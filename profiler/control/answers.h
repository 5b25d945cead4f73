// The answers of message=answers: the methods that took most time, as text for one screen. They are the first rows of
// `cabernet-prof report`, with the same shares, so the first look needs no second command.
#ifndef CABERNET_PROFILER_CONTROL_ANSWERS_H
#define CABERNET_PROFILER_CONTROL_ANSWERS_H

#include "profiler/store/writer.h"

// The text for the samples of `analysis`, cpu or wall, taken `hz` times per second: the methods on top of the stack
// most often, then those of the program that are on it most often. malloc'd; NULL: out of memory. Calls the host.
char *answers_make(const WriterInput *in, int analysis, uint32_t hz);

#endif
