// The queue of methods to compile, and the threads that compile them: pthreads unknown to the VM. They never touch
// the heap, so a collection never waits for LLVM. The program waits for it only on request.
#ifndef CABERNET_VM_ADAPTIVE_COMPILEQUEUE_H
#define CABERNET_VM_ADAPTIVE_COMPILEQUEUE_H

#include "vm/threads/thread.h"
#include "vm/api/compiler.h"

// Method.compile_state. A method has at most one waiting request of each kind.
enum {
    STATE_QUEUED = 1,      // a request for the whole method waits or is being compiled
    STATE_QUEUED_OSR = 2,  // the same, of a request for a loop
    STATE_REFUSED = 4,
    STATE_REFUSED_OSR = 8,
    STATE_RECOMPILE_ONE = 16,  // the upper bits count recompilations
};

// Requests a compilation. The caller has set the QUEUED bit, which is cleared when the compilation is done. `wait`:
// returns only then. False: there is no memory or no thread for the request, and nothing is compiled. Starts a thread
// when one is needed. [switch] when waiting.
bool compilequeue_add(Thread *self, const CompileTask *what, bool wait);
// True when nothing is compiled any more, because there is no compiler or the process ends. Any thread, no lock.
bool compilequeue_shut(void);

// Opens the compiler at once, before there are threads; otherwise the first request opens it. NULL: *error as from
// compilerlibrary_open.
const CompilerInterface *compilequeue_open(const char **error);

// Requests code for shadows of all code of the optimising tier. World stopped.
void compilequeue_prepare_all(void);
// Withdraws the requests for code for shadows that no thread has begun. profile_prepares_shadows() has become false.
void compilequeue_prepare_none(void);

// The text of vm/api/bailouts.def for a reason.
const char *compilequeue_bailout_text(int bailout);
// Prints a line of -XX:+PrintCompilation to stderr: time, number, kinds (% on-stack replacement, s synchronized, !
// handlers), method, rest.
void compilequeue_print_line(const CompileTask *r, uint32_t id, const char *rest);
// The same for a method that stays interpreted: the text of vm/api/bailouts.def, followed by `detail` unless that is
// empty.
void compilequeue_print_bailout(const CompileTask *r, int bailout, const char *detail);

typedef struct CompileStats {
    uint32_t waiting, compiled, osr, refused, prepared;
    uint64_t compile_ns;             // of processor time
    uint64_t allocations, vanished;  // sums of CompileResult, over installed code
    uint32_t cached[CACHED_KINDS];   // compilations, by CompileResult.cached
} CompileStats;
void compilequeue_stats(CompileStats *out);

// The factor, times STRAIN_NONE, by which the optimising threshold is raised. It grows with the time that compile
// threads recently waited for a processor, with the number of waiting requests, and with the optimising tier's share
// of the process's processor time. Any thread, no lock.
enum { STRAIN_NONE = 16, STRAIN_MOST = 8 * STRAIN_NONE };
uint32_t compilequeue_strain(void);

// Unloading; world stopped, collector thread. Compile threads do not stop, so the memory of a dead class is freed
// only when each of them has finished the task that it had when the class died. Returns the number of tasks already
// begun.
uint64_t compilequeue_begun(void);
// Whether the first `begun` tasks are finished.
bool compilequeue_finished(uint64_t begun);
// Drops tasks and plans for methods of dead classes.
void compilequeue_forget_dead(void);

// Called around a fork. In the child, nothing more is compiled (compilequeue_shut).
void compilequeue_before_fork(void);
void compilequeue_after_fork_parent(void);
void compilequeue_after_fork_child(void);

#endif
