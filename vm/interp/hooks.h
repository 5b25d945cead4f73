// Where the interpreter meets compiled code and those who choose what is compiled: it knows neither. vm/boot/hooks.c
// fills the table; it is constant. Without a compiler everything still runs.
#ifndef CABERNET_VM_INTERP_HOOKS_H
#define CABERNET_VM_INTERP_HOOKS_H

#include "vm/api/compiler.h"
#include "vm/model/frame.h"

typedef struct InterpHooks {
    // vm/code/entry.h
    void (*entered_from_code)(void);  // Method.entry of what is interpreted
    void (*call_code)(Thread *self, Method *m, uintptr_t tags, Slot *args);
    Slot (*replace_frame)(Thread *self, const Code *code, Slot *locals, Object *monitor);
    // vm/adaptive/tiering.h
    void (*first_call)(Thread *self, Method *m, Slot *args);
    bool (*hot_method)(Thread *self, Method *m);
    const Code *(*hot_loop)(Thread *self, Method *m, int32_t bci);
} InterpHooks;

extern const InterpHooks interp_hooks;

#endif
