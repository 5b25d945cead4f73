// The option of the green backend.
#ifndef CABERNET_VM_THREADS_GREEN_THREAD_GREEN_H
#define CABERNET_VM_THREADS_GREEN_THREAD_GREEN_H

#include <stdbool.h>
#include <stddef.h>

// "green[:carriers=M][:quantum=N|Tms]". False: *error, NUL-terminated and truncated to error_size, gives the reason.
bool thread_green_configure(const char *text, char *error, size_t error_size);
// Whether a quantum is a number of yieldpoints.
bool thread_green_counts(void);
// Whether, in addition, one carrier runs all threads, so that two runs switch threads at the same points.
bool thread_green_repeats(void);
// Once, after the heap's initialisation and before the first attach. False: *error is static text.
bool thread_green_init(const char **error);

#endif
