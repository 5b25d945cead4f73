// Recording and replaying plans (replay.h).
//
// A record is usable if every name in it is found and every fact holds: a site resolves now as it did when recorded. A
// site that was unresolved then stays a deoptimisation point, even if it is resolved now; a class that was
// uninitialised then keeps its barrier. Conversely, a record waits for facts that do not hold yet: the program will get
// there, since it did before.
//
// Records of one loop, or of a method's entry, are used in the file's order. Code that was made again had been lost in
// between, so a further record waits until the method has no code in this run either, unless it says that it replaced
// code.
#include "jit/replay/replay.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/buildid.h"
#include "jit/plan/plan_constants.h"
#include "jit/plan/plan_internal.h"
#include "jit/replay/replay_file.h"
#include "vm/api/advice.h"

// The records of a method. Found by the method's address after the first request.
typedef struct Known {
    struct Known *next;
    const Method *method;
    ReplayRecord **records;
    uint32_t count, room, used;  // records[used...] are not compiled yet
} Known;

enum { BUCKETS = 4096 };
static struct Replay {
    pthread_mutex_t lock;
    FILE *out;
    uint32_t written;
    bool active;
    ReplayRecord *records;
    Known *known[BUCKETS];
    Known **by_name;  // sorted by name
    uint32_t name_count, name_room;
    char error[512];
} replay = {.lock = PTHREAD_MUTEX_INITIALIZER};

// ---- start and end ------------------------------------------------------------------------------------

static int by_method_then_line(const void *a, const void *b) {
    const ReplayRecord *x = *(ReplayRecord *const *)a, *y = *(ReplayRecord *const *)b;
    int order = strcmp(x->method, y->method);
    return order ? order : (x->line > y->line) - (x->line < y->line);
}

// One Known for each method name.
static void index_records(void) {
    ReplayRecord **all = NULL;
    uint32_t count = 0, room = 0;
    for (ReplayRecord *r = replay.records; r; r = r->next) {
        all = plan_grow(all, &room, count, sizeof *all);
        all[count++] = r;
    }
    if (count) qsort(all, count, sizeof *all, by_method_then_line);
    for (uint32_t i = 0; i < count; i++) {
        if (i == 0 || strcmp(all[i]->method, all[i - 1]->method) != 0) {
            replay.by_name = plan_grow(replay.by_name, &replay.name_room, replay.name_count, sizeof *replay.by_name);
            replay.by_name[replay.name_count++] = plan_alloc(sizeof(Known));
        }
        Known *k = replay.by_name[replay.name_count - 1];
        k->records = plan_grow(k->records, &k->room, k->count, sizeof *k->records);
        k->records[k->count++] = all[i];
    }
    free(all);
}

bool replay_start(const CompilerOptions *options, const char **error) {
    *error = replay.error;
    if (options->replay_file) {
        if (!replay_read(options->replay_file, &replay.records, replay.error, sizeof replay.error)) return false;
        index_records();
        replay.active = true;
    }
    if (options->replay_record) {
        replay.out = fopen(options->replay_record, "we");
        if (!replay.out) {
            snprintf(replay.error, sizeof replay.error, "%s: %s", options->replay_record, strerror(errno));
            return false;
        }
        fprintf(replay.out, "%s\n", ADVICE_HEADER);
        BuildId compiler = buildid_of(&replay);
        advice_print_vm(replay.out, compiler.digits);
        advice_print_layouts(replay.out);
    }
    return true;
}

// Logs that the record is not used, with its method and the reason, and marks it as done.
static void refuse_changed(ReplayRecord *r) {
    char text[1024];
    snprintf(text, sizeof text, "cabernet: -Xreplay: line %u: the plan of %s is not used: %s %s", r->line, r->method,
             r->changed, r->gone ? "is not there now" : "has other bytecode than then");
    compiler_log(text);
    r->done = true;
}

// Logs the plans of methods that do not exist, which are never requested.
static void name_missing(void) {
    for (uint32_t i = 0; i < replay.name_count; i++)
        for (uint32_t k = 0;
             k < replay.by_name[i]->count && compiler_lacks_method(replay.by_name[i]->records[k]->method); k++) {
            ReplayRecord *r = replay.by_name[i]->records[k];
            if (r->done) continue;
            r->changed = r->method;
            r->gone = true;
            refuse_changed(r);
        }
}

void replay_finish(void) {
    pthread_mutex_lock(&replay.lock);
    name_missing();
    if (replay.out && fclose(replay.out) != 0) compiler_log("cabernet: the file of plans could not be written");
    replay.out = NULL;
    pthread_mutex_unlock(&replay.lock);
}

bool replay_active(void) { return replay.active; }

void replay_compiled(const Plan *plan, const CompileTask *task, const Code *code) {
    pthread_mutex_lock(&replay.lock);
    if (replay.out) {
        plan_print(plan, replay.out);
        fprintf(replay.out, "code id=%u hotness=%u hash=%016" PRIx64 "%s\n", replay.written++, task->hotness,
                code->hash, task->replaces ? " replaces=1" : "");
        fflush(replay.out);
    }
    pthread_mutex_unlock(&replay.lock);
}

// ---- facts ----------------------------------------------------------------------------------------------

// False: the name is not found (yet).
static bool find_method(const char *name, Method **out) {
    *out = name ? compiler_find_method(name) : NULL;
    return !name || *out;
}
static bool find_class(const char *name, Class **out) {
    *out = name ? compiler_find_class(name) : NULL;
    return !name || *out;
}

// The method that a call names, before the receiver selects one; for a known MemberName, its method.
static Method *named_method(const PlanSite *ps) { return ps->member ? ps->member : ps->site.method; }

// A guarded call's target must be one that a receiver can select.
static bool is_possible_target(const Site *site, const Method *target, const Class *receiver) {
    if (site->kind == SITE_CALL_VTABLE) return plan_is_override(target, site->method);
    return compiler_is_subtype(receiver, target->cls) && target->name == site->method->name &&
        target->desc == site->method->desc && !method_is_abstract(target) && !method_is_static(target) && receiver->vt;
}

static bool find_guards(const ReplaySite *s, PlanSite *ps) {
    if (!is_possible_target(&ps->site, ps->site.target, ps->site.receiver)) return false;
    ps->call = CALL_GUARDED;
    ps->target = ps->site.target;
    ps->receiver = ps->site.receiver;
    ps->leaves = s->leaves;
    for (uint32_t i = 0; i < s->more_count; i++) {
        PlanGuard *guard = &ps->more[ps->more_count++];
        if (!find_method(s->more[i].target, &guard->target) || !find_class(s->more[i].receiver, &guard->receiver) ||
            !is_possible_target(&ps->site, guard->target, guard->receiver))
            return false;
    }
    return true;
}

// False: the names are not found, or the site does not resolve to the same now. Receivers may differ.
static bool find_site(const ReplaySite *s, Method *m, PlanSite *ps) {
    Site now;
    *ps = (PlanSite){.bci = s->bci, .site = {.kind = SITE_UNRESOLVED}};
    if (!compiler_site(m, s->bci, &now) || now.kind == SITE_NONE) return false;
    if (s->kind == SITE_UNRESOLVED) return true;
    Site *was = &ps->site;
    *was = (Site){.kind = s->kind,
                  .type = s->type,
                  .null_check = s->null_check,
                  .initialized = s->initialized,
                  .index = s->index,
                  .bits = s->bits,
                  .field = s->field ? compiler_find_field(s->field) : NULL};
    if ((s->field && !was->field) || !find_class(s->cls, &was->cls) || !find_method(s->method, &was->method) ||
        !find_class(s->receiver, &was->receiver) || !find_method(s->target, &was->target))
        return false;
    bool same = was->kind == now.kind && was->type == now.type && was->null_check == now.null_check &&
        was->index == now.index && was->bits == now.bits && was->field == now.field && was->cls == now.cls &&
        was->method == now.method && s->slot == (now.slot != NULL) && (!was->initialized || now.initialized);
    if (!same) return false;
    was->slot = now.slot;
    ps->targets = s->targets;
    return !s->guarded || find_guards(s, ps);
}

// Whether the recorded constants hold. The walk has found at least those in the record.
static bool find_constants(const ReplaySite *s, PlanSite *ps) {
    Method *constant;
    if (!find_method(s->member, &ps->member) || !find_method(s->constant, &constant) ||
        !find_class(s->instance, &ps->instance) || (ps->instance && ps->instance != ps->found.instance))
        return false;
    if ((ps->member && ps->member != ps->found.method) || (constant && constant != ps->found.method)) return false;
    if (constant) {
        ps->call = CALL_CONSTANT;
        ps->target = constant;
    } else if (s->unique) {
        if (!find_method(s->unique, &ps->target)) return false;
        ps->call = CALL_UNIQUE;
        return compiler_unique_target(named_method(ps)) == ps->target;
    }
    return true;
}

// ---- plans ----------------------------------------------------------------------------------------------

static bool fill_sites(Plan *plan, const ReplayBody *body, uint64_t epoch) {
    plan->sites = plan_alloc(body->site_count * sizeof *plan->sites);
    for (uint32_t i = 0; i < body->site_count; i++) {
        if (!find_site(&body->sites[i], plan->method, &plan->sites[i])) return false;
        plan->site_count++;
    }
    constants_find(plan, epoch);
    for (uint32_t i = 0; i < body->site_count; i++)
        if (!find_constants(&body->sites[i], &plan->sites[i])) return false;
    return true;
}

// Fills in the recorded profile data, so a replay has the same facts without a profile.
static bool fill_calls(Plan *plan, const ReplayBody *body) {
    if (body->block_count && body->block_count != plan->flow->block_count) return false;
    if (body->block_count) {
        plan->blocks = plan_alloc(body->block_count * sizeof *plan->blocks);
        plan->never = plan_alloc(body->block_count);
        memcpy(plan->blocks, body->blocks, body->block_count * sizeof *plan->blocks);
        memcpy(plan->never, body->never, body->block_count);
    }
    plan->calls = plan_alloc(body->calls.count * sizeof *plan->calls);
    for (const ReplayCalls *c = body->calls.rows; c < body->calls.rows + body->calls.count; c++) {
        PlanCalls *calls = &plan->calls[plan->calls_count];
        *calls = (PlanCalls){.bci = c->bci, .count = c->count};
        if (!find_method(c->name, &calls->callee)) return false;
        plan->calls_count++;
    }
    plan->receivers = plan_alloc(body->receivers.count * sizeof *plan->receivers);
    for (const ReplayCalls *c = body->receivers.rows; c < body->receivers.rows + body->receivers.count; c++) {
        PlanReceivers *receivers = &plan->receivers[plan->receivers_count];
        *receivers = (PlanReceivers){.bci = c->bci, .count = c->count};
        if (!find_class(c->name, &receivers->cls)) return false;
        plan->receivers_count++;
    }
    return true;
}

// Adds body `index` to its caller's plan.
static Plan *add_body(const ReplayRecord *r, uint32_t index, Plan **plans, PlanBailout *why) {
    const ReplayBody *body = &r->bodies[index];
    Plan *caller = plans[body->in];
    PlanSite *ps = (PlanSite *)(uintptr_t)plan_site(caller, body->at);
    Method *m;
    if (!ps || plan_inlined(ps, body->guard) || !find_method(body->method, &m) || !m ||
        (body->guard ? ps->more[body->guard - 1].target : plan_callee(ps)) != m ||
        (method_is_static(m) && !class_is_initialized(m->cls)))
        return NULL;
    Plan *plan = plan_new(m, caller, body->at, why);
    if (!plan) return NULL;
    if (body->guard) return ps->more[body->guard - 1].inlined = plan;
    plan->args = ps->args;
    plan->arg_count = ps->arg_count;
    return ps->inlined = plan;
}

static bool find_dependencies(Plan *root, const ReplayRecord *r) {
    root->dependencies = plan_alloc(r->depend_count * sizeof *root->dependencies);
    for (uint32_t i = 0; i < r->depend_count; i++) {
        Method *m;
        if (!find_method(r->depends[i], &m) || !compiler_unique_target(m)) return false;
        root->dependencies[root->dependency_count++] = m;
    }
    return true;
}

// Whether each call of a method that may be overridden is covered by a dependency.
static bool is_covered(const Plan *root, const Plan *plan) {
    for (uint32_t i = 0; i < plan->site_count; i++) {
        const PlanSite *ps = &plan->sites[i];
        uint32_t d = 0;
        if (ps->call != CALL_UNIQUE) continue;
        while (d < root->dependency_count && root->dependencies[d] != named_method(ps)) d++;
        if (d == root->dependency_count) return false;
    }
    return true;
}

static bool fill_body(Plan *root, ReplayRecord *r, uint32_t i, Plan **plans, uint64_t epoch, PlanBailout *why) {
    const ReplayBody *body = &r->bodies[i];
    Method *m;
    // The VM implements intrinsics itself, so they are never inlined.
    if (i > 0 && find_method(body->method, &m) && m && compiler_intrinsic(m) != COMPILER_NO_INTRINSIC) return false;
    Plan *plan = plans[i] = i == 0 ? root : add_body(r, i, plans, why);
    if (!plan) return false;
    if (plan_bytes_hash(plan->method) != body->bytes) {
        // The record is of another version of the program, and will never hold. Hidden classes are an exception,
        // because they may have been made in another order.
        if (!(plan->method->cls->cflags & CF_HIDDEN)) r->changed = body->method;
        return false;
    }
    if (!fill_sites(plan, body, epoch) || !fill_calls(plan, body) || !is_covered(root, plan)) return false;
    if (i > 0) root->bytecodes += plan->code->code_len;
    return true;
}

// The first method in the record that its class lacks now; NULL: none.
static const char *missing_method(const ReplayRecord *r) {
    for (const ReplayBody *body = r->bodies; body < r->bodies + r->body_count; body++) {
        if (compiler_lacks_method(body->method)) return body->method;
        for (const ReplaySite *s = body->sites; s < body->sites + body->site_count; s++) {
            const char *const names[] = {s->method, s->target, s->unique, s->constant, s->member};
            for (size_t i = 0; i < sizeof names / sizeof *names; i++)
                if (names[i] && compiler_lacks_method(names[i])) return names[i];
        }
    }
    return NULL;
}

// Makes the record's plan; NULL while its facts do not hold.
static Plan *build(ReplayRecord *r, const CompileTask *task, PlanBailout *why) {
    Plan *root = plan_root(task, why);
    if (!root) return NULL;
    root->snapshot = r->snapshot;
    if (root->events == r->events) root->counted &= r->counted;
    Plan **plans = plan_alloc(r->body_count * sizeof *plans);
    bool good = find_dependencies(root, r);
    uint64_t epoch = compiler_epoch();
    for (uint32_t i = 0; good && i < r->body_count; i++) good = fill_body(root, r, i, plans, epoch, why);
    free(plans);
    if (good) return root;
    plan_free(root);
    if (!r->changed && (r->changed = missing_method(r))) r->gone = true;
    if (why->bailout == 0) plan_bail_out(why, BAILOUT_facts_changed, NULL);
    return NULL;
}

// ---- choosing a record ----------------------------------------------------------------------------------

static Known *find_by_name(const char *name) {
    uint32_t low = 0, high = replay.name_count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        int order = strcmp(name, replay.by_name[middle]->records[0]->method);
        if (order == 0) return replay.by_name[middle];
        if (order < 0) high = middle;
        else low = middle + 1;
    }
    return NULL;
}

// The records of a method; count 0 if there are none. Requires the lock.
static Known *records_of(const Method *m) {
    Known **bucket = &replay.known[((uintptr_t)m >> 4) * 2654435761u % BUCKETS], *k;
    for (k = *bucket; k; k = k->next)
        if (k->method == m) return k;
    char *name = compiler_method_name(m);
    k = find_by_name(name);
    if (!k || k->method) k = plan_alloc(sizeof *k);
    free(name);
    k->method = m;
    k->next = *bucket;
    return *bucket = k;
}

static CompileTask task_of(const ReplayRecord *r, Method *m) {
    return (CompileTask){
        .method = m, .osr_bci = r->osr_bci, .deopt_stress = r->stress, .hotness = r->hotness, .replaces = r->replaces};
}

// Requires the lock. The first record of that loop, or of the method's entry, that is not compiled yet.
static ReplayRecord *next_of(const Known *k, int32_t osr_bci) {
    for (uint32_t i = k->used; i < k->count; i++)
        if (!k->records[i]->done && k->records[i]->osr_bci == osr_bci) return k->records[i];
    return NULL;
}

// Requires the lock. The first record to compile now, or NULL. A record of another loop may still be waiting for the
// method to get hot: in the recorded run, samples may have contributed to that. Rejects records that can never hold.
static ReplayRecord *next_holding(const Known *k, Method *m, uint32_t hotness) {
    for (uint32_t i = k->used; i < k->count; i++) {
        ReplayRecord *r = k->records[i];
        if (r != next_of(k, r->osr_bci)) continue;
        bool is_due = compiler_has_code(m, r->osr_bci) ? r->replaces : hotness >= r->hotness;
        if (!is_due) continue;
        PlanBailout why = {0};
        CompileTask task = task_of(r, m);
        Plan *plan = build(r, &task, &why);
        plan_free(plan);
        if (plan) return r;
        if (r->changed) refuse_changed(r);
    }
    return NULL;
}

int replay_ready(Method *m, uint32_t hotness, CompileTask *task) {
    pthread_mutex_lock(&replay.lock);
    Known *k = records_of(m);
    const ReplayRecord *r = next_holding(k, m, hotness);
    if (r) *task = task_of(r, m);
    while (k->used < k->count && k->records[k->used]->done) k->used++;
    int answer = r ? 1 : k->used < k->count ? 2 : 0;
    pthread_mutex_unlock(&replay.lock);
    return answer;
}

bool replay_next(uint32_t *at, CompileTask *task) {
    ReplayRecord *r = NULL;
    pthread_mutex_lock(&replay.lock);
    for (; *at < replay.name_count; (*at)++) {
        Known *k = replay.by_name[*at];
        Method *m = compiler_find_method(k->records[0]->method);
        r = m ? next_holding(records_of(m), m, UINT32_MAX) : NULL;
        if (r) {
            *task = task_of(r, m);
            break;
        }
    }
    pthread_mutex_unlock(&replay.lock);
    return r;
}

void replay_methods(void (*fn)(void *arg, const char *method), void *arg) {
    for (uint32_t i = 0; i < replay.name_count; i++) fn(arg, replay.by_name[i]->records[0]->method);
}

Plan *replay_plan(const CompileTask *task, PlanBailout *why) {
    Plan *plan = NULL;
    pthread_mutex_lock(&replay.lock);
    ReplayRecord *r = next_of(records_of(task->method), task->osr_bci);
    if (!r) {
        plan_bail_out(why, BAILOUT_not_in_plan, NULL);
    } else {
        plan = build(r, task, why);
        r->done = plan != NULL;
    }
    pthread_mutex_unlock(&replay.lock);
    return plan;
}

// The records stay, but their methods are forgotten, because another method may get the address.
void replay_forget_dead(bool (*dead)(const Method *m)) {
    pthread_mutex_lock(&replay.lock);
    for (uint32_t i = 0; i < BUCKETS; i++)
        for (Known **at = &replay.known[i]; *at;) {
            Known *k = *at;
            if (dead(k->method)) *at = k->next;
            else at = &k->next;
        }
    pthread_mutex_unlock(&replay.lock);
}
