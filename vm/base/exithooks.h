// What subsystems do once before the process ends (write a profile, remove a file, close the compiler).
#ifndef CABERNET_VM_EXITHOOKS_H
#define CABERNET_VM_EXITHOOKS_H

// Registers `fn`, to be run once before the process ends by exit, halt or DestroyJavaVM. Any thread, any state, no
// locks; ends the process with a message when memory is out. A hook that is registered while the hooks run is run
// no more.
void exithooks_add(void (*fn)(void));

// Runs all hooks, the one registered last first, on the calling thread, which may not be attached. The caller sees
// to it that this happens once (vm/boot/boot.c).
void exithooks_run(void);

#endif
