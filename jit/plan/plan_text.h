// The vocabulary of the text form of plans. Shared by its writer (plan_text.c) and its reader
// (jit/replay/replay_file.c).
#ifndef CABERNET_JIT_PLAN_PLAN_TEXT_H
#define CABERNET_JIT_PLAN_PLAN_TEXT_H

#include "jit/plan/plan.h"

enum { PLAN_SITE_KINDS = SITE_NONE + 1 };
extern const char *const plan_site_names[PLAN_SITE_KINDS];

#endif
