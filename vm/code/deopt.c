// Leaving compiled code: builds interpreter frames from the values of a deoptimisation point (vm/api/compiler.h).
//
// Code that has replaced an interpreter's frame hands back the frames to continue in and returns. The interpreter
// that entered it continues in them, in place of the old frame. However often a loop is entered and left, neither
// stack grows, and no dead frame stays on either.
//
// Otherwise the compiled frame stays on the C stack until the interpreter has run its method to the end. An
// ENTRY_DEOPT boundary makes the stack walker skip it.
//
// The compiled frame is cleared of references. It stays on the stack, or its memory becomes the next entry's frame,
// and objects that the program drops from then on must not look reachable to a collection.
#include <string.h>

#include "base/invariant.h"
#include "arch_frame.h"
#include "arch_insn.h"
#include "vm/api/stackwalk.h"
#include "vm/code/code.h"
#include "vm/code/entry.h"
#include "vm/code/hooks.h"
#include "vm/code/runtime_calls.h"
#include "vm/instrument/pathprofile.h"
#include "vm/instrument/sampling.h"
#include "vm/objects/classes.h"
#include "vm/runtime/exception.h"
#include "vm/interp/flowcounts.h"
#include "vm/interp/hooks.h"
#include "vm/interp/interp.h"
#include "vm/model/vm.h"
#include "vm/runtime/invoke.h"
#include "vm/threads/monitor.h"
#include "vm/threads/thread.h"

// Reads the values of a deoptimisation point in order, as its table says.
typedef struct DeoptValues {
    ArchExit *exit;
    const CodeValue *table;
    const uint64_t *constants;
    const char *fp, *sp;
} DeoptValues;

// End of the stack space for leaving code. It includes part of the reserve past the stack's limit, so that leaving
// does not fail for lack of space.
static const Slot *room_end(const Thread *self) { return self->stack_limit + THREAD_STACK_RESERVE / 2 / sizeof(Slot); }

static Slot next_value(DeoptValues *values) {
    const CodeValue *v = values->table++;
    Slot out = {.raw = 0};
    switch (v->location) {
        case CODE_LOC_CONSTANT: out.l = v->offset; break;
        case CODE_LOC_WIDE_CONSTANT: out.raw = values->constants[v->offset]; break;
        case CODE_LOC_FP: memcpy(&out, values->fp + v->offset, v->bytes); break;
        case CODE_LOC_SP: memcpy(&out, values->sp + v->offset, v->bytes); break;
        default: out.raw = values->exit->registers[v->offset];
    }
    if (v->bytes < sizeof out.raw) out.raw &= UINT32_MAX;
    return out;
}

// Makes the frame for `f` with locals at `at`, and reads its values from *values. NULL: no space.
static Frame *make_frame(Thread *self, Frame *prev, Slot *at, const DeoptFrame *f, DeoptValues *values) {
    ASSERT(f->bci >= 0 && f->method && f->method->code_words, "a frame at bytecode %d of no method", f->bci);
    ASSERT(f->stack_depth <= f->method->max_stack, "%u operands of %u", f->stack_depth, f->method->max_stack);
    ASSERT(at >= self->stack_base, "a frame below the Java stack");
    uint32_t locals = method_locals(f->method);
    Frame *frame = (Frame *)(at + locals);
    Slot *stack = frame_stack(frame), *end = stack + f->method->max_stack + INTERP_EXTRA_STACK;
    if (end > room_end(self)) return NULL;
    memset(at, 0, locals * sizeof *at);
    memset(stack, 0, (size_t)((char *)end - (char *)stack));
    *frame = (Frame){.prev = prev, .method = f->method, .locals = at, .kind = FRAME_INTERP};
    if (f->has_monitor) frame->monitor = next_value(values).o;
    frame->path = f->has_path ? next_value(values).raw : PATHS_UNKNOWN;
    for (uint32_t i = 0; i < f->value_count; i++) {
        uint16_t slot = f->slots[i];
        ASSERT(slot < locals + f->method->max_stack, "slot %u of a frame of %s", slot, f->method->name->text);
        Slot *to = slot < f->method->max_locals ? &at[slot] : &stack[slot - f->method->max_locals];
        *to = next_value(values);
    }
    frame->pc = method_pc_at(f->method, f->bci);
    frame->sp = stack + f->stack_depth;
    frame->lock_count = f->lock_count;
    return frame;
}

// Makes the frames above `prev`, the outermost with locals at `at`. This is a separate function, as is
// clear_compiled_frame: a function that stays active while they run would hold the copied values in registers, where
// they would look alive.
__attribute__((noinline)) static Frame *make_frames(Thread *self, const Code *code, const DeoptPoint *point,
                                                    Frame *prev, Slot *at, const DeoptValues *from) {
    DeoptValues values = *from;
    Frame *top = prev;
    bool templates = interp_template_mode(self) != TEMPLATES_NONE;
    const DeoptFrame *f = &code->deopt_frames[point->first_frame];
    const CodeInlined *inlined = self->sample.checking ? code->inlined : NULL;
    for (uint32_t i = 0; top && i < point->frame_count; i++) {
        top = make_frame(self, top, at, &f[i], &values);
        if (!top) break;
        at = top->sp;
        top->inlined = inlined;
        if (i + 1 == point->frame_count) break;
        if (inlined) {
            top->resume = interp_hooks.sampled_return((unsigned)interp_slots(f[i + 1].method->ret));
            inlined = code_inlined_at(inlined, (uint32_t)f[i].bci, f[i + 1].method);
        } else if (templates) {
            top->resume = (void *)(uintptr_t)code_hooks.template_return_at(top->method, top->pc);
        }
    }
    return top;
}

// Decides whether the interpreter records events where it continues.
static void choose_table(Thread *self, const DeoptPoint *point) {
    switch (point->sampling) {
        case DEOPT_KEEPS_SAMPLING: break;
        case DEOPT_MAKES_CHECK: sampling_check(self); break;
        default: sampling_set_instrumented(self, point->sampling == DEOPT_SAMPLED);
    }
}

// Marks the frames above `prev` as sampled if the thread is in a sample. With copies=inline, all activations in the
// compiled frame were part of the sample; otherwise only the innermost was. A check that is made only now is at a
// backedge.
static void begin_sampled(Thread *self, Frame *top, const Frame *prev, const DeoptPoint *point) {
    top->sampled = self->sample.instrumented;
    if (top->sampled && point->sampling == DEOPT_MAKES_CHECK) paths_begin(top, method_bci(top->method, top->pc), -1);
    if (!top->sampled || sampling_by_exits()) return;
    for (Frame *callee = top, *caller; (caller = callee->prev) != prev; callee = caller) {
        caller->sampled = true;
        caller->resume = interp_hooks.sampled_return((unsigned)interp_slots(callee->method->ret));
    }
}

// Releases the monitors of synchronized methods, because no frame can take them over.
static void fail(Thread *self, const Code *code, const DeoptPoint *point, const DeoptValues *from) {
    DeoptValues values = *from;
    Object *exception = exception_take(self);
    for (uint32_t i = 0; i < point->frame_count; i++) {
        const DeoptFrame *f = &code->deopt_frames[point->first_frame + i];
        if (f->has_monitor && !monitor_exit(self, next_value(&values).o)) exception_clear(self);
        for (uint32_t k = f->has_path + f->value_count; k > 0; k--) next_value(&values);
    }
    self->exception = exception;
    throw_stack_overflow(self);
}

// The frame contains the point's values and the code's spills. From here on the code only returns what its exit
// returns and counts that it has left, so it needs no pointer into the heap. It does need the thread and its
// counters, which may lie between parts of the heap: hence the exact test of each word. The words right below the
// frame pointer may hold registers of the caller, or values, and are left alone.
__attribute__((noinline)) static void clear_compiled_frame(const Frame *boundary, const DeoptValues *values) {
    char **begin = (char **)boundary->native + 1, **fp = (char **)(uintptr_t)boundary->pc;
    ASSERT(begin <= fp, "a compiled frame from %p to %p", (void *)begin, (void *)fp);
    for (char **word = begin; word < fp - ARCH_FRAME_SAVED; word++)
        if (heap_contains(*word)) *word = NULL;
    memset(values->exit, 0, sizeof *values->exit);
}

// Replaces the boundary, and the frame that the code had replaced, with interpreter frames. The interpreter
// recognises by the frame's kind that it is back. There is no safepoint before that.
static void hand_back(Thread *self, const Code *code, const DeoptPoint *point, const DeoptValues *values) {
    Frame *boundary = self->frame, kept = *boundary;
    choose_table(self, point);
    Frame *top = make_frames(self, code, point, kept.prev, kept.locals, values);
    ASSERT(!top || boundary->kind == FRAME_INTERP, "the frame that was replaced is of kind %u", boundary->kind);
    if (top) {
        begin_sampled(self, top, kept.prev, point);
        flow_frames_made(self, top, kept.prev);
        if (self->code_sample == CODE_SAMPLE_LEAVES) code_hooks.left_for_sample(self, code, top, kept.prev);
        clear_compiled_frame(&kept, values);
        self->frame = top;
        self->left_inner_loop = point->reason == DEOPT_loop;
        return;
    }
    *boundary = kept;
    fail(self, code, point, values);
}

static int64_t run_above(Thread *self, const Code *code, const DeoptPoint *point, const DeoptValues *values) {
    Frame *entry = (Frame *)invoke_stack_top(self), *top = NULL;
    if ((const Slot *)(entry + 2) <= room_end(self)) {
        *entry = (Frame){.prev = self->frame,
                         .pc = interp_halt,
                         .sp = frame_stack(entry),
                         .locals = frame_stack(entry),
                         .kind = FRAME_ENTRY,
                         .reason = ENTRY_DEOPT};
        top = make_frames(self, code, point, entry, frame_stack(entry), values);
    }
    if (!top) {
        fail(self, code, point, values);
        return 0;
    }
    flow_frames_made(self, top, entry);
    clear_compiled_frame(self->frame, values);
    choose_table(self, point);
    begin_sampled(self, top, entry, point);
    if (self->code_sample == CODE_SAMPLE_LEAVES) code_hooks.left_for_sample(self, code, top, entry);
    self->frame = top;
    bool ok = interp_resume(self, entry, point->kind == DEOPT_RETHROW);
    self->frame = entry->prev;
    return ok ? frame_stack(entry)->l : 0;
}

int64_t deopt_exit(Thread *self, ArchExit *registers) {
    const char *return_pc = thread_return_pc(self, (char **)self->frame->native);
    const Code *code = code_find(return_pc);
    const CodeStackMap *map = code_stack_map(code, return_pc);
    ASSERT(map->exit, "exit from offset %u, which has none", map->return_offset);
    ASSERT((uint32_t)map->position < code->deopt_point_count, "deoptimisation point %u of %u", (uint32_t)map->position,
           code->deopt_point_count);
    const DeoptPoint *point = &code->deopt_points[map->position];
    const DeoptValues values = {
        .table = &code->values[map->first_value],
        .constants = code->constants,
        .exit = registers,
        .fp = (const char *)(uintptr_t)registers->registers[ARCH_RBP],
        .sp = (const char *)(uintptr_t)registers->registers[ARCH_RSP],
    };
    self->leaving_position = point->position;
    code_hooks.deoptimized(self, (Code *)code, point);
    if (code->osr_bci < 0) return run_above(self, code, point, &values);
    hand_back(self, code, point, &values);
    return 0;
}

// ---- invalid code further down the stack ----------------------------------------------------------
//
// Only the code to which control returns has to be left, however deep in the stack it lies and whatever is called
// before that. So the return into the innermost invalid code is marked: it leads to a stub that sets
// Thread.deopt_pending and continues after the call. Until then no test is made in vain. One mark is enough, because
// the next invalid code is searched for when this one has been left. Altogether, each invalidation examines each
// frame once.

static void mark_return(Thread *self) {
    StackWalk w;
    if (self->marked_return.slot) *self->marked_return.slot = self->marked_return.pc;
    self->marked_return.slot = NULL;
    stackwalk_begin(&w, self);
    do {
        if (!stackwalk_next(&w)) return;
    } while (!w.code || w.code->state != CODE_INVALID);
    char **slot = arch_frame_return_slot(w.sp);
    self->marked_return.pc = *slot;
    self->marked_return.slot = slot;
    *slot = (char *)compiled_marked_return;
}

char *deopt_marked_return(void) {
    Thread *self = thread_current();
    ASSERT(self->marked_return.slot, "a return of thread %u is marked that it does not know", self->id);
    self->marked_return.slot = NULL;
    self->deopt_pending = 1;
    return self->marked_return.pc;
}

// An OutOfMemoryError is handled in the interpreter, whose frames keep alive only values that the handler still uses.
// In compiled code, references to the objects that filled the heap may stay in registers and spill slots until they
// are overwritten, and the handler would find no memory.
int32_t rt_deopt_pending(Thread *self) {
    const Code *code = code_find(thread_return_pc(self, (char **)self->frame->native));
    if (code->state == CODE_INVALID || exception_is(self, WK(java_lang_OutOfMemoryError))) return 1;
    const CodeStress *stress = code_stress();
    if (stress && stress->deopt) return stress->deopt();
    if (self->deopt_pending) {
        self->deopt_pending = 0;
        mark_return(self);
    }
    return 0;
}
