// Native methods in a shadow (vm/shadow/natives.def).
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

#include "vm/instrument/profile.h"
#include "vm/model/vm.h"
#include "vm/shadow/shadow_internal.h"

enum Way { ENDS, UNSAFE };

static const struct Row {
    const char *class_name, *method;
    enum Way way;
} rows[] = {
#define NATIVE(class_name, method, way) {class_name, method, way},
#include "vm/shadow/natives.def"
};

static const struct Row *row_of(const Method *m) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].method, m->name->text) == 0 && strcmp(rows[i].class_name, m->cls->name->text) == 0) return &rows[i];
    return NULL;
}

// Whether the function belongs to this library or to the JDK. Does not use dladdr, because another thread may have held
// its lock at the fork.
static bool is_of_the_system(const void *fn) {
    extern const char __ehdr_start[] __attribute__((visibility("hidden")));
    struct dl_find_object o;
    size_t home = vm.java_home ? strlen(vm.java_home) : 0;
    if (_dl_find_object((void *)fn, &o) != 0) return false;
    bool own = (uintptr_t)__ehdr_start >= (uintptr_t)o.dlfo_map_start && (uintptr_t)__ehdr_start < (uintptr_t)o.dlfo_map_end;
    return own || (home && strncmp(o.dlfo_link_map->l_name, vm.java_home, home) == 0);
}

static bool is_listed(const Method *m) {
    return profile_shadow_sink()->native(m->cls->name->text, m->name->text, m->desc->text);
}

static _Noreturn void unsafe(const Method *m) {
    char what[160];
    snprintf(what, sizeof what, "%s.%s", m->cls->name->text, m->name->text);
    shadow_end(SHADOW_NATIVE, 0, what);
}

void shadow_check_native(const Method *m, const void *fn) {
    const struct Row *row = row_of(m);
    if (row && row->way == ENDS) shadow_program_ends();
    if (row || (!is_of_the_system(fn) && !is_listed(m))) unsafe(m);
}
