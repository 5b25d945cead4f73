// The user's options for the compiler: -Xjit:..., -Xcomp, -Xint, -Xreplay and -XX:+PrintCompilation in one structure,
// constant once the VM runs. The table is jitoptions.def. Parsing needs neither the compiler nor LLVM. No locks;
// nothing here allocates Java objects.
#ifndef CABERNET_VM_ADAPTIVE_JITOPTIONS_H
#define CABERNET_VM_ADAPTIVE_JITOPTIONS_H

#include "vm/api/compiler.h"
#include "vm/base/options.h"

// When plans of -Xreplay:FILE are compiled. Except with REPLAY_BY_HOTNESS, plans whose facts do not hold then follow
// as soon as they do.
typedef enum ReplayWhen { REPLAY_BY_HOTNESS, REPLAY_PRECOMPILE, REPLAY_WARMUP } ReplayWhen;

typedef struct JitOptions {
    CompilerOptions compiler;  // passed to CompilerInterface.start unchanged
    bool enabled;              // false: -Xint
    bool compile_all;          // the optimising tier at the first call
    bool blocking;             // the program waits; compile_all sets it
    bool print_compilation;
    bool template;                // the template tier is used
    bool template_first_call;     // -Xcomp: template code is made at the first call
    uint32_t template_threshold;  // invocations + backedges before the template tier
    uint32_t osr;                 // backedges in one activation before on-stack replacement
    uint32_t optimize;            // invocations + backedges before the optimising tier
    uint32_t threads;             // 0: by the number of processors
    uint32_t nice;                // of compile threads
    uint32_t deopt_stress;        // 0 off; N: every N-th chance (CompileTask.deopt_stress is N != 0)
    uint32_t poll_stress;         // 0 off; N: every N-th poll collects
    uint32_t poll_stress_sites;   // N: each place that polls collects N times; either sets compiler.poll_everywhere
    uint32_t snapshot;     // 0 off; N: every N-th plan takes a new snapshot of the profile, the others the last one
    int64_t cache;         // bytes for code and metadata
    bool adaptive;         // -Xadaptive, on by default
    uint32_t sample_rate;  // samples of optimised code per second and running thread; 0: none
    ReplayWhen replay_when;
    const char *replay_warmup;              // REPLAY_WARMUP: PATTERN of methods
    bool perf_map, jitdump;                 // files to write for perf
    const char *stats;                      // file for figures at the end, or NULL
    MethodPattern *only, *exclude, *force;  // in the order given
    bool adaptive_off;                      // -Xadaptive:off
    bool help, adaptive_help;               // print the list of suboptions
} JitOptions;

typedef enum JitFilter {
    JIT_EXCLUDED,  // by exclude=, or not among only=
    JIT_NORMAL,
    JIT_FORCED,  // force=: at the first call, whatever the thresholds
} JitFilter;

// Fills *out from the VM's options. 0: success; 1: help was requested and printed on stdout, and the process is to
// end; -1: *error describes the error and names the suboption. Texts live as long as the process.
int jitoptions_make(JitOptions *out, const Options *options, char *error, size_t size);

// The filters' decision about a method, given its internal class name, name and descriptor. exclude= wins over only=,
// and only= over force=. Cheap when there are no filters; safe on any thread.
JitFilter jitoptions_filter(const JitOptions *o, const char *class_name, const char *name, const char *descriptor);

#endif
