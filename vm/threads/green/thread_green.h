// The option of the green backend.
#ifndef CABERNET_VM_THREAD_GREEN_H
#define CABERNET_VM_THREAD_GREEN_H

#include <stdbool.h>

// "green[:carriers=M][:quantum=N|Tms]". False: *error is static text.
bool thread_green_configure(const char *text, const char **error);
// A turn is a number of yieldpoints.
bool thread_green_counts(void);
// Once, when the heap is there and before the first attach. False: *error is static text.
bool thread_green_init(const char **error);

#endif
