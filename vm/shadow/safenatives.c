// Native methods in a shadow (vm/shadow/safenatives.def).
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
#include "vm/shadow/safenatives.def"
};

// Whether the function belongs to this library or to the JDK. Does not use dladdr, because another thread may have held
// its lock at the fork.
static bool is_of_the_system(const void *fn) {
    extern const char __ehdr_start[] __attribute__((visibility("hidden")));
    struct dl_find_object o;
    size_t home = vm.java_home ? strlen(vm.java_home) : 0;
    if (_dl_find_object((void *)fn, &o) != 0) return false;
    bool own = (uintptr_t)__ehdr_start >= (uintptr_t)o.dlfo_map_start &&
        (uintptr_t)__ehdr_start < (uintptr_t)o.dlfo_map_end;
    return own || (home && strncmp(o.dlfo_link_map->l_name, vm.java_home, home) == 0);
}

void shadow_check_native(const Method *m, const void *fn) {
    const char *cls = m->cls->name->text, *name = m->name->text;
    const struct Row *row = rows, *end = rows + sizeof rows / sizeof *rows;
    while (row < end && (strcmp(row->method, name) != 0 || strcmp(row->class_name, cls) != 0)) row++;
    if (row < end && row->way == ENDS) shadow_program_ends();
    if (row == end && (is_of_the_system(fn) || profile_shadow_sink()->native(cls, name, m->desc->text))) return;
    char what[160];
    snprintf(what, sizeof what, "%s.%s", cls, name);
    shadow_end(SHADOW_NATIVE, 0, what);
}
