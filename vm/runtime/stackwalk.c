// The stack walker (vm/api/stackwalk.h) over interpreter frames and compiled code.
//
// A FRAME_COMPILED represents any number of native frames of compiled code, from the one that called the VM last down
// to the one that the interpreter entered; each of these represents the methods inlined at its site. Below the last one
// is the entry stub, whose return address is in no code.
#include "vm/api/stackwalk.h"

#include "base/invariant.h"
#include "arch_frame.h"
#include "vm/model/frame.h"
#include "vm/objects/classes.h"
#include "vm/runtime/hooks.h"
#include "vm/threads/thread.h"

void stackwalk_begin_at(StackWalk *w, Thread *thread, Frame *frame) {
    *w = (StackWalk){.thread = thread, .next = frame};
}

void stackwalk_begin(StackWalk *w, Thread *thread) { stackwalk_begin_at(w, thread, thread->frame); }

// ---- compiled code ------------------------------------------------------------------------------

// `return_slot` holds the return address into the code, `fp` is the code's frame pointer.
static bool enter_code(StackWalk *w, char *return_slot, char *fp) {
    char *pc = thread_return_pc(w->thread, (char **)return_slot);
    w->code = runtime_hooks.find_code(pc);
    if (!w->code) return false;
    w->stack_map = runtime_hooks.code_stack_map(w->code, pc);
    w->position = w->stack_map->exit ? w->thread->leaving_position : w->stack_map->position;
    w->level = 0;
    w->fp = fp;
    w->sp = arch_frame_caller_sp(return_slot);
    ASSERT(w->sp <= fp, "stack pointer %p above frame pointer %p", (void *)w->sp, (void *)fp);
    return true;
}

static bool caller_code(StackWalk *w) {
    ArchFrame *f = (ArchFrame *)w->fp;
    return enter_code(w, (char *)&f->return_pc, (char *)f->caller);
}

static void describe_code(StackWalk *w) {
    ASSERT(w->position < w->code->position_count, "position %u of %u", w->position, w->code->position_count);
    const CodePosition *p = &w->code->positions[w->position];
    w->method = p->method;
    w->bci = p->bci;
    w->pc = method_pc_at(p->method, p->bci);
    w->kind = FRAME_COMPILED;
    w->is_native = false;
    w->locals = NULL;
}

// Moves from one frame of compiled code to the next below it.
static bool next_code(StackWalk *w) {
    uint32_t parent = w->code->positions[w->position].parent;
    ASSERT(parent == CODE_NONE || parent < w->position, "position %u is inlined into %u", w->position, parent);
    if (parent != CODE_NONE) {
        w->position = parent;
        w->level++;
    } else if (!caller_code(w)) {
        return false;
    }
    describe_code(w);
    return true;
}

// The topmost compiled frame below boundary `f`. False: none is left.
static bool first_code(StackWalk *w, Frame *f) {
    bool skip = w->skip_compiled;
    w->frame = f;
    w->skip_compiled = false;
    if (!f->native || !enter_code(w, f->native, (char *)f->pc)) return false;
    if (skip && !caller_code(w)) return false;
    describe_code(w);
    return true;
}

int stackwalk_compiled_monitors(const StackWalk *w, Object **out, int max) {
    int count = 0;
    if (!w->code) return 0;
    for (uint32_t i = 0; !w->stack_map->exit && i < w->stack_map->value_count && count < max; i++) {
        const CodeValue *m = &w->code->values[w->stack_map->first_value + i];
        if (m->level != w->level) continue;
        if (m->location == CODE_LOC_FP) out[count++] = *(Object **)(w->fp + m->offset);
        else if (m->location == CODE_LOC_SP) out[count++] = *(Object **)(w->sp + m->offset);
    }
    return count;
}

// ---- frames -------------------------------------------------------------------------------------

static void describe(StackWalk *w, Frame *f) {
    ASSERT(f->kind == FRAME_INTERP || f->kind == FRAME_NATIVE || f->kind == FRAME_ENTRY, "a frame of kind %u", f->kind);
    ASSERT((Slot *)f >= w->thread->stack_base &&
               (Slot *)f <= w->thread->stack_limit + THREAD_STACK_RESERVE / sizeof(Slot),
           "frame %p outside of the Java stack", (void *)f);
    ASSERT(f->kind == FRAME_ENTRY || f->method, "frame %p has no method", (void *)f);
    ASSERT(!f->prev || f->prev < f, "frame %p lies below its caller's", (void *)f);
    w->frame = f;
    w->method = f->method;
    w->kind = f->kind;
    w->reason = f->reason;
    w->is_native = f->kind == FRAME_NATIVE;
    w->pc = f->kind == FRAME_INTERP ? f->pc : NULL;
    w->bci = w->pc ? method_bci(f->method, f->pc) : -1;
    w->locals = f->locals;
    w->code = NULL;
}

bool stackwalk_next(StackWalk *w) {
    if (w->code && next_code(w)) return true;
    w->code = NULL;
    for (Frame *f = w->next; f; f = f->prev) {
        w->next = f->prev;
        if (f->kind == FRAME_COMPILED) {
            if (first_code(w, f)) return true;
            w->code = NULL;
            continue;
        }
        if (f->kind == FRAME_ENTRY) {
            w->skip_compiled = f->reason == ENTRY_DEOPT;
            if (!w->entries) continue;
        }
        describe(w, f);
        return true;
    }
    w->next = NULL;
    return false;
}

Object *stackwalk_monitor(const StackWalk *w) {
    return w->kind == FRAME_INTERP || w->kind == FRAME_NATIVE ? w->frame->monitor : NULL;
}

int stackwalk_line(const StackWalk *w) { return w->is_native ? -2 : method_line_number(w->method, w->bci); }
