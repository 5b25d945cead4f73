// See jit/backend/cards.h.
#include "jit/backend/cards.h"

#include "vm/api/compiler.h"

static LLVMTypeRef int_type(Unit *u, unsigned bits) { return LLVMIntTypeInContext(u->context, bits); }

static LLVMValueRef number(Unit *u, unsigned bits, uint64_t value) { return LLVMConstInt(int_type(u, bits), value, 0); }

static LLVMValueRef symbol(Unit *u, const char *name, void *address) {
    LLVMValueRef global = LLVMGetNamedGlobal(u->module, name);
    if (global) return global;
    unit_add_symbol(u, name, address);
    global = LLVMAddGlobal(u->module, LLVMArrayType2(int_type(u, 8), 0), name);
    LLVMSetLinkage(global, LLVMExternalLinkage);
    return global;
}

static LLVMValueRef card_at(Unit *u, LLVMBuilderRef b, LLVMValueRef index) {
    return LLVMBuildGEP2(b, int_type(u, 8), symbol(u, "cards", compiler_cards()), &index, 1, "");
}

static void count(Unit *u, LLVMBuilderRef b, BarrierSite site) {
    if (!compiler_barrier_counts()) return;
    LLVMValueRef offset = number(u, 64, site * sizeof(uint64_t));
    LLVMValueRef counts = symbol(u, "barrier_counts", compiler_barrier_counts());
    LLVMValueRef at = LLVMBuildGEP2(b, int_type(u, 8), counts, &offset, 1, "");
    LLVMValueRef old = LLVMBuildLoad2(b, int_type(u, 64), at, "");
    LLVMBuildStore(b, LLVMBuildAdd(b, old, number(u, 64, 1), ""), at);
}

void cards_mark(Unit *u, LLVMBuilderRef b, BarrierSite site, LLVMValueRef place, LLVMValueRef tag) {
    LLVMValueRef low = LLVMBuildTrunc(b, LLVMBuildPtrToInt(b, place, int_type(u, 64), ""), int_type(u, 32), "");
    LLVMValueRef card = LLVMBuildLShr(b, low, number(u, 32, BARRIER_CARD_SHIFT), "");
    LLVMValueRef store = LLVMBuildStore(b, number(u, 8, 1), card_at(u, b, LLVMBuildZExt(b, card, int_type(u, 64), "")));
    LLVMSetAlignment(store, 1);
    if (tag) LLVMSetMetadata(store, LLVMGetMDKindIDInContext(u->context, "tbaa", 4), tag);
    count(u, b, site);
}

_Static_assert((1 << 20) >> BARRIER_CARD_SHIFT <= BARRIER_CARDS_BEHIND, "a range may leave the table");

void cards_mark_range(Unit *u, LLVMBuilderRef b, BarrierSite site, LLVMValueRef begin, LLVMValueRef bytes) {
    LLVMValueRef shift = number(u, 64, BARRIER_CARD_SHIFT), place = LLVMBuildPtrToInt(b, begin, int_type(u, 64), "");
    LLVMValueRef first = LLVMBuildLShr(b, place, shift, "");
    LLVMValueRef last = LLVMBuildSub(b, LLVMBuildAdd(b, place, bytes, ""), number(u, 64, 1), "");
    LLVMValueRef after = LLVMBuildAdd(b, LLVMBuildLShr(b, last, shift, ""), number(u, 64, 1), "");
    LLVMValueRef card = LLVMBuildAnd(b, first, number(u, 64, UINT32_MAX >> BARRIER_CARD_SHIFT), "");
    LLVMBuildMemSet(b, card_at(u, b, card), number(u, 8, 1), LLVMBuildSub(b, after, first, ""), 1);
    count(u, b, site);
}
