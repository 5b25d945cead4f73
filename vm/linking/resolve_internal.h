// Private to resolve.c and constants.c.
#ifndef CABERNET_VM_LINKING_RESOLVE_INTERNAL_H
#define CABERNET_VM_LINKING_RESOLVE_INTERNAL_H

#include "vm/linking/resolve.h"

// Publishes a result unless there is one already; returns the state that applies.
uint8_t resolve_publish(Class *cls, int cp_index, void *value, uint8_t state);
// True with the recorded error pending if resolution of the entry has failed before.
bool resolve_failed(Thread *self, Class *cls, int cp_index);
// Records the pending LinkageError as the entry's result. Always NULL; the exception stays pending.
void *resolve_record_failure(Thread *self, Class *cls, int cp_index);

#endif
