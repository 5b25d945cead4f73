// Intrinsics as instructions (listed in jit/plan/intrinsics.h). None of them throws, blocks or reaches a safepoint, so
// they need no stack map; they make no events. Unsafe's memory is addressed by base + offset, and the base may be null.
// Its accesses are untagged, because they may access any memory.
#include <stddef.h>
#include <string.h>

#include "jit/emit/emit_access.h"
#include "jit/emit/emit_core.h"
#include "jit/emit/emit_string.h"
#include "jit/plan/intrinsics.h"

// ---- arithmetic ---------------------------------------------------------------------------------

static LLVMValueRef call_llvm(Emit *e, const char *name, LLVMValueRef *args, unsigned count) {
    LLVMTypeRef type = LLVMTypeOf(args[0]);
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMValueRef f = LLVMGetIntrinsicDeclaration(e->module, id, &type, 1);
    return LLVMBuildCall2(e->builder, LLVMIntrinsicGetType(e->context, id, &type, 1), f, args, count, "");
}

static LLVMValueRef bits(Emit *e, const Intrinsic *row, LLVMValueRef v) {
    return LLVMBuildBitCast(e->builder, v, emit_type(e, row->detail[0]), "");
}

static LLVMValueRef canonical(Emit *e, const Intrinsic *row, LLVMValueRef v) {
    LLVMValueRef nan = row->detail[0] == 'I' ? emit_int(e, 0x7fc00000)
                                             : emit_long(e, INT64_C(0x7ff8000000000000));
    LLVMValueRef is_nan = LLVMBuildFCmp(e->builder, LLVMRealUNO, v, v, "");
    return LLVMBuildSelect(e->builder, is_nan, nan, bits(e, row, v), "");
}

static LLVMValueRef swap_bytes(Emit *e, const Intrinsic *row, LLVMValueRef v) {
    v = LLVMBuildTrunc(e->builder, v, e->i16, "");
    v = call_llvm(e, "llvm.bswap", &v, 1);
    return row->detail[0] == 'C' ? LLVMBuildZExt(e->builder, v, e->i32, "")
                                 : LLVMBuildSExt(e->builder, v, e->i32, "");
}

static LLVMValueRef high_product(Emit *e, LLVMValueRef a, LLVMValueRef b) {
    LLVMTypeRef i128 = LLVMIntTypeInContext(e->context, 128);
    LLVMValueRef product = LLVMBuildMul(e->builder, LLVMBuildSExt(e->builder, a, i128, ""),
                                        LLVMBuildSExt(e->builder, b, i128, ""), "");
    product = LLVMBuildLShr(e->builder, product, LLVMConstInt(i128, 64, false), "");
    return LLVMBuildTrunc(e->builder, product, e->i64, "");
}

// LLVM counts bits of a long as a long.
static LLVMValueRef as_result(Emit *e, const Method *m, LLVMValueRef v) {
    LLVMTypeRef type = emit_type(e, compiler_return_kind(m));
    if (type == e->i32 && LLVMTypeOf(v) == e->i64) return LLVMBuildTrunc(e->builder, v, type, "");
    return v;
}

// ---- memory -------------------------------------------------------------------------------------

static LLVMTypeRef memory_type(const Emit *e, char type) {
    switch (type) {
        case 'Z': case 'B': return e->i8;
        case 'S': case 'C': return e->i16;
        case 'I': return e->i32;
        case 'J': return e->i64;
        case 'F': return e->f32;
        case 'D': return e->f64;
        default: return e->ptr;
    }
}

static unsigned size_of(char type) {
    switch (type) {
        case 'Z': case 'B': return 1;
        case 'S': case 'C': return 2;
        case 'I': case 'F': return 4;
        default: return 8;
    }
}

// The address from the arguments of Unsafe's accessors: Unsafe, base, offset, values.
static LLVMValueRef address(Emit *e, LLVMValueRef *args) {
    return LLVMBuildGEP2(e->builder, e->i8, args[1], &args[2], 1, "");
}

// Plain accesses need not be aligned. References must be: no thread may see half of one.
static void set_order(LLVMValueRef access, const char *detail) {
    bool plain = detail[1] == 'p', reference = detail[0] == 'L';
    LLVMSetAlignment(access, plain && !reference ? 1 : size_of(detail[0]));
    switch (detail[1]) {
        case 'v': LLVMSetOrdering(access, LLVMAtomicOrderingSequentiallyConsistent); break;
        case 'a': LLVMSetOrdering(access, LLVMAtomicOrderingAcquire); break;
        case 'r': LLVMSetOrdering(access, LLVMAtomicOrderingRelease); break;
        case 'o': LLVMSetOrdering(access, LLVMAtomicOrderingMonotonic); break;
        default: if (reference) LLVMSetOrdering(access, LLVMAtomicOrderingUnordered); break;
    }
}

// The value with its bytes reversed if `swapped`, an int, is not 0. NULL: unchanged.
static LLVMValueRef in_order(Emit *e, LLVMValueRef v, LLVMValueRef swapped) {
    if (!swapped) return v;
    LLVMValueRef other = call_llvm(e, "llvm.bswap", &v, 1);
    return LLVMBuildSelect(e->builder, LLVMBuildICmp(e->builder, LLVMIntNE, swapped, emit_int(e, 0), ""), other, v, "");
}

static LLVMValueRef get(Emit *e, const Intrinsic *row, LLVMValueRef *args, LLVMValueRef swapped) {
    LLVMTypeRef type = memory_type(e, row->detail[0]);
    LLVMValueRef v = LLVMBuildLoad2(e->builder, type, address(e, args), "");
    set_order(v, row->detail);
    v = in_order(e, v, swapped);
    switch (row->detail[0]) {
        case 'Z': return LLVMBuildZExt(e->builder, LLVMBuildICmp(e->builder, LLVMIntNE, v, LLVMConstNull(type), ""), e->i32, "");
        case 'B': case 'S': return LLVMBuildSExt(e->builder, v, e->i32, "");
        case 'C': return LLVMBuildZExt(e->builder, v, e->i32, "");
        default: return v;
    }
}

static void put(Emit *e, const Intrinsic *row, LLVMValueRef *args, LLVMValueRef swapped) {
    LLVMValueRef v = args[3];
    if (row->detail[0] == 'Z') v = LLVMBuildAnd(e->builder, v, emit_int(e, 1), "");
    if (size_of(row->detail[0]) < 4)
        v = LLVMBuildTrunc(e->builder, v, memory_type(e, row->detail[0]), "");
    set_order(LLVMBuildStore(e->builder, in_order(e, v, swapped), address(e, args)), row->detail);
}

// An accessor of ScopedMemoryAccess: args + 1 are the arguments of Unsafe's accessor, with the scope in place of
// Unsafe.
static LLVMValueRef scoped(Emit *e, const Intrinsic *row, LLVMValueRef *args, LLVMBasicBlockRef slow) {
    bool puts = row->operation == INTRINSIC_SCOPED_PUT;
    LLVMValueRef swapped = row->detail[2] ? args[puts ? 5 : 4] : NULL;
    emit_require(e, emit_is_null(e, args[1]), slow);
    if (!puts) return get(e, row, args + 1, swapped);
    put(e, row, args + 1, swapped);
    return NULL;
}

// The old value, and whether it was replaced (i1).
static LLVMValueRef exchange_if(Emit *e, LLVMValueRef *args) {
    LLVMAtomicOrdering order = LLVMAtomicOrderingSequentiallyConsistent;
    return LLVMBuildAtomicCmpXchg(e->builder, address(e, args), args[3], args[4], order, order, false);
}

static LLVMValueRef set_if(Emit *e, LLVMValueRef *args) {
    LLVMValueRef done = LLVMBuildExtractValue(e->builder, exchange_if(e, args), 1, "");
    return LLVMBuildZExt(e->builder, done, e->i32, "");
}

static void fence(Emit *e, char order) {
    LLVMBuildFence(e->builder, order == 'a'   ? LLVMAtomicOrderingAcquire
                               : order == 'r' ? LLVMAtomicOrderingRelease
                                              : LLVMAtomicOrderingSequentiallyConsistent, false, "");
}

static LLVMValueRef update(Emit *e, LLVMAtomicRMWBinOp operation, LLVMValueRef *args) {
    return LLVMBuildAtomicRMW(e->builder, operation, address(e, args), args[3],
                              LLVMAtomicOrderingSequentiallyConsistent, false);
}

// ---- fast paths -----------------------------------------------------------------------------------

LLVMValueRef emit_count_trailing_zeros(Emit *e, LLVMValueRef bits) {
    LLVMValueRef args[] = {bits, LLVMConstInt(e->i1, 1, false)};
    return call_llvm(e, "llvm.cttz", args, 2);
}

typedef struct StringParts {
    LLVMValueRef value, coder, length;  // bytes; 0 or 1; in chars
} StringParts;

// A string without bytes was never constructed.
static StringParts string_parts(Emit *e, const Method *m, LLVMValueRef string, LLVMBasicBlockRef slow) {
    StringParts s = {.value = emit_get_field(e, emit_field_of(m, "value"), string)};
    emit_require(e, LLVMBuildNot(e->builder, emit_is_null(e, s.value), ""), slow);
    s.coder = emit_get_field(e, emit_field_of(m, "coder"), string);
    s.length = LLVMBuildLShr(e->builder, emit_array_length(e, s.value), s.coder, "");
    return s;
}

static LLVMValueRef char_at(Emit *e, const Method *m, LLVMValueRef *args, LLVMBasicBlockRef slow) {
    StringParts s = string_parts(e, m, args[0], slow);
    LLVMBasicBlockRef blocks[2] = {emit_block(e, "latin1"), emit_block(e, "utf16")}, done = emit_block(e, "char");
    LLVMValueRef results[2];
    emit_require(e, LLVMBuildICmp(e->builder, LLVMIntULT, args[1], s.length, ""), slow);
    LLVMValueRef wide = LLVMBuildICmp(e->builder, LLVMIntNE, s.coder, emit_int(e, 0), "");
    emit_branch(e, wide, blocks[1], blocks[0], -1);
    for (int i = 0; i < 2; i++) {
        emit_at(e, blocks[i]);
        results[i] = emit_get_char(e, s.value, args[1], i);
        emit_jump(e, done);
    }
    emit_at(e, done);
    return emit_phi2(e, e->i32, results[0], blocks[0], results[1], blocks[1]);
}

// 0: the hash is not known yet, or is 0.
static LLVMValueRef hash(Emit *e, const Method *m, LLVMValueRef string, LLVMBasicBlockRef slow) {
    LLVMValueRef hash = emit_get_field(e, emit_field_of(m, "hash"), string);
    emit_require(e, LLVMBuildICmp(e->builder, LLVMIntNE, hash, emit_int(e, 0), ""), slow);
    return hash;
}

// Requires that the index is in bounds of the array, seen as an array of chars.
static void require_char(Emit *e, LLVMValueRef bytes, LLVMValueRef index, LLVMBasicBlockRef slow) {
    emit_require(e, LLVMBuildNot(e->builder, emit_is_null(e, bytes), ""), slow);
    LLVMValueRef length = LLVMBuildLShr(e->builder, emit_array_length(e, bytes), emit_int(e, 1), "");
    emit_require(e, LLVMBuildICmp(e->builder, LLVMIntULT, index, length, ""), slow);
}

static LLVMValueRef checked_index(Emit *e, LLVMValueRef index, LLVMValueRef length, LLVMBasicBlockRef slow) {
    LLVMValueRef zero = emit_int(e, 0);
    emit_require(e, LLVMBuildICmp(e->builder, LLVMIntSGE, index, zero, ""), slow);
    emit_require(e, LLVMBuildICmp(e->builder, LLVMIntSLT, index, length, ""), slow);
    return index;
}

static LLVMValueRef exact(Emit *e, const Intrinsic *row, LLVMValueRef *args, LLVMBasicBlockRef slow) {
    LLVMValueRef pair = call_llvm(e, row->detail, args, 2);
    emit_require(e, LLVMBuildNot(e->builder, LLVMBuildExtractValue(e->builder, pair, 1, ""), ""), slow);
    return LLVMBuildExtractValue(e->builder, pair, 0, "");
}

static LLVMValueRef narrow(Emit *e, LLVMValueRef v, LLVMBasicBlockRef slow) {
    LLVMValueRef low = LLVMBuildTrunc(e->builder, v, e->i32, "");
    LLVMValueRef same = LLVMBuildICmp(e->builder, LLVMIntEQ, LLVMBuildSExt(e->builder, low, e->i64, ""), v, "");
    emit_require(e, same, slow);
    return low;
}

// The hash code is in the lock word, unless that refers to a monitor.
static LLVMValueRef hash_of(Emit *e, LLVMValueRef object, LLVMBasicBlockRef slow) {
    LLVMBasicBlockRef none = LLVMGetInsertBlock(e->builder), some = emit_block(e, "object"), done = emit_block(e, "hashed");
    emit_branch(e, emit_is_null(e, object), done, some, 0);
    emit_at(e, some);
    LLVMValueRef word = emit_load_atomic(e, e->i32, object, e->layout->object_lock, LLVMAtomicOrderingMonotonic);
    LLVMValueRef tags = LLVMBuildAnd(e->builder, word, emit_int(e, (int32_t)e->layout->lockword_tags), "");
    emit_require(e, LLVMBuildICmp(e->builder, LLVMIntEQ, tags, emit_int(e, 0), ""), slow);
    emit_require(e, LLVMBuildICmp(e->builder, LLVMIntNE, word, emit_int(e, 0), ""), slow);
    LLVMValueRef hash = LLVMBuildLShr(e->builder, word, emit_int(e, (int32_t)e->layout->lockword_hash), "");
    some = LLVMGetInsertBlock(e->builder);
    emit_jump(e, done);
    emit_at(e, done);
    return emit_phi2(e, e->i32, emit_int(e, 0), none, hash, some);
}

static LLVMValueRef ascii(Emit *e, const char *kind, LLVMValueRef c, LLVMBasicBlockRef slow) {
    static const struct { const char *name; uint64_t low, high; } kinds[] = {
#define ASCII_KIND(name, low, high) {#name, UINT64_C(low), UINT64_C(high)},
#include "vm/api/ascii_kinds.def"
    };
    unsigned i = 0;
    while (strcmp(kinds[i].name, kind) != 0) i++;  // the intrinsics table has the same rows
    emit_require(e, LLVMBuildICmp(e->builder, LLVMIntULT, c, emit_int(e, 128), ""), slow);
    LLVMValueRef first = LLVMBuildICmp(e->builder, LLVMIntULT, c, emit_int(e, 64), "");
    LLVMValueRef bits = LLVMBuildSelect(e->builder, first, emit_long(e, (int64_t)kinds[i].low), emit_long(e, (int64_t)kinds[i].high), "");
    LLVMValueRef at = LLVMBuildZExt(e->builder, LLVMBuildAnd(e->builder, c, emit_int(e, 63), ""), e->i64, "");
    LLVMValueRef bit = LLVMBuildTrunc(e->builder, LLVMBuildLShr(e->builder, bits, at, ""), e->i32, "");
    return LLVMBuildAnd(e->builder, bit, emit_int(e, 1), "");
}

// `first`: the first of the 26 letters whose case changes.
static LLVMValueRef ascii_case(Emit *e, char first, LLVMValueRef c, LLVMBasicBlockRef slow) {
    emit_require(e, LLVMBuildICmp(e->builder, LLVMIntULT, c, emit_int(e, 128), ""), slow);
    LLVMValueRef place = LLVMBuildSub(e->builder, c, emit_int(e, first), "");
    LLVMValueRef changes = LLVMBuildICmp(e->builder, LLVMIntULT, place, emit_int(e, 26), "");
    return LLVMBuildSelect(e->builder, changes, LLVMBuildXor(e->builder, c, emit_int(e, 'a' - 'A'), ""), c, "");
}

// ---- classes ----------------------------------------------------------------------------------------

static LLVMValueRef class_from(Emit *e, LLVMValueRef mirror) { return emit_load_constant(e, e->ptr, mirror, compiler_mirror_class()); }

// i1: the class has at least one of those flags.
static LLVMValueRef has_cflag(Emit *e, LLVMValueRef cls, int32_t flags) {
    LLVMValueRef bit = LLVMBuildAnd(e->builder, emit_load(e, e->i32, cls, e->layout->class_cflags), emit_int(e, flags), "");
    return LLVMBuildICmp(e->builder, LLVMIntNE, bit, emit_int(e, 0), "");
}

static LLVMValueRef is_interface(Emit *e, LLVMValueRef cls) {
    LLVMValueRef access = emit_load_constant(e, e->i16, cls, offsetof(Class, access));
    LLVMValueRef bit = LLVMBuildAnd(e->builder, access, LLVMConstInt(e->i16, ACC_INTERFACE, false), "");
    return LLVMBuildICmp(e->builder, LLVMIntNE, bit, LLVMConstNull(e->i16), "");
}

static LLVMValueRef as_int(Emit *e, LLVMValueRef condition) { return LLVMBuildZExt(e->builder, condition, e->i32, ""); }

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
    LLVMBasicBlockRef before, found = emit_block(e, "super"), done = emit_block(e, "super.done");
    LLVMValueRef cls = class_from(e, mirror), super = emit_load_constant(e, e->ptr, cls, offsetof(Class, super));
    LLVMValueRef none = LLVMBuildOr(e->builder, is_interface(e, cls), has_cflag(e, cls, CF_PRIMITIVE), "");
    none = LLVMBuildOr(e->builder, none, emit_is_null(e, super), "");
    before = LLVMGetInsertBlock(e->builder);
    emit_branch(e, none, done, found, -1);
    emit_at(e, found);
    LLVMValueRef its = emit_load_constant(e, e->ptr, super, offsetof(Class, mirror));
    emit_jump(e, done);
    emit_at(e, done);
    return emit_phi2(e, e->ptr, LLVMConstNull(e->ptr), before, its, found);
}

// i1. For classes within the display, a mismatch there also decides.
static LLVMValueRef is_subtype(Emit *e, LLVMValueRef sub, LLVMValueRef super) {
    LLVMBasicBlockRef ask = emit_block(e, "ask"), told = emit_block(e, "told"), done = emit_block(e, "subtype.done");
    LLVMValueRef depth = emit_load_constant(e, e->i32, super, offsetof(Class, depth));
    LLVMValueRef deep = LLVMBuildICmp(e->builder, LLVMIntUGE, depth, emit_int(e, CLASS_DISPLAY), "");
    LLVMValueRef unsure = LLVMBuildOr(e->builder, is_interface(e, super), has_cflag(e, super, CF_ARRAY | CF_PRIMITIVE), "");
    emit_branch(e, LLVMBuildOr(e->builder, deep, unsure, ""), ask, told, -1);
    emit_at(e, told);
    LLVMValueRef bytes = LLVMBuildShl(e->builder, LLVMBuildZExt(e->builder, depth, e->i64, ""), emit_long(e, 3), "");
    LLVMValueRef display = emit_offset(e, emit_offset_const(e, sub, e->layout->class_display), bytes);
    LLVMValueRef same = LLVMBuildICmp(e->builder, LLVMIntEQ, emit_load_constant(e, e->ptr, display, 0), super, "");
    emit_jump(e, done);
    emit_at(e, ask);
    LLVMValueRef last = emit_load_atomic(e, e->ptr, sub, e->layout->class_cached_super, LLVMAtomicOrderingUnordered);
    LLVMValueRef known = LLVMBuildICmp(e->builder, LLVMIntEQ, last, super, "");
    LLVMValueRef answer = emit_ask_subtype(e, known, sub, super);
    ask = LLVMGetInsertBlock(e->builder);
    emit_jump(e, done);
    emit_at(e, done);
    return emit_phi2(e, e->i1, same, told, answer, ask);
}

// i1: `object` is an instance of the mirror's class; for null, `null_is`.
static LLVMValueRef is_instance(Emit *e, LLVMValueRef mirror, LLVMValueRef object, bool null_is) {
    LLVMBasicBlockRef before = LLVMGetInsertBlock(e->builder), some = emit_block(e, "object"), done = emit_block(e, "instance");
    emit_branch(e, emit_is_null(e, object), done, some, -1);
    emit_at(e, some);
    LLVMValueRef is = is_subtype(e, emit_class_of(e, object), class_from(e, mirror));
    some = LLVMGetInsertBlock(e->builder);
    emit_jump(e, done);
    emit_at(e, done);
    return emit_phi2(e, e->i1, LLVMConstInt(e->i1, null_is, false), before, is, some);
}

// A primitive type is no subtype of Object, but its display does not show that.
static LLVMValueRef is_assignable(Emit *e, LLVMValueRef *mirrors, LLVMBasicBlockRef slow) {
    LLVMBasicBlockRef ask = emit_block(e, "classes"), other = emit_block(e, "other"), done = emit_block(e, "assignable"), before;
    emit_require(e, LLVMBuildNot(e->builder, emit_is_null(e, mirrors[1]), ""), slow);
    LLVMValueRef super = class_from(e, mirrors[0]), sub = class_from(e, mirrors[1]);
    emit_branch(e, LLVMBuildICmp(e->builder, LLVMIntEQ, super, sub, ""), done, ask, -1);
    before = LLVMGetInsertBlock(e->builder);
    emit_at(e, ask);
    LLVMValueRef primitive = LLVMBuildOr(e->builder, has_cflag(e, super, CF_PRIMITIVE), has_cflag(e, sub, CF_PRIMITIVE), "");
    ask = LLVMGetInsertBlock(e->builder);
    emit_branch(e, primitive, done, other, 0);
    emit_at(e, other);
    LLVMValueRef is = is_subtype(e, sub, super);
    other = LLVMGetInsertBlock(e->builder);
    emit_jump(e, done);
    emit_at(e, done);
    LLVMValueRef phi = LLVMBuildPhi(e->builder, e->i1, "");
    LLVMAddIncoming(phi, (LLVMValueRef[]){LLVMConstInt(e->i1, 1, false), LLVMConstInt(e->i1, 0, false), is},
                    (LLVMBasicBlockRef[]){before, ask, other}, 3);
    return as_int(e, phi);
}

static LLVMValueRef cast(Emit *e, LLVMValueRef mirror, LLVMValueRef object, LLVMBasicBlockRef slow) {
    emit_require(e, is_instance(e, mirror, object, true), slow);
    return object;
}

// ---- the VM's function ------------------------------------------------------------------------------

// Calls the VM's function of a quiet intrinsic (compiler_intrinsic_is_quiet), with the arguments in the frame's buffer.
static LLVMValueRef call_function(Emit *e, const Method *m, LLVMValueRef *args, LLVMBasicBlockRef slow) {
    const char *shape = compiler_shape((Method *)m), kind = compiler_return_kind(m);
    bool tries = compiler_intrinsic(m) == COMPILER_TRY;
    LLVMValueRef buffer = emit_args_to_buffer(e, shape, args, (unsigned)strlen(shape)), all[] = {e->thread, buffer};
    LLVMTypeRef result = tries ? e->i8 : LLVMVoidTypeInContext(e->context);
    LLVMTypeRef type = LLVMFunctionType(result, (LLVMTypeRef[]){e->ptr, e->ptr}, 2, false);
    LLVMValueRef function = emit_load_constant(e, e->ptr, emit_symbol(e, SYMBOL_METHOD, m), e->layout->method_intrinsic);
    LLVMValueRef call = LLVMBuildCall2(e->builder, type, function, all, 2, "");
    emit_tag(e, call, "heap");
    emit_attribute(e, call, LLVMAttributeFunctionIndex, "nounwind", true);
    if (tries) emit_require(e, LLVMBuildICmp(e->builder, LLVMIntNE, call, LLVMConstInt(e->i8, 0, false), ""), slow);
    return kind == 'V' ? NULL : emit_load(e, emit_type(e, kind), buffer, 0);
}

// ---- dispatch --------------------------------------------------------------------------------------

LLVMValueRef emit_intrinsic(Emit *e, const Method *m, LLVMValueRef *args, LLVMBasicBlockRef slow) {
    const Intrinsic *row = intrinsics_find(m);
    LLVMValueRef flagged[] = {args[0], LLVMConstInt(e->i1, 0, false)};
    unsigned count = (unsigned)strlen(compiler_shape((Method *)m));
    if (!row) return call_function(e, m, args, slow);
    switch (row->operation) {
        case INTRINSIC_LLVM: return as_result(e, m, call_llvm(e, row->detail, args, count));
        case INTRINSIC_FLAG: return as_result(e, m, call_llvm(e, row->detail, flagged, 2));
        case INTRINSIC_BITS: return bits(e, row, args[0]);
        case INTRINSIC_CANONICAL: return canonical(e, row, args[0]);
        case INTRINSIC_SWAP: return swap_bytes(e, row, args[0]);
        case INTRINSIC_HIGH: return high_product(e, args[0], args[1]);
        case INTRINSIC_CLASS_OF:
            return emit_load_constant(e, e->ptr, emit_class_of(e, args[0]), offsetof(Class, mirror));
        case INTRINSIC_THREAD: return emit_load(e, e->ptr, e->thread, e->layout->thread_java_thread);
        case INTRINSIC_IS_CLASS: return is_class(e, row->detail, args[0]);
        case INTRINSIC_SUPERCLASS: return superclass(e, args[0]);
        case INTRINSIC_IS_INSTANCE: return as_int(e, is_instance(e, args[0], args[1], false));
        case INTRINSIC_IS_ASSIGNABLE: return is_assignable(e, args, slow);
        case INTRINSIC_CAST: return cast(e, args[0], args[1], slow);
        case INTRINSIC_HASH_OF: return hash_of(e, args[0], slow);
        case INTRINSIC_ASCII: return ascii(e, row->detail, args[0], slow);
        case INTRINSIC_ASCII_CASE: return ascii_case(e, row->detail[0], args[0], slow);
        case INTRINSIC_REFERENT: return emit_get_field(e, emit_field_of(m, "referent"), args[0]);
        case INTRINSIC_REFERS_TO:
            return as_int(e, LLVMBuildICmp(e->builder, LLVMIntEQ, emit_get_field(e, emit_field_of(m, "referent"), args[0]), args[1], ""));
        case INTRINSIC_FENCE: fence(e, row->detail[0]); break;
        case INTRINSIC_SCOPED_GET: case INTRINSIC_SCOPED_PUT: return scoped(e, row, args, slow);
        case INTRINSIC_GET: return get(e, row, args, NULL);
        case INTRINSIC_PUT: put(e, row, args, NULL); break;
        case INTRINSIC_SET_IF: return set_if(e, args);
        case INTRINSIC_EXCHANGE_IF: return LLVMBuildExtractValue(e->builder, exchange_if(e, args), 0, "");
        case INTRINSIC_ADD: return update(e, LLVMAtomicRMWBinOpAdd, args);
        case INTRINSIC_SWAP_IN: return update(e, LLVMAtomicRMWBinOpXchg, args);
        case INTRINSIC_LENGTH: return string_parts(e, m, args[0], slow).length;
        case INTRINSIC_CHAR_AT: return char_at(e, m, args, slow);
        case INTRINSIC_HASH: return hash(e, m, args[0], slow);
        case INTRINSIC_GET_CHAR:
            require_char(e, args[0], args[1], slow);
            return emit_get_char(e, args[0], args[1], true);
        case INTRINSIC_PUT_CHAR:
            require_char(e, args[0], args[1], slow);
            emit_put_char(e, args[0], args[1], args[2]);
            break;
        case INTRINSIC_INDEX: return checked_index(e, args[0], args[1], slow);
        case INTRINSIC_EXACT: return exact(e, row, args, slow);
        case INTRINSIC_NARROW: return narrow(e, args[0], slow);
        case INTRINSIC_EQUAL: return emit_equal_strings(e, m, args, slow);
        case INTRINSIC_EQUAL_ARRAYS: return emit_equal_arrays(e, row->detail[0], args, slow);
        case INTRINSIC_COMPARE_BYTES: return emit_compare_bytes(e, args, slow);
        case INTRINSIC_COPY: emit_array_copy(e, args, slow); break;
        case INTRINSIC_COPY_RANGE: return emit_array_range(e, row->detail[0], args[0], args[1], args[2], slow);
        case INTRINSIC_COPY_OF: return emit_array_range(e, row->detail[0], args[0], emit_int(e, 0), args[1], slow);
        case INTRINSIC_ALLOCATE: case INTRINSIC_ALLOCATE_ARRAY: break;  // emit_call.c, with what the plan knows
    }
    return NULL;
}
