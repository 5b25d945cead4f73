// Reflective calls and array creation: Method.invoke, Constructor.newInstance and Array.newInstance for the class
// library's native accessors.
//
// The class library has already checked access. Here arguments are matched to parameters, the receiver selects the
// method, and its exceptions are wrapped. Runs Java.
#include <stdlib.h>

#include "bytecode/classfile/descriptor.h"
#include "vm/linking/classinit.h"
#include "vm/loading/arrayclass.h"
#include "vm/objects/classes.h"
#include "vm/objects/objects.h"
#include "vm/runtime/exception.h"
#include "vm/model/frame.h"
#include "vm/runtime/invoke.h"
#include "vm/linking/link.h"
#include "vm/loading/loader.h"
#include "vm/natives/hooks.h"
#include "vm/natives/methodhandle.h"
#include "vm/natives/reflect.h"
#include "vm/linking/resolve.h"
#include "vm/objects/symbol.h"
#include "vm/threads/thread.h"

void reflect_throw_wrapped(Thread *self, Class *cls, Object *cause) {
    Symbol *desc = symbol_of("(Ljava/lang/Throwable;)V");
    exception_clear(self);
    if (!class_ensure_initialized(self, cls)) return;
    Method *init = class_find_declared_method(cls, SYMS(object_initializer), desc);
    Object *wrapper = object_new(self, cls);
    if (!wrapper) return;
    Slot args[] = {{.o = wrapper}, {.o = cause}};
    if (invoke_method(self, init, args, NULL, ENTRY_VM)) throw_object(self, wrapper);
}

// Converts an argument into its slot; the type check of a reference uses the loaded class.
static bool pass_argument(Thread *self, Class *cls, const DescriptorType *type, Object *arg, Slot *slot) {
    if (type->kind != 'L' && type->kind != '[') {
        char from = reflect_unbox(arg, slot);
        if (arg && from != 0 && reflect_widen(from, type->kind, slot)) return true;
        if (!arg) throw_wk(self, "java/lang/IllegalArgumentException", NULL);
        else throw_wk(self, "java/lang/IllegalArgumentException", "argument type mismatch");
        return false;
    }
    if (arg) {
        Class *want = resolve_type(self, cls->loader, (const char *)type->ptr, type->len);
        if (!want) return false;
        if (!object_is_instance(arg, want)) {
            throw_wk(self, "java/lang/IllegalArgumentException", "argument type mismatch");
            return false;
        }
    }
    slot->o = arg;
    return true;
}

static bool pass_arguments(Thread *self, const Method *m, Object *args, Slot *slots) {
    const uint8_t *text = (const uint8_t *)m->desc->text;
    int32_t given = !args ? 0 : args->length;
    if (given != (int32_t)descriptor_param_count(text, m->desc->length)) {
        throw_wk(self, "java/lang/IllegalArgumentException", "wrong number of arguments");
        return false;
    }
    DescriptorIter it;
    DescriptorType type;
    descriptor_begin(&it, text, m->desc->length);
    for (int32_t i = 0; descriptor_next(&it, &type); i++) {
        if (!pass_argument(self, m->cls, &type, ARRAY_DATA(args, Object *)[i], slots)) return false;
        slots += type.slots;
    }
    return true;
}

static void wrap_target_exception(Thread *self) {
    Object *thrown = self->exception;
    exception_clear(self);
    Class *wrapper = loader_find_boot(self, symbol_of("java/lang/reflect/InvocationTargetException"));
    if (wrapper) reflect_throw_wrapped(self, wrapper, thrown);
}

// The method that the receiver selects; NULL with an exception, already wrapped if the call itself would have thrown
// it.
static Method *select_method(Thread *self, Method *m, Object *receiver) {
    if (!receiver) {
        throw_npe(self);
        return NULL;
    }
    if (!object_is_instance(receiver, m->cls)) {
        throw_wk(self, "java/lang/IllegalArgumentException", "object is not an instance of declaring class");
        return NULL;
    }
    if (m->mflags & MF_INIT || m->flags & ACC_PRIVATE) return m;
    Method *selected = class_select_virtual(object_class(receiver), m);
    if (selected && !method_is_abstract(selected) && !(selected->mflags & MF_OVERPASS)) return selected;
    method_throw_unlinked(self, selected ? selected : m, object_class(receiver), m);
    wrap_target_exception(self);
    return NULL;
}

// invokeExact and similar methods have no body to call without a call site's type.
static bool refuse_polymorphic(Thread *self, const Method *m) {
    if (m->sigpoly == MH_NONE) return false;
    if (m->cls == WK(java_lang_invoke_MethodHandle)) {
        throw_wk(self, "java/lang/UnsupportedOperationException", "MethodHandle.%s cannot be invoked reflectively",
                 m->name->text);
    } else {
        char *text = method_external_name(m);
        throw_wk(self, "java/lang/UnsatisfiedLinkError", "'%s'", text);
        free(text);
    }
    wrap_target_exception(self);
    return true;
}

Object *reflect_invoke(Thread *self, Object *method, Object *receiver, Object *args) {
    Method *m = reflect_method_of(method);
    Slot slots[m->nargs + 1], result = {.l = 0};
    if (method_is_static(m)) natives_hooks.calls_static(self, m, true);
    if (self->exception) return NULL;
    if (!class_ensure_initialized(self, m->cls)) return NULL;
    Method *target = m;
    if (!method_is_static(m)) {
        target = select_method(self, m, receiver);
        if (!target) return NULL;
        slots[0].o = receiver;
    }
    if (!pass_arguments(self, m, args, slots + !method_is_static(m))) return NULL;
    if (refuse_polymorphic(self, target)) return NULL;
    if (!invoke_method(self, target, slots, &result, ENTRY_REFLECT)) {
        wrap_target_exception(self);
        return NULL;
    }
    return reflect_box(self, m->ret, &result);
}

Object *reflect_new_instance(Thread *self, Object *constructor, Object *args) {
    Method *m = reflect_method_of(constructor);
    Slot slots[m->nargs + 1];
    if (!class_ensure_initialized(self, m->cls)) return NULL;
    if (m->cls->access & (ACC_ABSTRACT | ACC_INTERFACE) || m->cls == WK(java_lang_Class)) {
        throw_wk(self, "java/lang/InstantiationException", "%s", class_external_name(m->cls));
        return NULL;
    }
    Object *object = object_new(self, m->cls);
    if (!object) return NULL;
    slots[0].o = object;
    if (!pass_arguments(self, m, args, slots + 1)) return NULL;
    if (invoke_method(self, m, slots, NULL, ENTRY_REFLECT)) return object;
    wrap_target_exception(self);
    return NULL;
}

Object *reflect_new_array(Thread *self, Class *component, int32_t length) {
    if (component->prim == 'V' || (class_is_array(component) && component->dims >= 255)) {
        throw_wk(self, "java/lang/IllegalArgumentException", NULL);
        return NULL;
    }
    Class *array = class_array_of(self, component);
    return !array ? NULL : object_new_array(self, array, length);
}
