// Folds what depends on an object's class alone, for virtual and real objects.
#include "jit/escape/escape_core.h"

bool escape_constant_offset(const Escape *x, LLVMValueRef gep, int64_t *offset) {
    if (LLVMGetNumOperands(gep) != 2 || LLVMGetGEPSourceElementType(gep) != x->i8) return false;
    LLVMValueRef index = LLVMGetOperand(gep, 1);
    if (!LLVMIsAConstantInt(index)) return false;
    *offset = LLVMConstIntGetSExtValue(index);
    return true;
}

// `v` is an address in the class or its vtable. Folds constant loads from there, and comparisons that depend on them.
static bool fold_known(Escape *x, LLVMValueRef v, const void *address, const Class *cls, int64_t offset) {
    const CompilerLayout *l = compiler_layout();
    bool folded = false;
    for (LLVMUseRef u = LLVMGetFirstUse(v), next; u; u = next) {
        next = LLVMGetNextUse(u);
        LLVMValueRef user = LLVMGetUser(u);
        int64_t more;
        if (LLVMIsAGetElementPtrInst(user) && LLVMGetOperand(user, 0) == v && escape_constant_offset(x, user, &more)) {
            folded |= fold_known(x, user, address, cls, offset + more);
        } else if (LLVMIsALoadInst(user) && LLVMTypeOf(user) == x->ptr) {
            int64_t display = offset - l->class_display;
            if (address == cls->vt && offset == l->vtable_class) folded |= fold_known(x, user, cls, cls, 0);
            else if (address == cls && display >= 0 && display < (int64_t)sizeof cls->display)
                folded |= fold_known(x, user, cls->display[display / (int64_t)sizeof(Class *)], cls, 0);
        } else if (LLVMIsALoadInst(user) && LLVMTypeOf(user) == x->i64 && address == cls &&
                   offset == l->class_interface_bits) {
            LLVMReplaceAllUsesWith(user, LLVMConstInt(x->i64, cls->interface_bits, 0));
            folded = true;
        } else if (LLVMIsAICmpInst(user) && offset == 0 &&
                   (LLVMGetICmpPredicate(user) == LLVMIntEQ || LLVMGetICmpPredicate(user) == LLVMIntNE)) {
            size_t length;
            LLVMValueRef other = LLVMGetOperand(user, LLVMGetOperand(user, 0) == v);
            const UnitSymbol *symbol = LLVMIsAGlobalVariable(other)
                ? unit_symbol(x->unit, LLVMGetValueName2(other, &length))
                : NULL;
            if (!symbol || !symbol->address) continue;
            bool holds = (symbol->address == address) == (LLVMGetICmpPredicate(user) == LLVMIntEQ);
            LLVMReplaceAllUsesWith(user, LLVMConstInt(x->i1, holds, 0));
            folded = true;
        }
    }
    return folded;
}

static bool fold_member(Escape *x, const Group *g, LLVMValueRef v, int64_t offset) {
    const CompilerLayout *l = compiler_layout();
    bool folded = false;
    for (LLVMUseRef u = LLVMGetFirstUse(v), next; u; u = next) {
        next = LLVMGetNextUse(u);
        LLVMValueRef user = LLVMGetUser(u);
        int64_t more;
        if (LLVMIsAGetElementPtrInst(user) && LLVMGetOperand(user, 0) == v && escape_constant_offset(x, user, &more))
            folded |= fold_member(x, g, user, offset + more);
        else if (LLVMIsALoadInst(user) && offset == l->object_vtable && LLVMTypeOf(user) == x->ptr)
            folded |= fold_known(x, user, g->what->cls->vt, g->what->cls, 0);
        else if (LLVMIsALoadInst(user) && class_is_array(g->what->cls) && offset == l->array_length &&
                 LLVMTypeOf(user) == x->i32)
            LLVMReplaceAllUsesWith(user, LLVMConstInt(x->i32, g->what->length, 0));
        else if (LLVMIsAICmpInst(user) && offset == 0 && LLVMIsAConstantPointerNull(LLVMGetOperand(user, 1))) {
            LLVMReplaceAllUsesWith(user, LLVMConstInt(x->i1, LLVMGetICmpPredicate(user) == LLVMIntNE, 0));
            folded = true;
        } else if (escape_op_of(x, user) == ESCAPE_PLAIN && offset == 0) {
            LLVMReplaceAllUsesWith(user, LLVMConstInt(x->i1, 1, 0));
            folded = true;
        }
    }
    return folded;
}

bool escape_fold_classes(Escape *x) {
    bool folded = false;
    for (uint32_t i = 0; i < x->group_count; i++)
        for (uint32_t k = 0; k < x->groups[i].member_count && !x->groups[i].refused; k++)
            folded |= fold_member(x, &x->groups[i], x->groups[i].members[k].value, 0);
    return folded;
}
