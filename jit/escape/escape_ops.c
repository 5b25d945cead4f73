// The operations that the emitter leaves, and their meaning for a real object.
#include "jit/backend/cards.h"
#include "jit/escape/escape_core.h"

#include <string.h>

static const char *const op_names[ESCAPE_OPS] = {
    "escape.head",  "escape.write", "escape.length", "escape.fence", "escape.object", "escape.box",
    "escape.final", "escape.plain", "escape.enter",  "escape.exit",  "escape.slow",   "escape.stored",
};

// Result and parameters: v, p, i (i32), l (i64), c (i1).
static const char *const op_types[ESCAPE_OPS] = {"pip", "vipp", "viip", "vi",   "pip", "pipl",
                                                 "vp",  "cpc",  "cpii", "cpii", "vp",  "vip"};

enum {
    INACCESSIBLE_MEMORY = 3 << 2
};  // LLVM's MemoryEffects: reads and writes memory that no access in the module does

static LLVMTypeRef type_of_letter(LLVMContextRef c, char letter) {
    switch (letter) {
        case 'p': return LLVMPointerTypeInContext(c, 0);
        case 'i': return LLVMInt32TypeInContext(c);
        case 'l': return LLVMInt64TypeInContext(c);
        case 'c': return LLVMInt1TypeInContext(c);
        default: return LLVMVoidTypeInContext(c);
    }
}

static void add_attribute(LLVMContextRef c, LLVMValueRef f, LLVMAttributeIndex index, const char *name) {
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    LLVMAddAttributeAtIndex(f, index, LLVMCreateEnumAttribute(c, kind, 0));
}

static LLVMValueRef declare(Unit *u, EscapeOp op) {
    LLVMTypeRef params[4];
    unsigned count = 0;
    for (const char *s = op_types[op] + 1; *s; s++) params[count++] = type_of_letter(u->context, *s);
    LLVMTypeRef type = LLVMFunctionType(type_of_letter(u->context, op_types[op][0]), params, count, false);
    LLVMValueRef f = LLVMAddFunction(u->module, op_names[op], type);
    add_attribute(u->context, f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, "nounwind");
    if (op == ESCAPE_STORED) {  // it does not change what the program can read
        unsigned kind = LLVMGetEnumAttributeKindForName("memory", strlen("memory"));
        LLVMAddAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                LLVMCreateEnumAttribute(u->context, kind, INACCESSIBLE_MEMORY));
    }
    if (op == ESCAPE_OBJECT || op == ESCAPE_BOX) add_attribute(u->context, f, LLVMAttributeReturnIndex, "nonnull");
    return f;
}

LLVMValueRef escape_op(Unit *unit, LLVMBuilderRef builder, EscapeOp op, LLVMValueRef *args) {
    LLVMValueRef f = LLVMGetNamedFunction(unit->module, op_names[op]);
    if (!f) f = declare(unit, op);
    unit->has_escape_ops = true;
    return LLVMBuildCall2(builder, LLVMGlobalGetValueType(f), f, args, (unsigned)strlen(op_types[op]) - 1, "");
}

EscapeOp escape_op_of(const Escape *x, LLVMValueRef call) {
    LLVMValueRef f = LLVMIsACallInst(call) ? LLVMGetCalledValue(call) : NULL;
    for (int op = 0; f && op < ESCAPE_OPS; op++)
        if (x->ops[op] == f) return (EscapeOp)op;
    return ESCAPE_OPS;
}

uint32_t escape_number(LLVMValueRef call) { return (uint32_t)LLVMConstIntGetZExtValue(LLVMGetOperand(call, 0)); }

void escape_replace(LLVMValueRef instruction, LLVMValueRef by) {
    if (by) LLVMReplaceAllUsesWith(instruction, by);
    LLVMInstructionEraseFromParent(instruction);
}

// ---- the meaning for a real object ----------------------------------------------------------------

static LLVMValueRef exchange(Escape *x, LLVMValueRef call, LLVMAtomicOrdering order) {
    LLVMValueRef offset = LLVMConstInt(x->i64, compiler_layout()->object_lock, 0);
    LLVMValueRef word = LLVMBuildInBoundsGEP2(x->builder, x->i8, LLVMGetOperand(call, 0), &offset, 1, "");
    LLVMValueRef pair = LLVMBuildAtomicCmpXchg(x->builder, word, LLVMGetOperand(call, 1), LLVMGetOperand(call, 2),
                                               order, LLVMAtomicOrderingMonotonic, 0);
    return LLVMBuildExtractValue(x->builder, pair, 1, "");
}

static void make_real(Escape *x, LLVMValueRef call, EscapeOp op) {
    LLVMPositionBuilderBefore(x->builder, call);
    LLVMValueRef by = NULL, tag;
    switch (op) {
        case ESCAPE_HEAD:
        case ESCAPE_OBJECT:
        case ESCAPE_BOX:
        case ESCAPE_PLAIN: by = LLVMGetOperand(call, 1); break;
        case ESCAPE_WRITE:
        case ESCAPE_LENGTH:
            tag = LLVMGetMetadata(call, x->tbaa_kind);
            LLVMValueRef store = LLVMBuildStore(x->builder, LLVMGetOperand(call, 1), LLVMGetOperand(call, 2));
            if (tag) LLVMSetMetadata(store, x->tbaa_kind, tag);
            break;
        case ESCAPE_FENCE:
        case ESCAPE_FINAL: LLVMBuildFence(x->builder, LLVMAtomicOrderingRelease, false, ""); break;
        case ESCAPE_ENTER: by = exchange(x, call, LLVMAtomicOrderingAcquire); break;
        case ESCAPE_EXIT: by = exchange(x, call, LLVMAtomicOrderingRelease); break;
        case ESCAPE_STORED:
            cards_mark(x->unit, x->builder, (BarrierSite)escape_number(call), LLVMGetOperand(call, 1),
                       LLVMGetMetadata(call, x->tbaa_kind));
            break;
        default: break;
    }
    escape_replace(call, by);
}

void escape_all_real(Escape *x) {
    for (int op = 0; op < ESCAPE_OPS; op++) {
        if (!x->ops[op]) continue;
        for (LLVMUseRef u; (u = LLVMGetFirstUse(x->ops[op]));) make_real(x, LLVMGetUser(u), (EscapeOp)op);
        LLVMDeleteFunction(x->ops[op]);
    }
}

void escape_find_ops(Escape *x) {
    for (int op = 0; op < ESCAPE_OPS; op++) x->ops[op] = LLVMGetNamedFunction(x->unit->module, op_names[op]);
}
