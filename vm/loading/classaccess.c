// Access control of classes, and the messages of refused access (vm/loading/classaccess.h).
//
// All functions are pure, based on loaded classes and modules. Subclasses of MagicAccessorImpl (reflection's generated
// accessors) may access everything.
#include "vm/loading/classaccess.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/grow.h"
#include "vm/loading/loader.h"
#include "vm/loading/module.h"
#include "vm/model/vm.h"
#include "vm/objects/classes.h"
#include "vm/objects/symbol.h"
#include "vm/runtime/exception.h"
#include "vm/threads/monitor.h"

#define IAE "java/lang/IllegalAccessError"

static char *format(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static char *format(const char *fmt, ...) {
    char *text = NULL;
    va_list args;
    va_start(args, fmt);
    if (vasprintf(&text, fmt, args) < 0) grow_out_of_memory(0);
    va_end(args);
    return text;
}

// ---- descriptions ----------------------------------------------------------------------------

static char *module_text(const Class *c, bool with_parent) {
    const ModuleEntry *m = c->module;
    char parent[300] = "";
    if (with_parent && c->loader->space.collectable) {  // not the built-in loaders
        Object *p = get_ref(c->loader->java_loader, WK_OFF(java_lang_ClassLoader, parent));
        Loader *l = loader_of_existing(p);
        if (l) snprintf(parent, sizeof parent, ", parent loader %s", loader_name_and_id(l));
    }
    const char *loader = loader_name_and_id(c->loader);
    if (!m || !m->name) return format("unnamed module of loader %s%s", loader, parent);
    bool of_library = m->location && symbol_has_prefix(m->location, "jrt:/");
    const char *version = m->version && !of_library ? m->version->text : NULL;
    return format("module %s%s%s of loader %s%s", m->name->text, version ? "@" : "", version ? version : "", loader,
                  parent);
}

static const Class *described(const Class *c) { return class_is_array(c) ? c->element : c; }

char *class_description(const Class *c, bool use_are, bool with_parent) {
    char *where = module_text(described(c), with_parent);
    char *text = format("%s %s in %s", class_external_name(c), use_are ? "are" : "is", where);
    free(where);
    return text;
}

char *class_pair_description(const Class *a, const Class *b) {
    char *second = class_description(b, described(a)->module == described(b)->module, false);
    char *text;
    if (described(a)->module == described(b)->module) {
        text = format("%s and %s", class_external_name(a), second);
    } else {
        char *first = class_description(a, false, false);
        text = format("%s; %s", first, second);
        free(first);
    }
    free(second);
    return text;
}

// ---- classes ---------------------------------------------------------------------------------

bool class_can_access(const Class *from, const Class *to) {
    to = described(to);
    if (!from || from == to || class_is_primitive(to)) return true;
    if (class_same_package(from, to)) return true;
    if (to->access & ACC_PUBLIC) {
        if (from->module == to->module || !to->package) return true;
        if (module_can_read(from->module, to->module) && module_exports_to(to->package, from->module)) return true;
    }
    return from->cflags & CF_REFLECTION_ACCESSOR;
}

static char *unexported_text(Thread *self, const Class *from, const Class *to) {
    char package[512];
    size_t n = to->package->name->length < sizeof package ? to->package->name->length : sizeof package - 1;
    for (size_t i = 0; i < n; i++) package[i] = to->package->name->text[i] == '/' ? '.' : to->package->name->text[i];
    package[n] = 0;
    const char *t = to->module->name->text;
    if (from->module->name)
        return format("class %s (in module %s) cannot access class %s (in module %s) because "
                      "module %s does not export %s to module %s",
                      class_external_name(from), from->module->name->text, class_external_name(to), t, t, package,
                      from->module->name->text);
    Object *o = module_object(from->module);
    uint32_t hash = o ? monitor_hash(self, o) : 0;
    return format("class %s (in unnamed module @0x%x) cannot access class %s (in module %s) "
                  "because module %s does not export %s to unnamed module @0x%x",
                  class_external_name(from), hash, class_external_name(to), t, t, package, hash);
}

char *class_access_text(Thread *self, const Class *from, const Class *to) {
    to = described(to);
    if (!(to->access & ACC_PUBLIC) || from->module == to->module) return NULL;
    if (!module_can_read(from->module, to->module)) {
        const char *f = from->module->name->text, *kind = to->module->name ? "module " : "";
        const char *t = to->module->name ? to->module->name->text : "unnamed module";
        return format("class %s (in module %s) cannot access class %s (in %s%s) because module %s does not read %s%s",
                      class_external_name(from), f, class_external_name(to), kind, t, f, kind, t);
    }
    if (!module_exports_to(to->package, from->module)) return unexported_text(self, from, to);
    return NULL;
}

bool class_check_access(Thread *self, Class *from, Class *to) {
    if (class_can_access(from, to)) return true;
    const Class *base = described(to);
    char *text = class_access_text(self, from, base);
    if (text) {
        throw_wk(self, IAE, "%s", text);
    } else {
        char *where = class_pair_description(base, from);
        throw_wk(self, IAE, "failed to access class %s from class %s (%s)", class_external_name(base),
                 class_external_name(from), where);
        free(where);
    }
    free(text);
    return false;
}
