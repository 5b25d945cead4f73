// Natives of java.lang.invoke.MethodHandleNatives: MemberName objects and the members they name.
//
// A resolved MemberName has: clazz, the declaring class (but see init_method); flags, modifiers, kind and reference
// kind; method, a ResolvedMethodName that holds the Method and keeps its class alive; vmindex, for fields the Unsafe
// offset, for methods a table index or -2.
//
// Threads: any mutator. Everything that takes `self` may load classes and run Java code.
#include <stdlib.h>
#include <string.h>

#include "bytecode/classfile/descriptor.h"
#include "bytecode/classfile/opcodes.h"
#include "vm/linking/classinit.h"
#include "vm/objects/classes.h"
#include "vm/objects/objects.h"
#include "vm/objects/sigpoly.h"
#include "vm/runtime/exception.h"
#include "vm/natives/intrinsics_impl.h"
#include "vm/linking/link.h"
#include "vm/loading/loader.h"
#include "vm/natives/methodhandle.h"
#include "vm/natives/reflect.h"
#include "vm/linking/resolve.h"
#include "vm/objects/string.h"
#include "vm/objects/symbol.h"
#include "vm/threads/thread.h"

#define MN(field) ((size_t)WK_OFF(java_lang_invoke_MemberName, field))

enum {
    ALL_KINDS = MN_IS_METHOD | MN_IS_CONSTRUCTOR | MN_IS_FIELD | MN_IS_TYPE,
    SEARCH_SUPERCLASSES = 0x00100000,  // getMembers' match flags
    SEARCH_INTERFACES = 0x00200000,
    VMINDEX_DIRECT = -2,
};

// ---- filling a MemberName ------------------------------------------------------------------------

// The dispatch of a resolved call.
typedef enum CallKind { CALL_DIRECT, CALL_VTABLE, CALL_ITABLE } CallKind;

// `resolved` is the class that the call names. An inherited default method called on a class has no table index in its
// declaring class, so the MemberName then names the called class (or Object).
static bool init_method(Thread *self, Object *member, Class *resolved, Method *m, CallKind kind) {
    Class *holder = m->cls;
    int flags = m->flags & METHOD_MODIFIERS;
    int64_t vmindex = VMINDEX_DIRECT;
    if (kind == CALL_ITABLE) {
        flags |= MN_IS_METHOD | REF_invokeInterface << MN_REFERENCE_KIND_SHIFT;
        vmindex = m->itable_index;
    } else if (kind == CALL_VTABLE) {
        flags |= MN_IS_METHOD | REF_invokeVirtual << MN_REFERENCE_KIND_SHIFT;
        vmindex = m->vtable_index >= 0 ? m->vtable_index : m->itable_index;
        if (class_is_interface(holder)) holder = class_is_interface(resolved) ? WK(java_lang_Object) : resolved;
    } else if (method_is_static(m)) {
        flags |= MN_IS_METHOD | REF_invokeStatic << MN_REFERENCE_KIND_SHIFT;
    } else {
        flags |= (m->mflags & MF_INIT ? MN_IS_CONSTRUCTOR : MN_IS_METHOD) |
            REF_invokeSpecial << MN_REFERENCE_KIND_SHIFT;
    }
    if (m->mflags & MF_CALLER_SENSITIVE) flags |= MN_CALLER_SENSITIVE;
    Class *cls = WK(java_lang_invoke_ResolvedMethodName);
    Object *name = class_ensure_initialized(self, cls) ? object_new(self, cls) : NULL;
    if (!name) return false;
    set_long(name, (size_t)WK_OFF(java_lang_invoke_ResolvedMethodName, vmtarget), (int64_t)(uintptr_t)m);
    set_ref(name, (size_t)WK_OFF(java_lang_invoke_ResolvedMethodName, vmholder), m->cls->mirror);
    set_int(member, MN(flags), flags);
    set_ref(member, MN(method), name);
    set_long(member, MN(vmindex), vmindex);
    set_ref(member, MN(clazz), holder->mirror);
    return true;
}

static void init_field(Object *member, const Field *f, bool is_setter) {
    bool is_static = (f->flags & ACC_STATIC) != 0;
    int flags = (f->flags & FIELD_MODIFIERS) | MN_IS_FIELD |
        (is_static ? REF_getStatic : REF_getField) << MN_REFERENCE_KIND_SHIFT;
    if (f->trusted_final) flags |= MN_TRUSTED_FINAL;
    if (is_setter) flags += (REF_putField - REF_getField) << MN_REFERENCE_KIND_SHIFT;
    set_int(member, MN(flags), flags);
    set_ref(member, MN(method), NULL);
    set_long(member, MN(vmindex), f->offset);
    set_ref(member, MN(clazz), f->cls->mirror);
}

// A method that cannot be overridden is called directly.
static bool is_statically_bound(const Method *m) {
    if (m->flags & (ACC_STATIC | ACC_PRIVATE) || m->mflags & MF_INIT) return true;
    if (class_is_interface(m->cls)) return false;
    return (m->flags & ACC_FINAL) != 0 || (m->cls->access & ACC_FINAL) != 0 || m->vtable_index < 0;
}

bool mh_member_init_method(Thread *self, Object *member, Method *m) {
    CallKind kind = class_is_interface(m->cls) ? CALL_ITABLE : CALL_VTABLE;
    return init_method(self, member, m->cls, m, is_statically_bound(m) ? CALL_DIRECT : kind);
}

void member_init(Thread *self, Slot *args) {
    Object *member = args[0].o, *target = args[1].o;
    if (!member) {
        throw_wk(self, "java/lang/InternalError", "MemberName to initialise is null");
    } else if (!target) {
        throw_wk(self, "java/lang/InternalError", "target of MemberName is null");
    } else if (object_class(target) == WK(java_lang_reflect_Field)) {
        Field *f = reflect_field_of(target);
        if (class_link(self, f->cls)) init_field(member, f, false);
    } else {
        Method *m = reflect_method_of(target);
        // invokeExact and similar methods stay unresolved: no method exists until the type is known.
        if (m->sigpoly == MH_NONE && class_link(self, m->cls)) mh_member_init_method(self, member, m);
    }
}

// ---- names and types -----------------------------------------------------------------------------

// Appends the descriptor of a class to `out` (of `cap` bytes); returns the new length, 0 when full.
static size_t append_descriptor(char *out, size_t at, size_t cap, const Class *cls) {
    size_t len = cls->name->length;
    if (at + len + 3 > cap) return 0;
    if (class_is_primitive(cls)) {
        out[at] = cls->prim;
        return at + 1;
    }
    if (class_is_array(cls)) {
        memcpy(out + at, cls->name->text, len);
        return at + len;
    }
    out[at] = 'L';
    memcpy(out + at + 1, cls->name->text, len);
    out[at + len + 1] = ';';
    return at + len + 2;
}

static Symbol *method_type_descriptor(Object *type) {
    enum { CAP = 65536 };
    char small[1024], *text = small;
    Object *ptypes = get_ref(type, (size_t)WK_OFF(java_lang_invoke_MethodType, ptypes));
    Object *rtype = get_ref(type, (size_t)WK_OFF(java_lang_invoke_MethodType, rtype));
    size_t need = 8 + class_from_mirror(rtype)->name->length;
    for (int32_t i = 0; i < ptypes->length; i++)
        need += 3u + class_from_mirror(ARRAY_DATA(ptypes, Object *)[i])->name->length;
    if (need > sizeof small) text = need < CAP ? malloc(need) : NULL;
    if (!text) return NULL;
    size_t cap = need > sizeof small ? need : sizeof small, at = 0;
    text[at++] = '(';
    for (int32_t i = 0; i < ptypes->length; i++)
        at = append_descriptor(text, at, cap, class_from_mirror(ARRAY_DATA(ptypes, Object *)[i]));
    text[at++] = ')';
    at = append_descriptor(text, at, cap, class_from_mirror(rtype));
    Symbol *symbol = symbol_intern(text, at);
    if (text != small) free(text);
    return symbol;
}

// The descriptor for a MemberName's `type`: MethodType, Class or String. NULL: none.
static Symbol *type_descriptor(Object *type) {
    char text[1024];
    if (!type) return NULL;
    Class *cls = object_class(type);
    if (cls == WK(java_lang_invoke_MethodType)) return method_type_descriptor(type);
    if (cls == WK(java_lang_String)) return string_to_symbol(type, false);
    if (cls != WK(java_lang_Class)) return NULL;
    const Class *named = class_from_mirror(type);
    size_t need = named->name->length + 3u;
    if (need <= sizeof text) return symbol_intern(text, append_descriptor(text, 0, sizeof text, named));
    char *big = malloc(need);
    if (!big) return NULL;
    Symbol *symbol = symbol_intern(big, append_descriptor(big, 0, need, named));
    free(big);
    return symbol;
}

static Field *field_at(Class *cls, int64_t offset, bool is_static) {
    for (Class *c = cls; c; c = c->super)
        for (uint32_t i = 0; i < c->field_count; i++) {
            Field *f = &c->fields[i];
            if (f->offset == offset && ((f->flags & ACC_STATIC) != 0) == is_static) return f;
        }
    return NULL;
}

static bool expand_as(Thread *self, Object *member, Class *holder, Symbol *name, Object *type) {
    if (!type) return false;
    if (!get_ref(member, MN(clazz))) set_ref(member, MN(clazz), holder->mirror);
    if (!get_ref(member, MN(name))) {
        Object *text = string_intern_symbol(self, name);
        if (!text) return false;
        set_ref(member, MN(name), text);
    }
    if (!get_ref(member, MN(type))) set_ref(member, MN(type), type);
    return true;
}

static bool expand(Thread *self, Object *member) {
    int flags = get_int(member, MN(flags));
    if (flags & (MN_IS_METHOD | MN_IS_CONSTRUCTOR)) {
        Method *m = mh_member_target(member);
        if (m) return expand_as(self, member, m->cls, m->name, string_from_symbol(self, m->desc));
    } else if (flags & MN_IS_FIELD && get_ref(member, MN(clazz))) {
        bool is_static = (flags & ACC_STATIC) != 0;
        Class *cls = class_from_mirror(get_ref(member, MN(clazz)));
        const Field *f = field_at(cls, get_long(member, MN(vmindex)), is_static);
        if (f) {
            // The type is the class if it is available without loading, else the descriptor.
            Symbol *name = f->type == 'L' ? symbol_intern(f->desc->text + 1, f->desc->length - 2u) : f->desc;
            const Class *type = f->desc->length == 1 ? class_primitive(f->type)
                                                     : loader_find_loaded(f->cls->loader, name);
            return expand_as(self, member, cls, f->name, type ? type->mirror : string_from_symbol(self, f->desc));
        }
    }
    throw_wk(self, "java/lang/InternalError", "unrecognized type of MemberName");
    return false;
}

void member_expand(Thread *self, Slot *args) {
    if (!args[0].o) throw_wk(self, "java/lang/InternalError", "MemberName to expand is null");
    else expand(self, args[0].o);
}

// ---- resolve -------------------------------------------------------------------------------------

// invokeBasic and linkTo* with their specific descriptor. The generic ones only resolve through linkMethod, because a
// MemberName cannot express an appendix.
static Method *resolve_polymorphic(Thread *self, Class *holder, int ref_kind, Symbol *name, Symbol *desc,
                                   bool *handled) {
    int id = sigpoly_id(holder->name, name);
    bool is_static = id >= MH_LINK_TO_STATIC;
    *handled = id != MH_NONE && !holder->loader->java_loader && (ref_kind == REF_invokeStatic) == is_static &&
        ref_kind != REF_invokeInterface;
    if (*handled && id == MH_GENERIC) {
        const Method *m = class_find_method(holder, name, desc);
        *handled = !m || m->sigpoly != MH_NONE;
        return NULL;
    }
    return *handled ? mh_intrinsic_method(self, id, desc) : NULL;
}

static bool resolve_method_member(Thread *self, Object *member, Class *caller, Class *holder, Symbol *name,
                                  Symbol *desc, int flags) {
    int ref_kind = flags >> MN_REFERENCE_KIND_SHIFT & MN_REFERENCE_KIND_MASK;
    if (desc->text[0] != '(') return false;
    if (flags & MN_IS_CONSTRUCTOR) {
        if (name != SYMS(object_initializer)) return false;
        ref_kind = REF_invokeSpecial;
    } else {
        bool handled = false;
        Method *m = resolve_polymorphic(self, holder, ref_kind, name, desc, &handled);
        if (handled) return m && init_method(self, member, holder, m, CALL_DIRECT);
    }
    int opcode = OPC_invokespecial;
    CallKind kind = CALL_DIRECT;
    switch (ref_kind) {
        case REF_invokeVirtual: opcode = OPC_invokevirtual, kind = CALL_VTABLE; break;
        case REF_invokeStatic: opcode = OPC_invokestatic; break;
        case REF_invokeInterface: opcode = OPC_invokeinterface, kind = CALL_ITABLE; break;
    }
    Method *m = resolve_method_named(self, caller, holder, name, desc, opcode, class_is_interface(holder));
    if (!m) return false;
    // An interface call on a method of Object, or on a private method, is not dispatched through an interface table.
    if (kind != CALL_DIRECT && is_statically_bound(m)) kind = CALL_DIRECT;
    else if (kind == CALL_ITABLE && !class_is_interface(m->cls)) kind = CALL_VTABLE;
    return init_method(self, member, holder, m, kind);
}

// The field itself decides whether it is static: the class library sometimes passes the wrong kind.
static bool resolve_field_member(Thread *self, Object *member, Class *holder, Symbol *name, Symbol *desc, int flags) {
    int ref_kind = flags >> MN_REFERENCE_KIND_SHIFT & MN_REFERENCE_KIND_MASK;
    if (desc->text[0] == '(') return false;
    Field *f = class_find_field(holder, name, desc);
    if (!f) {
        throw_wk(self, "java/lang/NoSuchFieldError", "%s", name->text);
        return false;
    }
    if (!class_link(self, f->cls)) return false;
    init_field(member, f, ref_kind >= REF_putField && ref_kind <= REF_putStatic);
    return true;
}

// Resolves in place. False, with or without an exception: not possible.
static bool resolve_member(Thread *self, Object *member, Class *caller) {
    if (get_ref(member, MN(method))) return true;
    int flags = get_int(member, MN(flags));
    Object *clazz = get_ref(member, MN(clazz)), *jname = get_ref(member, MN(name));
    if (!clazz || !jname) return false;
    Class *holder = class_from_mirror(clazz);
    if (class_is_primitive(holder)) return false;
    if (class_is_array(holder)) holder = WK(java_lang_Object);
    Symbol *name = string_to_symbol(jname, false);
    Symbol *desc = type_descriptor(get_ref(member, MN(type)));
    if (!name || !desc || name == SYMS(class_initializer)) return false;
    if (!class_link(self, holder)) return false;
    if (flags & (MN_IS_METHOD | MN_IS_CONSTRUCTOR))
        return resolve_method_member(self, member, caller, holder, name, desc, flags);
    if (flags & MN_IS_FIELD) return resolve_field_member(self, member, holder, name, desc, flags);
    throw_wk(self, "java/lang/InternalError", "unrecognized type of MemberName");
    return false;
}

void member_resolve(Thread *self, Slot *args) {
    Object *member = args[0].o;
    bool speculative = args[3].i != 0;
    if (!member) {
        throw_wk(self, "java/lang/InternalError", "MemberName to resolve is null");
        return;
    }
    Class *caller = !args[1].o ? NULL : class_from_mirror(args[1].o);
    int flags = get_int(member, MN(flags));
    if (resolve_member(self, member, caller)) {
        args[0].o = member;
        return;
    }
    args[0].o = NULL;
    if (speculative) exception_clear(self);
    else if (!self->exception) {
        if (flags & MN_IS_FIELD) throw_wk(self, "java/lang/NoSuchFieldError", "field resolution failed");
        else if (flags & (MN_IS_METHOD | MN_IS_CONSTRUCTOR))
            throw_wk(self, "java/lang/NoSuchMethodError", "method resolution failed");
        else throw_wk(self, "java/lang/LinkageError", "resolution failed");
    }
}

// ---- getMembers ----------------------------------------------------------------------------------

typedef struct Search {
    Symbol *name, *desc;  // NULL: any
    int flags;
    int skip, found;  // matches to skip, matches seen
    Object *results;  // MemberName[]
} Search;

// Counts a member if it matches. Returns the element of the result array to fill, or NULL.
static Object *next_result(Search *s, const Symbol *name, const Symbol *desc) {
    if ((s->name && s->name != name) || (s->desc && s->desc != desc)) return NULL;
    int at = s->found++ - s->skip;
    return at >= 0 && at < s->results->length ? ARRAY_DATA(s->results, Object *)[at] : NULL;
}

static bool add_members(Thread *self, Search *s, Class *cls) {
    if (!class_link(self, cls)) return false;
    for (uint32_t i = 0; s->flags & MN_IS_FIELD && i < cls->field_count; i++) {
        Field *f = &cls->fields[i];
        Object *result = next_result(s, f->name, f->desc);
        if (!result) continue;
        init_field(result, f, false);
        if (!expand(self, result)) return false;
    }
    for (uint32_t i = 0; i < cls->method_count; i++) {
        Method *m = &cls->methods[i];
        int kind = m->mflags & MF_INIT ? MN_IS_CONSTRUCTOR : MN_IS_METHOD;
        if (m->mflags & MF_CLINIT || !(s->flags & kind)) continue;
        Object *result = next_result(s, m->name, m->desc);
        if (!result) continue;
        if (!mh_member_init_method(self, result, m) || !expand(self, result)) return false;
    }
    return true;
}

// Fills `results` with the matching members of a class and returns the number of matches, which may exceed the room.
// -1: the class cannot have such members.
static int find_members(Thread *self, Class *cls, Search *s) {
    if (class_is_primitive(cls)) return -1;
    if (class_is_array(cls)) cls = WK(java_lang_Object);
    for (Class *c = cls; c; c = c->super) {
        if (!add_members(self, s, c)) return 0;
        if (!(s->flags & SEARCH_SUPERCLASSES)) break;
    }
    if (s->flags & SEARCH_INTERFACES)
        for (uint32_t i = 0; i < cls->all_interface_count; i++)
            if (!add_members(self, s, cls->all_interfaces[i])) return 0;
    return s->found;
}

void member_getMembers(Thread *self, Slot *args) {
    Object *clazz = args[0].o, *name = args[1].o, *sig = args[2].o;
    Search s = {.flags = args[3].i, .skip = args[5].i, .results = args[6].o};
    if (!clazz || !s.results) {
        args[0].i = -1;
        return;
    }
    args[0].i = 0;
    if ((name && !(s.name = string_find_symbol(name, false))) || (sig && !(s.desc = string_find_symbol(sig, false))))
        return;
    args[0].i = find_members(self, class_from_mirror(clazz), &s);
}

// ---- other natives -------------------------------------------------------------------------------

static bool want_field(Thread *self, Object *member, bool is_static) {
    if (!member) {
        throw_npe(self);
        return false;
    }
    int flags = get_int(member, MN(flags));
    if (flags & MN_IS_FIELD && ((flags & ACC_STATIC) != 0) == is_static) return true;
    throw_wk(self, "java/lang/InternalError", "%s field required", is_static ? "static" : "non-static");
    return false;
}

OPERATION(member_objectFieldOffset,
          if (want_field(self, args[0].o, false)) args[0].l = get_long(args[0].o, MN(vmindex)))
OPERATION(member_staticFieldOffset, if (want_field(self, args[0].o, true)) args[0].l = get_long(args[0].o, MN(vmindex)))
OPERATION(member_staticFieldBase, if (want_field(self, args[0].o, true)) args[0].o = get_ref(args[0].o, MN(clazz)))

// {Long vmindex, its base}: the class for a field, the MemberName itself for a method. The library only uses it to
// assert that a field's index is not negative; static fields are at addresses below their mirror here.
void member_getMemberVMInfo(Thread *self, Slot *args) {
    Object *member = args[0].o;
    args[0].o = NULL;
    if (!member) return;
    Object *info = reflect_new_array(self, WK(java_lang_Object), 2);
    if (!info) return;
    bool is_field = (get_int(member, MN(flags)) & MN_IS_FIELD) != 0;
    Slot index = {.l = get_long(member, MN(vmindex))};
    if (is_field && index.l < 0) index.l = -index.l;
    Object *boxed = reflect_box(self, 'J', &index);
    if (!boxed) return;
    set_element(info, 0, boxed);
    set_element(info, 1, is_field ? get_ref(member, MN(clazz)) : member);
    args[0].o = info;
}

void member_setCallSiteTarget(Thread *self, Slot *args) {
    (void)self;
    Object **target = (Object **)((char *)args[0].o + WK_OFF(java_lang_invoke_CallSite, target));
    __atomic_store_n(target, args[1].o, __ATOMIC_SEQ_CST);
    barrier_stored(BARRIER_call_site_target, target);
}

// Fetches bootstrap arguments one by one: only for the int[2] form of static arguments, which this VM never passes.
OPERATION(member_copyOutBootstrapArguments,
          throw_wk(self, "java/lang/UnsupportedOperationException", "MethodHandleNatives.copyOutBootstrapArguments"))

// The class library compares its constants with the VM's: there are none to compare.
OPERATION(member_getNamedCon, args[0].i = 0)
