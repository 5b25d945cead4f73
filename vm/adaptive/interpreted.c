// See vm/adaptive/interpreted.h. Reasons are kept by method number, because methods may be unloaded. When a number is
// reused, the line shows the reason of the earlier method; only people read it.
#include "vm/adaptive/interpreted.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/grow.h"
#include "vm/adaptive/compilequeue.h"
#include "vm/adaptive/tiering.h"
#include "vm/code/code.h"
#include "vm/objects/classes.h"

enum { SHOWN = 40 };

typedef struct Reason {
    uint32_t method;
    int bailout;
    bool loop;
} Reason;

static struct Interpreted {
    pthread_mutex_t lock;
    Reason *reasons;
    size_t count, room;
} interpreted = {.lock = PTHREAD_MUTEX_INITIALIZER};

void interpreted_note(const CompileTask *task, int bailout) {
    if (!tiering.options.stats) return;
    pthread_mutex_lock(&interpreted.lock);
    GROW_OR_EXIT(interpreted.reasons, interpreted.room, interpreted.count + 1);
    interpreted.reasons[interpreted.count++] = (Reason){task->method->id, bailout, task->osr_bci >= 0};
    pthread_mutex_unlock(&interpreted.lock);
}

// The reason noted last. The caller holds the lock.
static const char *noted(const Method *m, bool loop) {
    for (size_t i = interpreted.count; i-- > 0;)
        if (interpreted.reasons[i].method == m->id && interpreted.reasons[i].loop == loop)
            return compilequeue_bailout_text(interpreted.reasons[i].bailout);
    return "refused";
}

// Why the method stays interpreted. NULL: it has code wherever it may be entered.
static const char *why(const Method *m) {
    uint8_t state = atomic_load(&m->compile_state);
    if (method_code(m)) return state & STATE_REFUSED_OSR ? noted(m, true) : NULL;
    if (state & STATE_REFUSED) return noted(m, false);
    if (state & STATE_QUEUED) return "it was waiting to be compiled";
    if (state >= STATE_RECOMPILE_ONE) return "its code was left for what had not been expected, and was not made again";
    return "it was hot for too short a time";
}

static uint32_t heat(const Method *m) { return __atomic_load_n(&m->hotness, __ATOMIC_RELAXED); }

static int hotter(const void *a, const void *b) {
    const Method *x = *(Method *const *)a, *y = *(Method *const *)b;
    if (heat(x) != heat(y)) return heat(x) < heat(y) ? 1 : -1;
    return x->id < y->id ? -1 : x->id > y->id;
}

void interpreted_write(FILE *out) {
    Method **hot = NULL;
    size_t count = 0, room = 0;
    uint32_t limit = method_id_limit();
    pthread_mutex_lock(&interpreted.lock);
    for (uint32_t id = 1; id < limit; id++) {
        Method *m = method_by_id(id);
        if (!m || !m->info || !m->info->code || m->template_code || heat(m) < tiering.options.optimize || !why(m))
            continue;
        GROW_OR_EXIT(hot, room, count + 1);
        hot[count++] = m;
    }
    if (count > 1) qsort(hot, count, sizeof *hot, hotter);
    for (size_t i = 0; i < count && i < SHOWN; i++) {
        const Method *m = hot[i];
        char *name = compiler_method_name(m);
        fprintf(out, "interpreted %u %s: %s%s\n", heat(m), name ? name : m->name->text,
                method_code(m) ? "at a loop: " : "", why(m));
        free(name);
    }
    if (count > SHOWN) fprintf(out, "interpreted-further %zu\n", count - SHOWN);
    pthread_mutex_unlock(&interpreted.lock);
    free(hot);
}
