// Resolution of CLASS, FIELDREF and METHODREF entries (JVMS 5.4.3); loadable constants are in constants.c, access
// control in access.c.
//
// An entry's result is published under one lock, held briefly: first the value, then the state, so that a thread that
// sees CP_RESOLVED (acquire) sees the value. The first result is used, even a failure.
#include "vm/linking/resolve.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/invariant.h"
#include "bytecode/classfile/descriptor.h"
#include "bytecode/classfile/opcodes.h"
#include "vm/linking/hooks.h"
#include "vm/loading/classaccess.h"
#include "vm/objects/classes.h"
#include "vm/objects/constpool.h"
#include "vm/objects/sigpoly.h"
#include "vm/runtime/exception.h"
#include "vm/runtime/invoke.h"
#include "vm/linking/link.h"
#include "vm/linking/link_internal.h"
#include "vm/loading/loader.h"
#include "vm/linking/resolve_internal.h"
#include "vm/objects/symbol.h"
#include "vm/model/vm.h"

#define ICCE "java/lang/IncompatibleClassChangeError"

uint8_t resolve_publish(Class *cls, int i, void *value, uint8_t state) {
    ASSERT(i > 0 && i < cls->cp_count && state != 0, "entry %d of %u becomes %u", i, cls->cp_count, state);
    pthread_mutex_lock(&linking.publish);
    if (cls->cp_tags[i] == 0) {
        cls->cp[i].p = value;
        __atomic_store_n(&cls->cp_tags[i], state, __ATOMIC_RELEASE);
    }
    state = cls->cp_tags[i];
    pthread_mutex_unlock(&linking.publish);
    return state;
}

// ---- failures --------------------------------------------------------------------------------

bool resolve_failed(Thread *self, Class *cls, int i) {
    if (!(cp_state(cls, i) & CP_FAILED)) return false;
    // Throws the error of the first attempt again: a new exception of the same class and message.
    Object *first = *(Object **)cls->cp[i].p;
    char *text = exception_message(first);
    Object *cause = get_ref(first, WK_OFF(java_lang_Throwable, cause));
    if (cause == first) cause = NULL;
    if (text) throw_new_cause(self, object_class(first), cause, "%s", text);
    else throw_new_cause(self, object_class(first), cause, NULL);
    free(text);
    return true;
}

// Only LinkageErrors are results; running out of memory or stack is not.
void *resolve_record_failure(Thread *self, Class *cls, int i) {
    if (!exception_is(self, WK(java_lang_LinkageError))) return NULL;
    Object *thrown = exception_take(self);
    Object **slot = class_new_ref_slot(self, cls);
    if (slot) {
        *slot = thrown;
        barrier_stored(BARRIER_constant_slot, slot);
        resolve_publish(cls, i, slot, CP_FAILED);
    }
    throw_object(self, thrown);
    return NULL;
}

// ---- classes ---------------------------------------------------------------------------------

// With a security manager, the loader of the referring class may forbid access to a class of another protection domain.
// For an array class its element class is checked.
static bool check_package_access(Thread *self, Class *caller, Class *c) {
    Object *domain = get_ref(caller->mirror, WK_OFF(java_lang_Class, protectionDomain));
    if (!domain || !caller->loader->java_loader) return true;
    if (!get_ref(WK(java_lang_System)->mirror, WK_OFF(java_lang_System, security))) return true;
    if (class_is_array(c)) c = c->element;
    if (class_is_primitive(c) || get_ref(c->mirror, WK_OFF(java_lang_Class, protectionDomain)) == domain) return true;
    Slot args[3] = {{.o = caller->loader->java_loader}, {.o = c->mirror}, {.o = domain}};
    return invoke_virtual(self, WK_M(ClassLoader_checkPackageAccess), args, NULL, ENTRY_VM);
}

Class *resolve_class(Thread *self, Class *caller, int i) {
    uint8_t state = cp_state(caller, i);
    if (__builtin_expect(state & CP_RESOLVED, 1)) return caller->cp[i].cls;
    if (resolve_failed(self, caller, i)) return NULL;
    Class *c = loader_load(self, caller->loader, cp_class_name(caller, i));
    if (!c || !check_package_access(self, caller, c) || !class_check_access(self, caller, c))
        return resolve_record_failure(self, caller, i);
    state = resolve_publish(caller, i, c, CP_RESOLVED);
    return state & CP_RESOLVED ? caller->cp[i].cls : c;
}

Class *resolve_class_if_loaded(Class *caller, int i) {
    if (cp_is_resolved(caller, i)) return caller->cp[i].cls;
    return loader_find_loaded(caller->loader, cp_class_name(caller, i));
}

Class *resolve_type(Thread *self, Loader *loader, const char *desc, size_t len) {
    if (len == 1) return class_primitive(desc[0]);
    if (desc[0] == 'L') return loader_load(self, loader, symbol_intern(desc + 1, len - 2));
    return loader_load(self, loader, symbol_intern(desc, len));
}

// ---- loader constraints ----------------------------------------------------------------------

// `what` is "method" or "field", `text` its name in the message.
static bool throw_constraint(Thread *self, Class *caller, Class *holder, const char *what, const char *text,
                             const char *type) {
    char *a = class_description(caller, false, true), *b = class_description(holder, false, true);
    throw_wk(self, "java/lang/LinkageError",
             "loader constraint violation: when resolving %s %s the class loader %s of the current "
             "class, %s, and the class loader %s for the %s's defining class, %s, have different "
             "Class objects for %s (%s; %s)",
             what, text, loader_name_and_id(caller->loader), class_external_name(caller),
             loader_name_and_id(holder->loader), what, class_external_name(holder), type, a, b);
    free(a);
    free(b);
    return false;
}

static bool constrain_method(Thread *self, Class *caller, Method *m, const Symbol *desc) {
    Symbol *bad = NULL;
    if (link_constrain_method(caller->loader, m->cls->loader, desc, &bad)) return true;
    char *name = method_external_name(m), quoted[1024], type[600];
    snprintf(quoted, sizeof quoted, "'%s'", name);
    snprintf(type, sizeof type, "the type %s used in the signature", bad->text);
    free(name);
    return throw_constraint(self, caller, m->cls, "method", quoted, type);
}

static bool constrain_field(Thread *self, Class *caller, Field *f) {
    if (caller->loader == f->cls->loader) return true;
    DescriptorType type;
    descriptor_type((const uint8_t *)f->desc->text, f->desc->length, false, &type);
    if (!type.name) return true;
    Symbol *name = symbol_intern((const char *)type.name, type.name_len);
    if (loader_add_constraint(caller->loader, f->cls->loader, name)) return true;
    char quoted[1024], what[600];
    snprintf(quoted, sizeof quoted, "\"%s\" of type %s,", f->name->text, name->text);
    snprintf(what, sizeof what, "type %s", name->text);
    return throw_constraint(self, caller, f->cls, "field", quoted, what);
}

// ---- fields ----------------------------------------------------------------------------------

static Field *resolve_field_entry(Thread *self, Class *caller, int i) {
    uint8_t state = cp_state(caller, i);
    if (state & CP_RESOLVED) return caller->cp[i].field;
    if (resolve_failed(self, caller, i)) return NULL;
    Class *holder = resolve_class(self, caller, cp_ref_class_index(caller, i));
    if (!holder) return NULL;
    Symbol *name = cp_ref_name(caller, i);
    Field *f = class_find_field(holder, name, cp_ref_desc(caller, i));
    if (!f) throw_wk(self, "java/lang/NoSuchFieldError", "%s", name->text);
    if (!f || !resolve_check_field(self, caller, holder, f) || !constrain_field(self, caller, f))
        return resolve_record_failure(self, caller, i);
    resolve_publish(caller, i, f, CP_RESOLVED);
    return f;
}

// JVMS 6.5 putfield, putstatic: final fields only in the class itself, and (class files of Java 9 and later) only in
// its initialisers. `method` NULL: unknown, so not checked.
static bool check_final(Thread *self, Class *caller, const Method *method, const Field *f) {
    const char *kind = f->flags & ACC_STATIC ? "static" : "non-static";
    if (!(f->flags & ACC_FINAL)) return true;
    if (f->cls != caller) {
        throw_wk(self, "java/lang/IllegalAccessError",
                 "Update to %s final field %s.%s attempted from a different class (%s) than the "
                 "field's declaring class",
                 kind, class_external_name(f->cls), f->name->text, class_external_name(caller));
        return false;
    }
    if (!method || caller->file->major < 53) return true;
    bool is_static = f->flags & ACC_STATIC;
    if (method->mflags & (is_static ? MF_CLINIT : MF_INIT)) return true;
    throw_wk(self, "java/lang/IllegalAccessError",
             "Update to %s final field %s.%s attempted from a different method (%s) than the "
             "initializer method %s ",
             kind, class_external_name(f->cls), f->name->text, method->name->text, is_static ? "<clinit>" : "<init>");
    return false;
}

Field *resolve_field_in(Thread *self, Class *caller, const Method *method, int i, bool is_static, bool is_put) {
    Field *f = resolve_field_entry(self, caller, i);
    if (!f) return NULL;
    if (!(f->flags & ACC_STATIC) != !is_static) {
        throw_wk(self, ICCE, "Expected %s field %s.%s", is_static ? "static" : "non-static",
                 class_external_name(f->cls), f->name->text);
        return NULL;
    }
    return !is_put || check_final(self, caller, method, f) ? f : NULL;
}

// ---- methods ---------------------------------------------------------------------------------

static Method *throw_method(Thread *self, const char *error, const char *fmt_head, Class *holder, Symbol *name,
                            Symbol *desc, const char *tail) {
    char *text = method_external_signature(holder->name, name, desc);
    throw_wk(self, error, "%s'%s'%s", fmt_head, text, tail);
    free(text);
    return NULL;
}

static Method *find_method(Thread *self, Class *caller, Class *holder, Symbol *name, Symbol *desc) {
    Method *m = NULL;
    // A signature-polymorphic method is found by its name, with any descriptor (JVMS 2.9.3).
    bool polymorphic = holder == WK(java_lang_invoke_MethodHandle) || holder == WK(java_lang_invoke_VarHandle);
    for (uint32_t i = 0; polymorphic && i < holder->method_count && !m; i++)
        if (holder->methods[i].name == name && (holder->methods[i].mflags & MF_SIGPOLY)) m = &holder->methods[i];
    if (!m) m = class_find_method(holder, name, desc);
    if (!m) return throw_method(self, "java/lang/NoSuchMethodError", "", holder, name, desc, "");
    if (!caller) return m;
    return resolve_check_method(self, caller, holder, m) && constrain_method(self, caller, m, desc) ? m : NULL;
}

// Is the kind of holder right for the opcode and the kind of entry (in HotSpot's order and words)?
static bool check_holder(Thread *self, Class *holder, Symbol *name, Symbol *desc, int opcode, bool iface_ref) {
    bool iface = class_is_interface(holder);
    if (opcode == OPC_invokevirtual && iface) {
        throw_wk(self, ICCE, "Found interface %s, but class was expected", class_external_name(holder));
        return false;
    }
    if (opcode == OPC_invokeinterface && !iface) {
        throw_wk(self, ICCE, "Found class %s, but interface was expected", class_external_name(holder));
        return false;
    }
    if (iface != iface_ref) {
        throw_method(self, ICCE, "Method ", holder, name, desc,
                     iface ? " must be InterfaceMethodref constant" : " must be Methodref constant");
        return false;
    }
    return true;
}

// JVMS 6.5 invokespecial: a super call selects from the direct superclass up.
static Method *select_super(Thread *self, Class *caller, Method *m) {
    Class *super = caller->super;
    if (!class_is_linked(super) && !class_link(self, super)) return NULL;
    Method *found = class_find_method(super, m->name, m->desc);
    if (found && class_is_interface(found->cls)) found = itable_lookup(super->vt, found);
    if (!found) {
        method_throw_unlinked(self, NULL, super, m);
        return NULL;
    }
    if (found == m) return m;
    return constrain_method(self, caller, found, m->desc) ? found : NULL;
}

static Method *special(Thread *self, Class *caller, Class *holder, Method *m) {
    if (m->mflags & MF_INIT) {
        if (m->cls == holder) return m;
        char *text = method_external_signature(NULL, m->name, m->desc);
        throw_wk(self, "java/lang/NoSuchMethodError", "%s: method '%s' not found", class_external_name(holder), text);
        free(text);
        return NULL;
    }
    if (!caller) return m;
    bool direct = caller == holder;
    for (uint32_t i = 0; i < caller->interface_count && !direct; i++) direct = caller->interfaces[i] == holder;
    if (class_is_interface(holder) && !direct && !(caller->cflags & (CF_REFLECTION_ACCESSOR | CF_HIDDEN)))
        return throw_method(self, ICCE, "Interface method reference: ", holder, m->name, m->desc,
                            ", is in an indirect superinterface");
    if (!class_is_interface(holder) && caller != holder && class_is_subtype(caller, holder) &&
        !(m->flags & ACC_PRIVATE))
        m = select_super(self, caller, m);
    if (m && (m->mflags & MF_OVERPASS)) {
        method_throw_unlinked(self, m, NULL, m);
        return NULL;
    }
    if (m && method_is_abstract(m)) {
        char *text = method_external_name(m);
        throw_wk(self, "java/lang/AbstractMethodError", "'%s'", text);
        free(text);
        return NULL;
    }
    return m;
}

// All steps after the lookup that depend on the instruction.
static Method *finish_method(Thread *self, Class *caller, Class *holder, Method *m, Symbol *desc, int opcode) {
    if (method_is_static(m) != (opcode == OPC_invokestatic))
        return throw_method(self, ICCE,
                            opcode == OPC_invokestatic          ? "Expected static method "
                                : opcode == OPC_invokeinterface ? "Expected instance not static method "
                                                                : "Expecting non-static method ",
                            class_is_interface(m->cls) ? m->cls : holder, m->name, m->desc, "");
    // Indexes and code exist only in a linked class; an instruction with a null receiver may get here earlier.
    if (!class_is_linked(m->cls) && !class_link(self, m->cls)) return NULL;
    if ((m->mflags & MF_SIGPOLY) && m->sigpoly > MH_GENERIC)
        return linking_hooks.sigpoly_method(self, m->sigpoly, desc);
    return opcode == OPC_invokespecial ? special(self, caller, holder, m) : m;
}

Method *resolve_method(Thread *self, Class *caller, int i, int opcode) {
    if (!(cp_state(caller, i) & CP_RESOLVED) && resolve_failed(self, caller, i)) return NULL;
    Class *holder = resolve_class(self, caller, cp_ref_class_index(caller, i));
    if (!holder) return NULL;
    Symbol *name = cp_ref_name(caller, i), *desc = cp_ref_desc(caller, i);
    bool iface_ref = cp_tag(caller, i) == CP_INTERFACE_METHODREF;
    if (!check_holder(self, holder, name, desc, opcode, iface_ref)) return NULL;
    Method *m;
    if (cp_state(caller, i) & CP_RESOLVED) {
        m = caller->cp[i].method;
    } else {
        m = find_method(self, caller, holder, name, desc);
        if (!m) return resolve_record_failure(self, caller, i);
        resolve_publish(caller, i, m, CP_RESOLVED);
    }
    return finish_method(self, caller, holder, m, desc, opcode);
}

Method *resolve_method_named(Thread *self, Class *caller, Class *holder, Symbol *name, Symbol *desc, int opcode,
                             bool holder_is_interface_ref) {
    if (!check_holder(self, holder, name, desc, opcode, holder_is_interface_ref)) return NULL;
    Method *m = find_method(self, caller, holder, name, desc);
    return m ? finish_method(self, caller, holder, m, desc, opcode) : NULL;
}
