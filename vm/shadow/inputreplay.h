// In a shadow: the results of calls on the program's streams, from the records of the program's process
// (vm/shadow/inputlog.h). A descriptor of the shadow stands for one of the program: at first for that of the same
// number; a descriptor that a replayed call opens, for the one that the program's call opened. Objects that the shadow
// itself has created (pipes, selectors) are its own.
#ifndef CABERNET_VM_SHADOW_INPUTREPLAY_H
#define CABERNET_VM_SHADOW_INPUTREPLAY_H

#include "vm/shadow/inputlog.h"

// Where the data of a record goes. Shorter data leaves the rest unchanged.
typedef struct ReplayTarget {
    void *address, *data;
    size_t address_limit, data_limit;
    size_t address_got, data_got;  // set by the call
} ReplayTarget;

// Prepares the shadow's memory for it, before the filter is installed. False: no memory.
bool inputreplay_begin(void);

// The result of the program's next call of this kind on what the descriptor stands for; waits until the program has
// made it. Negative: an error number. Ends the shadow when the record is lost. of_thread: the same for INPUT_OPEN.
// Any thread in the native state.
long inputreplay_next(InputKind kind, int fd, ReplayTarget *to);
long inputreplay_next_of_thread(InputKind kind, ReplayTarget *to);

// The descriptor is of an object that the shadow has created.
void inputreplay_note_own(int fd);
bool inputreplay_is_own(int fd);
// The shadow's descriptor for the program's, in the result of a call.
int inputreplay_local(int fd);

#endif
