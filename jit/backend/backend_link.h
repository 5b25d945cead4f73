// Private to the back end: the ORC session.
#ifndef CABERNET_JIT_BACKEND_BACKEND_LINK_H
#define CABERNET_JIT_BACKEND_BACKEND_LINK_H

#include <stdbool.h>

#include <llvm-c/Error.h>
#include <llvm-c/TargetMachine.h>

#include "jit/backend/unit.h"

// A new target machine, which the caller disposes of.
LLVMTargetMachineRef backend_new_target(void);

// True without an error. Otherwise bails out with the error's message and disposes of the error.
bool backend_take_error(Unit *unit, LLVMErrorRef error);

// Called once. `layout`: CompilerOptions.layout. False with *error (static).
bool backend_link_start(uint32_t layout, const char **error);

#endif
