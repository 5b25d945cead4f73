// The walk over a method's instructions (vm/template/translate.h).
//
// Basic blocks are translated in the order in which they become reachable, fall-through blocks first, so the depth of
// the operand stack is known at each. At the beginning of a block all operands are at home and all registers are free.
// The interpreter can enter the code there, and jumps lead there.
//
// Other threads may quicken instructions meanwhile. Each header is read once, and its payload after it, so the
// translator sees a consistent state of the instruction.
#include "vm/template/translate.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytebuffer.h"
#include "base/invariant.h"
#include "bytecode/analysis/dataflow.h"
#include "vm/api/codememory.h"
#include "vm/api/methodcounts.h"
#include "vm/instrument/sampling.h"
#include "vm/instrument/scope.h"
#include "vm/interp/flowcounts.h"
#include "vm/objects/classes.h"
#include "vm/template/helpers.h"
#include "vm/threads/thread.h"
#include "vm/threads/threadevents.h"

enum { BUFFER_BYTES = 1 << 20, MOST_BYTECODES = 8000 };

typedef struct Link {
    AsmJump jump;
    const uint8_t *target;
} Link;

// Reused, because a translation takes only some microseconds, and clearing large arrays would take most of them.
struct Workspace {
    Translation t;
    uint8_t *buffer;
    uint32_t word_room, stack_room;
    uint64_t *targets, *pending;
    uint32_t *offset, *block_of;
    uint16_t *depth_at;
    Operand *stack;
    Link *links;
    uint32_t link_count, link_room;
    Bytes positions;  // Template.positions; the last one is at `position_offset` and `position_word`
    uint32_t position_offset, position_word;
};

Workspace *translate_workspace(void) {
    Workspace *w = calloc(1, sizeof *w);
    if (w) w->buffer = malloc(BUFFER_BYTES);
    if (w && w->buffer) return w;
    free(w);
    return NULL;
}

static Workspace *workspace_of(Translation *t) { return (Workspace *)((char *)t - offsetof(Workspace, t)); }

static const uint8_t insn_words[INSN_COUNT] = {
#define INSN(name, words) [INSN_##name] = words,
#define FUSED(name, first) [INSN_##name] = 0,
#include "vm/interp/insn.def"
};

static const uint16_t unfused[INSN_COUNT] = {
#define INSN(name, words) [INSN_##name] = INSN_##name,
#define FUSED(name, first) [INSN_##name] = INSN_##first,
#include "vm/interp/insn.def"
};

unsigned translate_op(unsigned op) { return unfused[op]; }

static Insn read_word(const Translation *t, uint32_t word) {
    return (Insn){.word = __atomic_load_n(&t->code[word].word, __ATOMIC_ACQUIRE)};
}

static bool has(const uint64_t *set, uint32_t i) { return set[i / 64] >> i % 64 & 1; }
static void add(uint64_t *set, uint32_t i) { set[i / 64] |= UINT64_C(1) << i % 64; }

static uint32_t size_of(const Translation *t, uint32_t word, unsigned op) {
    const int32_t *payload = (const int32_t *)(t->code + word + 1);
    uint32_t words = insn_words[op];
    if (op == INSN_tableswitch) words += ((uint32_t)payload[1] + 1) / 2;
    if (op == INSN_lookupswitch) words += (uint32_t)payload[0];
    // A dynamic constant that has become a constant of two words is followed by a nop.
    return words;
}

unsigned translate_next_op(const Translation *t) {
    return t->next < t->words && !has(t->targets, t->next) ? translate_op(read_word(t, t->next).op) : INSN_COUNT;
}

// ---- positions ----------------------------------------------------------------------------------

// From here on the code is that of the instruction at a word.
static void mark_position(Translation *t, uint32_t word) {
    Workspace *w = workspace_of(t);
    uint32_t here = asm_here(&t->a), words = word - w->position_word;
    if (w->positions.size && !words) return;
    bytes_varint(&w->positions, here - w->position_offset);
    bytes_varint(&w->positions, words << 1 ^ -(words >> 31));
    if (w->positions.failed) t->failed = true;
    w->position_offset = here;
    w->position_word = word;
}

// ---- exits --------------------------------------------------------------------------------------

#define ADD_TO(list, count, room) (GROW(list, room, (count) + 1) ? (void)0 : (void)(t->failed = true))

void translate_fix_up(Translation *t, Fixup f) {
    ADD_TO(t->fixups, t->fixup_count, t->fixup_room);
    if (!t->failed) t->fixups[t->fixup_count++] = f;
}

void translate_leave(Translation *t, AsmJump jump, const uint8_t *target) {
    Workspace *w = workspace_of(t);
    ADD_TO(w->links, w->link_count, w->link_room);
    if (!t->failed) w->links[w->link_count++] = (Link){jump, target};
}

void translate_call_slow(Translation *t, SlowCall which) {
    asm_byte(&t->a, 0xe8);
    asm_word32(&t->a, 0);
    translate_leave(t, asm_here(&t->a) - 4, template_stubs->slow[which]);
}

static bool same_operand(const Operand *a, const Operand *b) {
    if (a->place != b->place) return false;
    switch ((Place)a->place) {
        case AT_CONSTANT: return a->value == b->value;
        case AT_LOCAL: return a->local == b->local;
        case AT_REGISTER:
        case AT_VECTOR: return a->reg == b->reg;
        default: return true;
    }
}

static bool same_exit(const Translation *t, const ColdExit *a, const ColdExit *b) {
    if (a->kind != b->kind || a->resume != b->resume || a->word != b->word || a->depth != b->depth ||
        a->count != b->count)
        return false;
    for (uint32_t i = 0; i < a->count; i++) {
        const SavedOperand *x = &t->saved[a->first + i], *y = &t->saved[b->first + i];
        if (x->index != y->index || !same_operand(&x->operand, &y->operand)) return false;
    }
    return true;
}

void translate_exit(Translation *t, AsmJump jump, TemplateExitKind kind, uint32_t word) {
    ColdExit e = {.jump = jump, .kind = (uint8_t)kind, .word = word, .depth = t->depth, .first = t->saved_count};
    for (uint32_t i = 0; i < t->depth; i++) {
        if (t->stack[i].place == AT_HOME || t->stack[i].place == AT_NOTHING) continue;
        ADD_TO(t->saved, t->saved_count, t->saved_room);
        if (t->failed) return;
        t->saved[t->saved_count++] = (SavedOperand){i, t->stack[i]};
        e.count++;
    }
    ADD_TO(t->exits, t->exit_count, t->exit_room);
    if (t->failed) return;
    t->exits[t->exit_count++] = e;
}

void translate_exit_if(Translation *t, AsmCondition cc) {
    translate_exit(t, asm_jump_if(&t->a, cc), TEMPLATE_CONTINUES, t->word);
}

void translate_resumes(Translation *t, uint32_t slots, char type, uint32_t first_exit) {
    ADD_TO(t->returns, t->return_count, t->return_room);
    if (t->failed) return;
    uint32_t here = asm_here(&t->a);
    for (uint32_t i = first_exit; i < t->exit_count; i++) t->exits[i].resume = here;
    t->returns[t->return_count++] = (TemplatePlace){t->word, here};
    operands_forget(t);
    operands_pop(t, slots);
    int result = interp_slots(type);
    if (result) operands_push_register(t, REG_RESULT, false, (uint32_t)result);
}

void translate_null_check(Translation *t, uint32_t index, int reg) {
    if (operands_nonnull(t, index)) return;
    asm_rr(&t->a, ASM_TEST, true, reg, reg);
    translate_exit_if(t, CC_EQUAL);
    operands_set_nonnull(t, index);
}

// Stores operands from registers first, because storing the others needs a scratch register.
static void emit_exit(Translation *t, const ColdExit *e) {
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < e->count; i++) {
            const SavedOperand *s = &t->saved[e->first + i];
            bool in_register = s->operand.place == AT_REGISTER || s->operand.place == AT_VECTOR;
            if (in_register == (pass == 0)) operands_store(t, &s->operand, operands_home(s->index), REG_AX);
        }
    asm_constant(&t->a, REG_AX, (uintptr_t)(t->code + e->word));
    asm_constant(&t->a, REG_CX, operands_home(e->depth).offset);
    if (e->kind == TEMPLATE_INVOKES || e->kind == TEMPLATE_RESOLVES_CALL) {
        AsmJump address = asm_address(&t->a, REG_DX);
        asm_bind_to(&t->a, address, e->resume);
    }
    translate_leave(t, asm_jump(&t->a), template_stubs->exits[e->kind]);
}

static void emit_exits(Translation *t) {
    for (uint32_t i = 0; i < t->exit_count && !t->a.full && !t->failed; i++) {
        const ColdExit *e = &t->exits[i];
        mark_position(t, e->word);
        asm_bind(&t->a, e->jump);
        if (i + 1 < t->exit_count && same_exit(t, e, &t->exits[i + 1])) {
            // Consecutive equal exits share their code.
            asm_bind(&t->a, t->exits[i + 1].jump);
            uint32_t last = i + 1;
            while (last + 1 < t->exit_count && same_exit(t, e, &t->exits[last + 1]))
                asm_bind(&t->a, t->exits[++last].jump);
            emit_exit(t, e);
            i = last;
            continue;
        }
        emit_exit(t, e);
    }
}

// ---- slow code ------------------------------------------------------------------------------------

SlowCode *translate_slow(Translation *t, SlowPath *fn, AsmJump jump) {
    ADD_TO(t->slow, t->slow_count, t->slow_room);
    if (t->failed) return &t->no_slow;
    SlowCode *s = &t->slow[t->slow_count++];
    *s = (SlowCode){.fn = fn, .jump = jump, .word = t->word, .next = t->next, .depth = t->depth};
    return s;
}

void translate_save(Translation *t, uint32_t word, uint32_t depth) {
    asm_constant(&t->a, REG_AX, (uintptr_t)(t->code + word));
    asm_mr(&t->a, ASM_MOV, true, FRAME_AT(pc), REG_AX);
    asm_rm(&t->a, ASM_LEA, true, REG_AX, operands_home(depth));
    asm_mr(&t->a, ASM_MOV, true, FRAME_AT(sp), REG_AX);
}

void translate_slow_end(Translation *t, const SlowCode *slow, bool pushes) {
    uint32_t depth = slow->depth - slow->slots;
    asm_mi(&t->a, ASM_CMP, true, FRAME_AT(resume), 0);
    AsmJump back = asm_jump_if(&t->a, CC_NOT_EQUAL);
    asm_bind_to(&t->a, back, slow->back);
    if (pushes) asm_mr(&t->a, ASM_MOV, true, operands_home(depth), REG_RESULT);
    asm_constant(&t->a, REG_AX, (uintptr_t)(t->code + slow->next));
    asm_constant(&t->a, REG_CX, operands_home(depth + pushes).offset);
    translate_leave(t, asm_jump(&t->a), template_stubs->exits[TEMPLATE_CONTINUES]);
}

// Samples of time that interrupt the function find the frame in the thread.
void translate_call_c(Translation *t, const void *fn) {
    asm_mr(&t->a, ASM_MOV, true, THREAD_AT(frame), REG_FRAME);
    asm_constant(&t->a, REG_AX, (uintptr_t)fn);
    asm_call_register(&t->a, REG_AX);
}

// ---- jumps ----------------------------------------------------------------------------------------

void translate_reaches(Translation *t, uint32_t word) {
    ASSERT(word < t->words && has(t->targets, word), "%s: word %u is no target", t->m->name->text, word);
    if (t->offset[word] || has(t->pending, word)) {
        if (t->depth_at[word] != t->depth) t->failed = true;
        return;
    }
    t->depth_at[word] = (uint16_t)t->depth;
    add(t->pending, word);
}

static bool is_branch(unsigned op) {
    static const bool branches[INSN_COUNT] = {
#define BRANCH_OP(name, words) [INSN_##name] = true,
#define FUSED2(name, first, second)
#define FUSED3(name, first, second, third)
#include "vm/interp/insn.def"
    };
    return branches[op];
}

// Takes a sampling check off the thread's budget: CC_NEGATIVE if it was used up.
static void take_check(Translation *t) { asm_mi(&t->a, ASM_SUB, false, THREAD_AT(sample.budget), 1); }

void translate_backedge(Translation *t, uint32_t word) {
    if (t->checks_loops) {
        take_check(t);
        translate_exit(t, asm_jump_if(&t->a, CC_NEGATIVE), TEMPLATE_CHECKS, word);
    }
    asm_rm(&t->a, ASM_MOV, true, REG_AX, FRAME_AT(method));
    asm_rm(&t->a, ASM_MOV, false, REG_CX, asm_at(REG_AX, offsetof(Method, hotness)));
    asm_ri(&t->a, ASM_ADD, false, REG_CX, 1);
    asm_mr(&t->a, ASM_MOV, false, asm_at(REG_AX, offsetof(Method, hotness)), REG_CX);
    asm_test_byte(&t->a, REG_CX, METHOD_HOT_MASK);
    translate_exit(t, asm_jump_if(&t->a, CC_EQUAL), TEMPLATE_LOOPS, word);
    asm_test_bits(&t->a, THREAD_AT(poll), ~(uint32_t)POLL_ALWAYS);
    translate_exit(t, asm_jump_if(&t->a, CC_NOT_EQUAL), TEMPLATE_POLLS, word);
}

static_assert(METHOD_HOT_MASK <= UINT8_MAX, "asm_test_byte");

// ---- reported events ------------------------------------------------------------------------------

static EventSet reported_at(const Translation *t, uint32_t word) {
    unsigned op = translate_op(read_word(t, word).op);
    if (!t->reporting || (op == INSN_goto && !interp_profile()->reports_jumps)) return 0;
    EventSet wanted = probes_events(probes_place[op]) & ~flow_counted();
    return wanted & instrument_events_at(t->m, t->m->events, t->m->bci[word]);
}

bool translate_reports(const Translation *t, uint32_t word) { return reported_at(t, word) != 0; }

// If Frame.resume was cleared, leaves the code before the instruction, of which nothing has been reported.
static void report_slowly(Translation *t, const SlowCode *slow) {
    translate_save(t, slow->word, slow->depth);
    asm_constant(&t->a, REG_CX, slow->number);
    translate_call_slow(t, SLOW_REPORT);
    asm_mi(&t->a, ASM_CMP, true, FRAME_AT(resume), 0);
    asm_bind_to(&t->a, asm_jump_if(&t->a, CC_NOT_EQUAL), slow->back);
    asm_constant(&t->a, REG_AX, (uintptr_t)(t->code + slow->word));
    asm_constant(&t->a, REG_CX, operands_home(slow->depth).offset);
    translate_leave(t, asm_jump(&t->a), template_stubs->exits[TEMPLATE_CONTINUES]);
}

void translate_report(Translation *t, uint32_t which) {
    operands_flush(t);
    operands_forget(t);
    SlowCode *slow = translate_slow(t, report_slowly, asm_jump(&t->a));
    slow->number = which;
    slow->back = asm_here(&t->a);
}

// Whether code moves in the calling context tree for these events, which are all that are reported there.
static bool moves_context(const Translation *t, EventSet reported) {
    return t->m->events & EVENTS_CONTEXTS && reported && !(reported & ~EVENTS_NESTING);
}

// The step of a return (vm/api/calltree.h).
static void leave_context(Translation *t) {
    Asm *a = &t->a;
    operands_flush(t);
    operands_forget(t);
    asm_rm(a, ASM_MOV, true, REG_AX, THREAD_AT(places.context.top));
    asm_mi(a, ASM_CMP, true, asm_at(REG_AX, (int64_t)offsetof(ContextFrame, method) - (int64_t)sizeof(ContextFrame)),
           (int32_t)t->m->id);
    SlowCode *slow = translate_slow(t, report_slowly, asm_jump_if(a, CC_NOT_EQUAL));
    slow->number = PLACE_LEAVE;
    asm_ri(a, ASM_SUB, true, REG_AX, sizeof(ContextFrame));
    asm_rm(a, ASM_MOV, true, REG_CX, asm_at(REG_AX, offsetof(ContextFrame, node)));
    asm_mr(a, ASM_MOV, true, THREAD_AT(places.context.top), REG_AX);
    asm_mr(a, ASM_MOV, true, THREAD_AT(places.context.at), REG_CX);
    slow->back = asm_here(a);
}

static void enter_context(Translation *t) {
    Asm *a = &t->a;
    translate_save(t, t->word, 0);
    asm_rr(a, ASM_MOV, true, REG_DI, REG_THREAD);
    asm_rr(a, ASM_MOV, true, REG_SI, REG_FRAME);
    translate_call_c(t, (const void *)(uintptr_t)helper_enter_context);
    asm_rr(a, ASM_TEST, false, REG_AX, REG_AX);
    SlowCode *slow = translate_slow(t, report_slowly, asm_jump_if(a, CC_EQUAL));
    slow->number = REPORT_ENTRY;
    slow->back = asm_here(a);
}

// Reports the method's entry, unless it is outside scope=. Entries of hidden methods are counted.
static void report_entry(Translation *t) {
    EventSet entries = probes_events(PLACE_CALL) & ~probes_events(PLACE_LEAVE);
    EventSet reported = t->m->events & (entries | EVENTS_AT_BEGIN);
    if (moves_context(t, reported)) enter_context(t);
    else if (reported || !scope_visible(t->m)) translate_report(t, REPORT_ENTRY);
}

// ---- blocks ---------------------------------------------------------------------------------------

static void mark_targets(Translation *t) {
    for (uint32_t word = t->first_word; word < t->words;) {
        Insn insn = read_word(t, word);
        unsigned op = translate_op(insn.op);
        if (op == INSN_astore && insn.a == 0) t->receiver_kept = false;
        if (is_branch(op)) {
            add(t->targets, word + (uint32_t)insn.b);
            if (op == INSN_tableswitch || op == INSN_lookupswitch) {
                const int32_t *payload = (const int32_t *)(t->code + word + 1);
                bool table = op == INSN_tableswitch;
                uint32_t count = (uint32_t)payload[table];
                for (uint32_t i = 0; i < count; i++)
                    add(t->targets, word + (uint32_t)payload[table ? 2 + i : 3 + 2 * i]);
            }
        }
        word += size_of(t, word, op);
    }
    for (uint32_t i = 0; i < t->m->handler_count; i++) add(t->targets, t->m->handlers[i].word);
    if (t->counts) add(t->targets, t->first_word);  // where optimised code that is sampled at its entry is left
}

static void translate_insn(Translation *t) {
    t->insn = read_word(t, t->word);
    unsigned op = translate_op(t->insn.op);
    t->insn.op = (uint16_t)op;
    t->next = t->word + size_of(t, t->word, op);
    mark_position(t, t->word);
    operands_unpin(t);
    bool is_volatile = (op >= INSN_getstatic_b_v && op <= INSN_getstatic_a_v) || op == INSN_putstatic_v ||
        (op >= INSN_getfield_b_v && op <= INSN_getfield_a_v) || op == INSN_putfield_v;
    const TranslateRow *row = &translate_rows[op];
    uint32_t block = workspace_of(t)->block_of[t->word];
    if (t->counts && block) {
        int reg = operands_new(t);
        asm_constant(&t->a, reg, (uintptr_t)&t->counts->blocks[block - 1]);
        asm_mi(&t->a, ASM_ADD, true, asm_at(reg, 0), 1);
        operands_unpin(t);
    }
    if (!row->fn || (t->reports_volatile && is_volatile)) {
        translate_exit(t, asm_jump(&t->a), TEMPLATE_CONTINUES, t->word);
        t->ended = true;
        return;
    }
    PlaceKind place = probes_place[op];
    bool before = place == PLACE_BRANCH || place == PLACE_ACCESS || place == PLACE_ARRAY || place == PLACE_LEAVE;
    if (before && !probes_reports_itself(op) && translate_reports(t, t->word)) {
        if (place == PLACE_LEAVE && moves_context(t, reported_at(t, t->word))) leave_context(t);
        else translate_report(t, place);
    }
    row->fn(t, row->argument, row->other);
}

// Translates from the current word until control cannot fall through.
static void translate_run(Translation *t) {
    t->ended = false;
    while (!t->ended && !t->a.full && !t->failed) {
        if (has(t->targets, t->word)) {
            operands_flush(t);
            if (t->offset[t->word]) {
                if (t->depth_at[t->word] != t->depth) t->failed = true;
                translate_fix_up(t, (Fixup){asm_jump(&t->a), t->word, 0});
                operands_pop(t, t->depth);
                return;
            }
            translate_reaches(t, t->word);
            t->pending[t->word / 64] &= ~(UINT64_C(1) << t->word % 64);
            t->offset[t->word] = asm_here(&t->a);
            operands_forget(t);
        }
        translate_insn(t);
        t->word = t->next;
    }
    operands_pop(t, t->depth);
}

static uint32_t next_pending(const Translation *t, uint32_t from) {
    uint32_t words = (t->words + 63) / 64;
    for (uint32_t i = from / 64, seen = 0; seen <= words; seen++, i = (i + 1) % words) {
        uint64_t bits = t->pending[i];
        if (seen == 0) bits &= ~UINT64_C(0) << from % 64;
        if (bits) return i * 64 + (uint32_t)__builtin_ctzll(bits);
    }
    return 0;
}

static void translate_all(Translation *t) {
    t->word = t->first_word;
    translate_run(t);
    for (uint32_t i = 0; i < t->m->handler_count; i++) {
        uint32_t word = t->m->handlers[i].word;
        if (t->offset[word] || has(t->pending, word)) continue;
        t->depth_at[word] = 1;
        add(t->pending, word);
    }
    for (uint32_t word = t->first_word; (word = next_pending(t, word)) != 0 && !t->a.full && !t->failed;) {
        t->depth = 0;
        for (uint32_t i = 0; i < t->depth_at[word]; i++) operands_push_home(t, 1);
        t->word = word;
        translate_run(t);
    }
}

// ---- the beginning ----------------------------------------------------------------------------------

static void leave_if(Translation *t, AsmCondition cc, TemplateExitKind kind) {
    translate_leave(t, asm_jump_if(&t->a, cc), template_stubs->exits[kind]);
}

AsmJump translate_exchange_lock(Translation *t) {
    Asm *a = &t->a;
    if (t->reports_locks) return asm_jump(a);
    asm_lock(a);
    asm_mr(a, ASM_CMPXCHG, false, asm_at(REG_DX, offsetof(Object, lock)), REG_CX);
    return asm_jump_if(a, CC_NOT_EQUAL);
}

static void lock_method_slowly(Translation *t, const SlowCode *slow) {
    translate_save(t, slow->word, 0);
    asm_rr(&t->a, ASM_MOV, true, REG_CX, REG_FRAME);
    translate_call_slow(t, SLOW_LOCK_METHOD);
    asm_constant(&t->a, REG_CALL, CALL_BY_HELPER);
    asm_mi(&t->a, ASM_CMP, true, FRAME_AT(resume), 0);
    asm_bind_to(&t->a, asm_jump_if(&t->a, CC_NOT_EQUAL), slow->back);
    asm_constant(&t->a, REG_AX, (uintptr_t)(t->code + slow->word));
    asm_constant(&t->a, REG_CX, sizeof(Frame));
    translate_leave(t, asm_jump(&t->a), template_stubs->exits[TEMPLATE_CONTINUES]);
}

// Locks the monitor of a synchronized method, whose frame exists by now. The fast path is for a free lock.
static void lock_method(Translation *t) {
    Asm *a = &t->a;
    if (method_is_static(t->m)) {
        asm_constant(a, REG_DX, (uintptr_t)t->m->cls);
        asm_rm(a, ASM_MOV, true, REG_DX, asm_at(REG_DX, offsetof(Class, mirror)));
    } else {
        asm_rm(a, ASM_MOV, true, REG_DX, operands_local(t, 0));
    }
    asm_rm(a, ASM_MOV, false, REG_CX, THREAD_AT(thin_lock));
    asm_rr(a, ASM_XOR, false, REG_AX, REG_AX);
    t->word = t->first_word;
    SlowCode *slow = translate_slow(t, lock_method_slowly, translate_exchange_lock(t));
    asm_mr(a, ASM_MOV, true, FRAME_AT(monitor), REG_DX);
    slow->back = asm_here(a);
}

// ---- exact profiles -----------------------------------------------------------------------------------

void translate_count(Translation *t, uint32_t number) {
    asm_rm(&t->a, ASM_MOV, true, REG_AX, FRAME_AT(counts));
    asm_mi(&t->a, ASM_ADD, true, asm_at(REG_AX, (int64_t)sizeof(uint64_t) * number), 1);
}

// The inlined fast path of flow_counts(): loads the counters of `m` into REG_AX. Returns the jump taken when they are
// not in the first slot of the thread's table.
static AsmJump find_counters(Translation *t, const Method *m) {
    Asm *a = &t->a;
    asm_rm(a, ASM_MOV, true, REG_AX, THREAD_AT(flow));
    asm_rm(a, ASM_MOV, false, REG_CX, asm_at(REG_AX, offsetof(struct FlowCounts, shift)));
    asm_constant(a, REG_DX, flow_slot(m, 0));
    asm_shift_cx(a, ASM_SHR, false, REG_DX);
    asm_shift(a, ASM_SHL, true, REG_DX, (unsigned)__builtin_ctz(sizeof(FlowSlot)));
    asm_rm(a, ASM_ADD, true, REG_DX, asm_at(REG_AX, offsetof(struct FlowCounts, slots)));
    asm_constant(a, REG_CX, (uintptr_t)m);
    asm_rm(a, ASM_CMP, true, REG_CX, asm_at(REG_DX, offsetof(FlowSlot, method)));
    AsmJump elsewhere = asm_jump_if(a, CC_NOT_EQUAL);
    asm_rm(a, ASM_MOV, true, REG_AX, asm_at(REG_DX, offsetof(FlowSlot, counts)));
    return elsewhere;
}

static_assert((sizeof(FlowSlot) & (sizeof(FlowSlot) - 1)) == 0, "slots are found by a shift");

void translate_count_entry(Translation *t, const Method *callee, SlowPath *slow) {
    SlowCode *s = translate_slow(t, slow, find_counters(t, callee));
    s->value = callee;
    asm_mi(&t->a, ASM_ADD, true, asm_at(REG_AX, sizeof(uint64_t) * FLOW_ENTRY), 1);
    s->back = asm_here(&t->a);
}

// Slow path: the counters are in another slot, or the call edge is to be counted as well.
static void count_own_entry_slowly(Translation *t, const SlowCode *slow) {
    asm_rr(&t->a, ASM_MOV, true, REG_DI, REG_THREAD);
    asm_constant(&t->a, REG_SI, (uintptr_t)t->m);
    asm_rm(&t->a, ASM_MOV, true, REG_DX, FRAME_AT(prev));
    translate_call_c(t, (const void *)(uintptr_t)interp_count_entry);
    asm_bind_to(&t->a, asm_jump(&t->a), slow->back);
}

// Counts the method's entry, and the call edge if the call site's first target is this method. Sets Frame.counts.
static void count_own_entry(Translation *t) {
    Asm *a = &t->a;
    AsmJump slow[3];
    uint32_t slow_count = 0;
    t->word = t->first_word;
    slow[slow_count++] = find_counters(t, t->m);  // nothing is counted before it is known that all can be
    asm_rr(a, ASM_TEST, false, REG_CALL, REG_CALL);
    if (interp_profile()->counts_calls && scope_visible(t->m)) {
        AsmJump follows = asm_jump_if_near(a, CC_EQUAL);
        asm_ri(a, ASM_CMP, false, REG_CALL, CALL_BY_HELPER);
        slow[slow_count++] = asm_jump_if(a, CC_EQUAL);
        asm_rm(a, ASM_MOV, true, REG_CX, FRAME_AT(prev));
        asm_rm(a, ASM_ADD, true, REG_CALL, asm_at(REG_CX, offsetof(Frame, counts)));
        asm_mi(a, ASM_CMP, true, asm_at(REG_CALL, offsetof(FlowCall, callee)), (int32_t)t->m->id);
        slow[slow_count++] = asm_jump_if(a, CC_NOT_EQUAL);
        asm_mi(a, ASM_ADD, true, asm_at(REG_CALL, offsetof(FlowCall, count)), 1);
        asm_bind_near(a, follows);
    } else {
        slow[slow_count++] = asm_jump_if(a, CC_NOT_EQUAL);
    }
    asm_mi(a, ASM_ADD, true, asm_at(REG_AX, sizeof(uint64_t) * FLOW_ENTRY), 1);
    uint32_t back = asm_here(a);
    for (uint32_t i = 0; i < slow_count; i++) translate_slow(t, count_own_entry_slowly, slow[i])->back = back;
    asm_mr(a, ASM_MOV, true, FRAME_AT(counts), REG_AX);
}

// At the entry, REG_ARGS has the arguments' address, REG_METHOD the method and REG_FRAME the caller's frame.
static void emit_prologue(Translation *t) {
    Asm *a = &t->a;
    const Insn *enter = t->code + t->first_word - 1;
    int32_t locals = (int32_t)t->frame_locals, slots = enter->b;
    asm_rm(a, ASM_LEA, true, REG_AX, asm_at(REG_ARGS, (int64_t)sizeof(Slot) * slots));
    asm_rm(a, ASM_CMP, true, REG_AX, THREAD_AT(stack_limit));
    leave_if(t, CC_ABOVE, TEMPLATE_CALLS);
    asm_rm(a, ASM_MOV, false, REG_CX, asm_at(REG_METHOD, offsetof(Method, hotness)));
    asm_ri(a, ASM_ADD, false, REG_CX, 1);
    asm_mr(a, ASM_MOV, false, asm_at(REG_METHOD, offsetof(Method, hotness)), REG_CX);
    asm_test_byte(a, REG_CX, METHOD_HOT_MASK);
    leave_if(t, CC_EQUAL, TEMPLATE_CALLS_HOT);
    asm_test_bits(a, THREAD_AT(poll), ~(uint32_t)POLL_ALWAYS);
    leave_if(t, CC_NOT_EQUAL, TEMPLATE_CALLS_POLLED);
    t->begin = asm_here(a);
    if (t->checks_entry) {
        take_check(t);
        leave_if(t, CC_NEGATIVE, TEMPLATE_CALLS_CHECKED);
    }
    asm_rm(a, ASM_LEA, true, REG_AX, asm_at(REG_ARGS, (int64_t)sizeof(Slot) * locals));
    asm_mr(a, ASM_MOV, true, asm_at(REG_AX, offsetof(Frame, prev)), REG_FRAME);
    asm_rr(a, ASM_MOV, true, REG_FRAME, REG_AX);
    asm_mr(a, ASM_MOV, true, FRAME_AT(method), REG_METHOD);
    asm_mr(a, ASM_MOV, true, FRAME_AT(locals), REG_ARGS);
    asm_rr(a, ASM_XOR, false, REG_AX, REG_AX);
    asm_mr(a, ASM_MOV, true, FRAME_AT(resume), REG_AX);
    asm_mr(a, ASM_MOV, true, FRAME_AT(monitor), REG_AX);
    asm_mr(a, ASM_MOV, true, FRAME_AT(kind), REG_AX);  // and reason, not_begun, call, lock_count
    if (t->counting || t->reporting) asm_mr(a, ASM_MOV, true, FRAME_AT(path), REG_AX);
    if (sampling_by_exits()) asm_mr(a, ASM_MOV, true, FRAME_AT(inlined), REG_AX);
    if (t->m->flags & ACC_SYNCHRONIZED) {
        if (t->counting) asm_store_immediate(a, false, FRAME_AT(kind), FRAME_CALL_LOCKS << 24);
        lock_method(t);
        if (t->counting) asm_store_immediate(a, false, FRAME_AT(kind), 0);
    }
    if (t->counting) count_own_entry(t);
    t->word = t->first_word;
    const InterpProfile *profile = interp_profile();
    if (t->reporting && profile->reports_calls && !profile->counts) report_entry(t);
    else if (t->reporting && t->m->events & EVENTS_AT_BEGIN) translate_report(t, REPORT_BEGIN);
}

static_assert(offsetof(Frame, call) == offsetof(Frame, kind) + 3, "FRAME_CALL_LOCKS << 24");

static_assert(FRAME_INTERP == 0 && offsetof(Frame, lock_count) == offsetof(Frame, kind) + 4 && FRAME_CALL_BEFORE == 0,
              "eight bytes are cleared at once");
static_assert(offsetof(Frame, resume) == offsetof(Frame, pc) + sizeof(Insn *), "both are stored at once");

// ---- the end ----------------------------------------------------------------------------------------

static void emit_pairs(Translation *t) {
    if (!t->pair_count) return;
    asm_align(&t->a, 16);
    for (uint32_t i = 0; i < t->pair_count; i++) {
        asm_bind(&t->a, t->pairs[i].load);
        t->pairs[i].load = asm_here(&t->a);
        asm_word64(&t->a, (uintptr_t)(t->code + t->pairs[i].word));
        asm_word64(&t->a, t->pairs[i].resume);
    }
}

static void apply_fixups(Translation *t) {
    for (uint32_t i = 0; i < t->fixup_count; i++) {
        const Fixup *f = &t->fixups[i];
        uint32_t target = t->offset[f->word];
        ASSERT(target, "%s: no code for word %u", t->m->name->text, f->word);
        if (!f->table) {
            asm_bind_to(&t->a, f->jump, target);
            continue;
        }
        int32_t distance = (int32_t)(target - f->table);
        memcpy(t->a.begin + f->jump, &distance, sizeof distance);
    }
}

// Fills in what depends on the code's final address.
static void relocate(Translation *t, uint8_t *block, const uint8_t *base) {
    const Workspace *w = workspace_of(t);
    for (uint32_t i = 0; i < w->link_count; i++) {
        int32_t distance = (int32_t)(w->links[i].target - (base + w->links[i].jump + 4));
        memcpy(block + w->links[i].jump, &distance, sizeof distance);
    }
    for (uint32_t i = 0; i < t->pair_count; i++) {
        uint64_t resume = (uintptr_t)base + t->pairs[i].resume;
        memcpy(block + t->pairs[i].load + 8, &resume, sizeof resume);
    }
}

static int by_word(const void *a, const void *b) {
    const TemplatePlace *x = a, *y = b;
    return x->word < y->word ? -1 : x->word > y->word;
}

static Template *finish(Translation *t, Method *m) {
    uint32_t blocks = 0, size = asm_here(&t->a);
    for (uint32_t i = 0; i < t->words; i++) blocks += has(t->targets, i) && t->offset[i];
    const Workspace *w = workspace_of(t);
    size_t places = (blocks + t->return_count) * sizeof(TemplatePlace);
    Template *out = malloc(sizeof *out + places + w->positions.size);
    uint8_t *block = out ? codememory_allocate(size) : NULL;
    if (!block) {
        free(out);
        return NULL;
    }
    const uint8_t *base = codememory_executable(block);
    memcpy(block, t->a.begin, size);
    relocate(t, block, base);
    *out = (Template){.start = (const char *)base,
                      .size = size,
                      .block = block,
                      .method = m,
                      .begin = t->begin,
                      .block_count = blocks,
                      .return_count = t->return_count,
                      .position_bytes = (uint32_t)w->positions.size,
                      .positions = (uint8_t *)out->places + places};
    if (w->positions.size) memcpy((uint8_t *)out->places + places, w->positions.data, w->positions.size);
    TemplatePlace *place = out->places;
    for (uint32_t i = 0; i < t->words; i++)
        if (has(t->targets, i) && t->offset[i]) *place++ = (TemplatePlace){i, t->offset[i]};
    if (t->return_count) memcpy(place, t->returns, t->return_count * sizeof *place);
    qsort(place, t->return_count, sizeof *place, by_word);
    return out;
}

static bool make_room(Workspace *w, const Method *m) {
    uint32_t words = m->code_words + 1, sets = words / 64 + 1;
    if (words > w->word_room) {
        free(w->targets), free(w->pending), free(w->offset), free(w->depth_at), free(w->block_of);
        w->word_room = words * 2;
        uint32_t room = w->word_room;
        w->targets = malloc((room / 64 + 2) * sizeof *w->targets);
        w->pending = malloc((room / 64 + 2) * sizeof *w->pending);
        w->offset = malloc(room * sizeof *w->offset);
        w->block_of = malloc(room * sizeof *w->block_of);
        w->depth_at = malloc(room * sizeof *w->depth_at);
        if (!w->targets || !w->pending || !w->offset || !w->depth_at || !w->block_of) {
            w->word_room = 0;
            return false;
        }
    }
    memset(w->targets, 0, sets * sizeof *w->targets);
    memset(w->pending, 0, sets * sizeof *w->pending);
    memset(w->offset, 0, words * sizeof *w->offset);
    memset(w->block_of, 0, words * sizeof *w->block_of);
    return GROW(w->stack, w->stack_room, m->max_stack + 4u);
}

Template *translate_method(Workspace *w, Method *m, TemplateMode mode, MethodCounts *counts, const Dataflow *flow) {
    if (m->info->code->code_len > MOST_BYTECODES || !make_room(w, m)) return NULL;
    Translation *t = &w->t, old = *t;
    *t = (Translation){
        .a = {w->buffer, w->buffer, w->buffer + BUFFER_BYTES, false},
        .m = m,
        .code = m->code,
        .words = m->code_words,
        .first_word = interp_first_word(m),
        .frame_locals = method_locals(m),
        .max_depth = m->max_stack + 2u,
        .stack = w->stack,
        .targets = w->targets,
        .pending = w->pending,
        .offset = w->offset,
        .depth_at = w->depth_at,
        .fixups = old.fixups,
        .fixup_room = old.fixup_room,
        .exits = old.exits,
        .exit_room = old.exit_room,
        .saved = old.saved,
        .saved_room = old.saved_room,
        .slow = old.slow,
        .slow_room = old.slow_room,
        .pairs = old.pairs,
        .pair_room = old.pair_room,
        .returns = old.returns,
        .return_room = old.return_room,
        .counting = mode == TEMPLATES_COUNTING || (mode == TEMPLATES_REPORTING && interp_profile()->counts),
        .reporting = mode == TEMPLATES_REPORTING,
        .reports_locks = thread_listener() != NULL,
        .reports_volatile = thread_listener() && thread_listener()->sync_acquire,
        .checks_entry = mode == TEMPLATES_CHECKING && !(m->mflags & MF_LEAF),
        .checks_loops = mode == TEMPLATES_CHECKING || mode == TEMPLATES_CHECKING_LOOPS,
        .counts = counts,
        .receiver_kept = !method_is_static(m),
    };
    w->link_count = w->position_offset = w->position_word = 0;
    w->positions.size = 0;
    w->positions.failed = false;
    mark_targets(t);
    for (uint32_t b = 0; counts && b < flow->block_count; b++) {
        const Insn *at = method_pc_at(m, (int)flow->blocks[b].start);
        if (at) w->block_of[at - m->code] = b + 1;
    }
    operands_forget(t);
    emit_prologue(t);
    translate_all(t);
    for (uint32_t i = 0; i < t->slow_count && !t->a.full && !t->failed; i++) {
        SlowCode s = t->slow[i];
        mark_position(t, s.word);
        asm_bind(&t->a, s.jump);
        s.fn(t, &s);
    }
    emit_exits(t);
    emit_pairs(t);
    if (t->a.full || t->failed) return NULL;
    apply_fixups(t);
    return finish(t, m);
}
