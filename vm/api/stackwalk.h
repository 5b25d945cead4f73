// The one stack walker. It hides how frames are laid out and what kinds there are: whoever needs
// the Java frames of a thread (traces, caller lookup, dumps, the profiler) walks with this.
//
// The walked thread is the current one, at a call into the VM, or stopped or blocked at a
// safepoint. The walk neither allocates nor locks; it holds only until the thread runs on.
#ifndef CABERNET_VM_API_STACKWALK_H
#define CABERNET_VM_API_STACKWALK_H

#include <stdbool.h>
#include <stdint.h>

typedef struct StackWalk {
    struct Thread *thread;
    struct Frame *next;       // what stackwalk_next looks at
    bool entries;             // also report boundaries from C to Java
    // The current frame, after stackwalk_next returned true.
    struct Frame *frame;
    struct Method *method;    // NULL at a boundary
    const union Insn *pc;     // instruction word being executed; NULL for natives and boundaries
    int32_t bci;              // bytecode index; -1 for natives and boundaries
    int32_t kind;             // FrameKind
    int32_t reason;           // EntryReason, boundaries only
    bool is_native;
    union Slot *locals;       // argument and other locals; for natives their argument slots; NULL in
                              // compiled code
    const struct Code *code;  // compiled code that the frame belongs to, or NULL (vm/api/compiler.h)
    const struct CodeStackMap *stack_map;
    uint32_t position;        // in code->positions
    uint32_t level;           // inlined frames of the same site already passed
    char *fp;                 // frame pointer of the code
    char *sp;                 // its stack pointer at the call
    bool skip_compiled;       // the next compiled frame has been replaced by interpreter frames
} StackWalk;

// Innermost frame first. All method frames, hidden ones too.
void stackwalk_begin(StackWalk *w, struct Thread *thread);
// From a given frame on (that one first). NULL: an empty walk.
void stackwalk_begin_at(StackWalk *w, struct Thread *thread, struct Frame *frame);
bool stackwalk_next(StackWalk *w);

// The object locked by the frame's synchronized method, or NULL. Interpreted and native frames only.
struct Object *stackwalk_monitor(const StackWalk *w);
// Objects that a frame of compiled code has locked, into out; how many there are.
int stackwalk_compiled_monitors(const StackWalk *w, struct Object **out, int max);
// Source line of the current frame; -1 unknown, -2 native.
int stackwalk_line(const StackWalk *w);

#endif
