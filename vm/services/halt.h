// Process exit.
#ifndef CABERNET_VM_SERVICES_HALT_H
#define CABERNET_VM_SERVICES_HALT_H

// Runtime.halt, the last step of System.exit: stops the subsystems (profiles are written) and exits. Does not return.
_Noreturn void halt(int code);

// Stops the subsystems (vm/boot/subsystems.def), unless another thread is already doing so; the caller then waits for
// the end of the process. Any thread, attached or not.
void halt_stop_subsystems(void);

#endif
