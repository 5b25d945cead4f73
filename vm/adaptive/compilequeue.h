// What waits to be compiled, and the threads that do it: pthreads which the VM does not know. They never touch
// the heap, so a collection does not wait for LLVM, and neither does the program, unless it wants to.
#ifndef CABERNET_VM_COMPILED_COMPILEQUEUE_H
#define CABERNET_VM_COMPILED_COMPILEQUEUE_H

#include "vm/threads/thread.h"
#include "vm/api/compiler.h"

// Method.compile_state. A method has at most one request of a kind waiting.
enum {
    STATE_QUEUED = 1,        // a request for the whole method waits or is being worked on
    STATE_QUEUED_OSR = 2,    // one for a loop
    STATE_REFUSED = 4,
    STATE_REFUSED_OSR = 8,
    STATE_RECOMPILE_ONE = 16,  // the upper bits count recompilations
};
static inline void compilequeue_set(Method *m, uint8_t bits) { atomic_fetch_or(&m->compile_state, bits); }
static inline void compilequeue_clear(Method *m, uint8_t bits) {
    atomic_fetch_and(&m->compile_state, (uint8_t)~bits);
}

// Asks for a compilation; the caller has set the QUEUED bit, which is cleared when it is done. `wait`: returns
// when that is. False: no memory or no thread for it, nothing will come. Starts a thread when one is
// needed. [switch] when waiting.
bool compilequeue_add(Thread *self, const CompileTask *what, bool wait);
// Nothing is compiled any more: there is no compiler, or the process ends. Any thread, no lock.
bool compilequeue_shut(void);

// Opens the compiler at once, before there are threads; otherwise the first request does. NULL: *error as
// compilerlibrary_open.
const CompilerInterface *compilequeue_open(const char **error);

// What vm/api/bailouts.def says of a reason.
const char *compilequeue_bailout_text(int bailout);
// A line as -XX:+PrintCompilation has it: time, number, kinds (% on-stack replacement, s synchronized,
// ! handlers), method, rest. To stderr.
void compilequeue_print_line(const CompileTask *r, uint32_t id, const char *rest);
// The same for a method that stays interpreted: vm/api/bailouts.def, and what is to be added to it or NULL.
void compilequeue_print_bailout(const CompileTask *r, int bailout, const char *detail);

typedef struct CompileStats {
    uint32_t waiting, compiled, osr, refused, prepared;
    uint64_t compile_ns;             // of processor time
    uint64_t allocations, vanished;  // CompileResult's, of what was installed
    uint32_t cached[CACHED_KINDS];   // compilations, by CompileResult.cached
} CompileStats;
void compilequeue_stats(CompileStats *out);

// The factor, times STRAIN_NONE, by which the optimising threshold is raised. It grows with the time for which compile threads
// recently waited for a processor, with the number of waiting requests, and with the share that the optimising tier has had in
// the processor time of the process. Any thread, no lock.
enum { STRAIN_NONE = 16, STRAIN_MOST = 8 * STRAIN_NONE };
uint32_t compilequeue_strain(void);

// Unloading; world stopped, collector thread. Compile threads do not stop: what a dead class has is freed only when each of
// them has finished the task that it had when the class died. The tasks begun so far are counted:
uint64_t compilequeue_begun(void);
// Are the tasks over that were begun when there had been so many?
bool compilequeue_finished(uint64_t begun);
// Drops tasks and plans about methods of dead classes.
void compilequeue_forget_dead(void);

// Around a fork. In the child nothing more is compiled (compilequeue_shut).
void compilequeue_before_fork(void);
void compilequeue_after_fork_parent(void);
void compilequeue_after_fork_child(void);

#endif
