// Decoding of bytecode into instruction words (vm/interp/interp.h), and the initial code of every new method.
//
// Decoded code is made once per method under one lock, which is never held across a safepoint, and published by storing
// Method.code. It is in the loader's arena and is never freed. Requires code accepted by code_check(); the verifier's
// further checks matter to execution, but not here.
//
// Words are in bytecode order. bci[k] is the bytecode index of word k's instruction, payload included, so branch
// targets, handlers and stack traces need only this one table.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/invariant.h"
#include "bytecode/analysis/leafcode.h"
#include "bytecode/analysis/methodflow.h"
#include "bytecode/classfile/opcodes.h"
#include "vm/instrument/scope.h"
#include "vm/interp/flowcounts.h"
#include "vm/interp/hooks.h"
#include "vm/interp/interp.h"
#include "vm/natives/intrinsics.h"
#include "vm/loading/loader.h"
#include "vm/natives/methodhandle.h"
#include "vm/model/vm.h"
#include "vm/objects/classes.h"

enum { NO_WORD = UINT32_MAX, NO_BCI = UINT16_MAX };

enum Operand {
    OPERAND_NONE,
    OPERAND_VALUE,       // b: the row's value
    OPERAND_WIDE_VALUE,  // payload: the row's value
    OPERAND_S1,
    OPERAND_S2,
    OPERAND_LOCAL,    // a: local index, wide or not
    OPERAND_LOCAL_N,  // a: the row's value
    OPERAND_IINC,
    OPERAND_BRANCH,
    OPERAND_LDC,
    OPERAND_LDC2,
    OPERAND_TABLE,
    OPERAND_LOOKUP,
    OPERAND_RETURN,
    OPERAND_INVOKE,
};

static const struct DecodeRow {
    uint16_t insn;
    uint8_t operand;
    uint64_t value;
} decode_rows[256] = {
#define DECODE(opcode, insn, operand, value) [OPC_##opcode] = {INSN_##insn, OPERAND_##operand, (uint64_t)(value)},
#include "vm/interp/insn.def"
};

static const uint8_t insn_words[INSN_COUNT] = {
#define INSN(name, words) [INSN_##name] = words,
#define FUSED(name, first) [INSN_##name] = 0,  // never measured
#include "vm/interp/insn.def"
};

typedef struct Decoder {
    uint32_t flow_counts;
    const Method *m;
    const ClassFileCode *code;
    uint32_t *word_at;  // by bci; NO_WORD inside instructions
    Insn *out;
    uint16_t *bci_of;
    uint32_t words;
} Decoder;

static bool is_wide(const Decoder *d, uint32_t bci) { return d->code->code[bci] == OPC_wide; }

// The opcode at bci, after a wide prefix if there is one.
static unsigned opcode_at(const Decoder *d, uint32_t bci) { return d->code->code[is_wide(d, bci) ? bci + 1 : bci]; }

// The operation before each return: it leaves the monitor, or registers an object with a finalizer.
static int epilogue(const Method *m) {
    if (m->mflags & MF_CHECKED_LOCKS) return INSN_unlock_checked;
    if (m->flags & ACC_SYNCHRONIZED) return INSN_unlock;
    if (m->mflags & MF_OBJECT_INIT) return INSN_finalizer;
    return -1;
}

// Whether ldc or ldc2_w loads a constant that is known at decoding.
static bool is_number(const Decoder *d, uint32_t bci) {
    uint8_t tag = d->m->cls->file->cp[opcodes_cp_index(d->code->code, bci)].tag;
    return tag == CP_INTEGER || tag == CP_FLOAT || tag == CP_LONG || tag == CP_DOUBLE;
}

static uint32_t size_at(const Decoder *d, uint32_t bci) {
    const struct DecodeRow *row = &decode_rows[opcode_at(d, bci)];
    uint32_t words = insn_words[row->insn];
    switch (row->operand) {
        case OPERAND_TABLE: return words + (opcodes_switch(d->code->code, bci).count + 1) / 2;
        case OPERAND_LOOKUP: return words + opcodes_switch(d->code->code, bci).count;
        case OPERAND_LDC: return is_number(d, bci) ? insn_words[INSN_iconst] : words;
        case OPERAND_RETURN: return words + (epilogue(d->m) >= 0);
        default: return words;
    }
}

uint32_t interp_first_word(const Method *m) {
    return m->mflags & MF_INTRINSIC && intrinsic_kind(m) == INTRINSIC_TRY ? 2 : 1;
}

static void measure(Decoder *d) {
    uint32_t at = interp_first_word(d->m);
    for (uint32_t bci = 0; bci < d->code->code_len;) {
        uint32_t length = opcodes_length(d->code->code, d->code->code_len, bci);
        d->word_at[bci] = at;
        at += size_at(d, bci);
        bci += length;
    }
    d->words = at;
}

static int32_t offset_to(const Decoder *d, uint32_t word, uint32_t target_bci) {
    ASSERT(target_bci < d->code->code_len && d->word_at[target_bci] != NO_WORD, "%u is no instruction", target_bci);
    return (int32_t)(d->word_at[target_bci] - word);
}

static uint16_t local_at(const Decoder *d, uint32_t bci) {
    const uint8_t *p = d->code->code + bci;
    return is_wide(d, bci) ? bytes_u2(p + 2) : p[1];
}

static void emit_table(Decoder *d, uint32_t bci, Insn *word, uint32_t at) {
    OpcodeSwitch s = opcodes_switch(d->code->code, bci);
    int32_t *payload = (int32_t *)(word + 1);
    word->b = offset_to(d, at, opcodes_switch_target(&s, s.count));
    payload[0] = s.low;
    payload[1] = (int32_t)s.count;
    for (uint32_t i = 0; i < s.count; i++) payload[2 + i] = offset_to(d, at, opcodes_switch_target(&s, i));
}

// code_check has verified that the keys are sorted.
static void emit_lookup(Decoder *d, uint32_t bci, Insn *word, uint32_t at) {
    OpcodeSwitch s = opcodes_switch(d->code->code, bci);
    int32_t *payload = (int32_t *)(word + 1);
    word->b = offset_to(d, at, opcodes_switch_target(&s, s.count));
    payload[0] = (int32_t)s.count;
    for (uint32_t i = 0; i < s.count; i++) {
        payload[2 + 2 * i] = opcodes_switch_key(&s, i);
        payload[3 + 2 * i] = offset_to(d, at, opcodes_switch_target(&s, i));
    }
}

static uint16_t return_insn(const Method *m, unsigned opcode) {
    if (opcode != OPC_ireturn) return decode_rows[opcode].insn;
    switch (m->ret) {
        case 'Z': return INSN_ireturn_z;
        case 'B': return INSN_ireturn_b;
        case 'C': return INSN_ireturn_c;
        case 'S': return INSN_ireturn_s;
        default: return INSN_ireturn;
    }
}

static void emit(Decoder *d, uint32_t bci) {
    const uint8_t *p = d->code->code + bci;
    unsigned opcode = opcode_at(d, bci);
    const struct DecodeRow *row = &decode_rows[opcode];
    uint32_t at = d->word_at[bci];
    Insn *word = d->out + at;
    bool checked = d->m->mflags & MF_CHECKED_LOCKS;
    word->op = checked && row->insn == INSN_monitorenter ? INSN_monitorenter_checked
        : checked && row->insn == INSN_monitorexit       ? INSN_monitorexit_checked
                                                         : row->insn;
    switch (row->operand) {
        case OPERAND_VALUE: word->b = (int32_t)row->value; break;
        case OPERAND_WIDE_VALUE: word[1].l = (int64_t)row->value; break;
        case OPERAND_S1: word->b = bytes_s1(p + 1); break;
        case OPERAND_S2: word->b = bytes_s2(p + 1); break;
        case OPERAND_LOCAL: word->a = local_at(d, bci); break;
        case OPERAND_LOCAL_N: word->a = (uint16_t)row->value; break;
        case OPERAND_IINC:
            word->a = local_at(d, bci);
            word->b = is_wide(d, bci) ? bytes_s2(p + 4) : bytes_s1(p + 2);
            break;
        case OPERAND_BRANCH: word->b = offset_to(d, at, opcodes_branch_target(d->code->code, bci)); break;
        case OPERAND_LDC: {
            const CpEntry *e = &d->m->cls->file->cp[opcodes_cp_index(d->code->code, bci)];
            if (is_number(d, bci)) {
                word->op = INSN_iconst;
                word->b = e->u.i;
            }
            break;
        }
        case OPERAND_LDC2: {
            const CpEntry *e = &d->m->cls->file->cp[opcodes_cp_index(d->code->code, bci)];
            if (is_number(d, bci)) {
                word->op = INSN_lconst;
                word[1].l = e->u.j;
            }
            break;
        }
        case OPERAND_TABLE: emit_table(d, bci, word, at); break;
        case OPERAND_LOOKUP: emit_lookup(d, bci, word, at); break;
        case OPERAND_RETURN:
            if (epilogue(d->m) >= 0) *word++ = (Insn){.op = (uint16_t)epilogue(d->m)};
            word->op = return_insn(d->m, opcode);
            break;
        default: break;
    }
    // Numbers the counters (vm/interp/flowcounts.h). Branches come first; all code that a class file can hold has room
    // for them.
    unsigned flags = opcodes_info[*p].flags;
    if (!(flags & OPF_BRANCH)) return;
    word->a = (uint16_t)d->flow_counts;
    d->flow_counts += flags & OPF_SWITCH ? opcodes_switch(d->code->code, bci).count + 1 : flags & OPF_JSR ? 2 : 1;
    ASSERT(d->flow_counts <= FLOW_MOST, "%s.%s has %u branches", d->m->cls->name->text, d->m->name->text,
           d->flow_counts);
}

static uint16_t enter_insn(const Method *m) { return m->flags & ACC_SYNCHRONIZED ? INSN_enter_sync : INSN_enter; }

static void emit_all(Decoder *d) {
    uint32_t first = interp_first_word(d->m);
    for (uint32_t i = 0; i < first; i++) d->bci_of[i] = NO_BCI;
    const Method *m = d->m;
    Insn *word = d->out;
    if (first == 2) *word++ = (Insn){.op = INSN_enter_try, .a = (uint16_t)interp_slots(m->ret)};
    uint16_t locals = (uint16_t)method_locals(m);
    *word = (Insn){.op = enter_insn(m), .a = locals, .b = locals + FRAME_SLOTS + m->max_stack + INTERP_EXTRA_STACK};
    for (uint32_t bci = 0; bci < d->code->code_len;) {
        uint32_t length = opcodes_length(d->code->code, d->code->code_len, bci);
        uint32_t size = size_at(d, bci);
        for (uint32_t i = 0; i < size; i++) d->bci_of[d->word_at[bci] + i] = (uint16_t)bci;
        emit(d, bci);
        bci += length;
    }
    // The counters of calls follow those of the branches.
    for (uint32_t i = first; i < d->words; i++) {
        bool selects = d->out[i].op == INSN_invokevirtual || d->out[i].op == INSN_invokeinterface;
        if (d->word_at[d->bci_of[i]] != i || !selects || d->flow_counts > FLOW_MOST) continue;
        d->out[i].b = (int32_t)(d->flow_counts << 16);
        d->flow_counts += FLOW_CALL_WORDS;
    }
}

// ---- fusing -------------------------------------------------------------------------------------

// Patterns in the order in which they are tried.
static const struct FuseRow {
    uint16_t insn, part[3];  // the third part may be INSN_COUNT: none
} fuse_rows[] = {
#define FUSED(name, first)
#define FUSED2(name, first, second) {INSN_##name, {INSN_##first, INSN_##second, INSN_COUNT}},
#define FUSED3(name, first, second, third) {INSN_##name, {INSN_##first, INSN_##second, INSN_##third}},
#include "vm/interp/insn.def"
};
enum { FUSE_ROWS = sizeof fuse_rows / sizeof *fuse_rows };

static struct Decoding {
    pthread_mutex_t lock;  // held while a method is decoded
    // Chains of rows by their first part, in table order. Filled under the lock.
    uint16_t fuse_first[INSN_COUNT], fuse_next[FUSE_ROWS];  // row + 1; 0 ends
} decoding = {.lock = PTHREAD_MUTEX_INITIALIZER};

// Fuses at every instruction, because each may be a branch target. Goes backwards, so the operations that follow are
// already fused: `ops` keeps the original ones.
static void fuse_all(Decoder *d) {
    uint16_t ops[4] = {0, INSN_COUNT, INSN_COUNT, INSN_COUNT};
    uint32_t first = interp_first_word(d->m);
    if (!decoding.fuse_first[INSN_load])
        for (int i = FUSE_ROWS - 1; i >= 0; i--) {
            decoding.fuse_next[i] = decoding.fuse_first[fuse_rows[i].part[0]];
            decoding.fuse_first[fuse_rows[i].part[0]] = (uint16_t)(i + 1);
        }
    for (uint32_t i = d->words; i-- > first;) {
        // An instruction begins at the first word of its bytecode, or is the return after an unlock. All other words
        // are payload, which may look like any operation.
        uint32_t at = d->word_at[d->bci_of[i]];
        bool unlocks = d->out[at].op == INSN_unlock || d->out[at].op == INSN_unlock_checked;
        if (i != at && !(i == at + 1 && unlocks)) continue;
        memmove(ops + 1, ops, 3 * sizeof *ops);
        ops[0] = d->out[i].op;
        for (unsigned k = decoding.fuse_first[ops[0]]; k; k = decoding.fuse_next[k - 1]) {
            const struct FuseRow *row = &fuse_rows[k - 1];
            if (row->part[1] != ops[1] || (row->part[2] != INSN_COUNT && row->part[2] != ops[2])) continue;
            d->out[i].op = row->insn;
            break;
        }
    }
}

static Handler *decode_handlers(const Decoder *d, Arena *arena) {
    uint32_t count = d->code->handler_count;
    if (!count) return NULL;
    Handler *out = arena_alloc(arena, count * sizeof *out);
    for (uint32_t i = 0; i < count; i++) {
        const ClassFileHandler *h = &d->code->handlers[i];
        out[i].start = h->start_pc;
        out[i].end = h->end_pc;
        out[i].catch_index = h->catch_type;
        out[i].word = d->word_at[h->handler_pc];
        ASSERT(out[i].word < d->words && out[i].start < out[i].end, "handler %u: %u...%u, word %u", i, out[i].start,
               out[i].end, out[i].word);
    }
    return out;
}

// Whether the method can leave a monitor entered, or leave one that it has not entered. Classes of the boot loader are
// trusted, and are not verified either.
static bool needs_checked_locks(const Method *m) {
    const ClassFileCode *code = m->info->code;
    bool has_monitors = false;
    if (m->cls->loader == vm.boot_loader) return false;
    for (uint32_t bci = 0; bci < code->code_len && !has_monitors;) {
        has_monitors = opcodes_info[code->code[bci]].flags & OPF_MONITOR;
        bci += opcodes_length(code->code, code->code_len, bci);
    }
    if (!has_monitors) return false;
    char error[128];
    Dataflow *flow = methodflow_build(m->cls->file, code, m->desc->text, method_is_static(m), error, sizeof error);
    bool structured = flow && flow->structured_locks;
    if (flow) dataflow_free(flow);
    return !structured;
}

static void decode(Method *m) {
    if (needs_checked_locks(m)) m->mflags |= MF_CHECKED_LOCKS;
    if (leafcode_is(m->cls->file, m->info->code)) m->mflags |= MF_LEAF;
    Arena *arena = &m->cls->space->arena;
    Decoder d = {.m = m, .code = m->info->code};
    d.word_at = arena_malloc(d.code->code_len * sizeof *d.word_at);
    memset(d.word_at, 0xff, d.code->code_len * sizeof *d.word_at);
    measure(&d);
    d.out = arena_alloc(arena, d.words * sizeof *d.out);
    d.bci_of = arena_alloc(arena, d.words * sizeof *d.bci_of);
    d.flow_counts = 1 + (m->mflags & MF_INTRINSIC ? FLOW_DONE : FLOW_ENTRY);
    emit_all(&d);
    for (uint32_t i = interp_first_word(m); ASSERTIONS && i < d.words; i++)
        ASSERT(d.bci_of[i] < d.code->code_len, "word %u of %s.%s is of no bytecode", i, m->cls->name->text,
               m->name->text);
    fuse_all(&d);
    m->handlers = decode_handlers(&d, arena);
    m->handler_count = d.code->handler_count;
    m->bci = d.bci_of;
    m->code_words = d.words;
    m->flow_counts = d.flow_counts;
    free(d.word_at);
    ASSERT(d.words > interp_first_word(m), "%s.%s has no instruction", m->cls->name->text, m->name->text);
    __atomic_store_n(&m->code, d.out, __ATOMIC_RELEASE);
}

void interp_decode(Method *m) {
    if (!m->info || !m->info->code) return;
    if (m->mflags & MF_INTRINSIC && intrinsic_kind(m) != INTRINSIC_TRY) return;
    pthread_mutex_lock(&decoding.lock);
    bool decodes = !m->code_words;
    if (decodes) decode(m);
    pthread_mutex_unlock(&decoding.lock);
    if (decodes) interp_hooks.update_template_entry(m);
}

// Both words are stored under the lock, from the method's current state, so the last change wins. An intrinsic that may
// decline precedes template code; compiled code includes it.
void interp_set_entry(Method *m) {
    ASSERT(m->code_words, "%s is not decoded", m->name->text);
    pthread_mutex_lock(&decoding.lock);
    bool compiled = __atomic_load_n(&m->compiled, __ATOMIC_ACQUIRE) != NULL, tries = interp_first_word(m) == 2;
    uint16_t interpreted = __atomic_load_n(&m->template_code, __ATOMIC_ACQUIRE) ? (uint16_t)INSN_enter_template
                                                                                : enter_insn(m);
    if (tries) __atomic_store_n(&m->code[1].op, interpreted, __ATOMIC_RELEASE);
    uint16_t first = compiled ? INSN_enter_compiled : tries ? INSN_enter_try : interpreted;
    __atomic_store_n(&m->code->op, first, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&decoding.lock);
}

void interp_before_fork(void) { pthread_mutex_lock(&decoding.lock); }
void interp_after_fork(void) { pthread_mutex_unlock(&decoding.lock); }

// ---- code of methods that are not decoded (yet) -------------------------------------------------

// Methods of one kind share their first word. Three of the kinds have a word for each number of result slots.
static const Insn stub_native[3] = {
    {.op = INSN_enter_native, .a = 0}, {.op = INSN_enter_native, .a = 1}, {.op = INSN_enter_native, .a = 2}};
static const Insn stub_leaf[3] = {
    {.op = INSN_enter_leaf, .a = 0}, {.op = INSN_enter_leaf, .a = 1}, {.op = INSN_enter_leaf, .a = 2}};
static const Insn stub_intrinsic[3] = {
    {.op = INSN_enter_intrinsic, .a = 0}, {.op = INSN_enter_intrinsic, .a = 1}, {.op = INSN_enter_intrinsic, .a = 2}};
static const Insn stub_cold = {.op = INSN_enter_cold};
static const Insn stub_unlinked = {.op = INSN_enter_unlinked};
static const Insn stub_basic = {.op = INSN_enter_basic};
static const Insn stub_link = {.op = INSN_enter_link};

const Insn interp_halt[INSN_INVOKE_WORDS + 1] = {{.op = INSN_halt}, {.op = INSN_halt}, {.op = INSN_halt}};

static const Insn *first_code(const Method *m) {
    int slots = interp_slots(m->ret);
    if ((m->mflags & MF_OVERPASS) || method_is_abstract(m)) return &stub_unlinked;
    if (m->sigpoly == MH_INVOKE_BASIC) return &stub_basic;
    if (m->sigpoly > MH_INVOKE_BASIC) return &stub_link;
    if (m->mflags & MF_INTRINSIC) {
        switch (intrinsic_kind(m)) {
            case INTRINSIC_LEAF: return &stub_leaf[slots];
            case INTRINSIC_FRAME: return &stub_intrinsic[slots];
            case INTRINSIC_TRY: return &stub_cold;
        }
    }
    return method_is_native(m) ? &stub_native[slots] : &stub_cold;
}

void interp_link_method(Method *m) {
    m->entry = (void *)interp_hooks.entered_from_code;
    m->events = instrument_events(m);
    __atomic_store_n(&m->code, (Insn *)first_code(m), __ATOMIC_RELEASE);
    interp_hooks.update_template_entry(m);  // depends on the first word
}

// ---- positions ----------------------------------------------------------------------------------
