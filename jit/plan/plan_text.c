// The text form of a plan: docs/FORMATS.md, "Plans". jit/replay/replay_file.c reads it.
//
//   plan osr=-1 METHOD
//   snapshot version=4 sampling=0 interval=1
//   body 0 METHOD
//   site 3 call_vtable index=7 method=METHOD unique=METHOD
//   calls 3 count=1200 METHOD
//   body 1 in=0 at=3 METHOD
//   depends METHOD
//
// Bodies are numbered in print order, callers before callees. All names are stable (vm/api/compiler.h) and contain no
// blanks. Values that a site's line omits are zero.
#include "jit/plan/plan_text.h"

#include "base/hash.h"

#include <inttypes.h>
#include <stdlib.h>

const char *const plan_site_names[PLAN_SITE_KINDS] = {
    [SITE_UNRESOLVED] = "unresolved",
    [SITE_FIELD] = "field",
    [SITE_STATIC] = "static",
    [SITE_CALL_DIRECT] = "call_direct",
    [SITE_CALL_VTABLE] = "call_vtable",
    [SITE_CALL_INTERFACE] = "call_interface",
    [SITE_CALL_LINKED] = "call_linked",
    [SITE_CALL_BASIC] = "call_basic",
    [SITE_CALL_LINK_TO] = "call_link_to",
    [SITE_OBJECT_INIT] = "object_init",
    [SITE_CLASS] = "class",
    [SITE_CONST_REF] = "const_ref",
    [SITE_CONST_PRIM] = "const_prim",
    [SITE_NONE] = "none",
};

uint32_t plan_bytes_hash(const Method *m) {
    const ClassFileCode *code = m->info->code;
    uint32_t hash = hash_bytes(HASH_START, code->code, code->code_len);
    for (uint16_t i = 0; i < code->handler_count; i++) {
        const ClassFileHandler *h = &code->handlers[i];
        const uint16_t range[] = {(uint16_t)h->start_pc, (uint16_t)h->end_pc, (uint16_t)h->handler_pc};
        hash = hash_bytes(hash, range, sizeof range);
    }
    return hash;
}

// Prints and frees a stable name.
static void print_name(FILE *out, const char *key, char *name) {
    fprintf(out, " %s%s", key, name ? name : "?");
    free(name);
}

static void print_method(FILE *out, const char *key, const Method *m) {
    if (m) print_name(out, key, compiler_method_name(m));
}
static void print_class(FILE *out, const char *key, const Class *c) {
    if (c) print_name(out, key, compiler_class_name(c));
}

static void print_site(FILE *out, const PlanSite *ps) {
    const Site *site = &ps->site;
    fprintf(out, "site %u %s", ps->bci, plan_site_names[site->kind]);
    if (site->type) fprintf(out, " type=%c", site->type);
    if (site->initialized) fprintf(out, " initialized=1");
    if (site->index) fprintf(out, " index=%d", site->index);
    if (site->null_check) fprintf(out, " null_check=%u", site->null_check);
    if (site->slot) fprintf(out, " slot=1");
    if (site->bits) fprintf(out, " bits=%" PRId64, site->bits);
    if (site->field) print_name(out, "field=", compiler_field_name(site->field));
    print_class(out, "class=", site->cls);
    print_method(out, "method=", site->method);
    print_class(out, "receiver=", site->receiver);
    print_method(out, "target=", site->target);
    if (ps->call == CALL_UNIQUE) print_method(out, "unique=", ps->target);
    if (ps->call == CALL_GUARDED) fprintf(out, " guarded=1");
    if (ps->leaves) fprintf(out, " leaves=1");
    if (ps->call == CALL_CONSTANT) print_method(out, "constant=", ps->target);
    print_method(out, "member=", ps->member);
    print_class(out, "instance=", ps->instance);
    if (ps->targets) fprintf(out, " targets=%u", ps->targets);
    fputc('\n', out);
}

static void print_body(FILE *out, const Plan *plan, uint32_t caller, uint32_t which, uint32_t *number) {
    uint32_t own = (*number)++;
    fprintf(out, "body %u", own);
    if (plan->parent) fprintf(out, " in=%u at=%u", caller, plan->parent_bci);
    if (which) fprintf(out, " guard=%u", which);
    if (plan->parent && plan->events != plan->parent->events) fprintf(out, " events=%" PRIu64, plan->events);
    fprintf(out, " bytes=%08x", plan_bytes_hash(plan->method));
    print_method(out, "", plan->method);
    fputc('\n', out);
    for (uint32_t i = 0; i < plan->site_count; i++) print_site(out, &plan->sites[i]);
    for (uint32_t i = 0; i < plan->site_count; i++)
        for (uint32_t k = 0; k < plan->sites[i].more_count; k++) {
            fprintf(out, "guard %u", plan->sites[i].bci);
            print_class(out, "receiver=", plan->sites[i].more[k].receiver);
            print_method(out, "", plan->sites[i].more[k].target);
            fputc('\n', out);
        }
    for (uint32_t i = 0; plan->blocks && i < plan->flow->block_count; i++) {
        fprintf(out, "block %u count=%" PRIu64, i, plan->blocks[i]);
        if (plan->never[i]) fprintf(out, " never=%u", plan->never[i]);
        fputc('\n', out);
    }
    for (uint32_t i = 0; i < plan->calls_count; i++) {
        fprintf(out, "calls %u count=%" PRIu64, plan->calls[i].bci, plan->calls[i].count);
        print_method(out, "", plan->calls[i].callee);
        fputc('\n', out);
    }
    for (uint32_t i = 0; i < plan->receivers_count; i++) {
        fprintf(out, "receivers %u count=%" PRIu64, plan->receivers[i].bci, plan->receivers[i].count);
        print_class(out, "", plan->receivers[i].cls);
        fputc('\n', out);
    }
    for (uint32_t i = 0; i < plan->site_count; i++)
        for (uint32_t which = 0; which < PLAN_TARGETS; which++) {
            const Plan *inlined = plan_inlined(&plan->sites[i], which);
            if (inlined) print_body(out, inlined, own, which, number);
        }
}

void plan_print(const Plan *plan, FILE *out) {
    uint32_t number = 0;
    const CompilerSampling *s = &plan->sampling;
    fprintf(out, "plan osr=%d events=%" PRIu64, plan->osr_bci, plan->events);
    if (plan->counted) fprintf(out, " counted=%" PRIu64, plan->counted);
    fprintf(out, " sampling=%d dup=%u checks=%u%s stress=%d", s->on, s->dup, s->checks, s->exits ? " exits=1" : "",
            plan->stress);
    print_method(out, "", plan->method);
    fputc('\n', out);
    const PlanSnapshot *read = &plan->snapshot;
    if (read->version)
        fprintf(out, "snapshot version=%" PRIu64 " sampling=%u interval=%u calls=%" PRIu64 "\n", read->version,
                read->sampling, read->interval, read->calls);
    print_body(out, plan, 0, 0, &number);
    for (uint32_t i = 0; i < plan->dependency_count; i++) {
        fprintf(out, "depends");
        print_method(out, "", plan->dependencies[i]);
        fputc('\n', out);
    }
}
