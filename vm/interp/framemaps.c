// The frames of a Java stack as roots of a collection.
//
// A frame keeps alive only the values that its method can still read: the operand stack below sp, less the arguments of
// the frame above, which are now that frame's locals; and the locals that are live at the frame's bytecode index.
// Values of earlier calls beyond sp, and in dead locals, are not scanned. A live slot need not hold a reference: the
// collector decides by the value.
//
// This is correct because a frame's pc and sp are stored wherever a thread can stop (vm/model/frame.h). pc is the
// instruction being executed, whose operands are still on the stack, or the call that made the frame above. Arguments
// of natives serve as their handles, so all of them stay until the native returns. The words covered by a boundary of
// compiled code were arguments or locals, which the code has taken before doing anything else (vm/code/entry.c).
//
// Liveness is computed from the bytecode on first use, and kept by method and index. Everything here runs on the
// collector thread, so there are no locks. The entries have no size limit, but are few. An entry also records the
// method's id, because another method may later have the same address.
#include "vm/interp/framemaps.h"

#include <stdlib.h>

#include "base/grow.h"
#include "base/invariant.h"
#include "bytecode/analysis/dataflow.h"
#include "vm/interp/framelocks.h"
#include "vm/interp/interp.h"
#include "vm/objects/classes.h"

enum { ENTRIES = 1024 };

typedef struct FrameMap {
    const Method *method;  // NULL: empty
    const ClassFileCode *code;
    uint32_t id;
    int32_t bci;
    bool known;         // false: any local may be live
    uint32_t capacity;  // of `live`, in words
    uint64_t *live;     // a bit for each local
} FrameMap;

static struct FrameMaps { FrameMap entries[ENTRIES]; } frame_maps;

// The locals of `m` that are live at `bci`; NULL: any may be.
static const uint64_t *live_locals(const Method *m, int32_t bci) {
    if (bci < 0 || !m->info || !m->info->code) return NULL;
    const ClassFileCode *code = m->info->code;
    uint64_t hash = ((uint64_t)(uintptr_t)m / sizeof *m + (uint64_t)bci * 31) * UINT64_C(0x9e3779b97f4a7c15);
    _Static_assert(ENTRIES == 1 << 10, "an index has ten bits");
    FrameMap *map = &frame_maps.entries[hash >> 54];
    if (map->method != m || map->bci != bci || map->id != m->id || map->code != code) {
        uint32_t words = code->max_locals / 64u + 1;
        map->method = NULL;
        if (!GROW(map->live, map->capacity, words)) return NULL;
        map->known = dataflow_live_at(code, (uint32_t)bci, map->live);
        map->method = m, map->code = code, map->id = m->id, map->bci = bci;
    }
    return map->known ? map->live : NULL;
}

static void pass_locals(const Frame *f, RootFn *fn, void *arg) {
    const Method *m = f->method;
    const uint64_t *live = f->not_begun ? NULL : live_locals(m, method_bci(m, f->pc));
    if (!live) {
        fn(arg, ROOT_FRAME, f, f->locals, f->locals + method_locals(m));
        return;
    }
    for (uint32_t word = 0; word * 64 < m->max_locals; word++)
        for (uint64_t bits = live[word]; bits; bits &= bits - 1) {
            const Slot *local = &f->locals[word * 64 + (uint32_t)__builtin_ctzll(bits)];
            fn(arg, ROOT_FRAME, f, local, local + 1);
        }
    // Object.<init> reads its receiver again when it registers a finalizer, which the bytecode does not show.
    if (f->pc->op == INSN_finalizer) fn(arg, ROOT_FRAME, f, f->locals, f->locals + 1);
}

void framemaps_each_root(const Thread *t, RootFn *fn, void *arg) {
    const Slot *above = NULL;
    for (const Frame *f = t->frame; f; f = f->prev) {
        // The locals of the frame above may be the upper end of this frame's operand stack.
        const Slot *begin = (const Slot *)(f + 1);
        fn(arg, ROOT_FRAME, f, begin, above >= begin && above < f->sp ? above : f->sp);
        fn(arg, ROOT_FRAME, f, &f->monitor, &f->monitor + 1);
        switch ((FrameKind)f->kind) {
            case FRAME_INTERP: pass_locals(f, fn, arg); break;
            case FRAME_NATIVE: fn(arg, ROOT_FRAME, f, f->locals, f->locals + f->method->nargs); break;
            case FRAME_COMPILED: break;  // the code has taken its arguments, or locals, and cleared them
            case FRAME_ENTRY: break;     // its locals are its operand stack
        }
        above = f->locals;
    }
    framelocks_each_root(t, fn, arg);
}
