// Where the frames are. A thread in a safe state has published all of them: Thread.frame is the innermost one, and each
// FRAME_COMPILED knows the last call of its code into the VM. A running thread has published the same when it is in the
// VM. Otherwise:
//
// - The interpreter's loop keeps Thread.frame (SHOW_FRAME in vm/interp/interp.c). The instruction is in a register: the
//   only one that points into the method's decoded code.
// - Template code has its frame in a register. In a prologue that is the caller's frame, or a frame without its contents.
// - Compiled code keeps frame records. Thread.frame is the boundary below them.
// - C functions called by compiled code, through a stub or directly, have frame records; those of other libraries may
//   instead keep the frame pointer unchanged. The first return address in compiled code belongs to the caller.
#include "vm/timing/tickwalk.h"

#include "arch_context.h"
#include "arch_frame.h"
#include "vm/api/codememory.h"
#include "vm/code/code.h"
#include "vm/code/entry.h"
#include "vm/instrument/scope.h"
#include "vm/interp/interp.h"
#include "vm/objects/classes.h"
#include "vm/template/template.h"

enum { MOST_FRAMES = 1 << 14, MOST_C_FRAMES = 256, MOST_WORDS = 64 };

// The linker's names for the borders of this library's code.
extern const char library_begin[] __asm__("__ehdr_start") __attribute__((visibility("hidden")));
extern const char library_end[] __asm__("etext") __attribute__((visibility("hidden")));

static void add(TimeSample *out, uint32_t method, int32_t bci) {
    if (out->count == TIME_FRAMES) out->truncated = true;
    else out->frames[out->count++] = (TimeFrame){method, bci};
}

void tickwalk_pseudo(TimeSample *out, uint32_t caller) { add(out, EVENT_PSEUDO(caller), EVENT_NO_BCI); }

static void add_method(TimeSample *out, const Method *m, int32_t bci) {
    if (scope_visible(m)) add(out, m->id, bci < 0 ? EVENT_NO_BCI : bci);
}

// ---- what can be followed -------------------------------------------------------------------------

static bool is_method(const Method *m) {
    return m && (uintptr_t)m % sizeof(void *) == 0 && m->id && method_by_id(m->id) == m;
}

static bool is_frame(const Thread *t, const Frame *f) {
    return (uintptr_t)f % sizeof(Slot) == 0 && (const Slot *)f >= t->stack_base &&
        (const Slot *)(f + 1) <= t->stack_limit + THREAD_STACK_RESERVE / sizeof(Slot);
}

static bool in_c_stack(const Thread *t, uintptr_t at, size_t bytes) {
    return at % sizeof(uintptr_t) == 0 && at >= (uintptr_t)t->c_stack_low && at + bytes <= (uintptr_t)t->c_stack_base;
}

// ---- compiled code -----------------------------------------------------------------------------------

// A physical frame of compiled code.
typedef struct CodeFrame {
    const Code *code;
    const char *pc;
    const ArchFrame *frame;
} CodeFrame;

// `slot` holds a return address into code with the frame pointer `fp`. False: it does not.
static bool enter_code(const Thread *t, CodeFrame *f, char *const *slot, const ArchFrame *fp) {
    if (!in_c_stack(t, (uintptr_t)slot, sizeof *slot)) return false;
    f->pc = thread_return_pc(t, slot);
    f->code = code_find(f->pc);
    f->frame = fp;
    return f->code && in_c_stack(t, (uintptr_t)fp, sizeof *fp) && (uintptr_t)fp > (uintptr_t)slot;
}

static bool next_code(const Thread *t, CodeFrame *f) {
    return enter_code(t, f, (char *const *)&f->frame->return_pc, f->frame->caller);
}

static void add_position(TimeSample *out, const Code *code, uint32_t position) {
    for (uint32_t at = position, last = CODE_NONE; at < code->position_count && at < last;) {
        const CodePosition *p = &code->positions[at];
        add_method(out, p->method, p->bci);
        last = at;
        at = p->parent;
    }
    if (position >= code->position_count) add_method(out, code->method, EVENT_NO_BCI);
}

static void add_code(TimeSample *out, const CodeFrame *f) {
    const CodeStackMap *map = code_stack_map_at(f->code, (uint32_t)(f->pc - f->code->start));
    add_position(out, f->code, map && !map->exit ? map->position : code_position_at(f->code, f->pc - 1));
}

// Adds a frame and those that called it.
static void add_codes(const Thread *t, TimeSample *out, CodeFrame *f) {
    int n = 0;
    do add_code(out, f);
    while (++n < MOST_FRAMES && next_code(t, f));
}

// ---- frames of the Java stack ------------------------------------------------------------------------

static int32_t bci_of(const Frame *f) {
    return f->kind == FRAME_INTERP && f->method->code_words ? method_bci(f->method, f->pc) : EVENT_NO_BCI;
}

// Adds the frames from `f` outwards. `replaced`: the topmost frame of the next compiled code has been replaced by frames
// that were added already.
static void add_frames(const Thread *t, TimeSample *out, const Frame *f, bool replaced) {
    CodeFrame code;
    for (int n = 0; f && n < MOST_FRAMES; n++) {
        if (!is_frame(t, f) || f->kind > FRAME_COMPILED || (f->prev && f->prev >= f)) {
            out->unwalked = true;
            return;
        }
        if (f->kind == FRAME_ENTRY) {
            replaced = f->reason == ENTRY_DEOPT;
        } else if (f->kind == FRAME_COMPILED) {
            bool has = f->native && enter_code(t, &code, (char *const *)f->native, (const ArchFrame *)f->pc);
            if (has && (!replaced || next_code(t, &code))) add_codes(t, out, &code);
            replaced = false;
        } else if (is_method(f->method)) {
            add_method(out, f->method, bci_of(f));
        } else {
            out->unwalked = true;
            return;
        }
        f = f->prev;
    }
}

void tickwalk_at_rest(const Thread *t, TimeSample *out) { add_frames(t, out, t->frame, false); }

// ---- a running thread --------------------------------------------------------------------------------

static bool is_interpreted(const Thread *t, const Frame *f) {
    return f && is_frame(t, f) && f->kind == FRAME_INTERP && is_method(f->method);
}

// The interpreter's registers say where it is; the frame says where it was at its last call.
static void in_loop(const Thread *t, const ucontext_t *context, TimeSample *out) {
    const Frame *f = t->frame;
    if (!is_interpreted(t, f)) {
        add_frames(t, out, f, false);
        return;
    }
    const Method *m = f->method;
    int32_t bci = bci_of(f);
    for (unsigned i = 0; m->code_words && i < ARCH_CONTEXT_VALUES; i++) {
        const Insn *pc = (const Insn *)arch_context_value(context, i);
        if ((uintptr_t)pc % sizeof *pc || pc < m->code || pc >= m->code + m->code_words) continue;
        if (method_bci(m, pc) >= 0) bci = method_bci(m, pc);
        break;
    }
    add_method(out, m, bci);
    add_frames(t, out, f->prev, false);
}

static bool contains(const Method *m, uintptr_t pc) {
    const Template *code = is_method(m) ? __atomic_load_n(&m->template_code, __ATOMIC_ACQUIRE) : NULL;
    return code && pc - (uintptr_t)code->start < code->size;
}

static int32_t template_bci(const Method *m, uintptr_t pc) {
    const Insn *at = template_pc_at(m->template_code, (const char *)pc);
    return at ? method_bci(m, at) : 0;
}

// Template code, its stubs and its adapters. False: the thread has no frame there.
static bool in_template(const Thread *t, const ucontext_t *context, TimeSample *out) {
    const Frame *f = (const Frame *)arch_context_frame(context);
    const Method *callee = (const Method *)arch_context_method(context);
    uintptr_t pc = arch_context_pc(context);
    if (!is_frame(t, f)) return false;
    // A prologue stores the caller first, and the method after it has made the frame the current one.
    bool begun = is_interpreted(t, f) && contains(f->method, pc);
    if (begun) {
        add_method(out, f->method, template_bci(f->method, pc));
        add_frames(t, out, f->prev, false);
        return true;
    }
    bool is_whole = f->kind <= FRAME_COMPILED && (f->kind == FRAME_ENTRY || is_method(f->method));
    if (!is_whole && !(f->prev && f->prev < f && is_frame(t, f->prev))) return false;
    if (contains(callee, pc)) add_method(out, callee, template_bci(callee, pc));
    add_frames(t, out, is_whole ? f : f->prev, false);
    return true;
}

// Whether the return address is one of the code that enters compiled code: a stub, or an adapter of template code.
static bool is_entry(uintptr_t pc) {
    bool stub = pc > (uintptr_t)compiled_call && pc < (uintptr_t)compiled_to_interpreter;
    return stub || (codememory_has(pc) && !code_find((const char *)pc));
}

// A function without a frame record, which compiled code has called: the return address is between the stack pointer and
// the caller's frame record.
static bool find_caller_of_leaf(const Thread *t, uintptr_t sp, uintptr_t fp, CodeFrame *out) {
    if (!in_c_stack(t, fp, sizeof(ArchFrame)) || fp <= sp) return false;
    uintptr_t outer = (uintptr_t)thread_return_pc(t, (char *const *)&((const ArchFrame *)fp)->return_pc);
    if (!is_entry(outer) && !code_find((const char *)outer)) return false;
    for (uintptr_t at = sp & ~(sizeof(uintptr_t) - 1), n = 0; at < fp && n < MOST_WORDS; at += sizeof at, n++)
        if (enter_code(t, out, (char *const *)at, (const ArchFrame *)fp)) return true;
    return false;
}

// The innermost frame of compiled code below C functions. False: there is none above the boundary, or it cannot be found.
static bool find_code(const Thread *t, const ucontext_t *context, CodeFrame *out) {
    uintptr_t fp = arch_context_fp(context), sp = arch_context_sp(context), pc = arch_context_pc(context);
    bool own = pc >= (uintptr_t)library_begin && pc < (uintptr_t)library_end;  // keeps frame records
    uintptr_t slot = own ? arch_context_return_slot(context) : 0;
    if (slot && enter_code(t, out, (char *const *)slot, (const ArchFrame *)fp)) return true;
    if (!own && find_caller_of_leaf(t, sp, fp, out)) return true;
    for (int n = 0; n < MOST_C_FRAMES && fp > sp && in_c_stack(t, fp, sizeof(ArchFrame)); n++) {
        const ArchFrame *record = (const ArchFrame *)fp;
        if (enter_code(t, out, (char *const *)&record->return_pc, record->caller)) return true;
        if ((uintptr_t)record->caller <= fp || is_entry((uintptr_t)record->return_pc)) return false;
        fp = (uintptr_t)record->caller;
    }
    return false;
}

// C code. Its caller in Java is the published frame, unless that is the boundary below compiled code.
static void in_c(const Thread *t, const ucontext_t *context, TimeSample *out) {
    const Frame *f = t->frame;
    CodeFrame code;
    if (f && is_frame(t, f) && f->kind == FRAME_COMPILED && find_code(t, context, &code)) {
        add_codes(t, out, &code);
        f = f->prev;
    }
    add_frames(t, out, f, false);
}

static void in_code(const Thread *t, const ucontext_t *context, const Code *code, TimeSample *out) {
    const char *pc = (const char *)arch_context_pc(context);
    const ArchFrame *fp = (const ArchFrame *)arch_context_fp(context);
    uintptr_t slot = arch_context_return_slot(context);
    CodeFrame caller;
    add_position(out, code, code_position_at(code, pc));
    bool called = slot && enter_code(t, &caller, (char *const *)slot, fp);
    if (!slot && in_c_stack(t, (uintptr_t)fp, sizeof *fp))
        called = enter_code(t, &caller, (char *const *)&fp->return_pc, fp->caller);
    if (called) add_codes(t, out, &caller);
    const Frame *f = t->frame;
    if (f && is_frame(t, f) && f->kind == FRAME_COMPILED) f = f->prev;
    add_frames(t, out, f, false);
}

void tickwalk_interrupted(const Thread *self, const ucontext_t *context, TimeSample *out) {
    uintptr_t pc = arch_context_pc(context);
    uint32_t state = atomic_load_explicit(&self->state, memory_order_relaxed);
    const Code *code = code_at((const char *)pc);
    if (state != THREAD_RUNNING) {
        out->mode = state == THREAD_NATIVE ? TIME_NATIVE : TIME_VM;
        bool native = self->frame && is_frame(self, self->frame) && self->frame->kind == FRAME_NATIVE;
        if (!native) tickwalk_pseudo(out, out->mode == TIME_VM ? CALLER_VM_CODE : CALLER_NATIVE_CODE);
        tickwalk_at_rest(self, out);
    } else if (code) {
        out->mode = TIME_COMPILED;
        in_code(self, context, code, out);
    } else if (codememory_has(pc) && in_template(self, context, out)) {
        out->mode = TIME_TEMPLATE;
    } else if (interp_is_loop(pc)) {
        out->mode = TIME_INTERPRETED;
        in_loop(self, context, out);
    } else {
        out->mode = codememory_has(pc) ? TIME_TEMPLATE : TIME_VM;
        if (out->mode == TIME_VM) tickwalk_pseudo(out, CALLER_VM_CODE);
        in_c(self, context, out);
    }
}
