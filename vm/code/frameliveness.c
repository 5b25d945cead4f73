// Liveness of machine code (vm/code/frameliveness.h).
//
// Only the code itself shows which registers and spill slots LLVM uses. Its stack maps name the values in the bundles
// of calls; other values, including addresses inside objects, are wherever the register allocator has put them. A
// register or slot is live after a call if some path from there reads it before writing it. So no value in use can be
// missed, whatever it was derived from, and an unused value keeps nothing alive. This is the standard backward
// data-flow analysis over the instructions, with three safe simplifications. An instruction whose operands are not
// distinguished reads all that it could. A partial write is no write. A read of fewer than eight bytes is no read,
// because it yields no address.
//
// Memory of the frame is accessed in two ways. An access at a constant distance from the stack or frame pointer is an
// access to a slot. Memory whose address the code computes is passed to a runtime call, and only that call reads it
// (arguments of intrinsics; CodeStackMap.passes_memory). At such a call, Code.buffer_words from each such address on
// are live; at other calls, only what the code itself reads.
//
// The call of an exit reads the values in its stack map: the registers and slots that hold the interpreter's values.
//
// A jump through a table leads to each address in each of the function's tables, whose beginnings are computed from
// the instruction pointer. Entries are distances from the table. The table ends, at the latest, at an entry that
// leads out of the code. Reading too many entries only adds paths.
//
// Not analysed: code that changes its stack pointer other than by constants, or that has more than MOST_SLOTS slots.
#include "vm/code/frameliveness.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/invariant.h"
#include "vm/code/code.h"

enum { KEPT = 1 << ARCH_RBX | 0xf << ARCH_R12 };  // callee-saved registers
enum { MOST_SLOTS = 4096, MOST_MEMORY = 16, NONE = 0, WORD = 8, TABLE_ENTRIES = 4096 };

typedef struct Step {
    int32_t sp;           // the stack pointer before the step, as a distance
    uint32_t at, target;  // offset; target step + 1 of a branch, or NONE
    uint32_t next;        // step + 1 of the step after it, or NONE
    uint16_t reads, writes;
    uint8_t length, flow;
    bool is_head, reads_all;  // reached other than from the previous step; may read any slot
    uint8_t read_bytes, written_bytes;
    int32_t memory_at;         // distance of the memory that is read or written
    const CodeStackMap *exit;  // of a call that is an exit, else NULL
} Step;

typedef struct Place {
    uint32_t at;
    int32_t sp;
} Place;

typedef struct Analysis {
    const Code *code;
    const uint8_t *bytes;
    uint32_t size;
    uint32_t *step_at;  // by offset: step + 1, or NONE
    Step *steps;
    uint32_t count, room;
    Place *todo;
    uint32_t todo_count, todo_room;
    const uint8_t **tables;
    uint32_t table_count, table_room;
    uint32_t *table_targets, target_count, target_room;  // offsets
    bool is_indirect, failed;
    int32_t indirect_sp;
    int32_t low, high;            // range of the slots
    int32_t memory[MOST_MEMORY];  // distances whose addresses the code computes
    uint32_t memory_count;
    FrameSaved saved;
    uint32_t words;  // of a set: one for the registers, then those for the slots
    uint64_t *sets;  // by step: the live-in sets of heads
} Analysis;

// ---- the instructions ------------------------------------------------------------------------------

static void fail(Analysis *a) { a->failed = true; }

static void add_place(Analysis *a, int64_t at, int32_t sp) {
    if (at < 0 || at >= a->size || !GROW(a->todo, a->todo_room, a->todo_count + 1)) fail(a);
    else a->todo[a->todo_count++] = (Place){(uint32_t)at, sp};
}

static void note_memory(Analysis *a, Step *s, const ArchInsn *insn) {
    s->reads_all = insn->frame_somewhere;
    if (insn->frame_base != ARCH_RSP && insn->frame_base != ARCH_RBP) return;
    int32_t at = insn->frame_at + (insn->frame_base == ARCH_RSP ? s->sp : 0);
    s->memory_at = at;
    s->read_bytes = insn->frame_read;
    s->written_bytes = insn->frame_written;
    if (insn->frame_address) {
        uint32_t known = 0;
        while (known < a->memory_count && a->memory[known] != at) known++;
        if (known == MOST_MEMORY) fail(a);
        else if (known == a->memory_count) a->memory[a->memory_count++] = at;
    }
    if (at < a->low) a->low = at;
    if (at + 64 > a->high) a->high = at + 64;
}

// The distance of the slot that holds this value of an exit, which may be an address. False: no slot does.
static bool exit_slot(const CodeValue *v, int32_t sp, int32_t *at) {
    if (v->bytes < WORD || (v->location != CODE_LOC_FP && v->location != CODE_LOC_SP)) return false;
    *at = v->offset + (v->location == CODE_LOC_SP ? sp : 0);
    return true;
}

static void note_exit(Analysis *a, Step *s) {
    const CodeStackMap *map = code_stack_map_at(a->code, s->at + s->length);
    if (!map || !map->exit) return;
    s->exit = map;
    s->reads = 1u << ARCH_RDI;  // the thread
    for (uint32_t i = 0; i < map->value_count; i++) {
        const CodeValue *v = &a->code->values[map->first_value + i];
        int32_t at;
        if (v->location == CODE_LOC_REGISTER) s->reads |= (uint16_t)(1u << v->offset);
        if (!exit_slot(v, s->sp, &at)) continue;
        if (at < a->low) a->low = at;
        if (at + WORD > a->high) a->high = at + WORD;
    }
}

// Decodes instructions from a place on, until a known step or an instruction that does not fall through.
static void follow(Analysis *a, Place place) {
    uint32_t at = place.at, before = NONE;
    int32_t sp = place.sp;
    while (!a->failed) {
        if (at >= a->size) {
            fail(a);
            return;
        }
        uint32_t known = a->step_at[at];
        if (before) a->steps[before - 1].next = known ? known : a->count + 1;
        if (known) {
            a->steps[known - 1].is_head = true;
            if (a->steps[known - 1].sp != sp) fail(a);
            return;
        }
        ArchInsn insn;
        if (!arch_insn_decode(a->bytes + at, &insn) || !GROW(a->steps, a->room, a->count + 1)) {
            fail(a);
            return;
        }
        Step *s = &a->steps[a->count++];
        *s = (Step){.sp = sp,
                    .at = at,
                    .length = insn.length,
                    .flow = insn.flow,
                    .is_head = !before,
                    .reads = insn.reads,
                    .writes = insn.writes};
        before = a->step_at[at] = a->count;
        note_memory(a, s, &insn);
        // Callee-saved registers are pushed first, right below the frame pointer.
        bool is_push = insn.stack == ARCH_STACK_MOVED && insn.stack_by == -WORD && insn.frame_written == WORD;
        bool in_place = sp == -WORD * __builtin_popcount(a->saved.mask);
        if (is_push && in_place && (insn.reads & KEPT) && !(a->saved.mask & insn.reads)) {
            a->saved.mask |= insn.reads;
            a->saved.at[__builtin_ctz(insn.reads)] = (int16_t)(sp - WORD);
        }
        if (insn.flow == ARCH_FLOW_CALL) note_exit(a, s);
        if (sp < a->low) a->low = sp;
        if (insn.stack == ARCH_STACK_LOST) fail(a);
        if (insn.stack == ARCH_STACK_MOVED) sp += insn.stack_by;
        if (insn.stack == ARCH_STACK_SET) sp = insn.stack_by;
        const uint8_t *address = insn.address;
        if (insn.flow == ARCH_FLOW_BRANCH || insn.flow == ARCH_FLOW_JUMP) {
            s->target = (uint32_t)(address - a->bytes);  // becomes a step when all are known
            add_place(a, address - a->bytes, sp);
        } else if (insn.flow == ARCH_FLOW_INDIRECT) {
            if (a->is_indirect && a->indirect_sp != sp) fail(a);
            a->is_indirect = true;
            a->indirect_sp = sp;
        } else if (address) {
            if (!GROW(a->tables, a->table_room, a->table_count + 1)) fail(a);
            else a->tables[a->table_count++] = address;
        }
        if (insn.flow == ARCH_FLOW_JUMP || insn.flow == ARCH_FLOW_INDIRECT || insn.flow == ARCH_FLOW_END) return;
        at += insn.length;
    }
}

static void read_table(Analysis *a, const uint8_t *table) {
    // The tables of a function are adjacent: one ends where the next begins.
    const uint8_t *end = table + 4 * TABLE_ENTRIES;
    for (uint32_t i = 0; i < a->table_count; i++)
        if (a->tables[i] > table && a->tables[i] < end) end = a->tables[i];
    for (const uint8_t *entry = table; entry + 4 <= end && !a->failed; entry += 4) {
        int32_t distance;
        memcpy(&distance, entry, 4);
        int64_t at = table + distance - a->bytes;
        if (at <= 0 || at >= a->size) return;
        if (!GROW(a->table_targets, a->target_room, a->target_count + 1)) fail(a);
        else a->table_targets[a->target_count++] = (uint32_t)at;
        add_place(a, at, a->indirect_sp);
    }
    if (end == table + 4 * TABLE_ENTRIES) fail(a);
}

static void find_steps(Analysis *a) {
    uint32_t tables_read = 0;
    // At the entry, the stack pointer points to the return address.
    add_place(a, (const uint8_t *)a->code->entry - a->bytes, WORD);
    for (;;) {
        while (a->todo_count && !a->failed) follow(a, a->todo[--a->todo_count]);
        if (a->failed || !a->is_indirect || tables_read == a->table_count) break;
        read_table(a, a->tables[tables_read++]);
    }
    if (a->is_indirect && !a->target_count) fail(a);
    for (uint32_t i = 0; i < a->count && !a->failed; i++) {
        Step *s = &a->steps[i];
        if (s->flow != ARCH_FLOW_BRANCH && s->flow != ARCH_FLOW_JUMP) continue;
        s->target = a->step_at[s->target];
        a->steps[s->target - 1].is_head = true;
    }
    for (uint32_t i = 0; i < a->target_count && !a->failed; i++)
        a->steps[a->step_at[a->table_targets[i]] - 1].is_head = true;
}

// ---- the data flow ---------------------------------------------------------------------------------

static uint64_t *set_of(const Analysis *a, uint32_t step) { return a->sets + (size_t)step * a->words; }

static uint32_t slot_of(const Analysis *a, int32_t at) { return (uint32_t)(at - a->low) / WORD; }

static void set_slot(uint64_t *set, uint32_t slot) { set[1 + slot / 64] |= UINT64_C(1) << slot % 64; }

// Computes the live-in set of a step from its live-out set.
static void pass(const Analysis *a, const Step *s, uint64_t *set) {
    set[0] = (set[0] & ~(uint64_t)s->writes) | s->reads;
    // Slots that are written as a whole are killed; slots of which any part is read become live.
    int32_t written = (s->memory_at + WORD - 1) & -WORD, end = (s->memory_at + s->written_bytes) & -WORD;
    for (; s->written_bytes && written < end; written += WORD) {
        uint32_t slot = slot_of(a, written);
        set[1 + slot / 64] &= ~(UINT64_C(1) << slot % 64);
    }
    for (int32_t at = s->memory_at & -WORD; s->read_bytes && at < s->memory_at + s->read_bytes; at += WORD) {
        set_slot(set, slot_of(a, at));
    }
    if (s->reads_all) memset(set + 1, 0xff, (a->words - 1) * sizeof *set);
    for (uint32_t i = 0; s->exit && i < s->exit->value_count; i++) {
        int32_t at;
        if (exit_slot(&a->code->values[s->exit->first_value + i], s->sp, &at)) set_slot(set, slot_of(a, at));
    }
}

static void unite(const Analysis *a, uint64_t *to, const uint64_t *from) {
    for (uint32_t i = 0; i < a->words; i++) to[i] |= from[i];
}

// Computes the live-out set of step `i`. On entry, `set` is the live-in set of the step with the next number.
static void join(const Analysis *a, uint32_t i, uint64_t *set) {
    const Step *s = &a->steps[i];
    if (s->next != i + 2) memset(set, 0, a->words * sizeof *set);
    if (s->next && s->next != i + 2) unite(a, set, set_of(a, s->next - 1));
    if (s->flow == ARCH_FLOW_BRANCH || s->flow == ARCH_FLOW_JUMP) unite(a, set, set_of(a, s->target - 1));
    for (uint32_t k = 0; s->flow == ARCH_FLOW_INDIRECT && k < a->target_count; k++)
        unite(a, set, set_of(a, a->step_at[a->table_targets[k]] - 1));
}

static bool flow_once(const Analysis *a, uint64_t *set) {
    bool changed = false;
    memset(set, 0, a->words * sizeof *set);
    for (uint32_t i = a->count; i-- > 0;) {
        join(a, i, set);
        pass(a, &a->steps[i], set);
        if (!a->steps[i].is_head || memcmp(set, set_of(a, i), a->words * sizeof *set) == 0) continue;
        memcpy(set_of(a, i), set, a->words * sizeof *set);
        changed = true;
    }
    return changed;
}

// ---- the result ------------------------------------------------------------------------------------

static FrameLiveness *new_result(uint32_t maps, uint32_t words) {
    FrameLiveness *f = calloc(1, sizeof *f + maps * (words * sizeof *f->live + sizeof *f->registers));
    if (!f) return NULL;
    f->live = (uint64_t *)(f + 1);
    f->registers = (uint32_t *)(f->live + (size_t)maps * words);
    f->words = words;
    return f;
}

static void record(const Analysis *a, FrameLiveness *f, uint32_t map, const uint64_t *set) {
    uint64_t *live = f->live + (size_t)map * f->words;
    memcpy(live, set + 1, f->words * sizeof *live);
    f->registers[map] = (uint32_t)set[0];
    for (uint32_t i = 0; a->code->stack_maps[map].passes_memory && i < a->memory_count; i++) {
        int32_t at = a->memory[i] & -WORD, end = at + (int32_t)a->code->buffer_words * WORD;
        for (; at < end && at < 0; at += WORD) live[slot_of(a, at) / 64] |= UINT64_C(1) << slot_of(a, at) % 64;
    }
    // The slot of a saved register holds the caller's value, and the caller's liveness decides about it.
    const FrameSaved *saved = &f->saved;
    for (uint32_t r = 0; r < ARCH_REGISTERS; r++)
        if (saved->mask >> r & 1)
            live[slot_of(a, saved->at[r]) / 64] &= ~(UINT64_C(1) << slot_of(a, saved->at[r]) % 64);
}

static FrameLiveness *make_result(const Analysis *a, uint64_t *set) {
    FrameLiveness *f = new_result(a->code->stack_map_count, a->words - 1);
    if (!f) return NULL;
    f->known = true;
    f->low = a->low;
    f->slots = slot_of(a, a->high);
    f->saved = a->saved;
    // A call that no path reaches is never returned to; if one were, everything would be live.
    memset(f->registers, 0xff, a->code->stack_map_count * sizeof *f->registers);
    memset(f->live, 0xff, (size_t)a->code->stack_map_count * f->words * sizeof *f->live);
    memset(set, 0, a->words * sizeof *set);
    for (uint32_t i = a->count; i-- > 0;) {
        const Step *s = &a->steps[i];
        join(a, i, set);
        const CodeStackMap *map = s->flow == ARCH_FLOW_CALL ? code_stack_map_at(a->code, s->at + s->length) : NULL;
        if (map) record(a, f, (uint32_t)(map - a->code->stack_maps), set);
        pass(a, s, set);
    }
    return f;
}

static FrameLiveness *analyse(Analysis *a) {
    a->step_at = calloc(a->size, sizeof *a->step_at);
    if (!a->step_at) return NULL;
    find_steps(a);
    a->low &= -WORD;
    a->high = (a->high + WORD - 1) & -WORD;
    if (a->failed || (a->high - a->low) / WORD > MOST_SLOTS) return NULL;
    a->words = 1 + slot_of(a, a->high) / 64 + 1;
    a->sets = calloc((size_t)a->count + 1, a->words * sizeof *a->sets);
    if (!a->sets) return NULL;
    uint64_t *set = set_of(a, a->count);
    while (flow_once(a, set)) {}
    return make_result(a, set);
}

FrameLiveness *frameliveness_of(const Code *code) {
    Analysis a = {.code = code, .bytes = (const uint8_t *)code->start, .size = (uint32_t)code->size};
    FrameLiveness *f = analyse(&a);
    free(a.step_at);
    free(a.steps);
    free(a.todo);
    free(a.tables);
    free(a.table_targets);
    free(a.sets);
    return f ? f : new_result(0, 0);
}
