// See vm/boot/unload.h. Everything runs on the collector's thread.
#include "vm/boot/unload.h"

#include <stdint.h>

#include "vm/adaptive/compilequeue.h"
#include "vm/adaptive/methodcounts.h"
#include "vm/base/log.h"
#include "vm/code/code.h"
#include "vm/instrument/unloaded.h"
#include "vm/interp/flowcounts.h"
#include "vm/interp/quicken.h"
#include "vm/linking/interfacecall.h"
#include "vm/loading/loader.h"
#include "vm/loading/metaspace.h"
#include "vm/loading/module.h"
#include "vm/model/frame.h"
#include "vm/natives/methodhandle.h"
#include "vm/objects/classes.h"
#include "vm/template/template.h"

static struct Unloading {
    bool stacks;  // stacks must be scanned
    uintptr_t code_begin, code_end;
    Metaspace *found;    // died in this collection
    Metaspace *waiting;  // died in an earlier collection
} unloading;

// ---- roots -----------------------------------------------------------------------------------

static void reach(Metaspace *space) { space->reached = true; }

void unload_roots_begin(void) {
    unloading.stacks = metaspace_roots_begin();
    if (unloading.stacks) code_addresses(&unloading.code_begin, &unloading.code_end);
}

__attribute__((no_sanitize("address"))) void unload_roots_stack(const void *begin, const void *end) {
    if (!unloading.stacks) return;
    for (const uintptr_t *word = begin; word < (const uintptr_t *)end; word++) {
        if (*word - unloading.code_begin < unloading.code_end - unloading.code_begin) code_each_owner(*word, reach);
        else metaspace_roots_address(*word);
    }
}

void unload_roots_frames(const Frame *top) {
    for (const Frame *f = unloading.stacks ? top : NULL; f; f = f->prev)
        if (f->method) reach(f->method->cls->space);
}

void unload_roots_end(void) {
    if (unloading.stacks) metaspace_roots_end();
}

// ---- dropping references ---------------------------------------------------------------------

void unload_find_dead(void) { unloading.found = metaspace_take_dead(); }

static void forget_dead_receivers(void *arg, Class *c) {
    (void)arg;
    quicken_forget_dead(c);
}

static void forget_found(void) {
    // Counts are merged by ids, which dead classes, methods and fields lose.
    code_forget_dead();
    for (Metaspace *s = unloading.found; s; s = s->next_dead)
        for (Class *c = atomic_load(&s->classes); c; c = c->next_in_space) {
            flow_forget_class(c);
            for (uint32_t i = 0; i < c->method_count; i++) template_forget_method(&c->methods[i]);
        }
    uint32_t classes = 0;
    for (Metaspace *s = unloading.found; s; s = s->next_dead)
        for (Class *c = atomic_load(&s->classes); c; c = c->next_in_space) {
            if (log_is(LOG_CLASS_UNLOAD, LOG_INFO) && !class_is_array(c))
                log_write(LOG_CLASS_UNLOAD, LOG_INFO, "unloading class %s %p", class_external_name(c), (void *)c);
            unloaded_add(c);
            classes += !class_is_array(c);
        }
    loader_forget_dead(classes);
    compilequeue_forget_dead();
    methodcounts_forget_dead(compilequeue_begun());
    loader_each_class(forget_dead_receivers, NULL);
    interfacecall_forget_dead();
    mh_forget_dead();
    module_forget_dead();
    uint64_t begun = compilequeue_begun();
    for (Metaspace *s = unloading.found, *next; s; s = next) {
        next = s->next_dead;
        s->died = begun;
        s->next_dead = unloading.waiting;
        unloading.waiting = s;
    }
}

// ---- freeing ---------------------------------------------------------------------------------

static void forget_dead_relatives(void *arg, Class *c) {
    (void)arg;
    class_forget_dead(c);
}

static void free_all(Metaspace *list) {
    for (Metaspace *s = list, *next; s; s = next) {
        next = s->next_dead;
        Loader *l = s == &s->loader->space ? s->loader : NULL;
        for (Class *c = atomic_load(&s->classes); c; c = c->next_in_space) {
            code_free_dependents(c);
            if (c->file) classfile_free((ClassFile *)(uintptr_t)c->file);
        }
        if (l) module_free_all(l);
        metaspace_free(s);
        if (l) loader_free(l);
    }
}

// A hidden class's space is freed before its loader's, which it refers to.
static void free_waiting(void) {
    Metaspace *hidden = NULL, *loaders = NULL, **at = &unloading.waiting;
    while (*at) {
        Metaspace *s = *at;
        if (!compilequeue_finished(s->died)) {
            at = &s->next_dead;
            continue;
        }
        *at = s->next_dead;
        Metaspace **list = s == &s->loader->space ? &loaders : &hidden;
        s->freed = true;
        s->next_dead = *list;
        *list = s;
    }
    if (!hidden && !loaders) return;
    loader_each_class(forget_dead_relatives, NULL);
    stablename_forget_freed();
    free_all(hidden);
    free_all(loaders);
}

void unload_dead(void) {
    if (unloading.waiting) free_waiting();
    if (unloading.found) forget_found();
    unloading.found = NULL;
}
