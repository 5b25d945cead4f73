// LLVM has two ways to select instructions without optimisation. FastISel goes over a block from its end to its beginning; what it does
// not know goes to SelectionDAG, which takes about ten times as long, and takes the rest of the block as well if that is no call. FastISel knows
// neither operand bundles nor atomic accesses nor fences, so most of each method went to SelectionDAG. This pass stands
// behind all others, where nobody moves or merges instructions any more, and writes in another way:
//
//   call ... ["deopt"(N)]    the call without its bundle, and behind it llvm.experimental.stackmap(N). Between the two are only copies of the
//                            result, so that the stack map is that of the last call in front of it. Bundles with more operands stay.
//   atomic loads and stores  volatile ones, where the processor keeps their order: those are neither left out nor made twice, joined,
//                            split or moved across each other. Stores that are sequentially consistent need more and stay.
//   fences                   nothing, for the same reason; those that are sequentially consistent stay.
#include "jit/backend/selection.h"

#include <string.h>

#include "jit/backend/target.h"

typedef struct Selection {
    Unit *unit;
    LLVMBuilderRef builder;
    LLVMTypeRef type;       // of the intrinsic
    LLVMValueRef intrinsic; // NULL: not declared yet
} Selection;

// ---- calls -----------------------------------------------------------------------------------------

// FastISel knows the conventions of C and of Java methods.
static bool is_quick_convention(LLVMValueRef call) {
    unsigned convention = LLVMGetInstructionCallConv(call);
    return convention == LLVMCCallConv || convention == target_java_convention;
}

// The number of the stack map if that is all that the call's bundle has, or NULL.
static LLVMValueRef lone_number(LLVMValueRef call) {
    if (LLVMGetNumOperandBundles(call) != 1 || !is_quick_convention(call)) return NULL;
    LLVMOperandBundleRef bundle = LLVMGetOperandBundleAtIndex(call, 0);
    LLVMValueRef number = LLVMGetNumOperandBundleArgs(bundle) == 1 ? LLVMGetOperandBundleArgAtIndex(bundle, 0) : NULL;
    LLVMDisposeOperandBundle(bundle);
    return number && LLVMIsAConstantInt(number) ? number : NULL;
}

static void copy_attributes(LLVMValueRef from, LLVMValueRef to, LLVMAttributeIndex index) {
    enum { MOST = 32 };
    LLVMAttributeRef attributes[MOST];
    unsigned count = LLVMGetCallSiteAttributeCount(from, index);
    if (count == 0 || count > MOST) return;
    LLVMGetCallSiteAttributes(from, index, attributes);
    for (unsigned i = 0; i < count; i++) LLVMAddCallSiteAttribute(to, index, attributes[i]);
}

static LLVMValueRef without_bundle(Selection *s, LLVMValueRef call) {
    enum { MOST = 256 };  // a Java method has at most 255 words of arguments
    LLVMValueRef arguments[MOST + 3];
    unsigned count = LLVMGetNumArgOperands(call);
    if (count > sizeof arguments / sizeof *arguments) return NULL;
    for (unsigned i = 0; i < count; i++) arguments[i] = LLVMGetOperand(call, i);
    LLVMValueRef plain = LLVMBuildCall2(s->builder, LLVMGetCalledFunctionType(call), LLVMGetCalledValue(call), arguments, count, "");
    LLVMSetInstructionCallConv(plain, LLVMGetInstructionCallConv(call));
    copy_attributes(call, plain, (LLVMAttributeIndex)LLVMAttributeFunctionIndex);
    for (unsigned i = 0; i <= count; i++) copy_attributes(call, plain, i);  // 0: of the result
    return plain;
}

static void add_stack_map(Selection *s, LLVMValueRef number) {
    if (!s->intrinsic) {
        LLVMTypeRef parameters[] = {LLVMInt64TypeInContext(s->unit->context), LLVMInt32TypeInContext(s->unit->context)};
        s->type = LLVMFunctionType(LLVMVoidTypeInContext(s->unit->context), parameters, 2, true);
        s->intrinsic = LLVMAddFunction(s->unit->module, "llvm.experimental.stackmap", s->type);
    }
    LLVMValueRef arguments[] = {
        LLVMConstInt(LLVMInt64TypeInContext(s->unit->context), LLVMConstIntGetZExtValue(number), false),
        LLVMConstInt(LLVMInt32TypeInContext(s->unit->context), 0, false),
    };
    LLVMBuildCall2(s->builder, s->type, s->intrinsic, arguments, 2, "");
}

static void take_bundle_off(Selection *s, LLVMValueRef call) {
    LLVMValueRef number = lone_number(call);
    if (!number) return;
    LLVMPositionBuilderBefore(s->builder, call);
    LLVMValueRef plain = without_bundle(s, call);
    if (!plain) return;
    add_stack_map(s, number);
    LLVMReplaceAllUsesWith(call, plain);
    LLVMInstructionEraseFromParent(call);
}

// ---- memory ----------------------------------------------------------------------------------------

static void make_volatile(LLVMValueRef access) {
    LLVMAtomicOrdering ordering = LLVMGetOrdering(access);
    bool is_store = LLVMGetInstructionOpcode(access) == LLVMStore;
    if (ordering == LLVMAtomicOrderingNotAtomic || (is_store && ordering == LLVMAtomicOrderingSequentiallyConsistent)) return;
    LLVMSetOrdering(access, LLVMAtomicOrderingNotAtomic);
    LLVMSetVolatile(access, true);
}

static void rewrite(Selection *s, LLVMValueRef instruction) {
    switch (LLVMGetInstructionOpcode(instruction)) {
        case LLVMCall: take_bundle_off(s, instruction); break;
        case LLVMLoad: case LLVMStore:
            if (target_orders_memory) make_volatile(instruction);
            break;
        case LLVMFence:
            if (target_orders_memory && LLVMGetOrdering(instruction) != LLVMAtomicOrderingSequentiallyConsistent)
                LLVMInstructionEraseFromParent(instruction);
            break;
        default: break;
    }
}

bool selection_prepare(Unit *unit) {
    if (unit->task->tier != TIER_BASELINE) return true;
    Selection s = {.unit = unit, .builder = LLVMCreateBuilderInContext(unit->context)};
    for (LLVMValueRef f = LLVMGetFirstFunction(unit->module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
                next = LLVMGetNextInstruction(i);
                rewrite(&s, i);
            }
    LLVMDisposeBuilder(s.builder);
    return true;
}
