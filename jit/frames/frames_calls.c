// Positions, stack maps and calls of the VM (frames.h).
#include "jit/frames/frames.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

uint32_t frames_position(Frames *fs, JavaFrame *f) {
    if (f->position != CODE_NONE && f->position_bci == f->bci) return f->position;
    uint32_t parent = f->parent ? frames_position(fs, f->parent) : CODE_NONE;
    f->position = unit_add_position(fs->ir->unit, f->method, (int32_t)f->bci, parent);
    f->position_bci = f->bci;
    return f->position;
}

// The alloca of the monitor at that depth; it holds null until something is locked there.
static LLVMValueRef lock_slot(Frames *fs, JavaFrame *f, uint32_t depth) {
    Ir *ir = fs->ir;
    if (!GROW_ZEROED(f->lock_slots, f->lock_room, depth + 1)) grow_out_of_memory(depth + 1);
    if (!f->lock_slots[depth]) {
        f->lock_slots[depth] = ir_alloca(ir, ir->ptr, "lock");
        LLVMBuildStore(ir->entry_builder, LLVMConstNull(ir->ptr), f->lock_slots[depth]);
    }
    return f->lock_slots[depth];
}

// Stores the monitors of all frames in values[], the newest first, and the levels of their frames in levels[].
static void collect_locks(Frames *fs, LLVMValueRef *values, uint8_t *levels) {
    uint32_t n = 0, level = 0;
    for (JavaFrame *f = fs->top; f; f = f->parent, level++) {
        for (uint32_t i = f->lock_depth; i-- > 0;) {
            levels[n] = (uint8_t)level;
            values[n++] = LLVMBuildLoad2(fs->ir->builder, fs->ir->ptr, lock_slot(fs, f, i), "");
        }
        if (!f->locked) continue;
        levels[n] = (uint8_t)level;
        values[n++] = LLVMBuildLoad2(fs->ir->builder, fs->ir->ptr, f->monitor, "");
    }
}

uint8_t frames_sampling(const Frames *fs) {
    switch (fs->version.kind) {
        case VERSION_ONLY:
        case VERSION_REPLACING: return DEOPT_KEEPS_SAMPLING;
        case VERSION_DUPLICATED: return DEOPT_SAMPLED;
        case VERSION_UNCHECKED: return DEOPT_MAKES_CHECK;
        default: return DEOPT_NOT_SAMPLED;
    }
}

LLVMOperandBundleRef frames_deopt_bundle(Frames *fs) {
    uint32_t locks = 0;
    for (const JavaFrame *f = fs->top; f; f = f->parent) locks += f->lock_depth + f->locked;
    LLVMValueRef *values = grow_zeroed(locks + 1, sizeof *values);
    uint8_t *levels = grow_zeroed(locks, 1);
    collect_locks(fs, values + 1, levels);
    uint32_t site = unit_add_stack_map(fs->ir->unit, frames_position(fs, fs->top), frames_sampling(fs), levels, locks);
    fs->ir->unit->stack_maps[site].entering = fs->entering;
    values[0] = ir_int(fs->ir, site);
    LLVMOperandBundleRef bundle = LLVMCreateOperandBundle("deopt", 5, values, locks + 1);
    free(values);
    free(levels);
    return bundle;
}

void frames_lock_at(Frames *fs, uint32_t depth, LLVMValueRef object) {
    LLVMBuildStore(fs->ir->builder, object, lock_slot(fs, fs->top, depth));
}

// Whether the VM may run Java code before it returns to this code. Calls that throw do not count: handlers allow for
// it.
static bool runs_java(enum RuntimeCallId id) {
    switch (id) {
        case RT_class_init:
        case RT_register_finalizer:
        case RT_interface_method:
        case RT_link_target:
        case RT_intrinsic:
        case RT_intrinsic_try:
        case RT_monitor_enter:
        case RT_monitor_exit: return true;
        default: return false;
    }
}

LLVMValueRef frames_runtime(Frames *fs, enum RuntimeCallId id, LLVMValueRef *args, unsigned count) {
    Ir *ir = fs->ir;
    const RuntimeCall *row = &compiler_runtime_calls[id];
    LLVMValueRef f = ir_symbol(ir, SYMBOL_RUNTIME, (void *)(uintptr_t)id), all[8];
    unsigned n = 0;
    if (row->signature[1] == 'T') all[n++] = ir->thread;
    for (unsigned i = 0; i < count; i++) all[n++] = args[i];
    LLVMOperandBundleRef bundle = row->kind == RUNTIME_LEAF ? NULL : frames_deopt_bundle(fs);
    if (bundle) {
        struct UnitStackMap *map = &ir->unit->stack_maps[ir->unit->stack_map_count - 1];
        map->passes_memory = id == RT_intrinsic || id == RT_intrinsic_try;
        frames_budget_save(fs);
    }
    LLVMValueRef call = LLVMBuildCallWithOperandBundles(ir->builder, LLVMGlobalGetValueType(f), f, all, n, &bundle,
                                                        bundle != NULL, "");
    LLVMSetInstructionCallConv(call, ir_runtime_convention(id));
    ir_tag(ir, call, "heap");
    if (bundle) LLVMDisposeOperandBundle(bundle);
    if (bundle) frames_budget_load(fs);
    if (runs_java(id)) fs->ring_words = RING_UNPOLLED;
    return call;
}
