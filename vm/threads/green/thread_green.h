// The option of the green backend.
#ifndef CABERNET_VM_THREAD_GREEN_H
#define CABERNET_VM_THREAD_GREEN_H

#include <stdbool.h>
#include <stddef.h>

// "green[:carriers=M][:quantum=N|Tms]". False: *error, NUL-terminated and cut at error_size, says why.
bool thread_green_configure(const char *text, char *error, size_t error_size);
// A turn is a number of yieldpoints.
bool thread_green_counts(void);
// And one carrier runs all threads, so two runs switch them at the same points.
bool thread_green_repeats(void);
// Once, when the heap is there and before the first attach. False: *error is static text.
bool thread_green_init(const char **error);

#endif
