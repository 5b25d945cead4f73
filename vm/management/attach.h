// The attach interface: how jcmd, jstack, jinfo and jmap talk to this VM (protocol version 1).
#ifndef CABERNET_VM_ATTACH_H
#define CABERNET_VM_ATTACH_H

#include "vm/threads/thread.h"

// End of boot. Listens at once if SIGQUIT is left to the system (-Xrs); otherwise does nothing.
// False: exception pending.
bool attach_init(Thread *self);

// On SIGQUIT, by the Signal Dispatcher: is it a tool that asks for the attach interface (its
// file .attach_pid<pid> is there)? Then listens, if not doing so already. False: the user wants
// a thread dump. Leaves no exception pending.
bool attach_requested(Thread *self);

// The end of the process: the socket goes.
void attach_stop(void);
// After a fork, in the child: it has no listener until somebody asks for one.
void attach_after_fork_child(void);

#endif
