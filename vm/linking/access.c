// Access control of members (JVMS 5.4.4) and nest hosts. That of classes is in vm/loading/classaccess.c.
//
// All functions are pure, based on loaded classes and modules, except that finding a nest host may load a class.
// Subclasses of MagicAccessorImpl (reflection's generated accessors) may access everything.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vm/loading/classaccess.h"
#include "vm/objects/classes.h"
#include "vm/runtime/exception.h"
#include "vm/linking/link.h"
#include "vm/loading/loader.h"
#include "vm/loading/module.h"
#include "vm/threads/monitor.h"
#include "vm/linking/resolve.h"
#include "vm/objects/symbol.h"
#include "vm/threads/thread.h"
#include "vm/model/vm.h"

#define IAE "java/lang/IllegalAccessError"

// ---- nests -----------------------------------------------------------------------------------

// A host that cannot be loaded or does not agree makes the class its own host; only errors unrelated to the class
// (memory, stack) are passed on.
static Class *find_nest_host(Thread *self, Class *cls) {
    if (cls->cflags & CF_HIDDEN_NESTMATE) return class_nest_host(self, cls->host);
    if (!cls->file || !cls->file->nest_host) return cls;
    Class *host = resolve_class(self, cls, cls->file->nest_host);
    if (!host) {
        if (exception_is(self, WK(java_lang_LinkageError))) {
            exception_clear(self);
            return cls;
        }
        return NULL;
    }
    if (!host->file || !class_same_package(host, cls)) return cls;
    for (uint32_t i = 0; i < host->file->nest_member_count; i++) {
        ClassFileUtf8 n = classfile_name_of(host->file, host->file->nest_members[i]);
        if (n.len == cls->name->length && memcmp(n.ptr, cls->name->text, n.len) == 0) return host;
    }
    return cls;
}

Class *class_nest_host(Thread *self, Class *cls) {
    Class *known = __atomic_load_n(&cls->nest_host, __ATOMIC_ACQUIRE);
    if (known) return known;
    Class *host = find_nest_host(self, cls);
    if (host) __atomic_store_n(&cls->nest_host, host, __ATOMIC_RELEASE);
    return host;
}

static char *format(const char *text, ...) {
    char *s;
    va_list args;
    va_start(args, text);
    if (vasprintf(&s, text, args) < 0) s = NULL;
    va_end(args);
    return s;
}

// Why the class is its own nest host although it names another one, malloc'd. NULL: it names none, or that one agrees,
// or an exception unrelated to the class is pending. Repeats the resolution, which fails the same way each time.
static char *why_no_nest_host(Thread *self, Class *cls) {
    if (cls->cflags & CF_HIDDEN_NESTMATE || !cls->file || !cls->file->nest_host || class_nest_host(self, cls) != cls)
        return NULL;
    Class *host = resolve_class(self, cls, cls->file->nest_host);
    if (!host) {
        if (!exception_is(self, WK(java_lang_LinkageError))) return NULL;
        Object *cause = exception_take(self);
        char *message = exception_message(cause);
        char *text = format("Nest host resolution of %s with host %s failed: %s%s%s", class_external_name(cls),
                            cp_class_name(cls, cls->file->nest_host)->text, class_external_name(object_class(cause)),
                            message ? ": " : "", message ? message : "");
        free(message);
        return text;
    }
    const char *why = class_same_package(host, cls) ? "current type is not listed as a nest member"
                                                    : "types are in different packages";
    return host == cls
        ? NULL
        : format("Type %s (loader: %s) is not a nest member of type %s (loader: %s): %s", class_external_name(cls),
                 loader_name_and_id(cls->loader), class_external_name(host), loader_name_and_id(host->loader), why);
}

// The text about nests in a message about access to a private member: empty, or ", (...)". malloc'd.
static char *nest_text(Thread *self, Class *from, Class *holder, int flags) {
    if (!(flags & ACC_PRIVATE)) return NULL;
    char *a = why_no_nest_host(self, from), *b = self->exception ? NULL : why_no_nest_host(self, holder);
    char *text = a || b ? format(", (%s%s%s)", a ? a : "", a && b ? ", " : "", b ? b : "") : NULL;
    free(a);
    free(b);
    return text;
}

// ---- members ---------------------------------------------------------------------------------

bool resolve_can_access_member(Thread *self, Class *from, const Class *resolved, Class *holder, int flags,
                               bool *pending) {
    *pending = false;
    if (!from || from == holder || (flags & ACC_PUBLIC)) return true;
    if ((flags & ACC_PROTECTED) && class_is_subtype(from, holder) &&
        ((flags & ACC_STATIC) || from == resolved || holder == resolved || class_is_subtype(from, resolved) ||
         class_is_subtype(resolved, from)))
        return true;
    if (!(flags & ACC_PRIVATE) && class_same_package(from, holder)) return true;
    if (flags & ACC_PRIVATE) {
        Class *a = class_nest_host(self, from), *b = a ? class_nest_host(self, holder) : NULL;
        if (!b) {
            *pending = true;
            return false;
        }
        if (a == b) return true;
    }
    return from->cflags & CF_REFLECTION_ACCESSOR;
}

bool resolve_check_method(Thread *self, Class *from, Class *resolved, Method *m) {
    bool pending;
    int flags = m->flags;
    // Every array type has a public clone (JLS 10.7).
    if (class_is_array(resolved) && m->name == SYMS(clone) && (flags & ACC_PROTECTED))
        flags = (flags & ~ACC_PROTECTED) | ACC_PUBLIC;
    if (resolve_can_access_member(self, from, resolved, m->cls, flags, &pending)) return true;
    if (pending) return false;
    char *nests = nest_text(self, from, m->cls, m->flags);
    if (self->exception) return false;
    char *name = method_external_name(m), *where = class_pair_description(from, m->cls);
    throw_wk(self, IAE, "class %s tried to access %s%s%smethod '%s' (%s)%s", class_external_name(from),
             m->flags & ACC_ABSTRACT ? "abstract " : "", m->flags & ACC_PROTECTED ? "protected " : "",
             m->flags & ACC_PRIVATE ? "private " : "", name, where, nests ? nests : "");
    free(nests);
    free(name);
    free(where);
    return false;
}

bool resolve_check_field(Thread *self, Class *from, Class *resolved, Field *f) {
    bool pending;
    if (resolve_can_access_member(self, from, resolved, f->cls, f->flags, &pending)) return true;
    if (pending) return false;
    char *nests = nest_text(self, from, f->cls, f->flags);
    if (self->exception) return false;
    char *where = class_pair_description(from, f->cls);
    throw_wk(self, IAE, "class %s tried to access %s%sfield %s.%s (%s)%s", class_external_name(from),
             f->flags & ACC_PROTECTED ? "protected " : "", f->flags & ACC_PRIVATE ? "private " : "",
             class_external_name(f->cls), f->name->text, where, nests ? nests : "");
    free(nests);
    free(where);
    return false;
}
