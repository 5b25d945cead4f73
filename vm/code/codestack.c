// The C stack of a thread as roots of a collection.
//
// Frames of C are scanned word by word, because their contents are not known. In frames of compiled code, only values
// that are live after the current call are scanned (vm/code/frameliveness.h), so that a dead value in a spill slot or
// in an unused register keeps nothing alive.
//
// The interpreter loop needs nothing in its own C frame while it calls compiled code or a native method, or is
// stopped; nor do the functions between it and the callee. Marks on the stack (arch_mark.h) say where such frames
// begin and end.
//
// Callee-saved registers hold values of the caller, which are live if the caller's call site says so. The innermost
// function that changes a register has saved its value. Where compiled code calls the VM, the stub saves all of them
// below the return address and clears them (arch_stubs.h), so no C function that it calls sees or saves them. A walk
// outwards from the stub knows for each frame where each register's value is (`at`): in the stub's frame, until a
// frame has its own save slot for it.
//
// A code is analysed when a collection first finds it on a stack, and the result is kept with the code. All of this
// runs on the collector thread, so there are no locks.
#include "vm/code/codestack.h"

#include <string.h>

#include "arch_frame.h"
#include "arch_mark.h"
#include "base/invariant.h"
#include "vm/code/code.h"
#include "vm/code/frameliveness.h"

typedef struct CodeWalk {
    const Thread *thread;
    RootFn *fn;
    void *arg;
    const void *frame;         // frame pointer of the code whose frame is being passed
    char *done;                // everything below has been passed, or need not be
    const ArchMark *mark;      // the next mark outwards
    char *at[ARCH_REGISTERS];  // where the caller's value of each register is, or NULL
    uint32_t has_value;        // registers in `at` whose value compiled code may still use
} CodeWalk;

static void pass(const CodeWalk *w, const void *lo, const void *hi) { w->fn(w->arg, ROOT_FRAME, w->frame, lo, hi); }

static void pass_word(const CodeWalk *w, const char *at) { pass(w, at, at + sizeof(void *)); }

static void pass_c(const CodeWalk *w, const void *lo, const void *hi) {
    if (lo < hi) w->fn(w->arg, ROOT_C_STACK, NULL, lo, hi);
}

// Passes frames of C up to `end`. Skips the words between a leaving mark and the next entering mark.
static void pass_to(CodeWalk *w, char *end) {
    while (w->mark && (char *)w->mark < end) {
        const ArchMark *mark = w->mark;
        for (w->mark = mark->outer; mark->leaving && w->mark && w->mark->leaving; w->mark = w->mark->outer) {}
        if (!mark->leaving) continue;
        ASSERT(w->mark > mark, "mark %p inside %p", (void *)mark, (void *)w->mark);
        pass_c(w, w->done, mark);
        w->done = (char *)w->mark;
    }
    pass_c(w, w->done, end);
    w->done = end;
}

// Passes up to the stub's frame, which lies below the return address in `slot`, and notes the registers saved there.
static void enter_from_stub(CodeWalk *w, char *slot) {
    static const uint8_t saved[] = ARCH_STUB_SAVED, kept[] = ARCH_STUB_KEPT;
    char *marker = slot - ARCH_STUB_MARKER;
    bool keeps = *(uint64_t *)(void *)marker != 0;
    pass_to(w, keeps ? marker - (sizeof kept + ARCH_STUB_ARGUMENTS) * sizeof(void *) : marker);
    memset(w->at, 0, sizeof w->at);
    w->has_value = 0;
    for (unsigned i = 0; i < sizeof saved; i++) w->at[saved[i]] = slot - (2 + i) * sizeof(void *);
    for (unsigned i = 0; keeps && i < sizeof kept; i++) {
        w->at[kept[i]] = marker - (1 + i) * sizeof(void *);
        w->has_value |= 1u << kept[i];
    }
}

static void pass_registers(const CodeWalk *w, uint32_t mask) {
    for (; mask; mask &= mask - 1) {
        char *at = w->at[__builtin_ctz(mask)];
        if (at) pass_word(w, at);
    }
}

// Passes a frame of code whose liveness is not known. Arguments passed on the stack lie in the frame of the caller,
// which does not keep them alive.
static void pass_unknown(CodeWalk *w, const Code *code, char *sp, char *fp) {
    char *arguments = (char *)((ArchFrame *)(void *)fp + 1), *end = arguments + code->method->nargs * sizeof(Slot);
    pass_registers(w, (1u << ARCH_REGISTERS) - 1);
    pass(w, sp, fp);
    if (end > (char *)w->thread->c_stack_base) end = w->thread->c_stack_base;
    pass(w, arguments, end);
    memset(w->at, 0, sizeof w->at);
}

static void pass_known(CodeWalk *w, const FrameLiveness *f, uint32_t map, char *fp) {
    const FrameSaved *saved = &f->saved;
    pass_registers(w, f->registers[map] & (saved->mask | w->has_value));
    for (uint32_t word = 0; word < f->words; word++)
        for (uint64_t bits = f->live[(size_t)map * f->words + word]; bits; bits &= bits - 1) {
            uint32_t slot = word * 64 + (uint32_t)__builtin_ctzll(bits);
            if (slot < f->slots) pass_word(w, fp + f->low + (int32_t)(slot * sizeof(Slot)));
        }
    for (uint32_t mask = saved->mask; mask; mask &= mask - 1)
        w->at[__builtin_ctz(mask)] = fp + saved->at[__builtin_ctz(mask)];
}

// Passes the frames of compiled code, outwards from the one that called the VM.
static void pass_frames(CodeWalk *w, char **slot, ArchFrame *frame) {
    const char *pc = thread_return_pc(w->thread, slot);
    const Code *code = code_find(pc);
    if (!code) return;
    enter_from_stub(w, (char *)slot);
    do {
        char *sp = arch_frame_caller_sp(slot), *fp = (char *)frame;
        w->frame = fp;
        ASSERT(sp <= fp && fp < (char *)w->thread->c_stack_base, "a frame of code from %p to %p", (void *)sp,
               (void *)fp);
        const CodeStackMap *map = code_stack_map(code, pc);
        Code *c = (Code *)code;
        if (!c->liveness) c->liveness = frameliveness_of(code);
        const FrameLiveness *f = c->liveness;
        if (f && f->known) pass_known(w, f, (uint32_t)(map - code->stack_maps), fp);
        else pass_unknown(w, code, sp, fp);
        // Objects that the frame has locked. The code need not use them again: it may never leave the monitor.
        for (uint32_t i = 0; !map->exit && i < map->value_count; i++) {
            const CodeValue *m = &code->values[map->first_value + i];
            if (m->location == CODE_LOC_FP) pass_word(w, fp + m->offset);
            else if (m->location == CODE_LOC_SP) pass_word(w, sp + m->offset);
        }
        w->has_value = 0;
        w->done = (char *)(frame + 1);
        slot = &frame->return_pc;
        frame = frame->caller;
        pc = thread_return_pc(w->thread, slot);
        code = code_find(pc);
    } while (code);
    // The interpreter entered the outermost code, through functions that hold nothing but its arguments.
    ASSERT(w->mark && w->mark->leaving && (char *)w->mark >= w->done, "code was entered at %p, not below mark %p",
           (void *)w->done, (void *)w->mark);
    w->done = (char *)(uintptr_t)w->mark;
}

void codestack_each_root(const Thread *t, RootFn *fn, void *arg) {
    if (!t->published_sp) return;
    CodeWalk w = {.thread = t, .fn = fn, .arg = arg, .done = t->published_sp, .mark = t->c_marks};
    for (const Frame *f = t->frame; f; f = f->prev)
        if (f->kind == FRAME_COMPILED && f->native) {
            ASSERT((char *)f->native >= w.done, "code calls at %p, below %p", f->native, (void *)w.done);
            pass_frames(&w, (char **)f->native, (ArchFrame *)(uintptr_t)f->pc);
        }
    pass_to(&w, t->c_stack_base);
}
