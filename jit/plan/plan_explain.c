// Decisions of a plan as text: see explain.h. One line (wrapped here) for each invocation, indented by the depth of
// inlining:
//
//   @12 demo/Wide.run()V: 2700 calls; demo/Wide 70 %, demo/Narrow 30 %: guarded for demo/Wide; inlined (150 bytes,
//   1890 calls from here); otherwise: not inlined: too large
//
// "otherwise" is the decision for the same place without the counts. It is printed only if it differs.
#include "jit/plan/plan_explain.h"

#include <inttypes.h>
#include <stdlib.h>

#include "jit/plan/plan_counts.h"
#include "jit/plan/inlining.h"

static const char *const verdicts[] = {
#define VERDICT(id, text) text,
#include "jit/plan/verdicts.def"
};

static void put_method(FILE *out, const Method *m) {
    char *name = compiler_method_name(m);
    fputs(name ? name : "?", out);
    free(name);
}

static void put_class(FILE *out, const Class *c) {
    char *name = compiler_class_name(c);
    fputs(name ? name : "?", out);
    free(name);
}

static void put_share(FILE *out, uint64_t count, uint64_t total) {
    fprintf(out, " %.0f %%", 100 * (double)count / (double)total);
}

// The receivers' classes if they are known, else the called methods.
static void put_receivers(FILE *out, const Plan *plan, uint32_t bci, uint64_t total) {
    const char *before = "; ";
    bool classes = false;
    for (uint32_t i = 0; i < plan->receivers_count; i++) {
        if (plan->receivers[i].bci != bci) continue;
        fputs(before, out);
        put_class(out, plan->receivers[i].cls);
        put_share(out, plan->receivers[i].count, total);
        before = ", ", classes = true;
    }
    for (uint32_t i = 0; i < plan->calls_count && !classes; i++) {
        if (plan->calls[i].bci != bci) continue;
        fputs(before, out);
        put_method(out, plan->calls[i].callee);
        put_share(out, plan->calls[i].count, total);
        before = ", ";
    }
}

static void put_target(FILE *out, const Class *receiver, const Method *target) {
    if (!receiver) fputs("whoever runs ", out);
    if (receiver) put_class(out, receiver);
    else put_method(out, target);
}

static void put_guards(FILE *out, const PlanSite *ps) {
    if (ps->call != CALL_GUARDED) return;
    fputs("guarded for ", out);
    put_target(out, ps->receiver, ps->target);
    for (uint32_t i = 0; i < ps->more_count; i++) {
        fputs(i + 1 < ps->more_count ? ", " : " and ", out);
        put_target(out, ps->more[i].receiver, ps->more[i].target);
        fputs(ps->more[i].inlined ? " (inlined)" : " (called)", out);
    }
    fputs(ps->leaves ? ", left for any other; " : "; ", out);
}

static void explain_site(FILE *out, const Plan *plan, const PlanSite *ps) {
    uint64_t total = inlining_times_made(plan, ps->bci);
    fprintf(out, "%*s@%u ", (int)(2 * plan->depth + 2), "", ps->bci);
    put_method(out, ps->target ? ps->target : ps->site.method);
    fprintf(out, ": %" PRIu64 " calls", total);
    if (total) put_receivers(out, plan, ps->bci, total);
    fputs(": ", out);
    put_guards(out, ps);
    fputs(verdicts[ps->verdict], out);
    const Method *target = ps->target ? ps->target : ps->site.method;
    if (target->info && target->info->code && ps->verdict != INLINING_no_code) {
        uint32_t bytes = target->info->code->code_len;
        fprintf(out, " (%u bytes, ", bytes);
        if (ps->ran && ps->ran < bytes) fprintf(out, "%u of them where something has run, ", ps->ran);
        fprintf(out, "%.0f calls from here)", ps->heat < 0 ? 0 : ps->heat);
    }
    if (ps->shared > 0) fprintf(out, ", each with %.1f accesses to fields that its callers access", ps->shared);
    // Without counts, calls of interface methods are guarded too: the last receiver that the interpreter met is the
    // guess.
    bool guarded = ps->call == CALL_GUARDED && ps->site.kind == SITE_CALL_VTABLE;
    if (guarded || ps->verdict != ps->without)
        fprintf(out, "; otherwise: %s", guarded ? "not guarded, not inlined" : verdicts[ps->without]);
    fputc('\n', out);
}

static void explain_branches(FILE *out, const Plan *plan) {
    for (uint32_t b = 0; plan->never && b < plan->flow->block_count; b++)
        if (plan->never[b] == PLAN_NEVER_CASES)
            fprintf(out, "%*s@%u switch: %" PRIu64 " times, some cases never: left for them; otherwise: all cases\n",
                    (int)(2 * plan->depth + 2), "", dataflow_last(plan->flow, b), plan->blocks[b]);
        else if (plan->never[b])
            fprintf(out, "%*s@%u branch: %" PRIu64 " times, always %s: left for the other way; otherwise: both ways\n",
                    (int)(2 * plan->depth + 2), "", dataflow_last(plan->flow, b), plan->blocks[b],
                    plan->never[b] == 1 ? "falls through" : "taken");
}

static void explain_body(FILE *out, const Plan *plan) {
    explain_branches(out, plan);
    for (uint32_t i = 0; i < plan->site_count; i++) {
        const PlanSite *ps = &plan->sites[i];
        if (ps->site.method && ps->verdict != INLINING_undecided) explain_site(out, plan, ps);
        for (uint32_t which = 0; which < PLAN_TARGETS; which++)
            if (plan_inlined(ps, which)) explain_body(out, plan_inlined(ps, which));
    }
}

void explain_plan(const Plan *plan, const CompilerOptions *options) {
    char *text = NULL;
    size_t length;
    const Method *m = plan->method;
    if (options->explain_filter &&
        !pattern_any(options->explain_filter, m->cls->name->text, m->name->text, m->desc->text))
        return;
    FILE *out = open_memstream(&text, &length);
    if (!out) return;
    fputs("adaptive: ", out);
    put_method(out, m);
    if (plan->osr_bci >= 0) fprintf(out, " at its loop %d", plan->osr_bci);
    fprintf(out, ": %u bytes with what is inlined; ", plan->bytecodes);
    if (plan->blocks)
        fprintf(out, "entered %" PRIu64 " times, its hottest block %" PRIu64 " times\n", plan->blocks[0],
                plan->snapshot.calls);
    else fputs("nothing was counted of it\n", out);
    explain_body(out, plan);
    if (fclose(out) != 0 || length == 0) return;
    text[length - 1] = 0;
    compiler_log(text);
    free(text);
}
