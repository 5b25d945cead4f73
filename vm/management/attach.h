// The attach interface, through which jcmd, jstack, jinfo and jmap talk to this VM (protocol version 1).
#ifndef CABERNET_VM_MANAGEMENT_ATTACH_H
#define CABERNET_VM_MANAGEMENT_ATTACH_H

#include "vm/threads/thread.h"

// End of boot. Removes the socket of a killed process that had the same number, because tools would connect to it.
// Listens at once if SIGQUIT is left to the system (-Xrs). False: exception pending.
bool attach_init(Thread *self);

// On SIGQUIT, by the Signal Dispatcher: does a tool request the attach interface (by its file .attach_pid<pid>)? If so,
// starts to listen, unless it is listening. False: the user wants a thread dump. Leaves no exception pending.
bool attach_requested(Thread *self);

// Exit: removes the socket.
void attach_stop(void);
// After a fork, in the child: it has no listener until one is requested.
void attach_after_fork_child(void);

#endif
