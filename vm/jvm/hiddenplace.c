// See vm/jvm/hiddenplace.h. The stack tells the purpose of a hidden class. The frame below the upcall that links a call
// site or a constant is the instruction that the class is made for. Without such an upcall, the innermost method of the
// lookup class requested it, or a library on its behalf.
#include "vm/jvm/hiddenplace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "vm/api/stackwalk.h"
#include "vm/objects/symbol.h"

typedef struct Place {
    const Method *method;  // NULL: none
    int32_t bci;
    bool linked;  // the instruction is being linked
} Place;

static bool is_of_method_handles(const Class *c) { return symbol_has_prefix(c->name, "java/lang/invoke/"); }

// Classes that method handles make for themselves are shared by all places that need the same one, so they have no
// place.
static Place find_place(Thread *self, const Class *lookup) {
    Place asked = {0}, outer = {0};
    StackWalk w;
    if (is_of_method_handles(lookup)) return asked;
    stackwalk_begin(&w, self);
    for (bool linking = false; stackwalk_next(&w);) {
        Place here = {w.method, w.bci, linking};
        if (linking && w.method->cls == lookup) return here;
        if (linking) break;
        if (w.method->cls == lookup && !asked.method) asked = here;
        if (!is_of_method_handles(w.method->cls) && !outer.method) outer = here;
        if (w.method->mflags & MF_CLINIT) break;  // a class initialiser could have run elsewhere
        const char *name = w.method->name->text;
        linking = strcmp(w.method->cls->name->text, "java/lang/invoke/MethodHandleNatives") == 0 &&
            (strcmp(name, "linkCallSite") == 0 || strcmp(name, "linkDynamicConstant") == 0);
    }
    return asked.method ? asked : outer;
}

char *hiddenplace_text(Thread *self, const Class *lookup, const char *name) {
    Place p = find_place(self, lookup);
    char suffix[16] = "", *text;
    // The library appends a counter to names of lambda classes, which is cut off.
    const char *lambda = strstr(name, "$$Lambda$");
    bool counted = lambda && lambda[9] && lambda[9 + strspn(lambda + 9, "0123456789")] == '\0';
    int base = (int)(counted ? (size_t)(lambda + 8 - name) : strlen(name)), made;
    if (!p.method) {
        made = asprintf(&text, "%.*s+-", base, name);
    } else {
        const char *slash = strrchr(p.method->cls->name->text, '/'),
                   *holder = slash ? slash + 1 : p.method->cls->name->text;
        bool own = p.method->cls == lookup;
        bool in_class = p.method >= p.method->cls->methods &&
            p.method < p.method->cls->methods + p.method->cls->method_count;
        // Methods with the same name are distinguished by their order in the class file.
        unsigned order = 1;
        for (const Method *k = p.method->cls->methods; in_class && k < p.method; k++)
            order += k->name == p.method->name;
        if (order > 1) snprintf(suffix, sizeof suffix, "~%u", order);
        made = asprintf(&text, "%.*s+%s%s%s%s:%d%s", base, name, own ? "" : holder, own ? "" : "$",
                        p.method->name->text, suffix, p.bci, p.linked ? "" : "-");
    }
    if (made < 0) grow_out_of_memory((size_t)base);
    return text;
}
