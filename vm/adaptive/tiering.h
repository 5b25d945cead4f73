// Decides when a method is compiled, and in which tier.
//
// Method.hotness counts invocations and backward branches, in the interpreter and in template code. Every
// METHOD_HOT_MASK + 1 steps, the counting thread calls this module. The decision depends on the count, the options,
// the method's size and the load of the compile threads. vm/adaptive/compilequeue.h compiles the methods.
#ifndef CABERNET_VM_ADAPTIVE_TIERING_H
#define CABERNET_VM_ADAPTIVE_TIERING_H

#include "vm/code/code.h"
#include "vm/adaptive/jitoptions.h"

typedef struct Tiering {
    JitOptions options;                  // constant from tiering_init on; read by all of vm/adaptive
    const CompilerInterface *replaying;  // from tiering_init on; NULL without a file of plans
} Tiering;
extern Tiering tiering;

// Makes the policy from the options, before the first thread. 0: success; 1: help, as jitoptions_make; -1: *error.
int tiering_init(const Options *options, char *error, size_t size);

// Called by the interpreter when it has counted an invocation. True: the method now has (other) code, and the caller
// looks it up again. [switch] when blocking.
bool tiering_hot_method(Thread *self, Method *m);
// First call of a method: compiles it with compile-all or force=, and translates it under -Xcomp. [switch]
void tiering_first_call(Thread *self, Method *m, Slot *args);
// A backward branch to `bci` was counted. Returns the code in which to continue, or NULL. `left`: the thread was in the
// code of an inner loop, and has left it there for the outer loop. [switch] when blocking.
const Code *tiering_hot_loop(Thread *self, Method *m, int32_t bci, bool left);
// How often the code of an inner loop takes backedges of outer ones before code for those is requested.
int32_t tiering_outer_backedges(void);
// Makes the next invocation or backedge of the method a step of its hotness. The hotness becomes smaller, so this makes
// no method hot.
void tiering_step_next(Method *m);
// The counts that the plan of `code` has read are out of date: requests other code to replace it. False: the method
// has been compiled again too often, or cannot be compiled now. Does not block.
bool tiering_compile_again(Thread *self, const Code *code);
// Called when code of a method has been installed: it may be sampled, and a replay may have a plan that replaces it.
// Compile threads.
void tiering_installed(Method *m);
// Code was left at a deoptimisation point: when that happens too often, the code becomes invalid. [switch]
void tiering_deoptimized(Thread *self, Code *code, const DeoptPoint *point);

// Prepares a new, running thread before it runs Java: stack guard, words that stress sets.
void tiering_thread_start(Thread *t);

// The processor time spent on compilations.
uint64_t tiering_compile_ns(void);
// For jcmd, as text: a line for each code of all tiers, and the figures.
void tiering_print_list(FILE *out);
void tiering_print(FILE *out);

#endif
