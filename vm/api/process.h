// Copies of the process, for work beside the program.
#ifndef CABERNET_VM_API_PROCESS_H
#define CABERNET_VM_API_PROCESS_H

// Forks the process with the VM in a state in which the child can continue running Java. In the child the calling
// thread is the only one; all others show as ended, and their monitors stay locked. The child compiles nothing more,
// writes no profile, dispatches no signals, finalizes no objects and enqueues no references. Files that belong to the
// parent (performance data, attach socket) stay the parent's. Stops the world for as long as the fork takes. Caller: an
// attached thread, running or native; holds no lock of the VM. The result is that of fork(): 0 in the child, -1 with
// errno set on failure. [switch]
__attribute__((visibility("default"))) int process_fork(void);

#endif
