// The registry of compiled code: which code a return address belongs to, which code a method runs, and
// how code goes away.
//
// A Code is LIVE from its installation on. It becomes REPLACED (better code was installed) or INVALID
// (an assumption broke): new calls no longer reach it, but threads may still be in it. What is in
// INVALID code leaves it at its next test of Thread.deopt_pending. Code that is not LIVE and on no
// thread's stack is taken out of the registry while the world is stopped, and its memory released
// afterwards by a compile thread. PREPARED code waits for a shadow (vm/shadow/shadow.h), where it becomes LIVE; what
// makes LIVE code invalid takes it away as well.
//
// Lookups take no lock: the table of code ranges is replaced as a whole, and old ones are freed
// while the world is stopped. Whoever looks up is a running thread or has stopped the world.
#ifndef CABERNET_VM_CODE_H
#define CABERNET_VM_CODE_H

#include <stdio.h>

#include "vm/api/compiler.h"

enum { CODE_LIVE, CODE_REPLACED, CODE_INVALID, CODE_PREPARED };

// The code that the return address belongs to, or NULL. It is the address behind a call: the first byte of a code is
// none of its own, the first byte behind it may be.
const Code *code_find(const char *return_pc);
// Its site for a return address in it. Never NULL: compiled code calls nothing without a site from
// which a walk could begin; a missing one is a bug of the compiler and ends the process.
const CodeStackMap *code_stack_map(const Code *code, const char *return_pc);

// Makes new code the method's. False when a dependency does not hold any more, or what code has to report is not
// what it was when the compilation began (`generation`: profile_generation); the caller releases it.
// Any thread. Replaces the method's former code of the same kind.
bool code_install(Code *code, uint32_t generation);
// The same for code that was compiled for shadows: nobody enters it in this process.
bool code_prepare(Code *code, uint32_t generation);
// What the compiler asks on this pthread is answered for such code from now on, or not any more.
void code_compile_for_shadows(bool on);
// In a shadow, the world stopped: prepared code becomes that of its methods, all other is invalidated. How much there is.
uint32_t code_enter_prepared(Thread *self);
// The installed on-stack replacement of `m` for a loop header, or NULL.
const Code *code_osr(const Method *m, int32_t bci);
static inline Code *method_code(const Method *m) {
    return __atomic_load_n((Code *const *)&m->compiled, __ATOMIC_ACQUIRE);
}

// No new call enters the code, and the threads in it are told to leave. `self` running; [switch]: stops the
// world. The code is on the caller's stack, or else a sweep could have released it before the stop.
void code_invalidate(Thread *self, Code *code);
// All code of all methods.
void code_invalidate_all(Thread *self);
void code_invalidate_all_stopped(Thread *self);  // the world is stopped by the caller

// `cls` has got its vtable and is not linked yet: invalidates what assumed that no class overrides
// what it overrides. [switch]
void code_class_linked(Thread *self, Class *cls);

// World stopped, collector thread. At a collection: code that a word on a stack may return to keeps its owners alive
// (calls fn for them). code_addresses gives the range in which such words are.
void code_addresses(uintptr_t *begin, uintptr_t *end);
void code_each_owner(uintptr_t return_pc, void (*fn)(Metaspace *space));
// Takes the code that relies on dead classes out of the registry. No thread is in it.
void code_forget_dead(void);
// The stable names of classes whose metaspaces are being freed go.
void stablename_forget_freed(void);
// What a dead class has here.
void code_free_dependents(Class *cls);

// Bytes of tables of code that were replaced and may be read by somebody still. Each code that is installed leaves one, so many of them would
// take memory that grows with the square of their number: beyond CODE_MOST_OLD_TABLES it is time for code_sweep, which frees them. Any thread.
enum { CODE_MOST_OLD_TABLES = 4 << 20 };
uint64_t code_old_table_bytes(void);
// Drops code that nobody needs and returns it as a list (next_in_table) to release. On a compile
// thread, which is not attached: stops the world.
Code *code_sweep(void);
// All physical frames of compiled code, those that deoptimisation has replaced too: their code is still returned to.
// The thread is the caller or stopped.
void code_each_frame(Thread *t, void (*fn)(void *arg, const Code *code, const char *return_pc), void *arg);
// All code that has not been released. Without the registry's lock: the caller is a running thread, or has stopped the
// world, or is alone.
void code_each(bool lock, void (*fn)(void *arg, const Code *code), void *arg);

// While true a sweep drops nothing: the memory of code stays what it is. Any thread.
void code_keep(bool keep);
bool code_is_kept(void);

// Code waiting for a sweep.
uint32_t code_dead_count(void);
// Takes the code of methods that have not been entered from the interpreter lately out of use, until about
// `bytes` are dead. Compile thread.
void code_evict(size_t bytes);

typedef struct CodeStats {
    uint32_t live, dead, installed, invalidated, released;
    size_t code_bytes, metadata_bytes;
} CodeStats;
void code_stats(CodeStats *out);
// One line for each code there is.
void code_print_list(FILE *out);

// Around a fork, in the parent and in the child: the registry's lock is the caller's.
void code_before_fork(void);
void code_after_fork(void);

// The same for the table of stable names (vm/code/stable_names.c).
void stablename_before_fork(void);
void stablename_after_fork(void);

#endif
