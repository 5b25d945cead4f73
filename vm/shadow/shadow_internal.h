// Declarations shared by the files in this folder.
#ifndef CABERNET_VM_SHADOW_SHADOW_INTERNAL_H
#define CABERNET_VM_SHADOW_SHADOW_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>
#include <signal.h>
#include <sys/types.h>

#include "gc/heap.h"
#include "vm/shadow/inputlog.h"
#include "vm/shadow/reasons.h"
#include "vm/shadow/shadow.h"
#include "vm/threads/thread.h"

// The ways to handle a system call. WAY_REPLAYED: calls on streams, which are replayed without a system call.
typedef enum ShadowWay {
#define WAY(name, text) WAY_##name,
#include "vm/shadow/ways.def"
    SHADOW_WAYS
} ShadowWay;

// Why a shadow ended.
typedef enum ShadowEnd {
    SHADOW_RUNS,
    SHADOW_LENGTH,   // it reached its planned length
    SHADOW_PROGRAM,  // the program ended in it
    SHADOW_ASKED,    // the program in the parent is about to end
    SHADOW_SYSCALL,  // an unsafe system call
    SHADOW_NATIVE,   // an unsafe native method
    SHADOW_IDLE,     // it has waited for most of the time limit
    SHADOW_BEHIND,   // the input that it needs is not kept any more
    SHADOW_LIMIT,    // time limit exceeded
    SHADOW_FAILED,   // it could not be set up
} ShadowEnd;

// A page shared by parent and shadow.
typedef struct ShadowPage {
    _Atomic uint32_t end;                 // ShadowEnd; the first reason counts
    _Atomic uint32_t asked;               // the parent wants it to end
    _Atomic uint32_t streams_closed;      // the shadow has closed the program's sockets and pipes
    _Atomic uint32_t copied;              // the shadow has its own copy of the code
    _Atomic uint32_t complete;            // the payload is complete
    _Atomic int64_t number;               // number of the system call
    char what[160];                       // the native method, or why a call was unsafe
    _Atomic uint64_t calls[SHADOW_WAYS];  // system calls that the filter stopped, and replayed calls
    uint64_t bytes;                       // size of the payload in the file
    uint64_t checks;
    uint32_t adopted, left;
    uint32_t prepared;                   // methods and loops that have code in the shadow
    int64_t begun_ns, ended_ns;          // thread_now()
    int64_t begun_cpu_ns, ended_cpu_ns;  // the shadow's processor time
} ShadowPage;

// The controller's record of a shadow.
typedef struct Shadow {
    pid_t pid;  // 0: none
    ShadowPage *page;
    int fd;  // file of the payload
    int64_t forked_ns;
    bool killed;
} Shadow;

enum { SHADOW_MOST = 64 };  // shadows at a time

typedef struct ShadowFigures {
    uint64_t forks, refused, postponed_busy, postponed_nobody, postponed_loading, converged_skips;
    uint64_t ended[SHADOW_FAILED + 1], by_signal, damaged;
    uint64_t calls[SHADOW_WAYS];
    double missing;  // sum of the fractions of their lengths that shadows did not run
    uint64_t pauses_ns, longest_pause_ns;
    uint64_t looks, looks_ns, changes, change_forks;  // inspections for program phases
    uint64_t fork_faults, checks, run_ns, cpu_ns, prepared, adopted, left;
} ShadowFigures;

enum { SHADOW_INHERITED = 64 };

// ---- the state of this folder ----
typedef struct ShadowState {
    const ShadowRequest *request;  // NULL: no shadows
    // In the program's process.
    struct ProfilerThread *controller;
    _Atomic uint32_t first;    // futex: a first shadow was forked, or could not be
    _Atomic uint32_t closing;  // 1: no more forks; 2: the controller has seen that
    pthread_mutex_t reaping;   // held while waiting for shadows, and after a fork until the shadow has copied
    Shadow shadows[SHADOW_MOST];
    int live;
    ShadowFigures figures;
    int64_t started_ns, looked_ns;  // looked_ns: last update of the running average
    double live_ns, seen_ns;
    uint64_t idle_ticks, all_ticks;
    bool idle_known, busy;
    int64_t phase_ns;       // time of the last phase inspection
    bool changed;           // the phase has changed, and no shadow was forked since
    HeapPages pages;        // the heap's pages
    ShadowReasons reasons;  // why shadows ended early
    struct Inherited {      // sockets and pipes that existed before the program started
        int fd;
        dev_t device;
        ino_t inode;
    } inherited[SHADOW_INHERITED];
    int inherited_count;
    pid_t program;  // the process that is copied
    // The last fork's; in a shadow, its own.
    ShadowPage *page;
    int fd;  // file of the payload
    // In a shadow.
    int stand_in;           // a socket without a connection, whose copies stand for those that the program opens
    int messages;           // the program's stderr until the filter is installed; -1: closed
    _Atomic uint32_t over;  // futex: the warden is to check for the end
} ShadowState;
extern ShadowState shadow;  // controller.c

// Ends the shadow from any of its threads, in any state: the warden collects the results, and the caller sleeps for
// ever. The first reason counts. Async-signal-safe.
_Noreturn void shadow_end(ShadowEnd why, int64_t number, const char *what);

// The first action in a shadow, while the program is stopped: replaces sockets and pipes and reopens files. Error
// messages of libraries from here on do not reach the program's stderr.
void shadow_begin(void);
// Runs a shadow from the fork to its exit, on the pthread that forked. The world is stopped.
_Noreturn void shadow_warden(Shadow *s);

// Whether the program's phase has changed since the last inspection; inspects if one is due. Called by the controller.
// [stops the world]
bool shadow_phase_changes(void);

// Records the sockets and pipes that exist. Java code cannot close those that the process was started with.
void shadow_note_inherited(void);
// Whether there are others besides the standard streams, whose closing another process may wait for.
bool shadow_has_foreign_files(void);
// own_files: replaces sockets and pipes and gives other descriptors separate positions. own_memory: makes shared
// mappings private or read-only. False: *why.
bool shadow_own_files(int except, char why[static 160]);
bool shadow_own_memory(const void *except, size_t bytes, char why[static 160]);

// Installs the filter: from here on only system calls allowed by syscalls.def are made. All threads of the process.
// False: the kernel has no such filter.
bool shadow_install_filter(void);
// Makes a system call that the filter allows because of the address it is made from.
long shadow_syscall(long number, long a, long b, long c, long d, long e, long f);
extern const char shadow_gate[], shadow_gate_end[];  // the instructions that make it, and their end
// The handler of calls that the filter stops.
void shadow_handle_call(int signal, siginfo_t *info, void *context);
// Its name; NULL where the table has none. Static.
const char *shadow_call_name(long number);

#endif
