// What the files of this room share.
#ifndef CABERNET_VM_SHADOW_INTERNAL_H
#define CABERNET_VM_SHADOW_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>
#include <signal.h>
#include <sys/types.h>

#include "gc/heap.h"
#include "vm/shadow/reasons.h"
#include "vm/shadow/shadow.h"
#include "vm/threads/thread.h"

// Why a shadow ended.
typedef enum ShadowEnd {
    SHADOW_RUNS,
    SHADOW_LENGTH,     // it is as long as it was to be
    SHADOW_PROGRAM,    // the program ended in it
    SHADOW_ASKED,      // the program itself is about to end
    SHADOW_SYSCALL,    // an unsafe system call
    SHADOW_NATIVE,     // an unsafe native method
    SHADOW_LIMIT,      // it took too long
    SHADOW_FAILED,     // it could not be set up
} ShadowEnd;

// A page that parent and shadow both see.
typedef struct ShadowPage {
    _Atomic uint32_t end;          // ShadowEnd; the first one counts
    _Atomic uint32_t asked;        // the parent wants it to end
    _Atomic uint32_t let_go;       // the shadow has none of the program's sockets and pipes
    _Atomic uint32_t copied;       // it has its own copy of the code
    _Atomic uint32_t complete;     // the payload is whole
    _Atomic int64_t number;        // of the system call
    char what[160];                // the native method; why a call was unsafe
    uint64_t bytes;                // of the payload, in the file
    uint64_t checks;
    uint32_t adopted, left;
    uint32_t prepared;             // methods and loops that have code in the shadow
    int64_t begun_ns, ended_ns;    // thread_now()
    int64_t begun_cpu_ns, ended_cpu_ns;  // processor time of the shadow
} ShadowPage;

// A shadow as the controller sees it.
typedef struct Shadow {
    pid_t pid;                     // 0: none
    ShadowPage *page;
    int fd;                        // of the payload
    int64_t forked_ns;
    bool killed;
} Shadow;

enum { SHADOW_MOST = 64 };         // at a time

typedef struct ShadowFigures {
    uint64_t forks, refused, postponed_busy, postponed_nobody, postponed_loading, converged_skips;
    uint64_t ended[SHADOW_FAILED + 1], by_signal, damaged;
    double missing;                // sum of the parts of their lengths that shadows did not run
    uint64_t pauses_ns, longest_pause_ns;
    uint64_t looks, looks_ns, changes, change_forks;  // of the program's phases
    uint64_t fork_faults, checks, run_ns, cpu_ns, prepared, adopted, left;
} ShadowFigures;

enum { SHADOW_INHERITED = 64 };

// ---- the state of this room ----
typedef struct ShadowState {
    const ShadowRequest *request;  // NULL: no shadows
    // In the program's process.
    struct ProfilerThread *controller;
    _Atomic uint32_t first;        // futex: a first shadow was forked, or could not be
    _Atomic uint32_t closing;       // 1: no more forks; 2: the controller has seen it
    pthread_mutex_t reaping;       // held over what waits for shadows, and from a fork until the shadow has what it needs
    Shadow shadows[SHADOW_MOST];
    int live;
    ShadowFigures figures;
    int64_t started_ns, looked_ns; // of the running average
    double live_ns, seen_ns;
    uint64_t idle_ticks, all_ticks;
    bool idle_known, busy;
    int64_t phase_ns;              // when the phase was last looked at
    bool changed;                  // it has changed, and no shadow was forked since
    HeapPages pages;               // of the heap
    ShadowReasons reasons;         // why shadows ended before their time
    struct Inherited {             // sockets and pipes that were there before the program
        int fd;
        dev_t device;
        ino_t inode;
    } inherited[SHADOW_INHERITED];
    int inherited_count;
    pid_t program;                 // the process that shadows are copies of
    // Of the last fork; in a shadow its own.
    ShadowPage *page;
    int fd;                        // of the payload
    // In a shadow.
    int messages;                  // what stderr is in the program, until the filter is there; -1: closed
    _Atomic uint32_t over;         // futex: the warden is to look
} ShadowState;
extern ShadowState shadow;         // controller.c

// Ends the shadow from any of its threads, in any state: the warden collects what there is; the caller sleeps for ever.
// The first reason counts. Async-signal-safe.
_Noreturn void shadow_end(ShadowEnd why, int64_t number, const char *what);

// The very first thing in a shadow, while the program stands still: sockets and pipes are let go, files opened anew. What
// libraries say of what fails from here on is not for the program's stderr.
void shadow_begin(void);
// The life of a shadow, from the fork to its exit: by the pthread that forked. The world is stopped.
_Noreturn void shadow_warden(Shadow *s);

// The program has gone over to another phase since the last look, which is made if it is time for one. The controller. [stops the world]
bool shadow_phase_changes(void);

// Notes the sockets and pipes that there are. What the process was started with Java code cannot close.
void shadow_note_inherited(void);
// There are others besides the standard streams, which somebody may wait for to be closed.
bool shadow_has_foreign_files(void);
// Sockets and pipes are let go, other descriptors get positions of their own, mappings that are shared become private or read-only. False: *why.
bool shadow_own_files(int except, char why[static 160]);
bool shadow_own_memory(const void *except, size_t bytes, char why[static 160]);

// From here on no system call is made but by syscalls.def. All threads of the process. False: the kernel cannot.
bool shadow_install_filter(void);
// A system call that the filter lets pass because of where it is made.
long shadow_syscall(long number, long a, long b, long c, long d, long e, long f);
extern const char shadow_gate[], shadow_gate_end[];  // the instructions that make it, and what is behind them
// The handler of calls that the filter stops.
void shadow_handle_call(int signal, siginfo_t *info, void *context);
// Its name, "syscall 123" where the table has none. Static.
const char *shadow_call_name(long number);

#endif
