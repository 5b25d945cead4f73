// Everything after the IR: LLVM's passes, objects, ORC, the code cache.
//
// Threads: each compile thread has its own LLVMContext and target machine (BackendThread). The ORC session is shared
// and does its own locking.
#ifndef CABERNET_JIT_BACKEND_BACKEND_H
#define CABERNET_JIT_BACKEND_BACKEND_H

#include "jit/backend/unit.h"

// Called once. False with *error (static).
bool backend_start(const CompilerOptions *options, const char **error);

// This thread's context and target machine, made on first use.
LLVMContextRef backend_context(void);
LLVMTargetMachineRef backend_target(void);
void backend_thread_end(void);
// Gives a module the triple and the data layout of a target machine.
void backend_set_target(LLVMModuleRef module, LLVMTargetMachineRef target);
// The target's triple; the name of this machine's processor (or CompilerOptions.cpu) and its features, as LLVM spells
// them.
typedef struct BackendMachine {
    const char *triple, *cpu, *features;
} BackendMachine;
BackendMachine backend_machine(void);

// LLVM's verifier. False with unit->bailout and detail if the module is broken after `stage`.
bool backend_verify(Unit *unit, const char *stage);
// The pass list in LLVM's syntax; static.
const char *backend_passes(const Unit *unit);
// Runs the pass list, or another one.
bool backend_optimize(Unit *unit);
bool backend_run_passes(Unit *unit, const char *passes);
// From module to object; sets the object's hash.
bool backend_generate(Unit *unit);
// Loads the object. unit->code gets start, size, entry, stack maps (from LLVM's and unit->stack_maps), positions,
// deoptimisation points, hash. Code gets copies of all arrays.
bool backend_link(Unit *unit);
void backend_release(Code *code);
size_t backend_memory(void);

// Tells perf of new code, with its method as the name (vm/api/perf.h).
void backend_tell_perf(const Code *code);

#endif
