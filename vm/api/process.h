// Copies of the process, for work that is to be done beside the program.
#ifndef CABERNET_VM_PROCESS_H
#define CABERNET_VM_PROCESS_H

// Forks the process with the VM in a state in which the child can go on running Java: in the child the calling thread
// is the only one there is, all others show as ended, and their monitors stay locked. There nothing more is compiled,
// no profile is written, nobody dispatches signals, finalizes objects or enqueues references, and the files that belong
// to the parent (performance data, attach socket) stay the parent's. Stops the world for as long as the fork takes.
// Caller: an attached thread, running or native; holds no lock of the VM's. The result is that of fork(): 0 in the
// child, -1 with errno set when there is none. [switch]
__attribute__((visibility("default"))) int process_fork(void);

#endif
