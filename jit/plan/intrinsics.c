// The table of intrinsics (jit/plan/intrinsics.h): a constant.
#include "jit/plan/intrinsics.h"

#include <string.h>

const Intrinsic intrinsics[] = {
#define INTRINSIC(cls, name, desc, operation, detail) {cls, name, desc, INTRINSIC_##operation, detail},
#include "jit/plan/intrinsics.def"
#undef INTRINSIC
};
const size_t intrinsics_count = sizeof intrinsics / sizeof *intrinsics;

const Intrinsic *intrinsics_find(const Method *m) {
    if (!(m->mflags & MF_INTRINSIC)) return NULL;
    for (size_t i = 0; i < intrinsics_count; i++)
        if (strcmp(intrinsics[i].name, m->name->text) == 0 && strcmp(intrinsics[i].cls, m->cls->name->text) == 0 &&
            strcmp(intrinsics[i].desc, m->desc->text) == 0)
            return &intrinsics[i];
    return NULL;
}

IntrinsicForm intrinsics_form(const Method *m) {
    CompilerIntrinsic kind = m ? compiler_intrinsic(m) : COMPILER_NO_INTRINSIC;
    bool known = kind != COMPILER_NO_INTRINSIC && intrinsics_find(m);
    if (kind == COMPILER_LEAF) return known ? INTRINSIC_EXPANDED : INTRINSIC_RUNTIME;
    return kind == COMPILER_TRY && known ? INTRINSIC_FAST_PATH : INTRINSIC_CALLED;
}
