// Creation and release of template code (vm/template/template.h).
//
// One lock guards translations, the list of replaced code and the methods' entries. No thread holds it across a
// safepoint, so functions that require a stopped world need not take it.
#include "vm/template/template.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/invariant.h"
#include "base/varint.h"
#include "bytecode/analysis/methodflow.h"
#include "vm/api/codememory.h"
#include "vm/api/methodcounts.h"
#include "vm/api/perf.h"
#include "vm/code/code.h"
#include "vm/model/classloader.h"
#include "vm/model/vm.h"
#include "vm/objects/classes.h"
#include "vm/template/adapters.h"
#include "vm/template/hooks.h"
#include "vm/template/stubs.h"
#include "vm/template/translate.h"
#include "vm/threads/thread.h"

// A method is translated again after this number of exits at unresolved instructions; the number doubles each time.
enum { EXITS_BEFORE_AGAIN = 24, MOST_TRANSLATIONS = 6, STUB_BYTES = 16384 };

static struct TemplateTier {
    pthread_mutex_t lock;
    bool enabled;
    bool is_child;      // in a forked process, which shares code memory with its parent
    TemplateMode mode;  // for which code is made
    TemplateStubs stubs;
    Workspace *workspace;
    Template *replaced;  // linked by `next`, to be released
    TemplateStats stats;
} tier = {.lock = PTHREAD_MUTEX_INITIALIZER, .mode = TEMPLATES_PLAIN};

const TemplateStubs *const template_stubs = &tier.stubs;

bool template_init(size_t code_memory) {
    tier.workspace = translate_workspace();
    uint8_t *block = tier.workspace && codememory_init(code_memory) ? codememory_allocate(STUB_BYTES) : NULL;
    if (!block) return false;
    Asm a = {block, block, block + STUB_BYTES, false};
    tier.enabled = stubs_make(&a, codememory_executable(block), &tier.stubs);
    return tier.enabled;
}

// ---- how a method is called -------------------------------------------------------------------------

// The interpreter has decided it: the method's first word says how.
static StubKind kind_of(const Method *m) {
    switch (__atomic_load_n(&__atomic_load_n(&m->code, __ATOMIC_ACQUIRE)->op, __ATOMIC_ACQUIRE)) {
        case INSN_enter_leaf: return STUB_LEAF;
        case INSN_enter_try: return STUB_TRY;
        case INSN_enter_intrinsic: return STUB_FRAME;
        case INSN_enter_native: return STUB_NATIVE;
        case INSN_enter_basic: return STUB_BASIC;
        case INSN_enter_link: return STUB_LINK;
        default: return STUB_INTERPRET;
    }
}

static bool has_template_entry(const Method *m) { return m->template_code && kind_of(m) == STUB_INTERPRET; }

static const void *entry_of(Method *m) {
    int slots = interp_slots(m->ret);
    const uint8_t *(*stubs)[3] = tier.stubs.kinds[tier.mode];
    if (method_code(m)) {
        const uint8_t *adapter = adapters_of(&tier.stubs, m, true, tier.mode);
        return adapter ? adapter : stubs[STUB_COMPILED][slots];
    }
    return has_template_entry(m) ? m->template_code->start : (const void *)stubs[kind_of(m)][slots];
}

// Stores Method.entry, which compiled code calls. A thread that changes the method's compiled code stores an entry
// without the lock first, and then comes here, so the last thread under the lock stores the right entry.
static void set_entry_from_code(Method *m, void *without_code) {
    const Code *code = method_code(m);
    __atomic_store_n(&m->entry, code ? code->entry : without_code, __ATOMIC_RELEASE);
}

// An adapter out of compiled code is made at the first such call (template_called_by_code).
static void update_entry(Method *m) {
    if (!tier.enabled) return;
    __atomic_store_n(&m->template_entry, (void *)(uintptr_t)entry_of(m), __ATOMIC_RELEASE);
    set_entry_from_code(m, (void *)interp_hooks.entered_from_code);
}

void template_called_by_code(Method *m) {
    bool has_adapter = __atomic_load_n(&m->entry, __ATOMIC_RELAXED) != (void *)interp_hooks.entered_from_code;
    if (!tier.enabled || has_adapter) return;
    // Whether a stub calls a function that does all of the method's work. Intrinsics that may decline are not among
    // them, because calls of them are counted for the optimising tier (entry_interpret in vm/code/entry.c).
    StubKind kind = kind_of(m);
    bool has_function = kind == STUB_LEAF || kind == STUB_FRAME || kind == STUB_NATIVE;
    if (!has_function && !has_template_entry(m)) return;
    pthread_mutex_lock(&tier.lock);
    const uint8_t *adapter = tier.is_child ? NULL : adapters_of(&tier.stubs, m, false, tier.mode);
    if (adapter) set_entry_from_code(m, (void *)(uintptr_t)adapter);
    pthread_mutex_unlock(&tier.lock);
}

void template_update_entry(Method *m) {
    pthread_mutex_lock(&tier.lock);
    update_entry(m);
    pthread_mutex_unlock(&tier.lock);
}

// ---- translation --------------------------------------------------------------------------------------

static size_t metadata_bytes(const Template *t) {
    return sizeof *t + (t->block_count + t->return_count) * sizeof *t->places + t->position_bytes;
}

// Under the lock. Code that counts for plans uses the basic blocks of the data flow, as the counts do.
static Template *translate(Method *m, TemplateCounting counting) {
    int64_t begin = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    char error[128];
    Dataflow *flow = NULL;
    MethodCounts *counts = NULL;
    if (counting)
        flow = methodflow_build(m->cls->file, m->info->code, m->desc->text, method_is_static(m), error, sizeof error);
    if (flow && !flow->has_subroutines) {
        MethodCounts *(*of)(Method *, uint32_t, uint32_t) = counting == COUNTS_SAMPLES ? template_hooks.recent_counts
                                                                                       : template_hooks.method_counts;
        counts = of(m, flow->block_count, method_counts_selecting(m, m->info->code->code_len));
    }
    Template *t = translate_method(tier.workspace, m, tier.mode, counts, counts ? flow : NULL);
    if (flow) dataflow_free(flow);
    tier.stats.ns += (uint64_t)(clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin);
    if (!t) {
        tier.stats.failed++;
        return NULL;
    }
    t->id = ++tier.stats.translations;
    t->counting = counting;
    if (perf_wanted()) {
        char name[1024];
        snprintf(name, sizeof name, "%s.%s%s [template]", m->cls->name->text, m->name->text, m->desc->text);
        perf_add_code(t->start, t->size, name);
    }
    tier.stats.code_bytes += t->size;
    tier.stats.metadata_bytes += metadata_bytes(t);
    tier.stats.instructions += m->code_words;
    return t;
}

static void install(Method *m, Template *t) {
    Template *old = m->template_code;
    t->translations = old ? (uint8_t)(old->translations + 1) : 1;
    if (old) {
        old->next = tier.replaced;
        tier.replaced = old;
    } else {
        tier.stats.methods++;
    }
    __atomic_store_n(&m->template_code, t, __ATOMIC_RELEASE);
    interp_set_entry(m);
    update_entry(m);
}

bool template_compile(Thread *self, Method *m, TemplateCounting counting) {
    TemplateMode mode = interp_template_mode(self);
    if (!tier.enabled || mode == TEMPLATES_NONE) return false;
    Template *old = __atomic_load_n(&m->template_code, __ATOMIC_ACQUIRE);
    if (old && (counting <= old->counting || old->translations >= MOST_TRANSLATIONS)) return true;
    // The interpreter reports every instruction, and values before they are computed.
    if (mode == TEMPLATES_REPORTING && m->events & (EVENTS_NEVER_EVERYWHERE | probes_events(PLACE_RESULT)))
        return old != NULL;
    if (tier.is_child || !m->code_words || m->mflags & (MF_TEMPLATE_FAILED | MF_CHECKED_LOCKS)) return old != NULL;
    pthread_mutex_lock(&tier.lock);
    if (tier.mode != mode) {  // the first translation in a mode switches the entries of all methods to that mode
        tier.mode = mode;
        for (uint32_t id = 1; id < method_id_limit(); id++) {
            Method *other = method_by_id(id);
            if (other) update_entry(other);
        }
    }
    if (m->template_code == old) {
        Template *t = translate(m, counting);
        if (t) install(m, t);
        else if (!old) m->mflags |= MF_TEMPLATE_FAILED;
    }
    pthread_mutex_unlock(&tier.lock);
    return m->template_code != NULL;
}

void template_left(const Frame *frame) {
    Method *m = frame->method;
    Template *t = __atomic_load_n(&m->template_code, __ATOMIC_ACQUIRE);
    if (!t) return;
    t->exits++;  // threads may lose increments
    tier.stats.exits++;
    bool often = t->exits >= (uint32_t)EXITS_BEFORE_AGAIN << (t->translations - 1);
    if (!often || t->translations >= MOST_TRANSLATIONS || tier.is_child) return;
    pthread_mutex_lock(&tier.lock);
    if (m->template_code == t) {
        Template *again = translate(m, t->counting);
        if (again) install(m, again);
        else t->translations = MOST_TRANSLATIONS;
    }
    pthread_mutex_unlock(&tier.lock);
}

// ---- entries --------------------------------------------------------------------------------------------

TemplateExitKind template_enter(Thread *self, Frame *frame, const void *target, TemplateState *state) {
    return tier.stubs.enter(self, frame, target, state);
}

const void *template_begin(const Method *m, bool after_checks) {
    const Template *t = __atomic_load_n(&m->template_code, __ATOMIC_ACQUIRE);
    return t->start + (after_checks ? t->begin : 0);
}

static const void *find(const Template *t, const TemplatePlace *places, uint32_t count, uint32_t word) {
    uint32_t low = 0, high = count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (places[middle].word < word) low = middle + 1;
        else high = middle;
    }
    return low < count && places[low].word == word ? t->start + places[low].offset : NULL;
}

const void *template_entry_at(const Method *m, const Insn *pc) {
    const Template *t = __atomic_load_n(&m->template_code, __ATOMIC_ACQUIRE);
    return t ? find(t, t->places, t->block_count, (uint32_t)(pc - m->code)) : NULL;
}

const void *template_return_at(const Method *m, const Insn *pc) {
    const Template *t = __atomic_load_n(&m->template_code, __ATOMIC_ACQUIRE);
    return t ? find(t, t->places + t->block_count, t->return_count, (uint32_t)(pc - m->code)) : NULL;
}

// `positions` is a sequence of pairs: how far the code of an instruction is from that of the previous one in bytes, and
// how far the instruction itself is in words, both as variable-length integers, the second with its sign in bit 0.
const Insn *template_pc_at(const Template *t, const char *pc) {
    uint32_t wanted = (uint32_t)(pc - t->start), offset = 0, word = 0, found = UINT32_MAX;
    for (const uint8_t *at = t->positions, *end = at + t->position_bytes; at < end;) {
        offset += varint_read(&at);
        if (offset > wanted) break;
        uint32_t step = varint_read(&at);
        found = word += step >> 1 ^ -(step & 1);
    }
    return found == UINT32_MAX ? NULL : t->method->code + found;
}

// A frame in a sample is resumed by the interpreter, whichever code returns to it.
void *template_sampled_return(unsigned slots) {
    return tier.enabled ? (void *)(uintptr_t)tier.stubs.return_exits[slots] : &tier;
}

// ---- the end of code ------------------------------------------------------------------------------------

static bool leave(Thread *t, void *arg) {
    (void)arg;
    for (Frame *f = t->frame; f; f = f->prev) {
        if (f->kind != FRAME_INTERP) continue;
        f->resume = NULL;
        f->sampled = false;
    }
    return true;
}

void template_leave_all_stopped(Thread *self) {
    ASSERT(safepoint_stopped_by_me(), "frames change while their threads may run");
    thread_each(self, leave, NULL);
    if (!tier.enabled) return;
    interp_stop_templates(false);
    for (uint32_t id = 1; id < method_id_limit(); id++) {
        Method *m = method_by_id(id);
        Template *t = m ? m->template_code : NULL;
        if (!t) continue;
        t->next = tier.replaced;
        tier.replaced = t;
        tier.stats.methods--;
        m->template_code = NULL;
        interp_set_entry(m);
        update_entry(m);
    }
}

static void release(Template *t) {
    tier.stats.code_bytes -= t->size;
    tier.stats.metadata_bytes -= metadata_bytes(t);
    codememory_free(t->block);
    free(t);
}

void template_sweep_stopped(void) {
    if (!tier.replaced || tier.is_child || code_is_kept()) return;
    for (const Thread *t = threads.first; t; t = t->next)
        for (const Frame *f = t->frame; f; f = f->prev) {
            if (f->kind != FRAME_INTERP) continue;
            for (Template *r = tier.replaced; r; r = r->next) r->busy |= r->method == f->method;
        }
    for (Template **at = &tier.replaced; *at;) {
        Template *t = *at;
        if (t->busy) {
            t->busy = false;
            at = &t->next;
            continue;
        }
        *at = t->next;
        release(t);
    }
}

void template_forget_method(Method *m) {
    for (Template **at = &tier.replaced; *at;) {
        Template *t = *at;
        if (t->method != m) {
            at = &t->next;
            continue;
        }
        *at = t->next;
        release(t);
    }
    if (m->template_code) release(m->template_code);
    m->template_code = NULL;
}

// ---- forks ------------------------------------------------------------------------------------------------

void template_before_fork(void) { pthread_mutex_lock(&tier.lock); }
void template_after_fork_parent(void) { pthread_mutex_unlock(&tier.lock); }
// The parent may release code, and write other code to where it was.
void template_after_fork_child(void) {
    tier.is_child = true;
    pthread_mutex_unlock(&tier.lock);
    interp_stop_templates(true);
    for (Thread *t = threads.first; t; t = t->next) leave(t, NULL);
}

// ---- figures ------------------------------------------------------------------------------------------------

TemplateStats template_stats(void) { return tier.stats; }

void template_print_list(FILE *out) {
    pthread_mutex_lock(&tier.lock);
    for (uint32_t id = 1; id < method_id_limit(); id++) {
        const Method *m = method_by_id(id);
        const Template *t = m ? m->template_code : NULL;
        if (t)
            fprintf(out, "%5u 1 %s.%s%s %zu bytes at %p template\n", t->id, class_external_name(m->cls), m->name->text,
                    m->desc->text, t->size, (const void *)t->start);
    }
    pthread_mutex_unlock(&tier.lock);
}
