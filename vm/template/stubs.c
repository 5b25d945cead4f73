// The stubs: see stubs.h. At the entry of each the stack is aligned for a call and has the TemplateState address on
// top.
#include "vm/template/stubs.h"

#include "arch_frame.h"
#include "arch_mark.h"
#include "vm/natives/intrinsics.h"
#include "vm/natives/methodhandle.h"
#include "vm/objects/objects.h"
#include "vm/template/helpers.h"
#include "vm/template/template.h"
#include "vm/threads/thread.h"

#define THREAD_AT(member) asm_at(REG_THREAD, offsetof(Thread, member))
#define FRAME_AT(member) asm_at(REG_FRAME, offsetof(Frame, member))
#define METHOD_AT(member) asm_at(REG_METHOD, offsetof(Method, member))

typedef struct Maker {
    Asm *a;
    const uint8_t *base;
    TemplateStubs *out;
    const uint8_t *leave;  // the common end of all exits
    TemplateMode mode;     // for which a stub is made
} Maker;

static const uint8_t *begin(Maker *m) {
    asm_align(m->a, 16);
    return m->base + asm_here(m->a);
}

static void call_c(Maker *m, const void *fn) {
    asm_constant(m->a, REG_AX, (uintptr_t)fn);
    asm_call_register(m->a, REG_AX);
}

static void jump_to(Maker *m, const uint8_t *target) { asm_jump_to(m->a, m->base, target); }

// ---- in and out -----------------------------------------------------------------------------------

static const uint8_t kept_registers[] = {REG_BX, REG_12, REG_13, REG_14, REG_15};

// While template code runs, a mark on the stack tells the collector to skip the C frames from here to the interpreter's
// caller (arch_mark.h). So compiled code can be called without another mark.
static void make_enter(Maker *m) {
    Asm *a = m->a;
    // Where an exit leads from template code that the interpreter has entered.
    const uint8_t *left = begin(m);
    for (unsigned i = sizeof kept_registers; i-- > 0;) asm_pop(a, kept_registers[i]);
    asm_pop(a, REG_BP);
    asm_return(a);
    const uint8_t *enter = begin(m);
    asm_push(a, REG_BP);
    asm_rr(a, ASM_MOV, true, REG_BP, REG_SP);
    for (unsigned i = 0; i < sizeof kept_registers; i++) asm_push(a, kept_registers[i]);
    asm_rr(a, ASM_MOV, true, REG_THREAD, REG_DI);
    asm_rr(a, ASM_MOV, true, REG_FRAME, REG_SI);
    asm_constant(a, REG_AX, 1);
    asm_push(a, REG_AX);
    asm_rm(a, ASM_MOV, true, REG_AX, THREAD_AT(c_marks));
    asm_push(a, REG_AX);
    asm_mr(a, ASM_MOV, true, THREAD_AT(c_marks), REG_SP);
    asm_push(a, REG_CX);  // state
    asm_constant(a, REG_AX, (uintptr_t)left);
    asm_mr(a, ASM_MOV, true, asm_at(REG_CX, offsetof(TemplateState, left)), REG_AX);
    asm_rm(a, ASM_MOV, true, REG_ARGS, asm_at(REG_CX, offsetof(TemplateState, args)));
    asm_rm(a, ASM_MOV, true, REG_METHOD, asm_at(REG_CX, offsetof(TemplateState, callee)));
    asm_rm(a, ASM_MOV, true, REG_RESULT, asm_at(REG_CX, offsetof(TemplateState, result)));
    asm_rr(a, ASM_MOV, true, REG_9, REG_DX);
    asm_constant(a, REG_CALL, CALL_BY_HELPER);
    asm_jump_register(a, REG_9);
    m->out->enter = (TemplateExitKind(*)(Thread *, Frame *, const void *, TemplateState *))(uintptr_t)enter;
}

static_assert(offsetof(ArchMark, outer) == 0 && offsetof(ArchMark, leaving) == 8 && sizeof(ArchMark) == 16,
              "marks are pushed");

// The kind is in REG_8, and in REG_AX afterwards; the state's address is in REG_9 then.
static void make_leave(Maker *m) {
    Asm *a = m->a;
    m->leave = begin(m);
    asm_pop(a, REG_9);
    asm_pop_memory(a, THREAD_AT(c_marks));
    asm_pop(a, REG_10);
    asm_mr(a, ASM_MOV, true, asm_at(REG_9, offsetof(TemplateState, frame)), REG_FRAME);
    asm_mr(a, ASM_MOV, true, asm_at(REG_9, offsetof(TemplateState, args)), REG_ARGS);
    asm_mr(a, ASM_MOV, true, asm_at(REG_9, offsetof(TemplateState, callee)), REG_METHOD);
    asm_mr(a, ASM_MOV, true, asm_at(REG_9, offsetof(TemplateState, result)), REG_RESULT);
    asm_mr(a, ASM_MOV, false, asm_at(REG_9, offsetof(TemplateState, slots)), REG_CX);
    asm_rr(a, ASM_MOV, false, REG_AX, REG_8);
    asm_jump_memory(a, asm_at(REG_9, offsetof(TemplateState, left)));
}

// ---- back to compiled code ------------------------------------------------------------------------

// Where the EnteredFrame is, by the frame pointer.
enum { SAVED_BYTES = ARCH_STUB_MARKER - sizeof(void *) };
#define ENTERED_AT(member) \
    asm_at(REG_BP, (int64_t)offsetof(EnteredFrame, member) - (int64_t)offsetof(EnteredFrame, marker) - SAVED_BYTES)

// Returns to the compiled code with the result in REG_AX, and in the first vector register.
static void return_to_code(Maker *m) {
    static const uint8_t saved[] = ARCH_STUB_SAVED;
    Asm *a = m->a;
    asm_rm(a, ASM_MOV, true, REG_CX, ENTERED_AT(entering.outer));
    asm_mr(a, ASM_MOV, true, THREAD_AT(c_marks), REG_CX);
    asm_rr(a, ASM_BITS_TO_VECTOR, true, 0, REG_AX);
    asm_rm(a, ASM_LEA, true, REG_SP, asm_at(REG_BP, -(int64_t)(sizeof saved * sizeof(void *))));
    for (unsigned i = sizeof saved; i-- > 0;) asm_pop(a, saved[i]);
    asm_pop(a, REG_BP);
    asm_return(a);
}

// The method returns, with its result in REG_RESULT. REG_FRAME is the FRAME_ENTRY. The second stub is for exact
// profiles.
static void make_returns(Maker *m) {
    Asm *a = m->a;
    m->out->returns_to_code = begin(m);
    asm_rm(a, ASM_MOV, true, REG_CX, FRAME_AT(prev));
    asm_mr(a, ASM_MOV, true, THREAD_AT(frame), REG_CX);
    return_to_code(m);
    m->out->returns_counted = begin(m);
    asm_rm(a, ASM_MOVZX8, false, REG_CX, FRAME_AT(reason));
    asm_ri(a, ASM_CMP, false, REG_CX, ENTRY_COUNTED);
    AsmJump undo = asm_jump_if_near(a, CC_EQUAL);
    jump_to(m, m->out->returns_to_code);
    asm_bind_near(a, undo);
    asm_rr(a, ASM_MOV, true, REG_DI, REG_THREAD);
    asm_rr(a, ASM_MOV, true, REG_SI, REG_FRAME);
    asm_rr(a, ASM_MOV, true, REG_DX, REG_RESULT);
    call_c(m, (const void *)(uintptr_t)helper_edge_undone);
    return_to_code(m);
}

// Where an exit leads: the interpreter runs the method to its end.
static void make_leaves_to_interpreter(Maker *m) {
    Asm *a = m->a;
    m->out->leaves_to_interpreter = begin(m);
    asm_rm(a, ASM_LEA, true, REG_SP, ENTERED_AT(leaving));
    asm_mr(a, ASM_MOV, true, THREAD_AT(c_marks), REG_SP);
    asm_ri(a, ASM_SUB, true, REG_SP, sizeof(void *));
    asm_rr(a, ASM_MOV, true, REG_DI, REG_THREAD);
    asm_rm(a, ASM_MOV, true, REG_SI, ENTERED_AT(entry));
    asm_rr(a, ASM_MOV, false, REG_DX, REG_AX);
    asm_rr(a, ASM_MOV, true, REG_CX, REG_9);
    call_c(m, (const void *)(uintptr_t)helper_continue);
    return_to_code(m);
}

// Exits to an instruction have its address in REG_AX, and in REG_CX the offset of the operand stack's end from the
// frame. Exits for one invocation also have the address to resume at in REG_DX.
static void make_exit(Maker *m, TemplateExitKind kind) {
    Asm *a = m->a;
    m->out->exits[kind] = begin(m);
    if (kind <= TEMPLATE_CHECKS) {
        asm_mr(a, ASM_MOV, true, FRAME_AT(pc), REG_AX);
        asm_rm(a, ASM_LEA, true, REG_CX, asm_indexed(REG_FRAME, REG_CX, 0, 0));
        asm_mr(a, ASM_MOV, true, FRAME_AT(sp), REG_CX);
    }
    if (kind == TEMPLATE_INVOKES || kind == TEMPLATE_RESOLVES_CALL) asm_mr(a, ASM_MOV, true, FRAME_AT(resume), REG_DX);
    asm_constant(a, REG_8, kind);
    jump_to(m, m->leave);
}

// ---- calls of C functions ---------------------------------------------------------------------------

// Calls fn(self, REG_CX, REG_8, REG_9), which may collect. The collector skips the C frames from here to the
// interpreter's caller (arch_mark.h).
static void call_marked(Maker *m, const void *fn) {
    asm_rm(m->a, ASM_LEA, true, REG_DI, THREAD_AT(c_marks));
    asm_constant(m->a, REG_SI, (uintptr_t)fn);
    asm_rr(m->a, ASM_MOV, true, REG_DX, REG_THREAD);
    call_c(m, (const void *)(uintptr_t)arch_call_leaving);
}

static void throw_pending(Maker *m) {
    asm_mi(m->a, ASM_CMP, true, THREAD_AT(exception), 0);
    AsmJump none = asm_jump_if_near(m->a, CC_EQUAL);
    jump_to(m, m->out->exits[TEMPLATE_THROWS]);
    asm_bind_near(m->a, none);
}

static const void *const slow_functions[SLOW_CALLS] = {
    [SLOW_ALLOCATE] = (const void *)(uintptr_t)object_allocate,
    [SLOW_ALLOCATE_MULTI] = (const void *)(uintptr_t)helper_allocate_multi,
    [SLOW_ALLOCATE_ARRAY] = (const void *)(uintptr_t)helper_allocate_array,
    [SLOW_MONITOR_ENTER] = (const void *)(uintptr_t)helper_monitor_enter,
    [SLOW_MONITOR_EXIT] = (const void *)(uintptr_t)helper_monitor_exit,
    [SLOW_LOCK_METHOD] = (const void *)(uintptr_t)helper_lock_method,
    [SLOW_UNLOCK_METHOD] = (const void *)(uintptr_t)helper_unlock_method,
    [SLOW_SAFEPOINT] = (const void *)(uintptr_t)thread_safepoint,
    [SLOW_REPORT] = (const void *)(uintptr_t)helper_report,
    [SLOW_REPORT_OBJECT] = (const void *)(uintptr_t)helper_report_object,
};

static void make_slow(Maker *m, SlowCall which) {
    Asm *a = m->a;
    m->out->slow[which] = begin(m);
    asm_pop(a, REG_12);
    asm_mr(a, ASM_MOV, true, FRAME_AT(resume), REG_12);
    asm_mr(a, ASM_MOV, true, THREAD_AT(frame), REG_FRAME);
    call_marked(m, slow_functions[which]);
    if (which == SLOW_LOCK_METHOD) {
        asm_mi(a, ASM_CMP, true, THREAD_AT(exception), 0);
        AsmJump none = asm_jump_if_near(a, CC_EQUAL);
        asm_rm(a, ASM_MOV, true, REG_FRAME, FRAME_AT(prev));
        jump_to(m, m->out->exits[TEMPLATE_THROWS]);
        asm_bind_near(a, none);
    } else {
        throw_pending(m);
    }
    asm_jump_register(a, REG_12);
}

// ---- methods without template code --------------------------------------------------------------------

// Returns to the caller with the result of a call. REG_12 has the address of the arguments.
static void return_result(Maker *m, unsigned slots) {
    Asm *a = m->a;
    throw_pending(m);
    if (slots) asm_rm(a, ASM_MOV, true, REG_RESULT, asm_at(REG_12, 0));
    asm_rm(a, ASM_MOV, true, REG_CX, FRAME_AT(resume));
    asm_rr(a, ASM_MOV, true, REG_ARGS, REG_12);
    asm_rr(a, ASM_TEST, true, REG_CX, REG_CX);
    AsmJump interpreted = asm_jump_if_near(a, CC_EQUAL);
    asm_jump_register(a, REG_CX);
    asm_bind_near(a, interpreted);
    jump_to(m, m->out->return_exits[slots]);
}

static void jump_to_target(Maker *m) {
    asm_rr(m->a, ASM_MOV, true, REG_METHOD, REG_AX);
    asm_rr(m->a, ASM_MOV, true, REG_ARGS, REG_12);
    asm_constant(m->a, REG_CALL, CALL_BY_HELPER);
    asm_jump_memory(m->a, METHOD_AT(template_entry));
}

// Calls fn(self, method, args, caller) without a mark.
static void call_c_with_frame(Maker *m, const void *fn) {
    asm_rr(m->a, ASM_MOV, true, REG_DX, REG_ARGS);
    asm_rr(m->a, ASM_MOV, true, REG_DI, REG_THREAD);
    asm_rr(m->a, ASM_MOV, true, REG_CX, REG_FRAME);
    call_c(m, fn);
}

// Counts a call of the target in REG_AX. Keeps REG_AX.
static void count_target(Maker *m) {
    asm_rr(m->a, ASM_MOV, true, REG_14, REG_AX);
    asm_rr(m->a, ASM_MOV, true, REG_DI, REG_THREAD);
    asm_rr(m->a, ASM_MOV, true, REG_SI, REG_AX);
    asm_rr(m->a, ASM_MOV, true, REG_DX, REG_FRAME);
    call_c(m, (const void *)(uintptr_t)interp_count_target);
    asm_rr(m->a, ASM_MOV, true, REG_AX, REG_14);
}

static void call_intrinsic(Maker *m) {
    asm_rm(m->a, ASM_MOV, true, REG_AX, METHOD_AT(intrinsic));
    asm_rr(m->a, ASM_MOV, true, REG_SI, REG_ARGS);
    asm_rr(m->a, ASM_MOV, true, REG_DI, REG_THREAD);
    asm_call_register(m->a, REG_AX);
}

static void make_try(Maker *m, unsigned slots) {
    Asm *a = m->a;
    if (stubs_count_calls(m->mode)) call_c_with_frame(m, (const void *)(uintptr_t)helper_count_try);
    else call_intrinsic(m);
    asm_rr(a, ASM_MOVZX8, false, REG_AX, REG_AX);
    asm_rr(a, ASM_TEST, false, REG_AX, REG_AX);
    AsmJump declined = asm_jump_if(a, CC_EQUAL);
    return_result(m, slots);
    asm_bind(a, declined);
    asm_rr(a, ASM_MOV, true, REG_METHOD, REG_14);
    asm_rr(a, ASM_MOV, true, REG_ARGS, REG_12);
    asm_rm(a, ASM_MOV, true, REG_AX, METHOD_AT(template_code));
    asm_rr(a, ASM_TEST, true, REG_AX, REG_AX);
    AsmJump none = asm_jump_if_near(a, CC_EQUAL);
    asm_constant(a, REG_CALL, CALL_BY_HELPER);
    asm_jump_memory(a, asm_at(REG_AX, offsetof(Template, start)));
    asm_bind_near(a, none);
    jump_to(m, m->out->exits[TEMPLATE_CALLS]);
}

static void make_basic(Maker *m) {
    Asm *a = m->a;
    asm_rm(a, ASM_MOV, true, REG_DI, asm_at(REG_ARGS, 0));
    asm_rr(a, ASM_TEST, true, REG_DI, REG_DI);
    AsmJump null = asm_jump_if(a, CC_EQUAL);
    call_c(m, (const void *)(uintptr_t)helper_basic_target);
    if (stubs_count_calls(m->mode)) count_target(m);
    jump_to_target(m);
    asm_bind(a, null);
    asm_rr(a, ASM_MOV, true, REG_ARGS, REG_12);
    jump_to(m, m->out->exits[TEMPLATE_CALLS]);
}

static void make_link(Maker *m) {
    Asm *a = m->a;
    asm_rr(a, ASM_MOV, true, REG_DX, REG_ARGS);
    asm_rr(a, ASM_MOV, true, REG_DI, REG_THREAD);
    call_c(m, (const void *)(uintptr_t)helper_link_target);
    asm_rr(a, ASM_TEST, true, REG_AX, REG_AX);
    AsmJump found = asm_jump_if_near(a, CC_NOT_EQUAL);
    jump_to(m, m->out->exits[TEMPLATE_THROWS]);
    asm_bind_near(a, found);
    if (stubs_count_calls(m->mode)) count_target(m);
    jump_to_target(m);
}

// Functions that make the call; those of the second column also count it.
static const void *const calls[STUB_KINDS][2] = {
    [STUB_FRAME] = {(const void *)(uintptr_t)helper_call_intrinsic, (const void *)(uintptr_t)helper_count_intrinsic},
    [STUB_NATIVE] = {(const void *)(uintptr_t)helper_call_native, (const void *)(uintptr_t)helper_count_native},
    [STUB_COMPILED] = {(const void *)(uintptr_t)helper_call_compiled, (const void *)(uintptr_t)helper_count_compiled},
};

void stubs_check_budget(Asm *a, const uint8_t *base, const TemplateStubs *stubs, TemplateMode mode) {
    if (mode != TEMPLATES_CHECKING) return;
    asm_mi(a, ASM_CMP, false, THREAD_AT(sample.budget), 0);
    AsmJump enough = asm_jump_if_near(a, CC_GREATER);
    asm_jump_to(a, base, stubs->exits[TEMPLATE_CALLS]);
    asm_bind_near(a, enough);
}

static void make_kind(Maker *m, StubKind kind, unsigned slots) {
    bool counting = stubs_count_calls(m->mode);
    m->out->kinds[m->mode][kind][slots] = begin(m);
    if (kind == STUB_COMPILED) stubs_check_budget(m->a, m->base, m->out, m->mode);
    if (kind != STUB_INTERPRET) {
        asm_mr(m->a, ASM_MOV, true, THREAD_AT(frame), REG_FRAME);
        asm_rr(m->a, ASM_MOV, true, REG_12, REG_ARGS);
        asm_rr(m->a, ASM_MOV, true, REG_14, REG_METHOD);
    }
    switch (kind) {
        case STUB_LEAF:
            if (counting) call_c_with_frame(m, (const void *)(uintptr_t)helper_count_leaf);
            else call_intrinsic(m);
            return_result(m, slots);
            break;
        case STUB_TRY: make_try(m, slots); break;
        case STUB_NATIVE:  // leads to native_call, which makes a mark for the native code
            call_c_with_frame(m, calls[kind][counting]);
            return_result(m, slots);
            break;
        case STUB_FRAME:
        case STUB_COMPILED:
            asm_rr(m->a, ASM_MOV, true, REG_CX, REG_METHOD);
            asm_rr(m->a, ASM_MOV, true, REG_8, REG_ARGS);
            asm_rr(m->a, ASM_MOV, true, REG_9, REG_FRAME);
            call_marked(m, calls[kind][counting]);
            return_result(m, slots);
            break;
        case STUB_BASIC: make_basic(m); break;
        case STUB_LINK: make_link(m); break;
        default: jump_to(m, m->out->exits[TEMPLATE_CALLS]);
    }
}

bool stubs_make(Asm *a, const uint8_t *base, TemplateStubs *stubs) {
    Maker m = {a, base, stubs, NULL, TEMPLATES_PLAIN};
    make_enter(&m);
    make_leave(&m);
    make_returns(&m);
    make_leaves_to_interpreter(&m);
    for (unsigned kind = 0; kind < TEMPLATE_EXITS; kind++) make_exit(&m, kind);
    for (unsigned slots = 0; slots < 3; slots++) {
        stubs->return_exits[slots] = begin(&m);
        asm_constant(a, REG_CX, slots);
        jump_to(&m, stubs->exits[TEMPLATE_RETURNS]);
    }
    for (unsigned which = 0; which < SLOW_CALLS; which++) make_slow(&m, which);
    for (m.mode = TEMPLATES_PLAIN; m.mode < TEMPLATE_MODES; m.mode++)
        for (unsigned kind = 0; kind < STUB_KINDS; kind++)
            for (unsigned slots = 0; slots < 3; slots++) make_kind(&m, kind, slots);
    return !a->full;
}
