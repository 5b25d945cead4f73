// Intrinsics as instructions (listed in jit/plan/plan_intrinsics.h). None of them throws, blocks or reaches a
// safepoint, so they need no stack map; they make no events. Unsafe's memory is addressed by base + offset, and the
// base may be null. Its accesses are untagged, because they may access any memory.
#include <stddef.h>
#include <string.h>

#include "jit/emit/emit_core.h"
#include "jit/emit/emit_string.h"
#include "jit/plan/plan_intrinsics.h"

// ---- arithmetic ---------------------------------------------------------------------------------

// Operations on numbers that apply in all cases.
static LLVMValueRef arithmetic(Ir *ir, const Method *m, const Intrinsic *row, LLVMValueRef *args) {
    LLVMBuilderRef b = ir->builder;
    LLVMTypeRef i128 = LLVMIntTypeInContext(ir->context, 128), type = ir_type(ir, compiler_return_kind(m));
    LLVMValueRef v = args[0], flagged[] = {v, LLVMConstInt(ir->i1, 0, false)};
    bool flag = row->operation == INTRINSIC_FLAG, is_char = row->detail[0] == 'C';
    switch (row->operation) {
        case INTRINSIC_LLVM:
        case INTRINSIC_FLAG: {
            unsigned count = flag ? 2 : (unsigned)strlen(compiler_shape((Method *)m));
            v = ir_intrinsic(ir, row->detail, LLVMTypeOf(v), flag ? flagged : args, count);
            // LLVM counts bits of a long as a long.
            return type == ir->i32 && LLVMTypeOf(v) == ir->i64 ? LLVMBuildTrunc(b, v, type, "") : v;
        }
        case INTRINSIC_BITS: return LLVMBuildBitCast(b, v, ir_type(ir, row->detail[0]), "");
        case INTRINSIC_CANONICAL: {
            LLVMValueRef nan = type == ir->i32 ? ir_int(ir, 0x7fc00000) : ir_long(ir, INT64_C(0x7ff8000000000000));
            LLVMValueRef is_nan = LLVMBuildFCmp(b, LLVMRealUNO, v, v, "");
            return LLVMBuildSelect(b, is_nan, nan, LLVMBuildBitCast(b, v, type, ""), "");
        }
        case INTRINSIC_SWAP:
            v = LLVMBuildTrunc(b, v, ir->i16, "");
            v = ir_intrinsic(ir, "llvm.bswap", ir->i16, &v, 1);
            return is_char ? LLVMBuildZExt(b, v, ir->i32, "") : LLVMBuildSExt(b, v, ir->i32, "");
        default: {  // INTRINSIC_HIGH: the upper half of a product
            LLVMValueRef other = LLVMBuildSExt(b, args[1], i128, ""), wide = LLVMBuildSExt(b, v, i128, "");
            LLVMValueRef product = LLVMBuildMul(b, wide, other, "");
            product = LLVMBuildLShr(b, product, LLVMConstInt(i128, 64, false), "");
            return LLVMBuildTrunc(b, product, ir->i64, "");
        }
    }
}

// ---- memory -------------------------------------------------------------------------------------

// The address from the arguments of Unsafe's accessors: Unsafe, base, offset, values.
static LLVMValueRef address(Emit *e, LLVMValueRef *args) {
    return LLVMBuildGEP2(e->ir->builder, e->ir->i8, args[1], &args[2], 1, "");
}

// Plain accesses need not be aligned. References must be: no thread may see half of one.
static void set_order(LLVMValueRef access, const char *detail) {
    bool plain = detail[1] == 'p', reference = detail[0] == 'L';
    LLVMSetAlignment(access, plain && !reference ? 1 : ir_memory_size(detail[0]));
    switch (detail[1]) {
        case 'v': LLVMSetOrdering(access, LLVMAtomicOrderingSequentiallyConsistent); break;
        case 'a': LLVMSetOrdering(access, LLVMAtomicOrderingAcquire); break;
        case 'r': LLVMSetOrdering(access, LLVMAtomicOrderingRelease); break;
        case 'o': LLVMSetOrdering(access, LLVMAtomicOrderingMonotonic); break;
        default:
            if (reference) LLVMSetOrdering(access, LLVMAtomicOrderingUnordered);
            break;
    }
}

// The value with its bytes reversed if `swapped`, an int, is not 0. NULL: unchanged.
static LLVMValueRef in_order(Emit *e, LLVMValueRef v, LLVMValueRef swapped) {
    Ir *ir = e->ir;
    if (!swapped) return v;
    LLVMValueRef other = ir_intrinsic(ir, "llvm.bswap", LLVMTypeOf(v), &v, 1);
    return LLVMBuildSelect(ir->builder, LLVMBuildICmp(ir->builder, LLVMIntNE, swapped, ir_int(ir, 0), ""), other, v,
                           "");
}

static LLVMValueRef get(Emit *e, const Intrinsic *row, LLVMValueRef *args, LLVMValueRef swapped) {
    Ir *ir = e->ir;
    LLVMTypeRef type = ir_memory_type(ir, row->detail[0]);
    LLVMValueRef v = LLVMBuildLoad2(ir->builder, type, address(e, args), "");
    set_order(v, row->detail);
    v = in_order(e, v, swapped);
    switch (row->detail[0]) {
        case 'Z':
            return LLVMBuildZExt(ir->builder, LLVMBuildICmp(ir->builder, LLVMIntNE, v, LLVMConstNull(type), ""),
                                 ir->i32, "");
        case 'B':
        case 'S': return LLVMBuildSExt(ir->builder, v, ir->i32, "");
        case 'C': return LLVMBuildZExt(ir->builder, v, ir->i32, "");
        default: return v;
    }
}

static void put(Emit *e, const Intrinsic *row, LLVMValueRef *args, LLVMValueRef swapped) {
    Ir *ir = e->ir;
    LLVMValueRef v = args[3];
    if (row->detail[0] == 'Z') v = LLVMBuildAnd(ir->builder, v, ir_int(ir, 1), "");
    if (ir_memory_size(row->detail[0]) < 4) v = LLVMBuildTrunc(ir->builder, v, ir_memory_type(ir, row->detail[0]), "");
    LLVMValueRef to = address(e, args);
    set_order(LLVMBuildStore(ir->builder, in_order(e, v, swapped), to), row->detail);
    if (row->detail[0] == 'L') emit_stored(e, BARRIER_optimised_put, v, to);
}

// An accessor of ScopedMemoryAccess: args + 1 are the arguments of Unsafe's accessor, with the scope in place of
// Unsafe.
static LLVMValueRef scoped(Emit *e, const Intrinsic *row, LLVMValueRef *args, LLVMBasicBlockRef slow) {
    bool puts = row->operation == INTRINSIC_SCOPED_PUT;
    LLVMValueRef swapped = row->detail[2] ? args[puts ? 5 : 4] : NULL;
    emit_require(e, ir_is_null(e->ir, args[1]), slow);
    if (!puts) return get(e, row, args + 1, swapped);
    put(e, row, args + 1, swapped);
    return NULL;
}

// The old value, and whether it was replaced (i1).
static LLVMValueRef exchange_if(Emit *e, LLVMValueRef *args) {
    LLVMAtomicOrdering order = LLVMAtomicOrderingSequentiallyConsistent;
    LLVMValueRef to = address(e, args);
    LLVMValueRef pair = LLVMBuildAtomicCmpXchg(e->ir->builder, to, args[3], args[4], order, order, false);
    if (LLVMTypeOf(args[4]) == e->ir->ptr) emit_stored(e, BARRIER_optimised_compare_and_set, args[4], to);
    return pair;
}

// ---- fast paths -----------------------------------------------------------------------------------

typedef struct StringParts {
    LLVMValueRef value, coder, length;  // bytes; 0 or 1; in chars
} StringParts;

// A string without bytes was never constructed.
static StringParts string_parts(Emit *e, const Method *m, LLVMValueRef string, LLVMBasicBlockRef slow) {
    Ir *ir = e->ir;
    StringParts s = {.value = emit_get_field(e, emit_field_of(m, "value"), string)};
    emit_require_object(e, s.value, slow);
    s.coder = emit_get_field(e, emit_field_of(m, "coder"), string);
    s.length = LLVMBuildLShr(ir->builder, ir_array_length(ir, s.value), s.coder, "");
    return s;
}

static LLVMValueRef char_at(Emit *e, const Method *m, LLVMValueRef *args, LLVMBasicBlockRef slow) {
    Ir *ir = e->ir;
    StringParts s = string_parts(e, m, args[0], slow);
    LLVMBasicBlockRef blocks[2] = {ir_block(ir, "latin1"), ir_block(ir, "utf16")}, done = ir_block(ir, "char");
    LLVMValueRef results[2];
    emit_require(e, LLVMBuildICmp(ir->builder, LLVMIntULT, args[1], s.length, ""), slow);
    LLVMValueRef wide = LLVMBuildICmp(ir->builder, LLVMIntNE, s.coder, ir_int(ir, 0), "");
    ir_branch(ir, wide, blocks[1], blocks[0], -1);
    for (int i = 0; i < 2; i++) {
        ir_at(ir, blocks[i]);
        results[i] = ir_get_char(ir, s.value, args[1], i);
        ir_jump(ir, done);
    }
    ir_at(ir, done);
    return ir_phi2(ir, ir->i32, results[0], blocks[0], results[1], blocks[1]);
}

// 0: the hash is not known yet, or is 0.
static LLVMValueRef hash(Emit *e, const Method *m, LLVMValueRef string, LLVMBasicBlockRef slow) {
    LLVMValueRef hash = emit_get_field(e, emit_field_of(m, "hash"), string);
    emit_require(e, LLVMBuildICmp(e->ir->builder, LLVMIntNE, hash, ir_int(e->ir, 0), ""), slow);
    return hash;
}

// Requires that the index is in bounds of the array, seen as an array of chars.
static void require_char(Emit *e, LLVMValueRef bytes, LLVMValueRef index, LLVMBasicBlockRef slow) {
    Ir *ir = e->ir;
    emit_require_object(e, bytes, slow);
    LLVMValueRef length = LLVMBuildLShr(ir->builder, ir_array_length(ir, bytes), ir_int(ir, 1), "");
    emit_require(e, LLVMBuildICmp(ir->builder, LLVMIntULT, index, length, ""), slow);
}

// Operations on numbers that throw in some cases, which the slow path handles.
static LLVMValueRef checked(Emit *e, const Intrinsic *row, LLVMValueRef *args, LLVMBasicBlockRef slow) {
    Ir *ir = e->ir;
    LLVMBuilderRef b = ir->builder;
    LLVMValueRef v = args[0];
    switch (row->operation) {
        case INTRINSIC_INDEX:
            emit_require(e, LLVMBuildICmp(b, LLVMIntSGE, v, ir_int(ir, 0), ""), slow);
            emit_require(e, LLVMBuildICmp(b, LLVMIntSLT, v, args[1], ""), slow);
            return v;
        case INTRINSIC_EXACT: {
            LLVMValueRef pair = ir_intrinsic(ir, row->detail, LLVMTypeOf(v), args, 2);
            emit_require(e, LLVMBuildNot(b, LLVMBuildExtractValue(b, pair, 1, ""), ""), slow);
            return LLVMBuildExtractValue(b, pair, 0, "");
        }
        default: {  // INTRINSIC_NARROW
            LLVMValueRef low = LLVMBuildTrunc(b, v, ir->i32, "");
            emit_require(e, LLVMBuildICmp(b, LLVMIntEQ, LLVMBuildSExt(b, low, ir->i64, ""), v, ""), slow);
            return low;
        }
    }
}

// The hash code is in the lock word, unless that refers to a monitor.
static LLVMValueRef hash_of(Emit *e, LLVMValueRef object, LLVMBasicBlockRef slow) {
    Ir *ir = e->ir;
    LLVMBasicBlockRef none = LLVMGetInsertBlock(ir->builder), some = ir_block(ir, "object"),
                      done = ir_block(ir, "hashed");
    ir_branch(ir, ir_is_null(ir, object), done, some, 0);
    ir_at(ir, some);
    LLVMValueRef word = ir_load_atomic(ir, ir->i32, object, ir->layout->object_lock, LLVMAtomicOrderingMonotonic);
    LLVMValueRef tags = LLVMBuildAnd(ir->builder, word, ir_int(ir, (int32_t)ir->layout->lockword_tags), "");
    emit_require(e, LLVMBuildICmp(ir->builder, LLVMIntEQ, tags, ir_int(ir, 0), ""), slow);
    emit_require(e, LLVMBuildICmp(ir->builder, LLVMIntNE, word, ir_int(ir, 0), ""), slow);
    LLVMValueRef hash = LLVMBuildLShr(ir->builder, word, ir_int(ir, (int32_t)ir->layout->lockword_hash), "");
    some = LLVMGetInsertBlock(ir->builder);
    ir_jump(ir, done);
    ir_at(ir, done);
    return ir_phi2(ir, ir->i32, ir_int(ir, 0), none, hash, some);
}

static LLVMValueRef ascii(Emit *e, const Intrinsic *row, LLVMValueRef c, LLVMBasicBlockRef slow) {
    Ir *ir = e->ir;
    static const struct {
        const char *name;
        uint64_t low, high;
    } kinds[] = {
#define ASCII_KIND(name, low, high) {#name, UINT64_C(low), UINT64_C(high)},
#include "vm/api/ascii_kinds.def"
    };
    emit_require(e, LLVMBuildICmp(ir->builder, LLVMIntULT, c, ir_int(ir, 128), ""), slow);
    if (row->operation == INTRINSIC_ASCII_CASE) {  // detail: the first of the 26 letters whose case changes
        LLVMValueRef place = LLVMBuildSub(ir->builder, c, ir_int(ir, row->detail[0]), "");
        LLVMValueRef changes = LLVMBuildICmp(ir->builder, LLVMIntULT, place, ir_int(ir, 26), "");
        return LLVMBuildSelect(ir->builder, changes, LLVMBuildXor(ir->builder, c, ir_int(ir, 'a' - 'A'), ""), c, "");
    }
    unsigned i = 0;
    while (strcmp(kinds[i].name, row->detail) != 0) i++;  // the intrinsics table has the same rows
    LLVMValueRef first = LLVMBuildICmp(ir->builder, LLVMIntULT, c, ir_int(ir, 64), "");
    LLVMValueRef bits = LLVMBuildSelect(ir->builder, first, ir_long(ir, (int64_t)kinds[i].low),
                                        ir_long(ir, (int64_t)kinds[i].high), "");
    LLVMValueRef at = LLVMBuildZExt(ir->builder, LLVMBuildAnd(ir->builder, c, ir_int(ir, 63), ""), ir->i64, "");
    LLVMValueRef bit = LLVMBuildTrunc(ir->builder, LLVMBuildLShr(ir->builder, bits, at, ""), ir->i32, "");
    return LLVMBuildAnd(ir->builder, bit, ir_int(ir, 1), "");
}

// ---- classes ----------------------------------------------------------------------------------------

static LLVMValueRef class_from(Emit *e, LLVMValueRef mirror) {
    return ir_load_constant(e->ir, e->ir->ptr, mirror, compiler_mirror_class());
}

// i1: the class has at least one of those flags.
static LLVMValueRef has_cflag(Emit *e, LLVMValueRef cls, int32_t flags) {
    Ir *ir = e->ir;
    LLVMValueRef bit = LLVMBuildAnd(ir->builder, ir_load(ir, ir->i32, cls, ir->layout->class_cflags), ir_int(ir, flags),
                                    "");
    return LLVMBuildICmp(ir->builder, LLVMIntNE, bit, ir_int(ir, 0), "");
}

static LLVMValueRef is_interface(Emit *e, LLVMValueRef cls) {
    Ir *ir = e->ir;
    LLVMValueRef access = ir_load_constant(ir, ir->i16, cls, offsetof(Class, access));
    LLVMValueRef bit = LLVMBuildAnd(ir->builder, access, LLVMConstInt(ir->i16, ACC_INTERFACE, false), "");
    return LLVMBuildICmp(ir->builder, LLVMIntNE, bit, LLVMConstNull(ir->i16), "");
}

static LLVMValueRef as_int(Emit *e, LLVMValueRef condition) {
    return LLVMBuildZExt(e->ir->builder, condition, e->ir->i32, "");
}

static LLVMValueRef is_class(Emit *e, const char *kind, LLVMValueRef mirror) {
    LLVMValueRef cls = class_from(e, mirror);
    switch (kind[0]) {
        case 'p': return as_int(e, has_cflag(e, cls, CF_PRIMITIVE));
        case 'a': return as_int(e, has_cflag(e, cls, CF_ARRAY));
        case 'h': return as_int(e, has_cflag(e, cls, CF_HIDDEN));
        default: return as_int(e, is_interface(e, cls));
    }
}

// The VM gives interfaces the superclass Object; Java code sees none.
static LLVMValueRef superclass(Emit *e, LLVMValueRef mirror) {
    Ir *ir = e->ir;
    LLVMBasicBlockRef before, found = ir_block(ir, "super"), done = ir_block(ir, "super.done");
    LLVMValueRef cls = class_from(e, mirror), super = ir_load_constant(ir, ir->ptr, cls, offsetof(Class, super));
    LLVMValueRef none = LLVMBuildOr(ir->builder, is_interface(e, cls), has_cflag(e, cls, CF_PRIMITIVE), "");
    none = LLVMBuildOr(ir->builder, none, ir_is_null(ir, super), "");
    before = LLVMGetInsertBlock(ir->builder);
    ir_branch(ir, none, done, found, -1);
    ir_at(ir, found);
    LLVMValueRef its = ir_load_constant(ir, ir->ptr, super, offsetof(Class, mirror));
    ir_jump(ir, done);
    ir_at(ir, done);
    return ir_phi2(ir, ir->ptr, LLVMConstNull(ir->ptr), before, its, found);
}

// i1. For classes within the display, a mismatch there also decides.
static LLVMValueRef is_subtype(Emit *e, LLVMValueRef sub, LLVMValueRef super) {
    Ir *ir = e->ir;
    LLVMBasicBlockRef ask = ir_block(ir, "ask"), told = ir_block(ir, "told"), done = ir_block(ir, "subtype.done");
    LLVMValueRef depth = ir_load_constant(ir, ir->i32, super, offsetof(Class, depth));
    LLVMValueRef deep = LLVMBuildICmp(ir->builder, LLVMIntUGE, depth, ir_int(ir, CLASS_DISPLAY), "");
    LLVMValueRef unsure = LLVMBuildOr(ir->builder, is_interface(e, super), has_cflag(e, super, CF_ARRAY | CF_PRIMITIVE),
                                      "");
    ir_branch(ir, LLVMBuildOr(ir->builder, deep, unsure, ""), ask, told, -1);
    ir_at(ir, told);
    LLVMValueRef bytes = LLVMBuildShl(ir->builder, LLVMBuildZExt(ir->builder, depth, ir->i64, ""), ir_long(ir, 3), "");
    LLVMValueRef display = ir_offset(ir, ir_offset_const(ir, sub, ir->layout->class_display), bytes);
    LLVMValueRef same = LLVMBuildICmp(ir->builder, LLVMIntEQ, ir_load_constant(ir, ir->ptr, display, 0), super, "");
    ir_jump(ir, done);
    ir_at(ir, ask);
    LLVMValueRef last = ir_load_atomic(ir, ir->ptr, sub, ir->layout->class_cached_super, LLVMAtomicOrderingUnordered);
    LLVMValueRef known = LLVMBuildICmp(ir->builder, LLVMIntEQ, last, super, "");
    LLVMValueRef answer = emit_ask_subtype(e, known, sub, super);
    ask = LLVMGetInsertBlock(ir->builder);
    ir_jump(ir, done);
    ir_at(ir, done);
    return ir_phi2(ir, ir->i1, same, told, answer, ask);
}

// i1: `object` is an instance of the mirror's class; for null, `null_is`.
static LLVMValueRef is_instance(Emit *e, LLVMValueRef mirror, LLVMValueRef object, bool null_is) {
    Ir *ir = e->ir;
    LLVMBasicBlockRef before = LLVMGetInsertBlock(ir->builder), some = ir_block(ir, "object"),
                      done = ir_block(ir, "instance");
    ir_branch(ir, ir_is_null(ir, object), done, some, -1);
    ir_at(ir, some);
    LLVMValueRef is = is_subtype(e, ir_class_of(ir, object), class_from(e, mirror));
    some = LLVMGetInsertBlock(ir->builder);
    ir_jump(ir, done);
    ir_at(ir, done);
    return ir_phi2(ir, ir->i1, LLVMConstInt(ir->i1, null_is, false), before, is, some);
}

// A primitive type is no subtype of Object, but its display does not show that.
static LLVMValueRef is_assignable(Emit *e, LLVMValueRef *mirrors, LLVMBasicBlockRef slow) {
    Ir *ir = e->ir;
    LLVMBasicBlockRef ask = ir_block(ir, "classes"), other = ir_block(ir, "other"), done = ir_block(ir, "assignable"),
                      before;
    emit_require_object(e, mirrors[1], slow);
    LLVMValueRef super = class_from(e, mirrors[0]), sub = class_from(e, mirrors[1]);
    ir_branch(ir, LLVMBuildICmp(ir->builder, LLVMIntEQ, super, sub, ""), done, ask, -1);
    before = LLVMGetInsertBlock(ir->builder);
    ir_at(ir, ask);
    LLVMValueRef primitive = LLVMBuildOr(ir->builder, has_cflag(e, super, CF_PRIMITIVE),
                                         has_cflag(e, sub, CF_PRIMITIVE), "");
    ask = LLVMGetInsertBlock(ir->builder);
    ir_branch(ir, primitive, done, other, 0);
    ir_at(ir, other);
    LLVMValueRef is = is_subtype(e, sub, super);
    other = LLVMGetInsertBlock(ir->builder);
    ir_jump(ir, done);
    ir_at(ir, done);
    LLVMValueRef phi = LLVMBuildPhi(ir->builder, ir->i1, "");
    LLVMAddIncoming(phi, (LLVMValueRef[]){LLVMConstInt(ir->i1, 1, false), LLVMConstInt(ir->i1, 0, false), is},
                    (LLVMBasicBlockRef[]){before, ask, other}, 3);
    return as_int(e, phi);
}

// ---- the VM's function ------------------------------------------------------------------------------

// Calls the VM's function of a quiet intrinsic (compiler_intrinsic_is_quiet), with the arguments in the frame's buffer.
static LLVMValueRef call_function(Emit *e, const Method *m, LLVMValueRef *args, LLVMBasicBlockRef slow) {
    Ir *ir = e->ir;
    const char *shape = compiler_shape((Method *)m), kind = compiler_return_kind(m);
    bool tries = compiler_intrinsic(m) == COMPILER_TRY;
    LLVMValueRef buffer = emit_args_to_buffer(e, shape, args, (unsigned)strlen(shape)), all[] = {ir->thread, buffer};
    LLVMTypeRef result = tries ? ir->i8 : LLVMVoidTypeInContext(ir->context);
    LLVMTypeRef type = LLVMFunctionType(result, (LLVMTypeRef[]){ir->ptr, ir->ptr}, 2, false);
    LLVMValueRef function = ir_load_constant(ir, ir->ptr, ir_symbol(ir, SYMBOL_METHOD, m),
                                             ir->layout->method_intrinsic);
    LLVMValueRef call = LLVMBuildCall2(ir->builder, type, function, all, 2, "");
    ir_tag(ir, call, "heap");
    ir_attribute(ir, call, LLVMAttributeFunctionIndex, "nounwind", true);
    if (tries) emit_require(e, LLVMBuildICmp(ir->builder, LLVMIntNE, call, LLVMConstInt(ir->i8, 0, false), ""), slow);
    return kind == 'V' ? NULL : ir_load(ir, ir_type(ir, kind), buffer, 0);
}

// ---- dispatch --------------------------------------------------------------------------------------

LLVMValueRef emit_intrinsic(Emit *e, const Method *m, LLVMValueRef *args, LLVMBasicBlockRef slow) {
    Ir *ir = e->ir;
    const Intrinsic *row = intrinsics_find(m);
    if (!row) return call_function(e, m, args, slow);
    switch (row->operation) {
        case INTRINSIC_LLVM:
        case INTRINSIC_FLAG:
        case INTRINSIC_BITS:
        case INTRINSIC_CANONICAL:
        case INTRINSIC_SWAP:
        case INTRINSIC_HIGH: return arithmetic(ir, m, row, args);
        case INTRINSIC_CLASS_OF:
            return ir_load_constant(ir, ir->ptr, ir_class_of(ir, args[0]), offsetof(Class, mirror));
        case INTRINSIC_THREAD: return ir_load(ir, ir->ptr, ir->thread, ir->layout->thread_java_thread);
        case INTRINSIC_IS_CLASS: return is_class(e, row->detail, args[0]);
        case INTRINSIC_SUPERCLASS: return superclass(e, args[0]);
        case INTRINSIC_IS_INSTANCE: return as_int(e, is_instance(e, args[0], args[1], false));
        case INTRINSIC_IS_ASSIGNABLE: return is_assignable(e, args, slow);
        case INTRINSIC_CAST: emit_require(e, is_instance(e, args[0], args[1], true), slow); return args[1];
        case INTRINSIC_HASH_OF: return hash_of(e, args[0], slow);
        case INTRINSIC_ASCII:
        case INTRINSIC_ASCII_CASE: return ascii(e, row, args[0], slow);
        case INTRINSIC_REFERENT: return emit_get_field(e, emit_field_of(m, "referent"), args[0]);
        case INTRINSIC_REFERS_TO:
            return as_int(e,
                          LLVMBuildICmp(ir->builder, LLVMIntEQ,
                                        emit_get_field(e, emit_field_of(m, "referent"), args[0]), args[1], ""));
        case INTRINSIC_FENCE: {
            LLVMAtomicOrdering order = LLVMAtomicOrderingSequentiallyConsistent;
            if (row->detail[0] == 'a') order = LLVMAtomicOrderingAcquire;
            if (row->detail[0] == 'r') order = LLVMAtomicOrderingRelease;
            LLVMBuildFence(ir->builder, order, false, "");
            break;
        }
        case INTRINSIC_SCOPED_GET:
        case INTRINSIC_SCOPED_PUT: return scoped(e, row, args, slow);
        case INTRINSIC_GET: return get(e, row, args, NULL);
        case INTRINSIC_PUT: put(e, row, args, NULL); break;
        case INTRINSIC_SET_IF: return as_int(e, LLVMBuildExtractValue(ir->builder, exchange_if(e, args), 1, ""));
        case INTRINSIC_EXCHANGE_IF: return LLVMBuildExtractValue(ir->builder, exchange_if(e, args), 0, "");
        case INTRINSIC_ADD:
        case INTRINSIC_SWAP_IN: {
            bool add = row->operation == INTRINSIC_ADD;
            LLVMValueRef to = address(e, args);
            LLVMValueRef old = LLVMBuildAtomicRMW(ir->builder, add ? LLVMAtomicRMWBinOpAdd : LLVMAtomicRMWBinOpXchg, to,
                                                  args[3], LLVMAtomicOrderingSequentiallyConsistent, false);
            if (LLVMTypeOf(args[3]) == ir->ptr) emit_stored(e, BARRIER_optimised_exchange, args[3], to);
            return old;
        }
        case INTRINSIC_LENGTH: return string_parts(e, m, args[0], slow).length;
        case INTRINSIC_CHAR_AT: return char_at(e, m, args, slow);
        case INTRINSIC_HASH: return hash(e, m, args[0], slow);
        case INTRINSIC_GET_CHAR:
            require_char(e, args[0], args[1], slow);
            return ir_get_char(ir, args[0], args[1], true);
        case INTRINSIC_PUT_CHAR:
            require_char(e, args[0], args[1], slow);
            ir_put_char(ir, args[0], args[1], args[2]);
            break;
        case INTRINSIC_INDEX:
        case INTRINSIC_EXACT:
        case INTRINSIC_NARROW: return checked(e, row, args, slow);
        case INTRINSIC_EQUAL: return emit_equal_strings(e, m, args, slow);
        case INTRINSIC_EQUAL_ARRAYS: return emit_equal_arrays(e, row->detail[0], args, slow);
        case INTRINSIC_COMPARE_BYTES: return emit_compare_bytes(e, args, slow);
        case INTRINSIC_COPY: emit_array_copy(e, args, slow); break;
        case INTRINSIC_COPY_RANGE: return emit_array_range(e, row->detail[0], args[0], args[1], args[2], slow);
        case INTRINSIC_COPY_OF: return emit_array_range(e, row->detail[0], args[0], ir_int(ir, 0), args[1], slow);
        case INTRINSIC_ALLOCATE:
        case INTRINSIC_ALLOCATE_ARRAY: break;  // emit_call.c, with what the plan knows
    }
    return NULL;
}
