// When what is compiled in which tier.
//
// Method.hotness counts invocations and backward branches, in the interpreter and in template code. Every
// METHOD_HOT_MASK + 1 steps the counting thread comes here; the decision depends on the count and
// the options alone. vm/adaptive/compilequeue.h has the methods compiled.
#ifndef CABERNET_VM_COMPILED_TIERING_H
#define CABERNET_VM_COMPILED_TIERING_H

#include "vm/code/code.h"
#include "vm/adaptive/jitoptions.h"

typedef struct Tiering {
    JitOptions options;                  // constant from tiering_init on; the whole room reads them
    const CompilerInterface *replaying;  // tiering.c's, from tiering_init on, or NULL
} Tiering;
extern Tiering tiering;

// Options to policy; before the first thread. False with *error; help: 1 as jitoptions_make.
int tiering_init(const Options *options, char *error, size_t size);

// From the interpreter. An invocation was counted; true: the method has (other) code now, look again.
// [switch] when blocking.
bool tiering_hot_method(Thread *self, Method *m);
// First call of a method: compiles it with compile-all or force=, and translates it under -Xcomp. [switch]
void tiering_first_call(Thread *self, Method *m, Slot *args);
// A backward branch to `bci` was counted: code to go on in, or NULL. [switch] when blocking.
const Code *tiering_hot_loop(Thread *self, Method *m, int32_t bci);
// The counts that the plan of `code` has read are no longer true: requests other code, which replaces it. False: it has been
// compiled again too often, or cannot be now. Does not block.
bool tiering_compile_again(Thread *self, const Code *code);
// Code of a method has been installed: samples of it may be taken, and a replay may have a plan that replaces it. Compile threads.
void tiering_installed(Method *m);
// Code was left at a deoptimisation point: too many of a kind make the code invalid. [switch]
void tiering_deoptimized(Thread *self, Code *code, const DeoptPoint *point);

// What a new thread, running, needs before it runs Java: stack guard, words that stress sets.
void tiering_thread_start(Thread *t);

// The processor time that compilations have taken.
uint64_t tiering_compile_ns(void);
// The figures as text, for jcmd.
// A line for each code there is, of all tiers.
void tiering_print_list(FILE *out);
void tiering_print(FILE *out);

#endif
