// The registry of compiled code (vm/code/code.h).
//
// One lock guards the table of all code, the orphans, the methods' links to their code, and the dependencies. No
// thread holds it across a safepoint. A thread that stops the world therefore finds it free, or held by a compile
// thread, which waits for no other thread while it holds it.
#include "vm/code/code.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/invariant.h"
#include "base/varint.h"
#include "arch_frame.h"
#include "vm/api/stackwalk.h"
#include "vm/code/codecounters.h"
#include "vm/code/entry.h"
#include "vm/code/hooks.h"
#include "vm/interp/hooks.h"
#include "vm/interp/interp.h"
#include "vm/model/classloader.h"
#include "vm/instrument/profile.h"
#include "vm/objects/classes.h"
#include "vm/threads/thread.h"

typedef struct Table {
    struct Table *older;  // replaced, not freed yet
    uint32_t count;
    Code *codes[];  // by address
} Table;

static struct CodeRegistry {
    pthread_mutex_t lock;
    Table *_Atomic table;
    Code *orphans;  // code of dead classes, to be released; counted as dead
    CodeStats stats;
    _Atomic bool kept;  // code_keep
    _Atomic uint64_t old_table_bytes;
} code_registry = {.lock = PTHREAD_MUTEX_INITIALIZER};

// ---- lookup -------------------------------------------------------------------------------------

// A return address follows a call, so it is never a code's first byte. A call may be the last instruction: its return
// address is then one past the end, and possibly the first byte of the next code.
const Code *code_find(const char *return_pc) {
    const Table *t = atomic_load_explicit(&code_registry.table, memory_order_acquire);
    uint32_t low = 0, high = t ? t->count : 0;
    while (low < high) {
        uint32_t mid = (low + high) / 2;
        Code *c = t->codes[mid];
        if (return_pc <= c->start) high = mid;
        else if (return_pc > c->start + c->size) low = mid + 1;
        else return c;
    }
    return NULL;
}

const Code *code_at(const char *pc) { return code_find(pc + 1); }

static uint32_t position_of(const Code *code, const CodeStackMap *map) {
    if (!map->exit) return map->position;
    return map->position < code->deopt_point_count ? code->deopt_points[map->position].position : CODE_NONE;
}

static uint32_t position_in_runs(const Code *code, uint32_t wanted) {
    uint32_t offset = 0, found = 0;
    for (const uint8_t *at = code->runs, *end = at + code->run_bytes; at < end;) {
        offset += varint_read(&at);
        if (offset > wanted) break;
        found = varint_read(&at);
    }
    return found ? found - 1 : CODE_NONE;
}

// Where the positions of instructions are not known, the nearest call's.
uint32_t code_position_at(const Code *code, const char *pc) {
    uint32_t offset = (uint32_t)(pc - code->start), low = 0, high = code->stack_map_count;
    uint32_t known = code->run_bytes ? position_in_runs(code, offset) : CODE_NONE;
    if (known != CODE_NONE || !high) return known;
    while (low < high) {
        uint32_t mid = (low + high) / 2;
        if (code->stack_maps[mid].return_offset <= offset) low = mid + 1;
        else high = mid;
    }
    if (low == code->stack_map_count) return position_of(code, &code->stack_maps[low - 1]);
    const CodeStackMap *after = &code->stack_maps[low];
    bool nearer = low && offset - after[-1].return_offset < after->return_offset - offset;
    return position_of(code, nearer ? after - 1 : after);
}

const CodeStackMap *code_stack_map_at(const Code *code, uint32_t return_offset) {
    uint32_t low = 0, high = code->stack_map_count;
    while (low < high) {
        uint32_t mid = (low + high) / 2;
        if (code->stack_maps[mid].return_offset < return_offset) low = mid + 1;
        else high = mid;
    }
    bool found = low < code->stack_map_count && code->stack_maps[low].return_offset == return_offset;
    return found ? &code->stack_maps[low] : NULL;
}

const CodeStackMap *code_stack_map(const Code *code, const char *return_pc) {
    uint32_t offset = (uint32_t)(return_pc - code->start);
    const CodeStackMap *map = code_stack_map_at(code, offset);
    if (map) return map;
    fprintf(stderr, "cabernet: compiled code of %s.%s has no site for offset %u\n", code->method->cls->name->text,
            code->method->name->text, offset);
    abort();
}

// ---- the table ----------------------------------------------------------------------------------

static Table *new_table(uint32_t count) {
    Table *t = malloc(sizeof *t + count * sizeof *t->codes);
    if (!t) {
        fputs("cabernet: out of memory for the table of compiled code\n", stderr);
        abort();
    }
    t->count = count;
    return t;
}

static void publish(Table *t) {
    for (uint32_t i = 1; ASSERTIONS && i < t->count; i++)
        ASSERT(t->codes[i - 1]->start + t->codes[i - 1]->size <= t->codes[i]->start, "codes %u and %u overlap",
               t->codes[i - 1]->id, t->codes[i]->id);
    t->older = atomic_load_explicit(&code_registry.table, memory_order_relaxed);
    if (t->older) code_registry.old_table_bytes += sizeof *t + t->older->count * sizeof *t->codes;
    atomic_store_explicit(&code_registry.table, t, memory_order_release);
}

// ---- dependencies -------------------------------------------------------------------------------

// Code that relies on compiler_unique_target(method). The class that declares the method lists it, because only the
// subclasses of that class can break the assumption.
typedef struct CodeDependent {
    struct CodeDependent *next;
    Method *method;
    Method *target;
    Code *code;
} Dependent;

static bool is_usable(const Code *code) { return code->state == CODE_LIVE || code->state == CODE_PREPARED; }

static bool has_dead_owner(const Code *code) {
    for (uint32_t i = 0; i < code->owner_count; i++)
        if (code->owners[i]->dead) return true;
    return false;
}

static void drop_dependents(const Code *code) {
    for (uint32_t i = 0; i < code->dependency_count; i++) {
        for (Dependent **at = &code->dependencies[i]->cls->dependents; *at;) {
            Dependent *d = *at;
            if (d->code != code) {
                at = &d->next;
                continue;
            }
            *at = d->next;
            free(d);
        }
    }
}

// A code with a dependency that the class breaks, or NULL. The caller holds the lock.
static Code *find_broken(const Class *cls) {
    for (const Class *c = cls; c; c = c->super)
        for (const Dependent *d = c->dependents; d; d = d->next) {
            uint32_t index = (uint32_t)d->method->vtable_index;
            if (is_usable(d->code) && index < cls->vtable_length && cls->vt->methods[index] != d->target)
                return d->code;
        }
    return NULL;
}

// ---- the code of a method -----------------------------------------------------------------------

const Code *code_osr(const Method *m, int32_t bci) {
    const Code *c = __atomic_load_n(&m->osr_code, __ATOMIC_ACQUIRE);
    while (c && (c->osr_bci != bci || c->state != CODE_LIVE)) c = __atomic_load_n(&c->next_in_table, __ATOMIC_ACQUIRE);
    return c;
}

static void set_entry(Method *m, void *entry) {
    __atomic_store_n(&m->entry, entry, __ATOMIC_RELEASE);
    interp_set_entry(m);
    interp_hooks.update_template_entry(m);
}

static void retire(Code *code, int state) {
    ASSERT(code_find(code->start + 1) == code, "code %p is not registered", (void *)code);
    Method *m = code->method;
    if (!is_usable(code)) {
        if (state == CODE_INVALID) code->state = CODE_INVALID;
        return;
    }
    ASSERT(code_registry.stats.live > 0 && state != CODE_LIVE, "code %u of %u live ones goes to state %d", code->id,
           code_registry.stats.live, state);
    code->state = (uint8_t)state;
    code_registry.stats.live--;
    code_registry.stats.dead++;
    if (state == CODE_INVALID) code_registry.stats.invalidated++;
    drop_dependents(code);
    if (method_code(m) != code) return;
    __atomic_store_n(&m->compiled, NULL, __ATOMIC_RELEASE);
    set_entry(m, (void *)compiled_to_interpreter);
}

static bool tell(Thread *t, void *arg) {
    (void)arg;
    ASSERT(safepoint_stopped_by_me(), "thread %u is told while it may run", t->id);
    t->deopt_pending = 1;
    return true;
}

static bool other_loop_has_code(const Code *code) {
    const Code *c = code->method->osr_code;
    while (c && (c->osr_bci == code->osr_bci || c->state != CODE_LIVE)) c = c->next_in_table;
    return c;
}

// Makes the code that of its method, or of the method's loop, and retires the code that it replaces.
static void attach(Code *code) {
    Method *m = code->method;
    bool is_osr = code->osr_bci >= 0;
    Code *old = is_osr ? (Code *)code_osr(m, code->osr_bci) : method_code(m);
    if (is_osr) {
        code->next_in_table = m->osr_code;
        __atomic_store_n(&m->osr_code, code, __ATOMIC_RELEASE);
        int32_t left = other_loop_has_code(code) ? -1 : code_hooks.outer_backedges();
        __atomic_store_n(&m->outer_backedges, left, __ATOMIC_RELAXED);
    } else {
        __atomic_store_n(&m->compiled, code, __ATOMIC_RELEASE);
        set_entry(m, code->entry);
    }
    if (old) retire(old, CODE_REPLACED);
}

// Enters the code in the table and with the methods that it depends on. The caller holds the lock.
static void enter(Code *code) {
    const Table *old = code_registry.table;
    uint32_t n = old ? old->count : 0, at = 0;
    Table *t = new_table(n + 1);
    while (at < n && old->codes[at]->start < code->start) at++;
    if (n) memcpy(t->codes, old->codes, at * sizeof *t->codes);
    t->codes[at] = code;
    if (n) memcpy(t->codes + at + 1, old->codes + at, (n - at) * sizeof *t->codes);
    publish(t);
    for (uint32_t i = 0; i < code->dependency_count; i++) {
        Dependent *d = malloc(sizeof *d);
        if (!d) abort();
        Method *m = code->dependencies[i];
        *d = (Dependent){m->cls->dependents, m, compiler_unique_target(m), code};
        m->cls->dependents = d;
    }
}

bool code_install(Code *code, uint32_t generation, int state) {
    pthread_mutex_lock(&code_registry.lock);
    ASSERT(code->size > 0 && (char *)code->entry >= code->start && (char *)code->entry < code->start + code->size,
           "entry %p of code at %p, %zu bytes", code->entry, (void *)code->start, code->size);
    bool holds = generation == profile_generation() && !has_dead_owner(code);
    for (uint32_t i = 0; holds && i < code->dependency_count; i++)
        holds = compiler_unique_target(code->dependencies[i]);
    if (holds) {
        code->state = (uint8_t)state;
        code_registry.stats.live++;
        code_registry.stats.installed++;
        code_registry.stats.code_bytes += code->size;
        code_registry.stats.metadata_bytes += code->metadata_bytes;
        enter(code);
        if (state == CODE_LIVE) attach(code);
        const Table *t = code_registry.table;
        for (uint32_t i = 0; state == CODE_PREPARED && i < t->count; i++) {
            Code *old = t->codes[i];  // prepared earlier for the same method and loop
            if (old != code && old->state == CODE_PREPARED && old->method == code->method &&
                old->osr_bci == code->osr_bci)
                retire(old, CODE_REPLACED);
        }
    }
    pthread_mutex_unlock(&code_registry.lock);
    if (!holds) counters_give(code);
    return holds;
}

uint32_t code_enter_prepared(Thread *self) {
    uint32_t entered = 0;
    pthread_mutex_lock(&code_registry.lock);
    const Table *t = code_registry.table;
    for (uint32_t i = 0; t && i < t->count; i++)
        if (t->codes[i]->state != CODE_PREPARED) retire(t->codes[i], CODE_INVALID);
    for (uint32_t i = 0; t && i < t->count; i++) {
        if (t->codes[i]->state != CODE_PREPARED) continue;
        t->codes[i]->state = CODE_LIVE;
        attach(t->codes[i]);
        entered++;
    }
    pthread_mutex_unlock(&code_registry.lock);
    thread_each(self, tell, NULL);
    return entered;
}

// ---- invalidation -------------------------------------------------------------------------------

void code_invalidate(Thread *self, Code *code) {
    safepoint_stop(self, "deoptimisation");
    pthread_mutex_lock(&code_registry.lock);
    retire(code, CODE_INVALID);
    pthread_mutex_unlock(&code_registry.lock);
    thread_each(self, tell, NULL);
    safepoint_resume(self);
}

// Once vtable_final is set, no code that the class breaks is installed, because install checks the dependencies under
// the lock. The set of broken codes can therefore only shrink until the world is stopped. It is computed after the
// stop: before that, other threads may invalidate, sweep and release its members.
void code_class_linked(Thread *self, Class *cls) {
    if (class_is_interface(cls)) return;
    pthread_mutex_lock(&code_registry.lock);
    ASSERT(!cls->vtable_final, "class %s is linked twice", cls->name ? cls->name->text : "");
    __atomic_store_n(&cls->vtable_final, true, __ATOMIC_RELEASE);
    Code *code = find_broken(cls);
    pthread_mutex_unlock(&code_registry.lock);
    if (!code) return;
    safepoint_stop(self, "deoptimisation");
    pthread_mutex_lock(&code_registry.lock);
    while ((code = find_broken(cls))) retire(code, CODE_INVALID);
    pthread_mutex_unlock(&code_registry.lock);
    thread_each(self, tell, NULL);
    safepoint_resume(self);
}

void code_invalidate_all_stopped(Thread *self) {
    pthread_mutex_lock(&code_registry.lock);
    const Table *t = code_registry.table;
    for (uint32_t i = 0; t && i < t->count; i++) retire(t->codes[i], CODE_INVALID);
    pthread_mutex_unlock(&code_registry.lock);
    thread_each(self, tell, NULL);
}

void code_invalidate_all(Thread *self) {
    safepoint_stop(self, "deoptimisation");
    code_invalidate_all_stopped(self);
    safepoint_resume(self);
}

// ---- freeing ------------------------------------------------------------------------------------

void code_each_frame(Thread *t, void (*fn)(void *arg, const Code *code, const char *return_pc), void *arg) {
    for (const Frame *f = t->frame; f; f = f->prev) {
        if (f->kind != FRAME_COMPILED || !f->native) continue;
        char **slot = (char **)f->native;
        ArchFrame *frame = (ArchFrame *)f->pc;
        for (const Code *c; (c = code_find(thread_return_pc(t, slot))) != NULL; frame = frame->caller) {
            fn(arg, c, thread_return_pc(t, slot));
            slot = &frame->return_pc;
        }
    }
}

void code_each(bool lock, void (*fn)(void *arg, const Code *code), void *arg) {
    if (lock) pthread_mutex_lock(&code_registry.lock);
    const Table *t = atomic_load_explicit(&code_registry.table, memory_order_acquire);
    for (uint32_t i = 0; t && i < t->count; i++) fn(arg, t->codes[i]);
    if (lock) pthread_mutex_unlock(&code_registry.lock);
}

static void mark(void *arg, const Code *code, const char *return_pc) {
    (void)arg, (void)return_pc;
    ((Code *)code)->on_stack = true;
}

static void unlink_osr(Code *code) {
    if (code->osr_bci < 0) return;
    Code **at = &code->method->osr_code;
    while (*at && *at != code) at = &(*at)->next_in_table;
    if (*at) *at = code->next_in_table;
}

static void count_released(Code *c) {
    free(c->liveness);
    c->liveness = NULL;
    code_registry.stats.dead--;
    code_registry.stats.released++;
    code_registry.stats.code_bytes -= c->size;
    code_registry.stats.metadata_bytes -= c->metadata_bytes;
}

// Moves dead code that is on no stack to a list, and all other code to a new table.
static Code *split(void) {
    const Table *old = code_registry.table;
    Table *t = new_table(old->count);
    Code *dead = NULL;
    uint32_t n = 0;
    for (uint32_t i = 0; i < old->count; i++) {
        Code *c = old->codes[i];
        ASSERT(c->state != CODE_LIVE || c->osr_bci >= 0 || method_code(c->method) == c,
               "live code %u is not its method's", c->id);
        if (is_usable(c) || c->on_stack) {
            c->on_stack = false;
            t->codes[n++] = c;
            continue;
        }
        unlink_osr(c);
        counters_retire(c);
        counters_give(c);
        c->next_in_table = dead;
        dead = c;
        ASSERT(method_code(c->method) != c, "dead code %u is its method's", c->id);
        count_released(c);
    }
    t->count = n;
    publish(t);
    return dead;
}

void code_keep(bool keep) { atomic_store(&code_registry.kept, keep); }
bool code_is_kept(void) { return atomic_load(&code_registry.kept); }

uint64_t code_old_table_bytes(void) { return code_registry.old_table_bytes; }

static bool has_inlined(const Code *c, const CodeInlined *inlined) {
    return c->inlined && inlined >= c->inlined && inlined < c->inlined + c->inlined_count;
}

// Activations that have left removed code continue without its inlining tree: each method that they call makes checks.
static void forget_in_frames(const Code *removed) {
    for (const Thread *t = threads.first; removed && t; t = t->next)
        for (Frame *f = t->frame; f; f = f->prev)
            for (const Code *c = removed; f->kind == FRAME_INTERP && f->inlined && c; c = c->next_in_table)
                if (has_inlined(c, f->inlined)) f->inlined = NULL;
}

Code *code_sweep(void) {
    Code *dead = NULL;
    safepoint_stop(NULL, "code sweep");
    pthread_mutex_lock(&code_registry.lock);
    if (code_registry.table && !atomic_load(&code_registry.kept)) {
        for (Thread *t = threads.first; t; t = t->next) code_each_frame(t, mark, NULL);
        dead = split();
        for (Code *c; (c = code_registry.orphans) != NULL;) {
            code_registry.orphans = c->next_in_table;
            count_released(c);
            c->next_in_table = dead;
            dead = c;
        }
        forget_in_frames(dead);
    }
    Table *t = code_registry.table;
    while (t && t->older) {  // no thread reads an older table
        Table *old = t->older;
        t->older = old->older;
        free(old);
    }
    code_registry.old_table_bytes = 0;
    pthread_mutex_unlock(&code_registry.lock);
    safepoint_resume(NULL);
    return dead;
}

// ---- unloading ----------------------------------------------------------------------------------

void code_addresses(uintptr_t *begin, uintptr_t *end) {
    const Table *t = code_registry.table;
    bool any = t && t->count;
    *begin = any ? (uintptr_t)t->codes[0]->start : 0;
    *end = any ? (uintptr_t)t->codes[t->count - 1]->start + t->codes[t->count - 1]->size + 1 : 0;
}

void code_each_owner(uintptr_t return_pc, void (*fn)(Metaspace *space)) {
    const Code *c = code_find((const char *)return_pc);
    for (uint32_t i = 0; c && i < c->owner_count; i++) fn(c->owners[i]);
}

// No thread executes or can enter such code: a stack that contained it would have kept its owners alive. Only its
// memory remains, and a compile thread releases that.
void code_forget_dead(void) {
    pthread_mutex_lock(&code_registry.lock);
    const Table *old = code_registry.table;
    Table *t = old ? new_table(old->count) : NULL;
    if (t) t->count = 0;
    for (uint32_t i = 0; t && i < old->count; i++) {
        Code *c = old->codes[i];
        if (!has_dead_owner(c)) {
            t->codes[t->count++] = c;
            continue;
        }
        retire(c, CODE_INVALID);
        unlink_osr(c);
        counters_retire(c);
        counters_give(c);
        c->next_in_table = code_registry.orphans;
        code_registry.orphans = c;
    }
    if (t) publish(t);
    pthread_mutex_unlock(&code_registry.lock);
}

void code_free_dependents(Class *cls) {
    pthread_mutex_lock(&code_registry.lock);
    while (cls->dependents) {
        Dependent *d = cls->dependents;
        cls->dependents = d->next;
        free(d);
    }
    pthread_mutex_unlock(&code_registry.lock);
}

// ---- bounds -------------------------------------------------------------------------------------

uint32_t code_dead_count(void) {
    pthread_mutex_lock(&code_registry.lock);
    uint32_t n = code_registry.stats.dead;
    pthread_mutex_unlock(&code_registry.lock);
    return n;
}

void code_evict(size_t bytes) {
    size_t freed = 0;
    pthread_mutex_lock(&code_registry.lock);
    while (freed < bytes) {
        // The oldest code is evicted first: what is hot will be compiled again.
        Code *oldest = NULL;
        for (uint32_t i = 0; code_registry.table && i < code_registry.table->count; i++) {
            Code *c = code_registry.table->codes[i];
            if (is_usable(c) && (!oldest || c->id < oldest->id)) oldest = c;
        }
        if (!oldest) break;
        freed += oldest->size + oldest->metadata_bytes;
        retire(oldest, CODE_REPLACED);
    }
    pthread_mutex_unlock(&code_registry.lock);
}

void code_stats(CodeStats *out) {
    pthread_mutex_lock(&code_registry.lock);
    *out = code_registry.stats;
    pthread_mutex_unlock(&code_registry.lock);
}

void code_print_list(FILE *out) {
    static const char *const states[] = {"", " replaced", " invalid", " for shadows"};
    pthread_mutex_lock(&code_registry.lock);
    for (uint32_t i = 0; code_registry.table && i < code_registry.table->count; i++) {
        const Code *c = code_registry.table->codes[i];
        const Method *m = c->method;
        char at[32] = "";
        if (c->osr_bci >= 0) snprintf(at, sizeof at, " @ %d", c->osr_bci);
        fprintf(out, "%5u 2 %s.%s%s%s %zu bytes at %p%s\n", c->id, class_external_name(m->cls), m->name->text,
                m->desc->text, at, c->size, (void *)c->start, states[c->state]);
    }
    pthread_mutex_unlock(&code_registry.lock);
}

// ---- a fork (vm/boot/subsystems.def) ------------------------------------------------

void code_before_fork(void) { pthread_mutex_lock(&code_registry.lock); }
void code_after_fork(void) { pthread_mutex_unlock(&code_registry.lock); }
