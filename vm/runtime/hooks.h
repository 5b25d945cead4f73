// Services that both tiers use from higher rooms: classes by name, the interpreter, compiled code. vm/boot/hooks.c
// fills the table, which is constant.
#ifndef CABERNET_VM_RUNTIME_HOOKS_H
#define CABERNET_VM_RUNTIME_HOOKS_H

#include "vm/api/compiler.h"
#include "vm/model/frame.h"

typedef struct RuntimeHooks {
    Class *(*boot_class)(Thread *self, Symbol *name);                          // NULL with an exception pending
    bool (*initialize_class)(Thread *self, Class *cls);                        // vm/linking/classinit.h
    Method *(*select_virtual)(const Class *receiver, const Method *resolved);  // vm/linking/link.h
    bool (*run)(Thread *self, Method *m, Frame *entry);                        // vm/interp/interp.h: interp_run
    const Insn *halt;                                                          // the pc of ENTRY frames
    const Code *(*find_code)(const char *pc);                                  // vm/code/code.h
    const CodeStackMap *(*code_stack_map)(const Code *code, const char *return_pc);
} RuntimeHooks;

extern const RuntimeHooks runtime_hooks;

#endif
