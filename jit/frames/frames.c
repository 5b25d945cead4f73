// Frames: operand stack, local variables and known facts (frames.h).
#include "jit/frames/frames.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/invariant.h"
#include "bytecode/classfile/opcodes.h"

// A local that no instruction stores into keeps the argument's value.
static void find_stored(const Plan *plan, bool *stored) {
    const uint8_t *code = plan->code->code;
    uint32_t length = plan->code->code_len, step;
    for (uint32_t bci = 0; bci < length; bci += step) {
        unsigned op = opcodes_at(code, bci), index;
        step = opcodes_length(code, length, bci);
        if (!step) return;
        if (!(opcodes_info[op].flags & OPF_STORE)) continue;
        unsigned size = opcodes_local(code, bci, &index);
        for (unsigned i = 0; i < size; i++) stored[index + i] = true;
        if (index > 0) stored[index - 1] = true;  // the upper half of a pair
    }
}

JavaFrame *frames_enter(Frames *fs, const Plan *plan) {
    enum { SPARE = 3 };
    JavaFrame *f = grow_zeroed(1, sizeof *f);
    const Dataflow *flow = plan->flow;
    uint32_t locals = flow->max_locals + SPARE, stack = flow->max_stack + SPARE;
    *f = (JavaFrame){
        .parent = fs->top,
        .plan = plan,
        .method = plan->method,
        .stack = grow_zeroed(stack, sizeof *f->stack),
        .before = grow_zeroed(stack, sizeof *f->before),
        .local_kinds = grow_zeroed(locals, 1),
        .locals = grow_zeroed(locals * JAVA_KINDS, sizeof *f->locals),
        .slots = grow_zeroed(stack * JAVA_KINDS, sizeof *f->slots),
        .cached = grow_zeroed(locals, sizeof *f->cached),
        .fixed = grow_zeroed(locals, sizeof *f->fixed),
        .stored = grow_zeroed(locals, sizeof *f->stored),
        .position = CODE_NONE,
        .nonnull_base = fs->nonnull_count,
    };
    find_stored(plan, f->stored);
    if (frames_has_monitor(f->method)) f->monitor = ir_alloca(fs->ir, fs->ir->ptr, "monitor");
    return fs->top = f;
}

void frames_leave(Frames *fs) {
    JavaFrame *f = fs->top;
    fs->top = f->parent;
    void *arrays[] = {f->stack,  f->before, f->local_kinds, f->locals,     f->slots,
                      f->cached, f->fixed,  f->stored,      f->lock_slots, f};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) free(arrays[i]);
}

void frames_end(Frames *fs) { free(fs->nonnull); }

void frames_keep_before(JavaFrame *f) {
    memcpy(f->before, f->stack, f->depth * sizeof *f->stack);
    f->before_depth = f->depth;
    f->before_locks = f->lock_depth;
}

void frames_at(JavaFrame *f, uint32_t block) {
    const FlowBlock *b = &f->plan->flow->blocks[block];
    f->block = block;
    f->bci = f->next_bci = b->start;
    f->depth = f->before_depth = 0;
    f->lock_depth = f->before_locks = b->lock_depth;
}

// ---- operand stack ------------------------------------------------------------------------------

void frames_push(Frames *fs, char kind, LLVMValueRef v) {
    JavaFrame *f = fs->top;
    ASSERT(v && f->depth <= f->plan->flow->max_stack, "operand %u of %u", f->depth, f->plan->flow->max_stack);
    f->stack[f->depth++] = (TypedValue){v, kind};
}
LLVMValueRef frames_pop(Frames *fs) {
    ASSERT(fs->top->depth > 0, "an operand is taken from an empty stack at %u", fs->top->bci);
    return fs->top->stack[--fs->top->depth].v;
}
TypedValue frames_peek(const Frames *fs, uint32_t from_top) { return fs->top->stack[fs->top->depth - 1 - from_top]; }

static unsigned kind_column(char kind) {
    switch (kind) {
        case KIND_INT: return 0;
        case KIND_LONG: return 1;
        case KIND_FLOAT: return 2;
        case KIND_DOUBLE: return 3;
        case KIND_RETURN: return 5;
        default: return 4;
    }
}

static LLVMValueRef slot_alloca(Frames *fs, LLVMValueRef *table, uint32_t index, char kind, const char *prefix) {
    LLVMValueRef *entry = &table[index * JAVA_KINDS + kind_column(kind)];
    char name[32];
    if (*entry) return *entry;
    snprintf(name, sizeof name, "%s%u%c", prefix, index, kind);
    return *entry = ir_alloca(fs->ir, ir_type(fs->ir, kind), name);
}

void frames_spill_stack(Frames *fs) {
    JavaFrame *f = fs->top;
    uint32_t slot = 0;
    for (uint32_t i = 0; i < f->depth; i++) {
        TypedValue v = f->stack[i];
        LLVMBuildStore(fs->ir->builder, v.v, slot_alloca(fs, f->slots, slot, v.kind, "s"));
        slot += 1 + ir_is_wide(v.kind);
    }
}

LLVMValueRef frames_load_slot(Frames *fs, JavaFrame *f, uint32_t slot, char kind) {
    return LLVMBuildLoad2(fs->ir->builder, ir_type(fs->ir, kind), slot_alloca(fs, f->slots, slot, kind, "s"), "");
}

// ---- locals -------------------------------------------------------------------------------------

LLVMValueRef frames_local_slot(Frames *fs, JavaFrame *f, uint32_t index, char kind) {
    return slot_alloca(fs, f->locals, index, kind, "l");
}

LLVMValueRef frames_reload_local(Frames *fs, JavaFrame *f, uint32_t index, char kind) {
    if (f->fixed[index]) return f->fixed[index];
    return LLVMBuildLoad2(fs->ir->builder, ir_type(fs->ir, kind), frames_local_slot(fs, f, index, kind), "");
}

LLVMValueRef frames_load_local(Frames *fs, uint32_t index, char kind) {
    JavaFrame *f = fs->top;
    ASSERT(index < f->plan->flow->max_locals, "local %u of %u", index, f->plan->flow->max_locals);
    if (!f->cached[index] || f->local_kinds[index] != kind) {
        f->cached[index] = frames_reload_local(fs, f, index, kind);
        f->local_kinds[index] = kind;
        if (index == 0 && f->this_nonnull) frames_mark_nonnull(fs, f->cached[0]);
    }
    return f->cached[index];
}

void frames_store_local(Frames *fs, uint32_t index, char kind, LLVMValueRef v) {
    JavaFrame *f = fs->top;
    char *kinds = f->local_kinds;
    if (kinds[index] == KIND_UPPER && index > 0) {
        kinds[index - 1] = KIND_DEAD;
        f->cached[index - 1] = NULL;
    }
    if (ir_is_wide(kinds[index])) kinds[index + 1] = KIND_DEAD;
    LLVMBuildStore(fs->ir->builder, v, frames_local_slot(fs, f, index, kind));
    kinds[index] = kind;
    f->cached[index] = v;
    if (!ir_is_wide(kind)) return;
    if (ir_is_wide(kinds[index + 1])) kinds[index + 2] = KIND_DEAD;
    kinds[index + 1] = KIND_UPPER;
    f->cached[index + 1] = NULL;
}

void frames_bind_local(Frames *fs, uint32_t index, char kind, LLVMValueRef v) {
    JavaFrame *f = fs->top;
    if (f->stored[index]) {
        frames_store_local(fs, index, kind, v);
        return;
    }
    f->fixed[index] = f->cached[index] = v;
    f->local_kinds[index] = kind;
    if (ir_is_wide(kind)) f->local_kinds[index + 1] = KIND_UPPER;
}

void frames_bind_args(Frames *fs, const char *shape, LLVMValueRef *args) {
    for (uint32_t index = 0; *shape; index += 1 + ir_is_wide(*shape), shape++, args++)
        frames_bind_local(fs, index, *shape, *args);
}

void frames_bind_receiver(Frames *fs) {
    JavaFrame *f = fs->top;
    if (!method_is_static(f->method) && f->fixed[0]) frames_mark_nonnull(fs, f->fixed[0]);
    f->nonnull_base = fs->nonnull_count;
}

void frames_forget_locals(Frames *fs) {
    memcpy(fs->top->cached, fs->top->fixed, fs->top->plan->flow->max_locals * sizeof(LLVMValueRef));
}

void frames_block_begins(Frames *fs, uint32_t block) {
    JavaFrame *f = fs->top;
    const Dataflow *flow = f->plan->flow;
    const FlowBlock *b = &flow->blocks[block];
    ASSERT(block < flow->block_count && b->stack_depth <= flow->max_stack, "block %u of %u", block, flow->block_count);
    f->block = block;
    memcpy(f->local_kinds, b->kinds, flow->max_locals);
    frames_forget_locals(fs);
    f->depth = 0;
    f->lock_depth = f->before_locks = b->lock_depth;
    fs->nonnull_count = f->nonnull_base;
    for (uint32_t i = 0; i < b->stack_depth; i++) {
        char kind = b->kinds[flow->max_locals + i];
        if (kind == KIND_UPPER) continue;
        if (kind == KIND_DEAD) kind = KIND_INT;
        frames_push(fs, kind, frames_load_slot(fs, f, i, kind));
    }
}

// ---- references known to be non-null ------------------------------------------------------------

void frames_mark_nonnull(Frames *fs, LLVMValueRef ref) {
    GROW_OR_EXIT(fs->nonnull, fs->nonnull_room, fs->nonnull_count + 1);
    fs->nonnull[fs->nonnull_count++] = ref;
}

// Searches only the newest, to avoid quadratic time in long blocks.
bool frames_known_nonnull(const Frames *fs, LLVMValueRef ref) {
    enum { NEWEST = 100 };
    uint32_t end = fs->nonnull_count > NEWEST ? fs->nonnull_count - NEWEST : 0;
    for (uint32_t i = fs->nonnull_count; i-- > end;)
        if (fs->nonnull[i] == ref) return true;
    return false;
}
