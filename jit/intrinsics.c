// Intrinsics as instructions (jit/intrinsics.h). None of them throws, blocks or reaches a safepoint, so they need
// no site. Unsafe's memory is reached by base + offset, where the base may be null: its accesses
// have no tag, they may be any memory.
#include "jit/intrinsics.h"

#include <stddef.h>
#include <string.h>

#include "jit/emit_access.h"
#include "jit/emit_core.h"

typedef enum Operation {
    LLVM, FLAG, BITS, CANONICAL, SWAP, HIGH, CLASS_OF, THREAD, GET, PUT, SET_IF, ADD, SWAP_IN, BYTECODE,
} Operation;

typedef struct Row {
    const char *cls, *name, *desc;
    Operation operation;
    const char *detail;
} Row;

static const Row rows[] = {
#define INTRINSIC(cls, name, desc, operation, detail) {cls, name, desc, operation, detail},
#include "jit/intrinsics.def"
#undef INTRINSIC
};

static const Row *find(const Method *m) {
    if (!(m->mflags & MF_INTRINSIC)) return NULL;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].name, m->name->text) == 0 && strcmp(rows[i].cls, m->cls->name->text) == 0 &&
            strcmp(rows[i].desc, m->desc->text) == 0)
            return &rows[i];
    return NULL;
}

CompilerIntrinsic intrinsics_kind(const Method *m, bool events) {
    CompilerIntrinsic kind = compiler_intrinsic(m);
    if (kind == COMPILER_NO_INTRINSIC || events || !m->info || !m->info->code) return kind;
    const Row *row = find(m);
    return row && row->operation == BYTECODE ? COMPILER_NO_INTRINSIC : kind;
}

bool intrinsics_is_expanded(const Method *m) {
    return m && compiler_intrinsic(m) == COMPILER_LEAF && find(m);
}

// ---- arithmetic ---------------------------------------------------------------------------------

static LLVMValueRef call_llvm(Emit *e, const char *name, LLVMValueRef *args, unsigned count) {
    LLVMTypeRef type = LLVMTypeOf(args[0]);
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMValueRef f = LLVMGetIntrinsicDeclaration(e->module, id, &type, 1);
    return LLVMBuildCall2(e->builder, LLVMIntrinsicGetType(e->context, id, &type, 1), f, args, count, "");
}

static unsigned arg_count(const Method *m) {
    unsigned count = (unsigned)strlen(compiler_shape((Method *)m));
    return count;
}

static LLVMValueRef with_flag(Emit *e, const Row *row, LLVMValueRef v) {
    LLVMValueRef args[] = {v, LLVMConstInt(e->i1, 0, false)};
    return call_llvm(e, row->detail, args, 2);
}

static LLVMValueRef bits(Emit *e, const Row *row, LLVMValueRef v) {
    return LLVMBuildBitCast(e->builder, v, emit_type(e, row->detail[0]), "");
}

static LLVMValueRef canonical(Emit *e, const Row *row, LLVMValueRef v) {
    LLVMValueRef nan = row->detail[0] == 'I' ? emit_int(e, 0x7fc00000)
                                             : emit_long(e, INT64_C(0x7ff8000000000000));
    LLVMValueRef is_nan = LLVMBuildFCmp(e->builder, LLVMRealUNO, v, v, "");
    return LLVMBuildSelect(e->builder, is_nan, nan, bits(e, row, v), "");
}

static LLVMValueRef swap_bytes(Emit *e, const Row *row, LLVMValueRef v) {
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
    LLVMAtomicOrdering order = detail[1] == 'v'   ? LLVMAtomicOrderingSequentiallyConsistent
                               : detail[1] == 'r' ? LLVMAtomicOrderingRelease
                                                  : LLVMAtomicOrderingUnordered;
    if (detail[1] == 'p' && detail[0] != 'L') {
        LLVMSetAlignment(access, 1);
        return;
    }
    LLVMSetAlignment(access, size_of(detail[0]));
    LLVMSetOrdering(access, order);
}

static LLVMValueRef get(Emit *e, const Row *row, LLVMValueRef *args) {
    LLVMTypeRef type = memory_type(e, row->detail[0]);
    LLVMValueRef v = LLVMBuildLoad2(e->builder, type, address(e, args), "");
    set_order(v, row->detail);
    switch (row->detail[0]) {
        case 'B': case 'S': return LLVMBuildSExt(e->builder, v, e->i32, "");
        case 'C': return LLVMBuildZExt(e->builder, v, e->i32, "");
        default: return v;
    }
}

static void put(Emit *e, const Row *row, LLVMValueRef *args) {
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

// ---- all ------------------------------------------------------------------------------------------

static LLVMValueRef class_of(Emit *e, LLVMValueRef object) {
    return emit_load_constant(e, e->ptr, emit_class_of(e, object), offsetof(Class, mirror));
}

bool intrinsics_emit(Emit *e, const Method *m, LLVMValueRef *args, LLVMValueRef *result) {
    const Row *row = find(m);
    *result = NULL;
    if (!row) return false;
    switch (row->operation) {
        case LLVM: *result = as_result(e, m, call_llvm(e, row->detail, args, arg_count(m))); break;
        case FLAG: *result = as_result(e, m, with_flag(e, row, args[0])); break;
        case BITS: *result = bits(e, row, args[0]); break;
        case CANONICAL: *result = canonical(e, row, args[0]); break;
        case SWAP: *result = swap_bytes(e, row, args[0]); break;
        case HIGH: *result = high_product(e, args[0], args[1]); break;
        case CLASS_OF: *result = class_of(e, args[0]); break;
        case THREAD: *result = emit_load(e, e->ptr, e->thread, e->layout->thread_java_thread); break;
        case GET: *result = get(e, row, args); break;
        case PUT: put(e, row, args); break;
        case SET_IF: *result = set_if(e, args); break;
        case ADD: *result = update(e, LLVMAtomicRMWBinOpAdd, args); break;
        case SWAP_IN: *result = update(e, LLVMAtomicRMWBinOpXchg, args); break;
        case BYTECODE: return false;
    }
    return true;
}
