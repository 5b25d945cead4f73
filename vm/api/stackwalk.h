// The stack walker. It hides the kinds and layouts of frames from all users of a thread's Java frames (traces, caller
// lookup, dumps, the profiler), except for samples of time, which interrupt threads (vm/timing/tickwalk.h).
//
// The walked thread is the current one, at a call into the VM, or a thread stopped or blocked at a safepoint. The walk
// neither allocates nor locks, and is valid only until the thread runs again.
#ifndef CABERNET_VM_API_STACKWALK_H
#define CABERNET_VM_API_STACKWALK_H

#include <stdbool.h>
#include <stdint.h>

typedef struct StackWalk {
    struct Thread *thread;
    struct Frame *next;  // the next frame to report
    bool entries;        // also report boundaries from C to Java
    // The current frame, after stackwalk_next returned true.
    struct Frame *frame;
    struct Method *method;  // NULL at a boundary
    const union Insn *pc;   // instruction word being executed; NULL for natives and boundaries
    int32_t bci;            // bytecode index; -1 for natives and boundaries
    int32_t kind;           // FrameKind
    int32_t reason;         // EntryReason, boundaries only
    bool is_native;
    union Slot *locals;       // argument and other locals; for natives, the argument slots; NULL in
                              // compiled code
    const struct Code *code;  // code of the frame, or NULL (vm/api/compiler.h)
    const struct CodeStackMap *stack_map;
    uint32_t position;   // in code->positions
    uint32_t level;      // inlined frames of the same site already passed
    char *fp;            // frame pointer of the code
    char *sp;            // its stack pointer at the call
    bool skip_compiled;  // the next compiled frame has been replaced by interpreter frames
} StackWalk;

// Starts at the innermost frame. Reports all method frames, including hidden ones.
void stackwalk_begin(StackWalk *w, struct Thread *thread);
// Starts at a given frame, which is reported first. NULL: an empty walk.
void stackwalk_begin_at(StackWalk *w, struct Thread *thread, struct Frame *frame);
bool stackwalk_next(StackWalk *w);

// The object locked by the frame's synchronized method, or NULL. Interpreted and native frames only.
struct Object *stackwalk_monitor(const StackWalk *w);
// Stores the objects that a frame of compiled code has locked in `out`; returns their number.
int stackwalk_compiled_monitors(const StackWalk *w, struct Object **out, int max);
// Source line of the current frame; -1 unknown, -2 native.
int stackwalk_line(const StackWalk *w);

#endif
