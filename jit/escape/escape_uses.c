// The uses of the members of a group, by position.
#include "jit/escape/escape_core.h"

#include <stdlib.h>

#include "base/grow.h"

enum { MOST_USES = 2000 };  // of an object

static void add_use(Escape *x, Group *g, Member *m, Use use) {
    if (use.kind == USE_PHI || use.kind == USE_MEMBER) {
        use.block = escape_block_of(x, LLVMGetIncomingBlock(use.user, use.operand));
        if (use.block == NONE) return;
        use.at = x->blocks[use.block].end - 1;
    } else {
        use.at = escape_position_of(x, use.user);
        if (use.at == NONE) return;  // in an unreachable block
        use.block = x->places[use.at].block;
    }
    GROW_OR_EXIT(m->uses, m->use_room, m->use_count + 1);
    m->uses[m->use_count++] = use;
    if (m->use_count > MOST_USES) g->refused = "it has many uses";
}

static UseKind kind_of_access(Escape *x, Group *g, const Use *u, LLVMTypeRef type) {
    const CompilerLayout *l = compiler_layout();
    if (LLVMGetVolatile(u->user) || LLVMGetOrdering(u->user) > LLVMAtomicOrderingUnordered) return USE_ESCAPE;
    if (LLVMIsALoadInst(u->user) && u->offset == l->object_vtable) return type == x->ptr ? USE_LOAD : USE_ESCAPE;
    if (LLVMIsALoadInst(u->user) && class_is_array(g->what->cls) && u->offset == l->array_length)
        return type == x->i32 ? USE_LOAD : USE_ESCAPE;
    Part *s = escape_part_at(g, u->offset);
    if (!s || escape_type_of(x, s->type) != type) return USE_ESCAPE;
    if (LLVMIsALoadInst(u->user)) return USE_LOAD;
    s->stored = true;
    return USE_STORE;
}

static UseKind kind_of_call(const Escape *x, const Use *u) {
    unsigned args = LLVMGetNumArgOperands(u->user);
    if (u->operand >= args) return u->operand + 1 < (unsigned)LLVMGetNumOperands(u->user) ? USE_BUNDLE : USE_ESCAPE;
    EscapeOp op = escape_op_of(x, u->user);
    if (op == ESCAPE_STORED) return USE_FINAL;
    if (u->offset) return USE_ESCAPE;
    switch (op) {
        case ESCAPE_FINAL: return USE_FINAL;
        case ESCAPE_PLAIN: return USE_PLAIN;
        case ESCAPE_ENTER: return USE_LOCK;
        case ESCAPE_EXIT: return USE_UNLOCK;
        case ESCAPE_SLOW: return USE_SLOW;
        default: break;
    }
    return USE_ESCAPE;
}

static UseKind kind_of_use(Escape *x, Group *g, const Use *u, LLVMValueRef v) {
    switch (LLVMGetInstructionOpcode(u->user)) {
        case LLVMLoad: return kind_of_access(x, g, u, LLVMTypeOf(u->user));
        case LLVMStore:
            return u->operand == 1 && LLVMGetOperand(u->user, 0) != v
                ? kind_of_access(x, g, u, LLVMTypeOf(LLVMGetOperand(u->user, 0)))
                : USE_ESCAPE;
        case LLVMICmp: {
            // The object differs from every other object. If the other operand may be of a group, the comparison needs
            // the address.
            LLVMIntPredicate p = LLVMGetICmpPredicate(u->user);
            LLVMValueRef other = LLVMGetOperand(u->user, 1 - u->operand);
            bool may_be_one = escape_group_of(x, other) || LLVMIsAPHINode(other) || LLVMIsASelectInst(other) ||
                LLVMIsAGetElementPtrInst(other);
            return u->offset || (p != LLVMIntEQ && p != LLVMIntNE) || may_be_one ? USE_ESCAPE : USE_TEST;
        }
        case LLVMCall: return kind_of_call(x, u);
        case LLVMPHI: return u->offset == 0 && escape_group_of(x, u->user) == g ? USE_MEMBER : USE_PHI;
        default: return USE_ESCAPE;
    }
}

// Two boxes of a value may be one object, so comparing them needs the address. Locking a box and storing to it do too.
static UseKind kind_of_box_use(const Use *u) {
    switch (u->kind) {
        case USE_NOTHING:
        case USE_LOAD:
        case USE_FINAL:
        case USE_PLAIN:
        case USE_MEMBER:
        case USE_PHI: return u->kind;
        case USE_TEST:
            return LLVMIsAConstantPointerNull(LLVMGetOperand(u->user, 1 - u->operand)) ? USE_TEST : USE_ESCAPE;
        default: return USE_ESCAPE;
    }
}

// Collects the uses of the member, or of an address in it.
static void collect_uses(Escape *x, Group *g, Member *m, LLVMValueRef v, int64_t offset) {
    for (LLVMUseRef u = LLVMGetFirstUse(v); u && !g->refused; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        int64_t more;
        if (LLVMIsAGetElementPtrInst(user) && LLVMGetOperand(user, 0) == v && escape_constant_offset(x, user, &more)) {
            collect_uses(x, g, m, user, offset + more);
            continue;
        }
        int operands = LLVMGetNumOperands(user);
        bool several = operands > 2 || LLVMGetOperand(user, 0) == LLVMGetOperand(user, (unsigned)operands - 1);
        LLVMUseRef first = LLVMGetFirstUse(v);  // of this user
        while (several && LLVMGetUser(first) != user) first = LLVMGetNextUse(first);
        if (several && first != u) continue;
        for (int i = 0; i < operands; i++) {
            if (LLVMGetOperand(user, (unsigned)i) != v) continue;
            Use use = {user, (uint32_t)i, 0, 0, offset, USE_NOTHING, false};
            use.kind = kind_of_use(x, g, &use, v);
            if (g->what->cache) use.kind = kind_of_box_use(&use);
            add_use(x, g, m, use);
        }
    }
}

static int by_position(const void *a, const void *b) {
    const Use *p = a, *q = b;
    return p->at != q->at ? (p->at < q->at ? -1 : 1) : p->operand < q->operand ? -1 : p->operand > q->operand;
}

void escape_find_uses(Escape *x, Group *g) {
    for (uint32_t i = 0; i < g->member_count && !g->refused; i++) {
        Member *m = &g->members[i];
        collect_uses(x, g, m, m->value, 0);
        if (m->use_count) qsort(m->uses, m->use_count, sizeof *m->uses, by_position);
    }
}
