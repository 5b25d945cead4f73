// When plans are compiled: see replaying.h.
//
// Before main, no code of the program has run. Its classes are then loaded and linked, because JVMS 5.4 allows both
// ahead of time, and its instructions are resolved as far as that needs no initialisation. The program's static
// initialisers run at their usual time. Plans that rely on their effects follow as soon as those facts hold.
//
// The second call of a method is detected where its invocations are counted: the method's count is set so that it
// reaches this code.
#include "vm/adaptive/replaying.h"

#include <stdio.h>
#include <string.h>

#include "vm/adaptive/tiering.h"
#include "vm/interp/prelink.h"
#include "vm/loading/loader.h"
#include "vm/objects/classes.h"
#include "vm/objects/symbol.h"
#include "vm/threads/thread.h"

static struct Replaying {
    _Atomic bool begun;  // the point has been reached
} replaying;

bool replaying_is_on(void) { return tiering.options.compiler.replay_file; }

bool replaying_waits(void) {
    return tiering.options.replay_when != REPLAY_BY_HOTNESS && !atomic_load(&replaying.begun);
}

// Reports a file of which no plan was used.
void replaying_end(void) {
    if (!replaying_waits()) return;
    if (tiering.options.replay_when == REPLAY_PRECOMPILE)
        fprintf(stderr, "cabernet: -Xreplay:when=precompile: no main was called, so nothing was compiled\n");
    else
        fprintf(stderr, "cabernet: -Xreplay:when=warmup=%s: no such method was called twice, so nothing was compiled\n",
                tiering.options.replay_warmup);
}

int replaying_ready(Method *m, CompileTask *task) {
    bool by_hotness = tiering.options.replay_when == REPLAY_BY_HOTNESS;
    return tiering.replaying->replay_ready(m, by_hotness ? __atomic_load_n(&m->hotness, __ATOMIC_RELAXED) : UINT32_MAX,
                                           task);
}

// ---- before main ---------------------------------------------------------------------------------

typedef struct Before {
    Thread *self;
    Loader *loader;
    Slot *room;
} Before;

// The names of hidden classes, and of classes that several loaders have defined, cannot be used to load a class.
static void load_class_of(void *arg, const char *method) {
    const Before *b = arg;
    const char *end = strchr(method, '(');
    while (end && end > method && *end != '.') end--;
    if (!end || end == method || strpbrk(method, "#~%")) return;
    loader_load(b->self, b->loader, symbol_intern(method, (size_t)(end - method)));
    b->self->exception = NULL;
}

static void prelink(void *arg, const char *method) {
    const Before *b = arg;
    Method *m = compiler_find_method(method);
    if (m) prelink_uncalled(b->self, m, b->room);
}

// ---- the point -----------------------------------------------------------------------------------

static bool is_point(const Method *m) {
    return tiering.options.replay_when == REPLAY_WARMUP &&
        pattern_matches(tiering.options.replay_warmup, m->cls->name->text, m->name->text, m->desc->text);
}

bool replaying_first_call(Thread *self, Method *m, Slot *args) {
    if (!replaying_waits()) return false;
    if (is_point(m)) __atomic_store_n(&m->hotness, METHOD_HOT_MASK - 1, __ATOMIC_RELAXED);  // this call and the next
    bool begins = tiering.options.replay_when == REPLAY_PRECOMPILE && method_is_main(m);
    if (!begins || atomic_exchange(&replaying.begun, true)) return false;
    // Resolution decides which classes must be present, so all are loaded first.
    Before before = {self, m->cls->loader, args + m->nargs};
    tiering.replaying->replay_methods(load_class_of, &before);
    tiering.replaying->replay_methods(prelink, &before);
    return true;
}

bool replaying_counted(Method *m, bool called) {
    if (!replaying_waits() || !is_point(m)) return false;
    if (called) return !atomic_exchange(&replaying.begun, true);
    __atomic_store_n(&m->hotness, METHOD_HOT_MASK, __ATOMIC_RELAXED);  // a loop of the first call was counted
    return false;
}
