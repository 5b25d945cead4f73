// Branches, for the instructions that set the flags for one (ops_control.c).
#ifndef CABERNET_VM_TEMPLATE_BRANCHES_H
#define CABERNET_VM_TEMPLATE_BRANCHES_H

#include "vm/template/helpers.h"
#include "vm/template/translate.h"

enum { SHUFFLE_DUP, SHUFFLE_DUP_X1, SHUFFLE_DUP_X2, SHUFFLE_DUP2, SHUFFLE_DUP2_X1, SHUFFLE_DUP2_X2, SHUFFLE_SWAP };

// Whether the next instruction is a branch on the three-way comparison that the current one is; the condition, as of a
// comparison of signed numbers.
bool branches_follow(const Translation *t, AsmCondition *cc);
// Takes that branch if the flags say so. The operands of both are popped, and all others at home.
void branches_take_next(Translation *t, AsmCondition cc);
// The same for CC_EQUAL and CC_NOT_EQUAL of floats, which may be unordered.
void branches_take_next_float(Translation *t, AsmCondition cc);

#endif
