// Private to the back end: the ORC session.
#ifndef CABERNET_JIT_BACKEND_LINK_H
#define CABERNET_JIT_BACKEND_LINK_H

#include <stdbool.h>

#include <llvm-c/Error.h>
#include <llvm-c/TargetMachine.h>

#include "jit/backend/unit.h"

// A target machine; the caller's.
LLVMTargetMachineRef backend_new_target(void);

// True when there is none; otherwise refuses the unit with its message and disposes of it.
bool backend_take_error(Unit *unit, LLVMErrorRef error);

// Once. `layout`: CompilerOptions.layout. False with *error (static).
bool backend_link_start(uint32_t layout, const char **error);

#endif
