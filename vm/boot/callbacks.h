// Callbacks that combine functions of several rooms, or adapt one to the callback's type (vm/boot/hooks.c).
#ifndef CABERNET_VM_BOOT_CALLBACKS_H
#define CABERNET_VM_BOOT_CALLBACKS_H

#include "vm/instrument/hooks.h"

// ThreadHooks
void callback_thread_started(Thread *self);
void callback_thread_ending(Thread *self);
// InstrumentHooks
void callback_polled(Thread *self);
void callback_read_counters(Thread *t, CountersState state, CountedFn *fn, void *arg);
void callback_hand_in_counters(Thread *self);
void callback_forget_counters(void);
void callback_leave_all_code(Thread *self);
// ObjectHooks
bool callback_register_finalizer(Thread *self, Object *o);
// RuntimeHooks
Class *callback_boot_class(Thread *self, Symbol *name);
// ServiceHooks
bool callback_may_fault(uintptr_t pc);

#endif
