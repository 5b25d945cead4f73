// Branches that directly follow a comparison and use its flags (ops_control.c).
#ifndef CABERNET_VM_TEMPLATE_BRANCHES_H
#define CABERNET_VM_TEMPLATE_BRANCHES_H

#include "vm/template/helpers.h"
#include "vm/template/translate.h"

enum { SHUFFLE_DUP, SHUFFLE_DUP_X1, SHUFFLE_DUP_X2, SHUFFLE_DUP2, SHUFFLE_DUP2_X1, SHUFFLE_DUP2_X2, SHUFFLE_SWAP };

// Whether the next instruction branches on the result of the current one, a three-way comparison. *cc: the condition
// for signed numbers.
bool branches_follow(const Translation *t, AsmCondition *cc);
// Emits that branch, on the flags. The operands of both instructions are popped, and all others are at home.
void branches_take_next(Translation *t, AsmCondition cc);
// The same for CC_EQUAL and CC_NOT_EQUAL of floats, whose comparison may be unordered.
void branches_take_next_float(Translation *t, AsmCondition cc);

#endif
