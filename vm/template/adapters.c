// Adapters between template code and compiled code (vm/template/adapters.h).
//
// Into compiled code: at the entry the stack is aligned for a call. REG_FRAME and REG_THREAD are kept by the code, as
// is REG_12, which has the arguments' address. Collections need no mark, because all template code runs inside of one
// (make_enter in stubs.c), and need not look at the arguments, which are above the caller's operands and below the
// boundary frame.
//
// Out of compiled code: the adapter saves registers as the stubs of vm/arch do, because compiled code's own values are
// among them (vm/code/codestack.c), and puts an EnteredFrame below. Template code runs in no activation of the
// interpreter then. An exit starts one, in which the method runs to its end. Frame.resume of the FRAME_ENTRY is where
// the method returns to; it is cleared before the interpreter takes over.
#include "vm/template/adapters.h"

#include <stdio.h>
#include <stdlib.h>

#include "arch_entry.h"
#include "arch_frame.h"
#include "base/invariant.h"
#include "vm/api/codememory.h"
#include "vm/api/compiler.h"
#include "vm/api/perf.h"
#include "vm/interp/interp.h"
#include "vm/model/vm.h"
#include "vm/threads/thread.h"

#define THREAD_AT(member) asm_at(REG_THREAD, offsetof(Thread, member))
#define FRAME_AT(member) asm_at(REG_FRAME, offsetof(Frame, member))
#define MEMBER_AT(reg, member) asm_at(reg, offsetof(Frame, member))

enum { LISTS = 64, MOST_BYTES = 12288 };

typedef struct Adapter {
    struct Adapter *next;
    const char *shape;  // compiler_shape, by its address
    char result;        // compiler_return_kind; 0 in an adapter out of compiled code, which serves all kinds
    TemplateMode mode;
    const uint8_t *code;
} Adapter;

static struct Adapters { Adapter *lists[LISTS]; } adapters;

// ---- where arguments are ----------------------------------------------------------------------------

static const uint8_t int_registers[ARCH_INT_REGISTERS] = {REG_DI, REG_SI, REG_DX, REG_CX, REG_8, REG_9};

static bool is_float(char kind) { return kind == 'F' || kind == 'D'; }

// One argument: its slot on the Java stack, and its register or its word on the machine's stack.
typedef struct Argument {
    char kind;
    uint32_t slot;
    int reg;  // REG_NONE: on the stack
    uint32_t word;
} Argument;

typedef struct Arguments {
    Argument each[256];
    uint32_t count, slots, words;
} Arguments;

static void find_arguments(Arguments *out, const char *shape) {
    uint32_t ints = 0, floats = 0;
    out->count = out->slots = out->words = 0;
    for (; *shape; shape++) {
        ASSERT(out->count < 255, "%u arguments", out->count);
        Argument *arg = &out->each[out->count++];
        *arg = (Argument){*shape, out->slots, REG_NONE, 0};
        if (is_float(*shape) && floats < ARCH_FLOAT_REGISTERS) arg->reg = (int)floats++;
        else if (!is_float(*shape) && ints < ARCH_INT_REGISTERS) arg->reg = int_registers[ints++];
        else arg->word = out->words++;
        out->slots += 1 + (*shape == 'J' || *shape == 'D');
    }
}

// ---- what both directions need ------------------------------------------------------------------------

typedef struct Maker {
    Asm a;
    const uint8_t *base;  // where the code will be executed
    const TemplateStubs *stubs;
    TemplateMode mode;
    Arguments arguments;
} Maker;

static void jump_if_to(Maker *m, AsmCondition cc, const void *target) {
    AsmJump jump = asm_jump_if(&m->a, cc);
    asm_bind_to(&m->a, jump, (uint32_t)((const uint8_t *)target - m->base));
}

// ---- into compiled code ---------------------------------------------------------------------------------

// Leaves the frame's address in REG_AX. The interpreter throws if there is no room for the frame.
static void make_boundary(Maker *m) {
    Asm *a = &m->a;
    uint32_t slots = m->arguments.slots ? m->arguments.slots : 1;
    asm_rm(a, ASM_LEA, true, REG_AX, asm_at(REG_ARGS, (int64_t)sizeof(Slot) * slots));
    asm_rm(a, ASM_LEA, true, REG_CX, asm_at(REG_AX, sizeof(Frame)));
    asm_rm(a, ASM_CMP, true, REG_CX, THREAD_AT(stack_limit));
    jump_if_to(m, CC_ABOVE, m->stubs->exits[TEMPLATE_CALLS]);
    asm_rr(a, ASM_XORV, false, 0, 0);
    asm_mr(a, ASM_MOV, true, MEMBER_AT(REG_AX, prev), REG_FRAME);
    asm_mr(a, ASM_MOV, true, MEMBER_AT(REG_AX, method), REG_METHOD);
    asm_mr(a, ASM_MOVUV, false, MEMBER_AT(REG_AX, pc), 0);
    asm_mr(a, ASM_MOV, true, MEMBER_AT(REG_AX, sp), REG_CX);
    asm_mr(a, ASM_MOV, true, MEMBER_AT(REG_AX, locals), REG_ARGS);
    asm_store_immediate(a, true, MEMBER_AT(REG_AX, monitor), 0);
    asm_store_immediate(a, true, MEMBER_AT(REG_AX, kind), FRAME_COMPILED);
    asm_mr(a, ASM_MOVUV, false, MEMBER_AT(REG_AX, native), 0);
}

static_assert(offsetof(Frame, resume) == offsetof(Frame, pc) + 8 &&
                  offsetof(Frame, path) == offsetof(Frame, native) + 8,
              "both are cleared at once");
static_assert(offsetof(Frame, reason) == offsetof(Frame, kind) + 1 &&
                  offsetof(Frame, lock_count) == offsetof(Frame, kind) + 4,
              "eight bytes are stored at once");

static void load_argument(Asm *a, const Argument *arg) {
    AsmMemory at = asm_at(REG_12, (int64_t)sizeof(Slot) * arg->slot);
    bool wide = arg->kind != 'I';
    if (arg->reg == REG_NONE) {
        asm_rm(a, ASM_MOV, wide && arg->kind != 'F', REG_11, at);
        asm_push(a, REG_11);
    } else if (is_float(arg->kind)) {
        asm_rm(a, arg->kind == 'D' ? ASM_MOVD : ASM_MOVS, false, arg->reg, at);
    } else {
        asm_rm(a, ASM_MOV, wide, arg->reg, at);
    }
}

// Sets REG_10 to the Method with CALL_TAGS.
static void tag_method(Maker *m) {
    Asm *a = &m->a;
    asm_rr(a, ASM_MOV, true, REG_10, REG_METHOD);
    if (!stubs_count_calls(m->mode)) return;
    asm_rr(a, ASM_MOV, true, REG_14, REG_METHOD);
    asm_rr(a, ASM_MOV, true, REG_DI, REG_THREAD);
    asm_rr(a, ASM_MOV, true, REG_DX, REG_FRAME);
    asm_constant(a, REG_AX, (uintptr_t)interp_count_compiled);
    asm_call_register(a, REG_AX);
    asm_rr(a, ASM_MOV, true, REG_10, REG_14);
    asm_rr(a, ASM_OR, true, REG_10, REG_AX);
    asm_rr(a, ASM_MOV, true, REG_METHOD, REG_14);
}

static void make_to_code(Maker *m, char result) {
    Asm *a = &m->a;
    uint32_t words = m->arguments.words + m->arguments.words % 2;
    int slots = interp_slots(result);
    stubs_check_budget(a, m->base, m->stubs, m->mode);
    if (m->mode == TEMPLATES_PLAIN) {
        asm_test_bits(a, THREAD_AT(poll), POLL_SAMPLE);
        jump_if_to(m, CC_NOT_EQUAL, m->stubs->exits[TEMPLATE_CALLS_SAMPLED]);
    }
    make_boundary(m);
    asm_rr(a, ASM_MOV, true, REG_12, REG_ARGS);
    asm_mr(a, ASM_MOV, true, THREAD_AT(frame), REG_AX);
    tag_method(m);
    asm_rm(a, ASM_MOV, true, REG_AX, asm_at(REG_METHOD, offsetof(Method, entry)));
    const Arguments *args = &m->arguments;
    if (args->words % 2) asm_push(a, REG_11);
    for (uint32_t i = args->count; i-- > 0;)
        if (args->each[i].reg == REG_NONE) load_argument(a, &args->each[i]);
    for (uint32_t i = 0; i < args->count; i++)
        if (args->each[i].reg != REG_NONE) load_argument(a, &args->each[i]);
    asm_call_register(a, REG_AX);
    if (words) asm_ri(a, ASM_ADD, true, REG_SP, (int32_t)(words * sizeof(uint64_t)));
    asm_mr(a, ASM_MOV, true, THREAD_AT(frame), REG_FRAME);
    asm_mi(a, ASM_CMP, true, THREAD_AT(exception), 0);
    AsmJump threw = asm_jump_if(a, CC_NOT_EQUAL);
    asm_rm(a, ASM_MOV, true, REG_CX, FRAME_AT(resume));
    asm_rr(a, ASM_MOV, true, REG_ARGS, REG_12);
    if (is_float(result)) asm_rr(a, ASM_VECTOR_TO_BITS, result == 'D', REG_AX, 0);
    else if (result == 'I') asm_rr(a, ASM_MOV, false, REG_AX, REG_AX);
    asm_rr(a, ASM_TEST, true, REG_CX, REG_CX);
    jump_if_to(m, CC_EQUAL, m->stubs->return_exits[slots]);
    asm_jump_register(a, REG_CX);
    asm_bind(a, threw);
    if (stubs_count_calls(m->mode)) {
        asm_constant(a, REG_CX, FRAME_CALL_ENTERED);
        asm_mr(a, ASM_STORE8, false, FRAME_AT(call), REG_CX);
    }
    asm_jump_to(a, m->base, m->stubs->exits[TEMPLATE_THROWS]);
}

// ---- out of compiled code -------------------------------------------------------------------------------

// Compiled code calls with the Method and the call's tags in REG_10 and the thread in REG_THREAD. The stub of vm/code
// does what the adapter cannot do: it checks the stacks, and calls the interpreter. Uses REG_AX and REG_11, in which no
// argument is.
static void check_call(Maker *m) {
    Asm *a = &m->a;
    const void *other = (const void *)(uintptr_t)interp_hooks.entered_from_code;
    AsmJump rare[4];
    uint32_t count = 0;
    asm_load_absolute(a, interp_template_table());
    asm_rm(a, ASM_CMP, true, REG_AX, THREAD_AT(normal_dispatch));
    rare[count++] = asm_jump_if(a, CC_NOT_EQUAL);
    asm_rm(a, ASM_CMP, true, REG_SP, THREAD_AT(c_stack_limit));
    rare[count++] = asm_jump_if(a, CC_BELOW_EQUAL);
    if (!stubs_count_calls(m->mode)) {
        asm_constant(a, REG_AX, CALL_TAGS);
        asm_rr(a, ASM_TEST, true, REG_AX, REG_10);
        rare[count++] = asm_jump_if(a, CC_NOT_EQUAL);
    }
    asm_rm(a, ASM_MOV, true, REG_11, THREAD_AT(frame));
    asm_rm(a, ASM_MOV, true, REG_AX, MEMBER_AT(REG_11, sp));
    // The result may take two slots where there were no arguments.
    asm_ri(a, ASM_ADD, true, REG_AX, (int32_t)(sizeof(Frame) + sizeof(Slot) * (m->arguments.slots + 2)));
    asm_rm(a, ASM_CMP, true, REG_AX, THREAD_AT(stack_limit));
    AsmJump fits = asm_jump_if_near(a, CC_BELOW_EQUAL);
    for (uint32_t i = 0; i < count; i++) asm_bind(a, rare[i]);
    asm_constant(a, REG_AX, (uintptr_t)other);
    asm_jump_register(a, REG_AX);
    asm_bind_near(a, fits);
}

// Records where compiled code is left, saves its registers and makes the EnteredFrame. REG_11: the boundary frame,
// which is kept. Sets REG_FRAME to where the FRAME_ENTRY will be.
static void enter(Maker *m) {
    static const uint8_t saved[] = ARCH_STUB_SAVED;
    Asm *a = &m->a;
    asm_mr(a, ASM_MOV, true, MEMBER_AT(REG_11, native), REG_SP);
    asm_mr(a, ASM_MOV, true, MEMBER_AT(REG_11, pc), REG_BP);
    asm_push(a, REG_BP);
    asm_rr(a, ASM_MOV, true, REG_BP, REG_SP);
    for (unsigned i = 0; i < sizeof saved; i++) asm_push(a, saved[i]);
    asm_rm(a, ASM_MOV, true, REG_FRAME, MEMBER_AT(REG_11, sp));
    asm_constant(a, REG_14, 0);
    asm_push(a, REG_14);  // marker
    asm_push(a, REG_14);  // entering.leaving
    asm_rm(a, ASM_MOV, true, REG_12, THREAD_AT(c_marks));
    asm_push(a, REG_12);
    asm_rr(a, ASM_MOV, true, REG_12, REG_SP);
    asm_rm(a, ASM_LEA, true, REG_SP, asm_at(REG_SP, -(int64_t)sizeof(TemplateState)));
    asm_rr(a, ASM_MOV, true, REG_15, REG_SP);
    asm_push(a, REG_FRAME);  // entry
    asm_constant(a, REG_AX, 1);
    asm_push(a, REG_AX);  // leaving
    asm_push(a, REG_12);
    asm_mr(a, ASM_MOV, true, THREAD_AT(c_marks), REG_SP);
    asm_push(a, REG_15);
    asm_constant(a, REG_AX, (uintptr_t)m->stubs->leaves_to_interpreter);
    asm_mr(a, ASM_MOV, true, asm_at(REG_15, offsetof(TemplateState, left)), REG_AX);
}

static_assert(offsetof(EnteredFrame, state) == 0 && offsetof(EnteredFrame, leaving) == 8 &&
                  offsetof(EnteredFrame, entry) == 24 && offsetof(EnteredFrame, given) == 32 &&
                  offsetof(EnteredFrame, entering) == 32 + sizeof(TemplateState) &&
                  offsetof(EnteredFrame, marker) == 48 + sizeof(TemplateState) &&
                  (offsetof(EnteredFrame, marker) + ARCH_STUB_MARKER) % 16 == 8,
              "an EnteredFrame is pushed");

// Sets REG_12 to the frame's kind and reason.
static void find_reason(Maker *m) {
    Asm *a = &m->a;
    asm_constant(a, REG_12, FRAME_ENTRY | ENTRY_COMPILED << 8);
    if (!stubs_count_calls(m->mode)) return;
    asm_constant(a, REG_AX, CALL_COUNTED);
    asm_rr(a, ASM_TEST, true, REG_AX, REG_10);
    AsmJump uncounted = asm_jump_if_near(a, CC_EQUAL);
    asm_constant(a, REG_12, FRAME_ENTRY | ENTRY_COUNTED << 8);
    asm_bind_near(a, uncounted);
    asm_ri(a, ASM_AND, true, REG_10, ~CALL_TAGS);
}

// REG_14 is zero.
static void make_entry(Maker *m) {
    Asm *a = &m->a;
    const uint8_t *resume = stubs_count_calls(m->mode) ? m->stubs->returns_counted : m->stubs->returns_to_code;
    find_reason(m);
    asm_mr(a, ASM_MOV, true, FRAME_AT(prev), REG_11);
    asm_mr(a, ASM_MOV, true, FRAME_AT(method), REG_14);
    asm_constant(a, REG_AX, (uintptr_t)interp_halt);
    asm_mr(a, ASM_MOV, true, FRAME_AT(pc), REG_AX);
    asm_constant(a, REG_AX, (uintptr_t)resume);
    asm_mr(a, ASM_MOV, true, FRAME_AT(resume), REG_AX);
    asm_rm(a, ASM_LEA, true, REG_AX, asm_at(REG_FRAME, (int64_t)(sizeof(Frame) + sizeof(Slot) * m->arguments.slots)));
    asm_mr(a, ASM_MOV, true, FRAME_AT(sp), REG_AX);
    asm_rm(a, ASM_LEA, true, REG_AX, asm_at(REG_FRAME, sizeof(Frame)));
    asm_mr(a, ASM_MOV, true, FRAME_AT(locals), REG_AX);
    asm_mr(a, ASM_MOV, true, FRAME_AT(monitor), REG_14);
    asm_mr(a, ASM_MOV, true, FRAME_AT(kind), REG_12);
    asm_mr(a, ASM_MOV, true, FRAME_AT(native), stubs_count_calls(m->mode) ? REG_10 : REG_14);
    asm_mr(a, ASM_MOV, true, FRAME_AT(path), REG_14);
    asm_mr(a, ASM_MOV, true, THREAD_AT(frame), REG_FRAME);
}

// References that came on the stack are cleared there, where a collection would still find them.
static void store_argument(Asm *a, const Argument *arg) {
    AsmMemory to = asm_at(REG_FRAME, (int64_t)(sizeof(Frame) + sizeof(Slot) * arg->slot));
    if (arg->reg == REG_NONE) {
        AsmMemory from = asm_at(REG_BP, (int64_t)(sizeof(ArchFrame) + sizeof(uint64_t) * arg->word));
        asm_rm(a, ASM_MOV, true, REG_12, from);
        asm_mr(a, ASM_MOV, true, to, REG_12);
        if (arg->kind == 'L') asm_mr(a, ASM_MOV, true, from, REG_14);
    } else if (is_float(arg->kind)) {
        asm_mr(a, arg->kind == 'D' ? ASM_MOVD : ASM_MOVS, false, to, arg->reg);
    } else {
        asm_mr(a, ASM_MOV, true, to, arg->reg);
    }
}

static void make_from_code(Maker *m) {
    Asm *a = &m->a;
    check_call(m);
    enter(m);
    make_entry(m);
    for (uint32_t i = 0; i < m->arguments.count; i++) store_argument(a, &m->arguments.each[i]);
    asm_rm(a, ASM_LEA, true, REG_ARGS, asm_at(REG_FRAME, sizeof(Frame)));
    asm_rr(a, ASM_MOV, true, REG_METHOD, REG_10);
    if (stubs_count_calls(m->mode)) asm_constant(a, REG_CALL, CALL_BY_HELPER);
    asm_rr(a, ASM_XOR, false, REG_12, REG_12);
    asm_rr(a, ASM_XOR, false, REG_15, REG_15);
    asm_jump_memory(a, asm_at(REG_METHOD, offsetof(Method, template_entry)));
}

// ---- the table --------------------------------------------------------------------------------------------

static void assemble(Maker *m, const Adapter *adapter) {
    if (adapter->result) make_to_code(m, adapter->result);
    else make_from_code(m);
}

// The size does not depend on the place, so the code is assembled once to learn the size, and once in its place.
static bool make(Maker *m, uint8_t *buffer, Adapter *adapter) {
    m->a = (Asm){buffer, buffer, buffer + MOST_BYTES, false};
    assemble(m, adapter);
    ASSERT(!m->a.full, "an adapter of shape %s takes more than %d bytes", adapter->shape, MOST_BYTES);
    size_t size = asm_here(&m->a);
    uint8_t *block = codememory_allocate(size);
    if (!block) return false;
    m->a = (Asm){block, block, block + size, false};
    m->base = adapter->code = codememory_executable(block);
    assemble(m, adapter);
    if (perf_wanted()) {
        char name[300];
        if (adapter->result) snprintf(name, sizeof name, "template code calls (%s)%c", adapter->shape, adapter->result);
        else snprintf(name, sizeof name, "compiled code calls (%s)", adapter->shape);
        perf_add_code((const char *)adapter->code, size, name);
    }
    return true;
}

static Adapter *new_adapter(const TemplateStubs *stubs, const char *shape, char result, TemplateMode mode) {
    Adapter *adapter = malloc(sizeof *adapter);
    Maker *m = malloc(sizeof *m + MOST_BYTES);
    bool made = false;
    if (adapter && m) {
        *adapter = (Adapter){.shape = shape, .result = result, .mode = mode};
        m->stubs = stubs;
        m->mode = mode;
        m->base = NULL;
        find_arguments(&m->arguments, shape);
        made = make(m, (uint8_t *)(m + 1), adapter);
    }
    free(m);
    if (made) return adapter;
    free(adapter);
    return NULL;
}

const uint8_t *adapters_of(const TemplateStubs *stubs, Method *m, bool to_code, TemplateMode mode) {
    const char *shape = compiler_shape(m);
    const char result = to_code ? compiler_return_kind(m) : 0;
    Adapter **list = &adapters.lists[((uintptr_t)shape / 16 + (unsigned char)result + (unsigned)mode) % LISTS];
    for (const Adapter *a = *list; a; a = a->next)
        if (a->shape == shape && a->result == result && a->mode == mode) return a->code;
    Adapter *made = new_adapter(stubs, shape, result, mode);
    if (!made) return NULL;
    made->next = *list;
    *list = made;
    return made->code;
}
