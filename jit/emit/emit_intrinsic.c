// Intrinsics as instructions (jit/plan/intrinsics.h has which). None of them throws, blocks or reaches a safepoint,
// so they need no stack map; they make no events. Unsafe's memory is reached by base + offset, where the base may be
// null: its accesses have no tag, because they may access any memory.
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
        case 'B': return e->i8;
        case 'S': case 'C': return e->i16;
        case 'I': return e->i32;
        case 'J': return e->i64;
        default: return e->ptr;
    }
}

static unsigned size_of(char type) {
    return type == 'B' ? 1 : type == 'S' || type == 'C' ? 2 : type == 'I' ? 4 : 8;
}

// Arguments of Unsafe's accessors: Unsafe, base, offset, values.
static LLVMValueRef address(Emit *e, LLVMValueRef *args) {
    return LLVMBuildGEP2(e->builder, e->i8, args[1], &args[2], 1, "");
}

// Plain accesses need not be aligned, but for references, which nobody must see halves of.
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

static LLVMValueRef get(Emit *e, const Intrinsic *row, LLVMValueRef *args) {
    LLVMTypeRef type = memory_type(e, row->detail[0]);
    LLVMValueRef v = LLVMBuildLoad2(e->builder, type, address(e, args), "");
    set_order(v, row->detail);
    switch (row->detail[0]) {
        case 'B': case 'S': return LLVMBuildSExt(e->builder, v, e->i32, "");
        case 'C': return LLVMBuildZExt(e->builder, v, e->i32, "");
        default: return v;
    }
}

static void put(Emit *e, const Intrinsic *row, LLVMValueRef *args) {
    LLVMValueRef v = args[3];
    if (size_of(row->detail[0]) < 4)
        v = LLVMBuildTrunc(e->builder, v, memory_type(e, row->detail[0]), "");
    set_order(LLVMBuildStore(e->builder, v, address(e, args)), row->detail);
}

static LLVMValueRef set_if(Emit *e, LLVMValueRef *args) {
    LLVMAtomicOrdering order = LLVMAtomicOrderingSequentiallyConsistent;
    LLVMValueRef pair = LLVMBuildAtomicCmpXchg(e->builder, address(e, args), args[3], args[4], order,
                                               order, false);
    LLVMValueRef done = LLVMBuildExtractValue(e->builder, pair, 1, "");
    return LLVMBuildZExt(e->builder, done, e->i32, "");
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

// 0: not known yet, or one that is 0.
static LLVMValueRef hash(Emit *e, const Method *m, LLVMValueRef string, LLVMBasicBlockRef slow) {
    LLVMValueRef hash = emit_get_field(e, emit_field_of(m, "hash"), string);
    emit_require(e, LLVMBuildICmp(e->builder, LLVMIntNE, hash, emit_int(e, 0), ""), slow);
    return hash;
}

// The array, as one of chars, has that index.
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

static LLVMValueRef is_primitive(Emit *e, LLVMValueRef mirror) {
    LLVMValueRef cls = emit_load_constant(e, e->ptr, mirror, compiler_mirror_class());
    LLVMValueRef flags = emit_load(e, e->i32, cls, e->layout->class_cflags);
    LLVMValueRef bit = LLVMBuildAnd(e->builder, flags, emit_int(e, CF_PRIMITIVE), "");
    return LLVMBuildZExt(e->builder, LLVMBuildICmp(e->builder, LLVMIntNE, bit, emit_int(e, 0), ""), e->i32, "");
}

// ---- all ------------------------------------------------------------------------------------------

LLVMValueRef emit_intrinsic(Emit *e, const Method *m, LLVMValueRef *args, LLVMBasicBlockRef slow) {
    const Intrinsic *row = intrinsics_find(m);
    LLVMValueRef flagged[] = {args[0], LLVMConstInt(e->i1, 0, false)};
    unsigned count = (unsigned)strlen(compiler_shape((Method *)m));
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
        case INTRINSIC_GET: return get(e, row, args);
        case INTRINSIC_PUT: put(e, row, args); break;
        case INTRINSIC_SET_IF: return set_if(e, args);
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
        case INTRINSIC_EQUAL_BYTES: return emit_equal_bytes(e, args, slow);
        case INTRINSIC_COMPARE_BYTES: return emit_compare_bytes(e, args, slow);
        case INTRINSIC_COPY: emit_array_copy(e, args, slow); break;
        case INTRINSIC_COPY_RANGE: return emit_array_range(e, row->detail[0], args[0], args[1], args[2], slow);
        case INTRINSIC_COPY_OF: return emit_array_range(e, row->detail[0], args[0], emit_int(e, 0), args[1], slow);
        case INTRINSIC_IS_PRIMITIVE: return is_primitive(e, args[0]);
        case INTRINSIC_ALLOCATE: case INTRINSIC_ALLOCATE_ARRAY: break;  // with what the plan knows (emit_call.c)
    }
    return NULL;
}
