// The registry of compiled code: which code contains a return address, which code a method runs, and how code is
// retired.
//
// A Code is LIVE once it is installed. It becomes REPLACED (better code was installed) or INVALID (an assumption
// broke): new calls no longer reach it, but threads may still execute it. A thread in INVALID code leaves it at its
// next test of Thread.deopt_pending. Replaced or invalid code that is on no thread's stack is removed from the
// registry while the world is stopped; a compile thread releases its memory afterwards. PREPARED code waits for a
// shadow (vm/shadow/shadow.h), where it becomes LIVE; whatever invalidates LIVE code invalidates it too.
//
// Lookups take no lock: the table of code ranges is replaced as a whole, and old tables are freed while the world is
// stopped. The caller of a lookup is a running thread or has stopped the world.
#ifndef CABERNET_VM_CODE_CODE_H
#define CABERNET_VM_CODE_CODE_H

#include <stdio.h>

#include "vm/api/compiler.h"

enum { CODE_LIVE, CODE_REPLACED, CODE_INVALID, CODE_PREPARED };

// The code to which the return address belongs, or NULL. A return address follows a call. It therefore never equals
// the start of its code, but may equal the end.
const Code *code_find(const char *return_pc);
// The stack map for a return address in the code. Never NULL: every call in compiled code from which a stack walk can
// begin has one. A missing map is a compiler bug and ends the process.
const CodeStackMap *code_stack_map(const Code *code, const char *return_pc);
// The stack map for the offset of a return address, or NULL.
const CodeStackMap *code_stack_map_at(const Code *code, uint32_t return_offset);

// The code that contains the instruction at `pc`, or NULL. Async-signal-safe.
const Code *code_at(const char *pc);
// The innermost position (Code.positions) of the instruction at `pc` in the code, or of a nearby one; CODE_NONE: the code
// has none. Async-signal-safe.
uint32_t code_position_at(const Code *code, const char *pc);

// Installs new code for its method, in place of the method's former code of the same kind. False when a dependency no
// longer holds, an owner has died, or the events that code must report have changed since the compilation began
// (`generation`: profile_generation); the caller then releases the code. `state` is CODE_LIVE, or CODE_PREPARED for
// code that was compiled for shadows, which no thread of this process enters. Any thread.
bool code_install(Code *code, uint32_t generation, int state);
// While on, the compiler's queries on this pthread are answered for shadow code.
void code_compile_for_shadows(bool on);
// In a shadow, with the world stopped: makes prepared code the code of its methods and invalidates all other code.
// Returns the number of codes entered.
uint32_t code_enter_prepared(Thread *self);
// The live on-stack replacement of `m` for a loop header, or NULL.
const Code *code_osr(const Method *m, int32_t bci);
static inline Code *method_code(const Method *m) {
    return __atomic_load_n((Code *const *)&m->compiled, __ATOMIC_ACQUIRE);
}

// Takes the code out of use: new calls do not enter it, and every thread gets a pending deoptimisation, so that those
// in it leave. `self` is running; [switch]: stops the world. The code must be on the caller's stack, because a sweep
// could otherwise release it before the stop.
void code_invalidate(Thread *self, Code *code);
// The same for all code of all methods.
void code_invalidate_all(Thread *self);
void code_invalidate_all_stopped(Thread *self);  // the world is stopped by the caller

// Called when `cls` has its vtable but is not linked yet. Invalidates code that assumed that no class overrides a
// method which `cls` overrides. [switch]
void code_class_linked(Thread *self, Class *cls);

// World stopped, collector thread. During a collection, code that a word on a stack may return to keeps its owners
// alive: code_each_owner calls fn for each of them. code_addresses returns the range of such words.
void code_addresses(uintptr_t *begin, uintptr_t *end);
void code_each_owner(uintptr_t return_pc, void (*fn)(Metaspace *space));
// Removes code that relies on dead classes from the registry. No thread executes it.
void code_forget_dead(void);
// Removes the stable names of classes whose metaspaces are being freed.
void stablename_forget_freed(void);
// Frees a dead class's list of dependent code.
void code_free_dependents(Class *cls);

// Bytes of replaced code tables that threads may still read. Each installation replaces a table, so their total grows
// with the square of the number of installations. Above CODE_MOST_OLD_TABLES it is time for code_sweep, which frees
// them. Any thread.
enum { CODE_MOST_OLD_TABLES = 4 << 20 };
uint64_t code_old_table_bytes(void);
// Removes unused code and returns it as a list (next_in_table), which the caller releases. Runs on a compile thread,
// which is not attached; stops the world.
Code *code_sweep(void);
// Visits all physical frames of compiled code, including those that deoptimisation has replaced, because control
// still returns to their code. The thread is the caller or stopped.
void code_each_frame(Thread *t, void (*fn)(void *arg, const Code *code, const char *return_pc), void *arg);
// Visits all code that has not been released. Without `lock`, the caller is a running thread, or has stopped the
// world, or is the only thread.
void code_each(bool lock, void (*fn)(void *arg, const Code *code), void *arg);

// While true, a sweep removes nothing, so the memory of code does not change. Any thread.
void code_keep(bool keep);
bool code_is_kept(void);

// The number of codes that wait for a sweep.
uint32_t code_dead_count(void);
// Takes code out of use, the oldest first, until about `bytes` are dead. Compile thread.
void code_evict(size_t bytes);

typedef struct CodeStats {
    uint32_t live, dead, installed, invalidated, released;
    size_t code_bytes, metadata_bytes;
} CodeStats;
void code_stats(CodeStats *out);
// Prints one line for each registered code.
void code_print_list(FILE *out);

// Called around a fork, in the parent and in the child. The caller holds the registry's lock in between.
void code_before_fork(void);
void code_after_fork(void);

// The same for the table of stable names (vm/code/stable_names.c).
void stablename_before_fork(void);
void stablename_after_fork(void);

#endif
