// What the user wants of the compiler: -Xjit:..., -Xcomp, -Xint, -Xreplay and -XX:+PrintCompilation
// in one structure, constant once the VM runs. The table is jitoptions.def. Reading it needs neither
// the compiler nor LLVM. No locks; nothing here allocates Java objects.
#ifndef CABERNET_VM_COMPILED_JITOPTIONS_H
#define CABERNET_VM_COMPILED_JITOPTIONS_H

#include "vm/api/compiler.h"
#include "vm/base/options.h"

// When plans of -Xreplay:FILE are compiled. But for REPLAY_BY_HOTNESS the rest follows as soon as its facts hold.
typedef enum ReplayWhen { REPLAY_BY_HOTNESS, REPLAY_PRECOMPILE, REPLAY_WARMUP } ReplayWhen;

typedef struct JitOptions {
    CompilerOptions compiler;    // handed to CompilerInterface.start as it is
    bool enabled;                // false: -Xint
    bool compile_all;            // the optimising tier at the first call
    bool blocking;               // the program waits; compile_all sets it
    bool print_compilation;
    bool template;               // the template tier is used
    bool template_first_call;    // -Xcomp: template code is made at the first call
    uint32_t template_threshold; // invocations + backedges for it
    uint32_t osr;                // backedges in one activation for on-stack replacement
    uint32_t optimize;           // invocations + backedges for the optimising tier
    uint32_t threads;            // 0: to be chosen
    uint32_t nice;               // of compile threads
    uint32_t deopt_stress;       // 0 off; N: every N-th chance (CompileTask.deopt_stress is N != 0)
    uint32_t poll_stress;        // 0 off; N: every N-th poll collects
    uint32_t poll_stress_sites;  // N: each place that polls collects N times; of the two: compiler.poll_everywhere
    uint32_t snapshot;           // 0 off; N: every N-th plan takes a new snapshot of the profile, the others the last one
    int64_t cache;               // bytes for code and metadata
    bool adaptive;               // -Xadaptive, on by default
    uint32_t sample_rate;        // samples of optimised code a second and running thread, 0: none
    ReplayWhen replay_when;
    const char *replay_warmup;   // REPLAY_WARMUP: PATTERN of methods
    bool perf_map, jitdump;      // what perf is told of code
    const char *stats;           // file for figures at the end, or NULL
    MethodPattern *only, *exclude, *force;  // in the order given
    bool adaptive_off;           // -Xadaptive:off
    bool help, adaptive_help;    // the list was asked for
} JitOptions;

typedef enum JitFilter {
    JIT_EXCLUDED,  // by exclude=, or not among only=
    JIT_NORMAL,
    JIT_FORCED,    // force=: at the first call, whatever the thresholds say
} JitFilter;

// Fills *out from the VM's options. 0: fine; 1: help was asked for and is printed on stdout, the process
// is to end; -1: *error says what is wrong, naming the suboption. Texts are kept for the process's life.
int jitoptions_make(JitOptions *out, const Options *options, char *error, size_t size);

// What the filters say about a method: internal class name, name, descriptor. exclude= wins over
// only=, and that over force=. Cheap when there are no filters; safe on any thread.
JitFilter jitoptions_filter(const JitOptions *o, const char *class_name, const char *name,
                            const char *descriptor);

#endif
