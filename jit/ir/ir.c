// The builder: blocks, branches, values and addresses (ir.h).
#include "jit/ir/ir.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

static LLVMMetadataRef weights(Ir *ir, uint32_t yes, uint32_t no) {
    LLVMMetadataRef parts[] = {
        LLVMMDStringInContext2(ir->context, "branch_weights", 14),
        LLVMValueAsMetadata(ir_int(ir, yes)),
        LLVMValueAsMetadata(ir_int(ir, no)),
    };
    return LLVMMDNodeInContext2(ir->context, parts, 3);
}

void ir_begin(Ir *ir, Unit *unit) {
    LLVMContextRef c = unit->context;
    *ir = (Ir){.unit = unit, .layout = compiler_layout(), .context = c, .module = unit->module};
    ir->builder = LLVMCreateBuilderInContext(c);
    ir->entry_builder = LLVMCreateBuilderInContext(c);
    ir->i1 = LLVMInt1TypeInContext(c);
    ir->i8 = LLVMInt8TypeInContext(c);
    ir->i16 = LLVMInt16TypeInContext(c);
    ir->i32 = LLVMInt32TypeInContext(c);
    ir->i64 = LLVMInt64TypeInContext(c);
    ir->f32 = LLVMFloatTypeInContext(c);
    ir->f64 = LLVMDoubleTypeInContext(c);
    ir->ptr = LLVMPointerTypeInContext(c, 0);
    ir->void_type = LLVMVoidTypeInContext(c);
    ir->prof_kind = LLVMGetMDKindIDInContext(c, "prof", 4);
    ir->likely = weights(ir, 2000, 1);
    ir->unlikely = weights(ir, 1, 2000);
}

void ir_end(Ir *ir) {
    uintptr_t item;
    for (uint32_t at = 0; (item = hash_next(&ir->symbols, &at));) free((void *)item);
    hash_free(&ir->symbols);
    LLVMDisposeBuilder(ir->builder);
    LLVMDisposeBuilder(ir->entry_builder);
}

// ---- blocks and branches ------------------------------------------------------------------------

LLVMBasicBlockRef ir_block(Ir *ir, const char *name) {
    return LLVMAppendBasicBlockInContext(ir->context, ir->function, name);
}
void ir_at(Ir *ir, LLVMBasicBlockRef block) { LLVMPositionBuilderAtEnd(ir->builder, block); }
void ir_jump(Ir *ir, LLVMBasicBlockRef block) { LLVMBuildBr(ir->builder, block); }

void ir_branch(Ir *ir, LLVMValueRef condition, LLVMBasicBlockRef yes, LLVMBasicBlockRef no, int likely) {
    LLVMValueRef branch = LLVMBuildCondBr(ir->builder, condition, yes, no);
    if (likely < 0) return;
    LLVMSetMetadata(branch, ir->prof_kind, LLVMMetadataAsValue(ir->context, likely ? ir->likely : ir->unlikely));
}

// LLVM's weights have 32 bits, and it adds up those of several edges. One is added to each count because weight 0 means
// impossible.
void ir_edge_weights(Ir *ir, LLVMValueRef branch, const uint64_t *counts, uint32_t count) {
    LLVMMetadataRef *parts = grow_zeroed(count + 1, sizeof *parts);
    uint64_t sum = 0, scale;
    for (uint32_t i = 0; i < count; i++) sum += counts[i] + 1;
    scale = 1 + sum / INT32_MAX;
    parts[0] = LLVMMDStringInContext2(ir->context, "branch_weights", 14);
    for (uint32_t i = 0; i < count; i++)
        parts[i + 1] = LLVMValueAsMetadata(ir_int(ir, (int64_t)(counts[i] / scale + 1)));
    LLVMSetMetadata(branch, ir->prof_kind,
                    LLVMMetadataAsValue(ir->context, LLVMMDNodeInContext2(ir->context, parts, count + 1)));
    free(parts);
}

LLVMValueRef ir_phi2(Ir *ir, LLVMTypeRef type, LLVMValueRef a, LLVMBasicBlockRef from_a, LLVMValueRef b,
                     LLVMBasicBlockRef from_b) {
    LLVMValueRef phi = LLVMBuildPhi(ir->builder, type, ""), values[] = {a, b};
    LLVMBasicBlockRef blocks[] = {from_a, from_b};
    LLVMAddIncoming(phi, values, blocks, 2);
    return phi;
}

// ---- values -------------------------------------------------------------------------------------

LLVMTypeRef ir_type(const Ir *ir, char kind) {
    switch (kind) {
        case KIND_INT: return ir->i32;
        case KIND_LONG:
        case KIND_RETURN: return ir->i64;
        case KIND_FLOAT: return ir->f32;
        case KIND_DOUBLE: return ir->f64;
        case 'V': return ir->void_type;
        default: return ir->ptr;
    }
}

LLVMValueRef ir_int(Ir *ir, int64_t value) { return LLVMConstInt(ir->i32, (unsigned long long)value, true); }
LLVMValueRef ir_long(Ir *ir, int64_t value) { return LLVMConstInt(ir->i64, (unsigned long long)value, true); }

LLVMValueRef ir_equal(Ir *ir, LLVMValueRef a, LLVMValueRef b) {
    return LLVMBuildICmp(ir->builder, LLVMIntEQ, a, b, "");
}

LLVMValueRef ir_is_null(Ir *ir, LLVMValueRef ref) {
    return LLVMBuildICmp(ir->builder, LLVMIntEQ, ref, LLVMConstNull(LLVMTypeOf(ref)), "");
}

LLVMValueRef ir_to_raw(Ir *ir, char kind, LLVMValueRef v) {
    LLVMBuilderRef b = ir->builder;
    switch (kind) {
        case KIND_INT: return LLVMBuildZExt(b, v, ir->i64, "");
        case KIND_FLOAT: return LLVMBuildZExt(b, LLVMBuildBitCast(b, v, ir->i32, ""), ir->i64, "");
        case KIND_DOUBLE: return LLVMBuildBitCast(b, v, ir->i64, "");
        case KIND_REF: return LLVMBuildPtrToInt(b, v, ir->i64, "");
        default: return v;
    }
}

LLVMValueRef ir_from_raw(Ir *ir, char kind, LLVMValueRef raw) {
    LLVMBuilderRef b = ir->builder;
    switch (kind) {
        case KIND_INT: return LLVMBuildTrunc(b, raw, ir->i32, "");
        case KIND_FLOAT: return LLVMBuildBitCast(b, LLVMBuildTrunc(b, raw, ir->i32, ""), ir->f32, "");
        case KIND_DOUBLE: return LLVMBuildBitCast(b, raw, ir->f64, "");
        case KIND_REF: return LLVMBuildIntToPtr(b, raw, ir->ptr, "");
        default: return raw;
    }
}

LLVMValueRef ir_intrinsic(Ir *ir, const char *name, LLVMTypeRef type, LLVMValueRef *args, unsigned count) {
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMValueRef f = LLVMGetIntrinsicDeclaration(ir->module, id, &type, 1);
    return LLVMBuildCall2(ir->builder, LLVMIntrinsicGetType(ir->context, id, &type, 1), f, args, count, "");
}

void ir_attribute(Ir *ir, LLVMValueRef of, unsigned index, const char *name, bool is_call) {
    unsigned id = LLVMGetEnumAttributeKindForName(name, strlen(name));
    LLVMAttributeRef attribute = LLVMCreateEnumAttribute(ir->context, id, 0);
    if (is_call) LLVMAddCallSiteAttribute(of, index, attribute);
    else LLVMAddAttributeAtIndex(of, index, attribute);
}

// ---- addresses ----------------------------------------------------------------------------------

LLVMValueRef ir_offset(Ir *ir, LLVMValueRef base, LLVMValueRef i64_offset) {
    return LLVMBuildInBoundsGEP2(ir->builder, ir->i8, base, &i64_offset, 1, "");
}
LLVMValueRef ir_offset_const(Ir *ir, LLVMValueRef base, int64_t offset) {
    return offset == 0 ? base : ir_offset(ir, base, ir_long(ir, offset));
}
LLVMValueRef ir_load(Ir *ir, LLVMTypeRef type, LLVMValueRef base, int64_t offset) {
    return LLVMBuildLoad2(ir->builder, type, ir_offset_const(ir, base, offset), "");
}
void ir_store(Ir *ir, LLVMValueRef v, LLVMValueRef base, int64_t offset) {
    LLVMBuildStore(ir->builder, v, ir_offset_const(ir, base, offset));
}
LLVMValueRef ir_load_atomic(Ir *ir, LLVMTypeRef type, LLVMValueRef base, int64_t offset, LLVMAtomicOrdering order) {
    LLVMValueRef v = ir_load(ir, type, base, offset);
    LLVMSetAlignment(v, type == ir->i32 ? 4 : 8);
    LLVMSetOrdering(v, order);
    return v;
}
LLVMValueRef ir_alloca(Ir *ir, LLVMTypeRef type, const char *name) {
    return LLVMBuildAlloca(ir->entry_builder, type, name);
}
