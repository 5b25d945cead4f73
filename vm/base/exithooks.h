// Actions of subsystems before the process ends (write a profile, remove a file, close the compiler).
#ifndef CABERNET_VM_BASE_EXITHOOKS_H
#define CABERNET_VM_BASE_EXITHOOKS_H

// Registers `fn`, which runs once before the process ends by exit, halt or DestroyJavaVM. Any thread, any state, no
// locks; ends the process with a message when out of memory. A hook registered while the hooks run does not run.
void exithooks_add(void (*fn)(void));

// Runs all hooks, last registered first, on the calling thread, which may not be attached. The caller ensures that this
// happens once (vm/boot/boot.c).
void exithooks_run(void);

#endif
