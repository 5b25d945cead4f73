// The write barrier of optimised code (vm/model/barrier.h): it marks the cards of places to which references have been
// stored. Nothing here allocates in the Java heap, blocks or fails.
#ifndef CABERNET_JIT_BACKEND_CARDS_H
#define CABERNET_JIT_BACKEND_CARDS_H

#include "jit/backend/unit.h"
#include "vm/model/barrier.h"

// Marks, at the builder's position, the card of `place`. `tag`: memory tag of the access to the card, or NULL.
void cards_mark(Unit *unit, LLVMBuilderRef builder, BarrierSite site, LLVMValueRef place, LLVMValueRef tag);

// Marks the cards of `bytes` bytes (i64) from `begin` on, at most 1 MB.
void cards_mark_range(Unit *unit, LLVMBuilderRef builder, BarrierSite site, LLVMValueRef begin, LLVMValueRef bytes);

#endif
