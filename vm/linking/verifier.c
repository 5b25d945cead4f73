// Answers the verifier's queries from loaded classes: see vm/linking/verifier.h and bytecode/verifier/verify.h.
//
// Class files before version 50 have no stack maps: the JDK's libverify infers types for them. It is opened for the
// first such class, and makes its queries through JVM_* (vm/jvm/oldverifier.c). A class file of version 50 that fails
// type checking is verified again there (JVMS 4.10).
//
// Not verified: the boot loader's classes, reflection accessors, and classes of modules in the runtime image (location
// jrt:/), whichever loader defines them; -Xverify:none disables verification for all.
#include "vm/linking/verifier.h"

#include <stdlib.h>
#include <string.h>

#include "bytecode/verifier/verify.h"
#include "vm/linking/hooks.h"
#include "vm/objects/classes.h"
#include "vm/runtime/exception.h"
#include "vm/loading/loader.h"
#include "vm/loading/module.h"
#include "vm/objects/symbol.h"
#include "vm/threads/thread.h"
#include "vm/model/vm.h"

enum { FIRST_TYPE_CHECKED = 50, LAST_INFERRED = 50 };

typedef struct Question {
    Thread *self;
    Class *cls;
} Question;

// By the name in the class file: a hidden class has a different one.
static bool is_itself(const Question *q, ClassFileUtf8 name) {
    return classfile_utf8_equal(name, classfile_this_name(q->cls->file));
}

static Class *load_named(const Question *q, ClassFileUtf8 name) {
    if (is_itself(q, name)) return q->cls;
    return loader_load(q->self, q->cls->loader, symbol_from_utf8(name));
}

// Searches the class and its superclasses, which are loaded.
static const Class *find_super(const Question *q, ClassFileUtf8 name) {
    if (is_itself(q, name)) return q->cls;
    const Symbol *sym = symbol_find((const char *)name.ptr, name.len);
    const Class *c = q->cls->super;
    while (sym && c && c->name != sym) c = c->super;
    return sym ? c : NULL;
}

static VerifyAnswer is_assignable(void *ctx, ClassFileUtf8 from, ClassFileUtf8 to) {
    Question *q = ctx;
    Class *target = load_named(q, to);
    if (!target) return VERIFY_THROWN;
    if (class_is_interface(target)) return VERIFY_YES;
    Class *source = load_named(q, from);
    if (!source) return VERIFY_THROWN;
    return class_is_subtype(source, target) ? VERIFY_YES : VERIFY_NO;
}

static VerifyAnswer is_superclass(void *ctx, ClassFileUtf8 name) {
    return find_super(ctx, name) ? VERIFY_YES : VERIFY_NO;
}

static VerifyAnswer is_protected_in_other_package(void *ctx, ClassFileUtf8 owner, ClassFileUtf8 name,
                                                  ClassFileUtf8 desc, bool is_method) {
    const Question *q = ctx;
    const Class *c = find_super(q, owner);
    if (!c) return VERIFY_NO;
    const Symbol *n = symbol_from_utf8(name), *d = symbol_from_utf8(desc);
    const Method *m = is_method ? class_find_method(c, n, d) : NULL;
    const Field *f = is_method ? NULL : class_find_field(c, n, d);
    int flags = m ? m->flags : f ? f->flags : 0;
    const Class *holder = m ? m->cls : f ? f->cls : NULL;
    return (flags & ACC_PROTECTED) && !class_same_package(holder, q->cls) ? VERIFY_YES : VERIFY_NO;
}

bool verifier_check(Thread *self, Class *cls) {
    const ModuleEntry *m = cls->module;
    bool in_image = m && m->name && m->location && symbol_has_prefix(m->location, "jrt:/");
    if (!vm.options.verify_all && (vm.options.verify_none || in_image)) return true;
    VerifyError *err = calloc(2, sizeof *err);
    if (!err) {
        throw_oom(self, "verification");
        return false;
    }
    Question q = {.self = self, .cls = cls};
    VerifyCallbacks callbacks = {.ctx = &q,
                                 .is_assignable = is_assignable,
                                 .is_superclass = is_superclass,
                                 .is_protected_in_other_package = is_protected_in_other_package};
    enum VerifyStatus status = VERIFY_OK;
    for (uint32_t i = 0; i < cls->file->method_count && status == VERIFY_OK; i++)
        if (!code_check(cls->file, &cls->file->methods[i], err)) status = err->status;
    if (status == VERIFY_OK) {
        uint16_t major = cls->file->major;
        if (major >= FIRST_TYPE_CHECKED) status = verify_class(cls->file, &callbacks, err);
        bool again = status == VERIFY_FAILED || status == VERIFY_FORMAT;
        if (major < FIRST_TYPE_CHECKED) {
            status = linking_hooks.infer_types(self, cls, err);
        } else if (major <= LAST_INFERRED && again) {
            // If both reject a class, the message is the type checker's, as in HotSpot.
            status = linking_hooks.infer_types(self, cls, err + 1);
        }
    }
    if (status == VERIFY_NO_MEMORY) throw_oom(self, "verification");
    else if (status != VERIFY_OK && status != VERIFY_PENDING)
        throw_wk(self, verify_error_class(status), "%s", err->msg);
    free(err);
    return status == VERIFY_OK;
}
