// Which methods need no check of sampling at their entry (Code.unchecked): those outside of cycles of calls, and in a cycle all but one, as long as not too
// many are entered between two checks.
//
// Methods have levels (Method.call_level), which are given once and never change. Code makes no check at its entry only if the target of each
// call in it is known for certain and has a level, and all those together are lower than that of its own method: a target counts as often as there are calls of
// it. So levels fall along calls of such code, and every cycle of calls has a method that makes a check: one whose code does, or one that the
// interpreter runs, which makes checks at entries. And as such code has no loops, at most so many methods are entered without a check as the level says, until
// it has returned: a sample does not become arbitrarily long.
// - Nothing is assumed of the code that a method has or will get, so it does not matter what is compiled, compiled again or thrown away, when,
//   and by how many threads. Whoever comes second to give a method a level uses the first one's.
// - A class that is loaded later brings no other targets: one that is selected by the receiver is not known for certain. Where a plan assumes that there is
//   one target, code that is invalid by now still calls that one.
// - Code that is left for what has not come before (DEOPT_unresolved, DEOPT_uncommon) may call anybody in the interpreter, which has not entered the method: it
//   makes a check where it goes on. For other reasons code is left once.
// - What the VM runs for code by itself, such as class initialisers, does not come back to it.
//
// A method without a level that a plan calls gets
// one, too: else what is called seldom, and so is never compiled, would keep the check of all that may call it.
#ifndef CABERNET_JIT_LEVELS_H
#define CABERNET_JIT_LEVELS_H

#include "jit/plan/plan.h"

// The methods that code calls for a site, other than those that become part of it: how many, or CALLS_ANYBODY. What has not been executed so far
// counts as no call: code is left there.
enum { CALLS_ANYBODY = PLAN_TARGETS + 1 };
uint32_t levels_called(const PlanSite *ps, Method *called[PLAN_TARGETS]);

// Decides Plan.level of a plan that is complete otherwise, and gives levels; nothing of it unless duplicated code is called by duplicated code alone.
void levels_decide(Plan *root);

// The same by a record: `level` is the plan's on record, 0: it had none. What it said of other methods has been given. Where it does not
// hold, since other levels have been given here, the entry's check stays.
void levels_decide_again(Plan *root, uint8_t level);

#endif
