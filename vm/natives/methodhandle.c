// Method handles: linking through java.lang.invoke.MethodHandleNatives, and the targets of calls that the VM executes
// itself. See methodhandle.h.
//
// Tables: intrinsic methods by (id, descriptor), and linked invokedynamic sites by their instruction. Both only grow,
// under one mutex that is held briefly, and never over an allocation in the Java heap or over Java code. Reference
// slots of the caller's mirror keep the objects of sites alive.
#include "vm/natives/methodhandle.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "bytecode/classfile/descriptor.h"
#include "vm/linking/classinit.h"
#include "vm/linking/hooks.h"
#include "vm/loading/classaccess.h"
#include "vm/objects/classes.h"
#include "vm/objects/constpool.h"
#include "vm/objects/objects.h"
#include "vm/runtime/exception.h"
#include "vm/model/frame.h"
#include "vm/runtime/invoke.h"
#include "vm/linking/link.h"
#include "vm/loading/loader.h"
#include "vm/loading/metaspace.h"
#include "vm/natives/reflect.h"
#include "vm/linking/resolve.h"
#include "vm/objects/string.h"
#include "vm/objects/symbol.h"
#include "vm/threads/thread.h"

// ---- signature-polymorphic methods ---------------------------------------------------------------

typedef struct IntrinsicMethod {
    Symbol *desc;
    int id;
    Method method;
} IntrinsicMethod;

typedef struct Site {
    const Insn *key;    // the invokedynamic instruction
    Class *caller;      // the class that contains it
    Method *adapter;    // NULL: failed
    Object **appendix;  // or NULL
    Object **failure;   // the error thrown by linking
} Site;

static struct MethodHandles {
    pthread_mutex_t lock;
    HashTable intrinsics, sites;  // of IntrinsicMethod and of Site
} method_handles = {.lock = PTHREAD_MUTEX_INITIALIZER};

static uint32_t hash_of_intrinsic(const void *owner, uintptr_t item) {
    (void)owner;
    return ((const IntrinsicMethod *)item)->desc->hash;
}

static bool same_intrinsic(const void *id, uintptr_t item, const void *desc) {
    const IntrinsicMethod *e = (const IntrinsicMethod *)item;
    return e->id == *(const int *)id && e->desc == desc;
}

static const HashKind by_id_and_desc = {hash_of_intrinsic, same_intrinsic};

static IntrinsicMethod *find_intrinsic(int id, const Symbol *desc) {
    return (IntrinsicMethod *)hash_find(&method_handles.intrinsics, &by_id_and_desc, &id, desc->hash, desc);
}

static IntrinsicMethod *new_intrinsic(int id, Symbol *desc) {
    IntrinsicMethod *e = calloc(1, sizeof *e);
    if (!e) return NULL;
    bool is_static = id != MH_INVOKE_BASIC;
    const uint8_t *text = (const uint8_t *)desc->text;
    e->id = id;
    e->desc = desc;
    e->method = (Method){
        .cls = WK(java_lang_invoke_MethodHandle),
        .nargs = (uint16_t)(descriptor_arg_slots(text, desc->length) + !is_static),
        .flags = ACC_NATIVE | ACC_SYNTHETIC | ACC_FINAL | (is_static ? ACC_STATIC : 0),
        .mflags = MF_SIGPOLY | MF_HIDDEN | MF_IGNORED_IN_WALK,
        .ret = descriptor_return_char(text, desc->length),
        .sigpoly = (uint8_t)id,
        .vtable_index = -1,
        .itable_index = -1,
        .name = symbol_of(sigpoly_name(id)),
        .desc = desc,
    };
    e->method.max_locals = e->method.nargs;
    linking_hooks.link_method(&e->method);
    return e;
}

Method *mh_intrinsic_method(Thread *self, int id, Symbol *desc) {
    pthread_mutex_lock(&method_handles.lock);
    IntrinsicMethod *e = find_intrinsic(id, desc);
    if (!e && (e = new_intrinsic(id, desc)))
        hash_add_or_exit(&method_handles.intrinsics, &by_id_and_desc, NULL, desc->hash, (uintptr_t)e);
    pthread_mutex_unlock(&method_handles.lock);
    if (!e) {
        throw_oom(self, "method handle intrinsic");
        return NULL;
    }
    return &e->method;
}

Method *mh_find_intrinsic_method(int id, const Symbol *desc) {
    pthread_mutex_lock(&method_handles.lock);
    IntrinsicMethod *e = find_intrinsic(id, desc);
    pthread_mutex_unlock(&method_handles.lock);
    return e ? &e->method : NULL;
}

// ---- targets -------------------------------------------------------------------------------------

Method *mh_link_target(Thread *self, int id, Slot *args, int nargs) {
    Object *member = args[nargs - 1].o;
    if (!member || (id != MH_LINK_TO_STATIC && !args[0].o)) {
        throw_npe(self);
        return NULL;
    }
    if (id == MH_LINK_TO_NATIVE) {
        throw_wk(self, "java/lang/UnsupportedOperationException", "MethodHandle.linkToNative");
        return NULL;
    }
    Method *m = mh_member_target(member);
    if (!m) {
        throw_wk(self, "java/lang/InternalError", "unresolved MemberName");
        return NULL;
    }
    if (id == MH_LINK_TO_STATIC || id == MH_LINK_TO_SPECIAL) return m;
    if (id == MH_LINK_TO_VIRTUAL && m->vtable_index >= 0 && !class_is_interface(m->cls))
        return args[0].o->vt->methods[m->vtable_index];
    const Class *receiver = object_class(args[0].o);
    Method *target = class_select_virtual(receiver, m);
    if (!target) {
        Object *clazz = get_ref(member, (size_t)WK_OFF(java_lang_invoke_MemberName, clazz));
        throw_wk(self, "java/lang/IncompatibleClassChangeError",
                 "Class %s does not implement the requested interface %s", class_external_name(receiver),
                 class_external_name(class_from_mirror(clazz)));
    }
    return target;
}

// ---- upcalls -------------------------------------------------------------------------------------

// Calls a static method of MethodHandleNatives that returns a reference.
static Object *upcall(Thread *self, Method *m, Slot *args) {
    Slot result = {.o = NULL};
    if (!class_ensure_initialized(self, m->cls)) return NULL;
    if (!invoke_method(self, m, args, &result, ENTRY_VM)) return NULL;
    return result.o;
}

// Unpacks the result of java.lang.invoke: a MemberName, and optionally an appendix in the one-element array.
static Method *adapter_of(Thread *self, Class *caller, Object *member, Object *appendix_box, Object ***appendix) {
    if (self->exception) return NULL;
    Method *m = !member ? NULL : mh_member_target(member);
    if (!m) {
        throw_wk(self, "java/lang/LinkageError", "bad value from MethodHandleNatives");
        return NULL;
    }
    if (!metaspace_need(self, caller->space, m->cls)) return NULL;
    Object *value = ARRAY_DATA(appendix_box, Object *)[0];
    *appendix = NULL;
    if (value) {
        Object **slot = class_new_ref_slot(self, caller);
        if (!slot) return NULL;
        *slot = value;
        barrier_stored(BARRIER_constant_slot, slot);
        *appendix = slot;
    }
    return m;
}

// JVMS 5.4.3.6: a throwable that is not an Error becomes the cause of a BootstrapMethodError.
static void wrap_bootstrap_failure(Thread *self) {
    Object *thrown = self->exception;
    if (!thrown || object_is_instance(thrown, WK(java_lang_Error))) return;
    exception_clear(self);
    Class *error = loader_find_boot(self, symbol_of("java/lang/BootstrapMethodError"));
    if (error) reflect_throw_wrapped(self, error, thrown);
}

// ---- method types --------------------------------------------------------------------------------

static Class *signature_class(Thread *self, Class *caller, const DescriptorType *type) {
    Loader *loader = !caller ? vm.boot_loader : caller->loader;
    Class *cls = resolve_type(self, loader, (const char *)type->ptr, type->len);
    if (!cls || !caller) return cls;
    Class *element = class_is_array(cls) ? cls->element : cls;
    if (!class_is_primitive(element) && !class_check_access(self, caller, element)) return NULL;
    return cls;
}

Object *mh_method_type(Thread *self, Class *caller, Symbol *desc) {
    const uint8_t *text = (const uint8_t *)desc->text;
    int32_t count = (int32_t)descriptor_param_count(text, desc->length);
    Object *ptypes = reflect_new_array(self, WK(java_lang_Class), count);
    if (!ptypes) return NULL;
    DescriptorIter it;
    DescriptorType type;
    descriptor_begin(&it, text, desc->length);
    for (int32_t i = 0; i < count && descriptor_next(&it, &type); i++) {
        Class *cls = signature_class(self, caller, &type);
        if (!cls) return NULL;
        set_element(ptypes, i, cls->mirror);
    }
    if (!descriptor_return(&it, &type)) {
        throw_wk(self, "java/lang/ClassFormatError", "bad method descriptor \"%s\"", desc->text);
        return NULL;
    }
    Class *rtype = signature_class(self, caller, &type);
    if (!rtype) return NULL;
    Slot args[] = {{.o = rtype->mirror}, {.o = ptypes}};
    return upcall(self, WK_M(MHN_findMethodHandleType), args);
}

// ---- linking -------------------------------------------------------------------------------------

Method *mh_link_method(Thread *self, Class *caller, Class *holder, Symbol *name, Symbol *desc, Object ***appendix) {
    Object *type = mh_method_type(self, caller, desc);
    Object *jname = !type ? NULL : string_intern_symbol(self, name);
    Object *box = !jname ? NULL : reflect_new_array(self, WK(java_lang_Object), 1);
    if (!box) return NULL;
    Slot args[] = {
        {.o = caller->mirror}, {.i = REF_invokeVirtual}, {.o = holder->mirror}, {.o = jname}, {.o = type}, {.o = box}};
    Object *member = upcall(self, WK_M(MHN_linkMethod), args);
    return adapter_of(self, caller, member, box, appendix);
}

static uint32_t hash_of_site(const void *owner, uintptr_t item) {
    (void)owner;
    return hash_pointer(((const Site *)item)->key);
}

static bool is_site(const void *owner, uintptr_t item, const void *key) {
    (void)owner;
    return ((const Site *)item)->key == key;
}

static const HashKind by_instruction = {hash_of_site, is_site};

static Site *find_site(const Insn *key) {
    return (Site *)hash_find(&method_handles.sites, &by_instruction, NULL, hash_pointer(key), key);
}

// Records the outcome of linking unless another thread was faster; returns the recorded one.
static Site *publish_site(Site *mine) {
    pthread_mutex_lock(&method_handles.lock);
    Site *s = find_site(mine->key);
    if (!s) {
        s = mine;
        hash_add_or_exit(&method_handles.sites, &by_instruction, NULL, hash_pointer(s->key), (uintptr_t)s);
    }
    pthread_mutex_unlock(&method_handles.lock);
    if (s != mine) free(mine);
    return s;
}

static Method *site_outcome(Thread *self, const Site *s, Object ***appendix) {
    if (!s->adapter) {
        // Throws an error like the recorded one: same class and message, the current stack, and no cause (like HotSpot
        // for invokedynamic).
        Object *failure = *s->failure;
        char *message = exception_message(failure);
        if (!message) throw_new(self, object_class(failure), NULL);
        else throw_new(self, object_class(failure), "%s", message);
        free(message);
        return NULL;
    }
    *appendix = s->appendix;
    return s->adapter;
}

static Method *run_bootstrap(Thread *self, Class *caller, int cp_index, Object ***appendix) {
    Object *bsm = NULL, *static_args = NULL;
    if (!resolve_bootstrap(self, caller, cp_index, &bsm, &static_args)) return NULL;
    Object *type = mh_method_type(self, caller, cp_ref_desc(caller, cp_index));
    Object *name = !type ? NULL : string_intern_symbol(self, cp_ref_name(caller, cp_index));
    Object *box = !name ? NULL : reflect_new_array(self, WK(java_lang_Object), 1);
    if (!box) return NULL;
    Slot args[] = {{.o = caller->mirror}, {.i = cp_index},    {.o = bsm}, {.o = name},
                   {.o = type},           {.o = static_args}, {.o = box}};
    Object *member = upcall(self, WK_M(MHN_linkCallSite), args);
    return adapter_of(self, caller, member, box, appendix);
}

// Records the pending error as the site's failure. JVMS 5.4.3.6 makes every such outcome final. Only running out of
// stack or memory may be retried, because the site is not at fault.
static void remember_failure(Thread *self, Class *caller, Site *s) {
    Object *thrown = self->exception;
    if (object_is_instance(thrown, WK(java_lang_OutOfMemoryError)) ||
        object_is_instance(thrown, WK(java_lang_StackOverflowError))) {
        free(s);
        return;
    }
    exception_clear(self);
    s->failure = class_new_ref_slot(self, caller);
    if (!s->failure) {
        free(s);
        return;
    }
    *s->failure = thrown;
    Site *winner = publish_site(s);
    self->exception = winner == s ? thrown : NULL;
}

Method *mh_link_callsite(Thread *self, Class *caller, int cp_index, Object ***appendix) {
    const Insn *key = self->frame->pc;
    pthread_mutex_lock(&method_handles.lock);
    Site *known = find_site(key);
    pthread_mutex_unlock(&method_handles.lock);
    if (known) return site_outcome(self, known, appendix);
    Site *s = calloc(1, sizeof *s);
    if (!s) {
        throw_oom(self, "call site");
        return NULL;
    }
    s->key = key;
    s->caller = caller;
    s->adapter = run_bootstrap(self, caller, cp_index, &s->appendix);
    if (s->adapter) return site_outcome(self, publish_site(s), appendix);
    wrap_bootstrap_failure(self);
    remember_failure(self, caller, s);
    if (self->exception) return NULL;
    pthread_mutex_lock(&method_handles.lock);
    known = find_site(key);
    pthread_mutex_unlock(&method_handles.lock);
    return site_outcome(self, known, appendix);
}

static bool site_lives(uintptr_t item) {
    Site *s = (Site *)item;
    if (!class_is_dead(s->caller)) return true;
    free(s);
    return false;
}

void mh_forget_dead(void) { hash_filter(&method_handles.sites, site_lives); }

// ---- constants -----------------------------------------------------------------------------------

Object *mh_resolve_method_type_constant(Thread *self, Class *caller, int cp_index) {
    return mh_method_type(self, caller, cp_class_name(caller, cp_index));
}

// A METHOD_HANDLE must use an interface reference exactly for an interface (JVMS 5.4.3.5 with 5.4.3.3/4).
static bool check_reference(Thread *self, Class *caller, int ref_index, Class *holder) {
    uint8_t tag = cp_tag(caller, ref_index);
    if (tag == CP_FIELDREF || (tag == CP_INTERFACE_METHODREF) == class_is_interface(holder)) return true;
    bool should = class_is_interface(holder);
    char *method = method_external_signature(holder->name, cp_ref_name(caller, ref_index),
                                             cp_ref_desc(caller, ref_index));
    throw_wk(self, "java/lang/IncompatibleClassChangeError",
             "Inconsistent constant pool data in classfile for class %s. Method '%s' at index %d is "
             "%s and should be %s",
             holder->name->text, method, ref_index, should ? "CONSTANT_MethodRef" : "CONSTANT_InterfaceMethodRef",
             should ? "CONSTANT_InterfaceMethodRef" : "CONSTANT_MethodRef");
    free(method);
    return false;
}

Object *mh_resolve_method_handle_constant(Thread *self, Class *caller, int cp_index) {
    const CpEntry *entry = &caller->file->cp[cp_index];
    int ref = entry->u.ref_index;
    Class *holder = resolve_class(self, caller, cp_ref_class_index(caller, ref));
    if (!holder || !check_reference(self, caller, ref, holder)) return NULL;
    Symbol *desc = cp_ref_desc(caller, ref);
    Object *type = NULL;
    if (cp_tag(caller, ref) == CP_FIELDREF) {
        Class *field_type = resolve_type(self, caller->loader, desc->text, desc->length);
        if (field_type) type = field_type->mirror;
    } else {
        type = mh_method_type(self, caller, desc);
    }
    Object *name = !type ? NULL : string_intern_symbol(self, cp_ref_name(caller, ref));
    if (!name) return NULL;
    Slot args[] = {{.o = caller->mirror}, {.i = entry->ref_kind}, {.o = holder->mirror}, {.o = name}, {.o = type}};
    return upcall(self, WK_M(MHN_linkMethodHandleConstant), args);
}

Object *mh_resolve_dynamic(Thread *self, Class *caller, int cp_index, char *type) {
    Symbol *desc = cp_ref_desc(caller, cp_index);
    *type = desc->text[0];
    if ((char *)__builtin_frame_address(0) < (char *)self->c_stack_limit) {
        throw_stack_overflow(self);
        return NULL;
    }
    Object *bsm = NULL, *static_args = NULL, *value = NULL;
    if (resolve_bootstrap(self, caller, cp_index, &bsm, &static_args)) {
        Class *cls = resolve_type(self, caller->loader, desc->text, desc->length);
        Object *name = !cls ? NULL : string_intern_symbol(self, cp_ref_name(caller, cp_index));
        if (name) {
            Slot args[] = {{.o = caller->mirror}, {.i = cp_index},    {.o = bsm},
                           {.o = name},           {.o = cls->mirror}, {.o = static_args}};
            value = upcall(self, WK_M(MHN_linkDynamicConstant), args);
        }
    }
    wrap_bootstrap_failure(self);
    return value;
}
