// Interpreter frames. Deoptimisation and on-stack replacement rebuild this layout, so it is fixed. A thread has a Java
// stack (separate mapping, guard page, grows upward) that holds
//
//     [argument locals][other locals][Frame][operand stack ... max_stack]
//                                            ^ frame + 1
//
// A callee's argument locals overlap the caller's operand stack, so a call copies nothing. The result replaces the
// arguments. Locals are accessed only through `locals`, so a rebuilt frame need not overlap anything. `pc` and `sp` are
// valid while the frame is not the executing one and while the thread is at a call into the VM (the interpreter stores
// them before each such call).
//
// The C stack holds one interp_run activation per entry from C; the frames of one activation are between an ENTRY frame
// and the next. Stack walks use vm/api/stackwalk.h, not this header.
#ifndef CABERNET_VM_MODEL_FRAME_H
#define CABERNET_VM_MODEL_FRAME_H

#include "vm/model/class.h"

typedef enum FrameKind {
    FRAME_INTERP,    // executes method's bytecode
    FRAME_NATIVE,    // a native method (JNI or VM intrinsic with a frame)
    FRAME_ENTRY,     // boundary: C code called Java; method is NULL; returns to it land on HALT
    FRAME_COMPILED,  // boundary: compiled code runs on the C stack, entered with `method`; its last call
                     // into the VM is recorded in `pc` (frame pointer) and `native` (address of the
                     // return address), written by the stubs of vm/code/stubs.S
} FrameKind;

// Why C called Java; determines the pseudo-caller in profiles (docs/PROFILING.md).
typedef enum EntryReason {
    ENTRY_VM,       // upcall of the VM (loadClass, Thread.exit, linkCallSite...)
    ENTRY_CLINIT,   // class initialisation
    ENTRY_THREAD,   // Thread.run of a started thread, and main
    ENTRY_JNI,      // Call*Method from native code: the caller is the native method below
    ENTRY_REFLECT,  // Method.invoke / Constructor.newInstance: the caller is the frame below
    ENTRY_FINALIZER,
    ENTRY_COMPILED,  // compiled code calls an interpreted method: the caller is the frame below
    ENTRY_COUNTED,   // the same; code has counted the call edge (`native`: the method); ENTRY_COMPILED once entered
    ENTRY_DEOPT,     // the frames above replace the topmost compiled ones below
} EntryReason;

// Progress of an interpreter frame in an exact profile, where pc and the frame above do not determine it.
typedef enum FrameCall {
    FRAME_CALL_BEFORE,   // its instruction has made no event yet
    FRAME_CALL_ENTERED,  // the invocation at pc has entered its method, which has no frame (any more)
    FRAME_CALL_LOCKS,    // the frame's own method is not entered yet: it waits for its monitor
} FrameCall;

struct Frame {
    Frame *prev;     // caller's frame of any kind; NULL at the bottom of the thread
    Method *method;  // NULL for ENTRY
    const Insn *pc;  // instruction being executed, or HALT for ENTRY frames
    void *resume;    // INTERP: address in template code to return to (vm/template/template.h); NULL: the interpreter.
                     // ENTRY: the return to compiled code that has called template code (vm/template/adapters.h), or
                     // NULL
    Slot *sp;        // first free operand slot
    Slot *locals;
    Object *monitor;     // object locked by a synchronized method, else NULL
    uint8_t kind;        // FrameKind
    uint8_t reason;      // EntryReason, ENTRY frames
    bool not_begun : 1;  // INTERP: no instruction of the method was executed, so all arguments are live, whatever pc is
    bool sampled : 1;    // INTERP: the activation is in a sample (vm/instrument/sampling.h)
    uint8_t call;        // FrameCall, INTERP
    uint32_t lock_count;  // monitors entered by monitorenter and not yet exited (structured locking)
    union {
        void *native;      // NATIVE: saved local-handle mark (vm/jni/handles.h)
        uint64_t *counts;  // INTERP, exact profiles: the thread's counts (vm/interp/flowcounts.h), or NULL
        // INTERP, sampled profiles: the activation in the compiled code that was left for it, or NULL
        const struct CodeInlined *inlined;
    };
    uint64_t path;  // INTERP: state of the path being executed, if paths are reported (vm/instrument/pathprofile.h)
};
static_assert(sizeof(Frame) == 80, "the frame layout is an interface");

static inline Slot *frame_stack(Frame *f) { return (Slot *)(f + 1); }

#endif
