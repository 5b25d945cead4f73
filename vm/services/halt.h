// The end of the process.
#ifndef CABERNET_VM_HALT_H
#define CABERNET_VM_HALT_H

// Runtime.halt, System.exit's last step: stops the subsystems (profiles are written) and
// exits. Does not return.
_Noreturn void halt(int code);

// Stops the subsystems (vm/boot/subsystems.def) unless another thread has begun to: then the caller waits for the
// process's end. On any thread, attached or not.
void halt_stop_subsystems(void);

#endif
