// The table of intrinsics (jit/plan/plan_intrinsics.h): a constant.
#include "jit/plan/plan_intrinsics.h"

#include <string.h>

const Intrinsic intrinsics[] = {
#define INTRINSIC(cls, name, desc, operation, detail) {cls, name, desc, INTRINSIC_##operation, detail},
#include "jit/plan/plan_intrinsics.def"
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

// Accesses by Unsafe that order threads or compare and set, if those are events: the VM reports them.
static bool is_reported(const Method *m) {
    uint64_t events = compiler_events(m);
    const Intrinsic *row = events & (EVENTS_ORDER | EVENTS_COMPARE) ? intrinsics_find(m) : NULL;
    if (!row) return false;
    if (events & EVENTS_COMPARE && (row->operation == INTRINSIC_SET_IF || row->operation == INTRINSIC_EXCHANGE_IF))
        return true;
    if (events & EVENTS_ORDER) switch (row->operation) {
            case INTRINSIC_GET:
            case INTRINSIC_PUT: return !strchr("po", row->detail[1]);
            case INTRINSIC_SET_IF:
            case INTRINSIC_EXCHANGE_IF:
            case INTRINSIC_ADD:
            case INTRINSIC_SWAP_IN:
            case INTRINSIC_FENCE: return true;
            default: break;
        }
    return false;
}

IntrinsicForm intrinsics_form(const Method *m) {
    CompilerIntrinsic kind = m ? compiler_intrinsic(m) : COMPILER_NO_INTRINSIC;
    const Intrinsic *row = kind == COMPILER_NO_INTRINSIC ? NULL : intrinsics_find(m);
    bool quiet = m && !row && compiler_intrinsic_is_quiet(m);
    if (kind == COMPILER_LEAF && !quiet) {
        if (!row || is_reported(m)) return INTRINSIC_RUNTIME;
        // Frameless operations that leave some operands to the VM.
        bool has_slow_path = row->operation == INTRINSIC_COPY || row->operation == INTRINSIC_HASH_OF ||
            row->operation == INTRINSIC_IS_ASSIGNABLE;
        return has_slow_path ? INTRINSIC_FAST_LEAF : INTRINSIC_EXPANDED;
    }
    if (kind == COMPILER_LEAF) return INTRINSIC_EXPANDED;
    // Allocations need a fact that only some plans have (PlanSite.instance).
    bool fast = row ? row->operation != INTRINSIC_ALLOCATE && row->operation != INTRINSIC_ALLOCATE_ARRAY : quiet;
    return kind == COMPILER_TRY && fast ? INTRINSIC_FAST_PATH : INTRINSIC_CALLED;
}
