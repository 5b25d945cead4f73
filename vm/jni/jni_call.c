// JNI: method IDs and calls. All three forms of a call (varargs, va_list, jvalue array) put the arguments into slots
// and use call().
#include "bytecode/classfile/descriptor.h"
#include "vm/jni/handles.h"
#include "vm/jni/hooks.h"
#include "vm/linking/classinit.h"
#include "vm/objects/classes.h"
#include "vm/objects/objects.h"
#include "vm/runtime/invoke.h"
#include "vm/jni/jni_impl.h"

#include <stdlib.h>
#include <string.h>

// ---- method IDs ------------------------------------------------------------------------------

static Method *find_method(const Class *cls, const Symbol *name, const Symbol *desc) {
    if (!name || !desc || class_is_primitive(cls)) return NULL;
    // Constructors and initialisers are not inherited.
    if (name->text[0] == '<') return class_find_declared_method(cls, name, desc);
    return class_find_method(cls, name, desc);
}

static jmethodID method_id(Thread *self, jclass ref, const char *name, const char *desc, bool is_static) {
    Class *cls = jni_class(ref);
    const Symbol *n = symbol_find(name, strlen(name)), *d = symbol_find(desc, strlen(desc));
    Method *m = find_method(cls, n, d);
    if (m && is_static) jni_hooks.calls_static(self, m, false);
    if (self->exception) return NULL;
    if (!class_is_primitive(cls) && !class_ensure_initialized(self, cls)) return NULL;
    if (!m) m = find_method(cls, n = symbol_find(name, strlen(name)), d = symbol_find(desc, strlen(desc)));
    if (m && method_is_static(m) == is_static) return m;
    if (n && d) {
        bool is_plain = !class_is_array(cls) && !class_is_primitive(cls);
        throw_wk(self, "java/lang/NoSuchMethodError", "%s%s%s%s.%s%s", is_static ? "static " : "", is_plain ? "L" : "",
                 cls->name->text, is_plain ? ";" : "", name, desc);
    } else {
        throw_wk(self, "java/lang/NoSuchMethodError", "%s", name);
    }
    return NULL;
}

jmethodID jni_GetMethodID(JNIEnv *env, jclass cls, const char *name, const char *desc) {
    VM_ENTER(env);
    jmethodID result = method_id(self, cls, name, desc, false);
    VM_LEAVE();
    return result;
}

jmethodID jni_GetStaticMethodID(JNIEnv *env, jclass cls, const char *name, const char *desc) {
    VM_ENTER(env);
    jmethodID result = method_id(self, cls, name, desc, true);
    VM_LEAVE();
    return result;
}

// ---- arguments -------------------------------------------------------------------------------

// The source of arguments: `array` if not NULL, else the list.
typedef struct Source {
    const jvalue *array;
    va_list list;
} Source;

// varargs promote small integers to int and float to double.
static jvalue next_vararg(Source *s, char kind) {
    jvalue v = {.j = 0};
    switch (kind) {
        case 'Z': v.z = va_arg(s->list, int) != 0; break;
        case 'B': v.b = (jbyte)va_arg(s->list, int); break;
        case 'C': v.c = (jchar)va_arg(s->list, int); break;
        case 'S': v.s = (jshort)va_arg(s->list, int); break;
        case 'I': v.i = va_arg(s->list, jint); break;
        case 'J': v.j = va_arg(s->list, jlong); break;
        case 'F': v.f = (jfloat)va_arg(s->list, double); break;
        case 'D': v.d = va_arg(s->list, jdouble); break;
        default: v.l = va_arg(s->list, jobject); break;
    }
    return v;
}

static Slot slot_of_value(char kind, const jvalue *v) {
    Slot s = {.l = 0};
    switch (kind) {
        case 'Z': s.i = v->z != 0; break;
        case 'B': s.i = v->b; break;
        case 'C': s.i = v->c; break;
        case 'S': s.i = v->s; break;
        case 'I': s.i = v->i; break;
        case 'J': s.l = v->j; break;
        case 'F': s.f = v->f; break;
        case 'D': s.d = v->d; break;
        default: s.o = handle_get(v->l); break;
    }
    return s;
}

// Fills `slots` from slot `at` on.
static void gather(const Method *m, Source *source, Slot *slots, size_t at) {
    DescriptorIter it;
    DescriptorType t;
    descriptor_begin(&it, (const uint8_t *)m->desc->text, m->desc->length);
    for (size_t i = 0; descriptor_next(&it, &t); i++) {
        jvalue v = source->array ? source->array[i] : next_vararg(source, t.kind);
        slots[at] = slot_of_value(t.kind, &v);
        at += t.slots;
    }
}

// ---- calls -----------------------------------------------------------------------------------

typedef enum Dispatch { VIRTUAL, NONVIRTUAL, STATIC } Dispatch;

// The result remains an object here; the caller turns it into a handle before leaving the VM.
static Slot call(Thread *self, Dispatch how, Object *receiver, Method *m, Source *source) {
    Slot slots[m->nargs + 1];
    Slot result = {.l = 0};
    size_t at = 0;
    if (how != STATIC) {
        if (!receiver) {
            throw_npe(self);
            return result;
        }
        slots[at++].o = receiver;
    }
    gather(m, source, slots, at);
    bool ok = how == VIRTUAL ? invoke_virtual(self, m, slots, &result, ENTRY_JNI)
                             : invoke_method(self, m, slots, &result, ENTRY_JNI);
    if (!ok) result = (Slot){.l = 0};
    return result;
}

#define AS_Object(self, slot) handle_local((self), (slot).o)
#define AS_Boolean(self, slot) ((jboolean)((slot).i & 1))
#define AS_Byte(self, slot) ((jbyte)(slot).i)
#define AS_Char(self, slot) ((jchar)(slot).i)
#define AS_Short(self, slot) ((jshort)(slot).i)
#define AS_Int(self, slot) ((slot).i)
#define AS_Long(self, slot) ((slot).l)
#define AS_Float(self, slot) ((slot).f)
#define AS_Double(self, slot) ((slot).d)

// One call with the arguments in SOURCE, which START and END open and close.
#define BODY(type, Name, how, receiver, start, end)                 \
    Source source = {0};                                            \
    start;                                                          \
    VM_ENTER(env);                                                  \
    Slot slot = call(self, how, handle_get(receiver), id, &source); \
    type result = AS_##Name(self, slot);                            \
    VM_LEAVE();                                                     \
    end;                                                            \
    return result;
#define BODY_VOID(type, Name, how, receiver, start, end) \
    Source source = {0};                                 \
    start;                                               \
    VM_ENTER(env);                                       \
    call(self, how, handle_get(receiver), id, &source);  \
    VM_LEAVE();                                          \
    end;

#define START_VARARGS va_start(source.list, id)
#define START_LIST va_copy(source.list, args)
#define START_ARRAY source.array = args ? args : &no_values
#define END_LIST va_end(source.list)
#define END_ARRAY (void)0

static const jvalue no_values = {.j = 0};

#define CALLS(type, Name, BODY)                                                                                       \
    type jni_Call##Name##Method(JNIEnv *env, jobject obj, jmethodID id, ...){BODY(                                    \
        type, Name, VIRTUAL, obj, START_VARARGS, END_LIST)} type jni_Call##Name##MethodV(JNIEnv *env, jobject obj,    \
                                                                                         jmethodID id, va_list args){ \
        BODY(type, Name, VIRTUAL, obj, START_LIST, END_LIST)} type jni_Call##Name##MethodA(JNIEnv *env, jobject obj,  \
                                                                                           jmethodID id,              \
                                                                                           const jvalue *args){BODY(  \
        type, Name, VIRTUAL, obj, START_ARRAY,                                                                        \
        END_ARRAY)} type jni_CallNonvirtual##Name##Method(JNIEnv *env, jobject obj, jclass cls, jmethodID id, ...) {  \
        (void)cls;                                                                                                    \
        BODY(type, Name, NONVIRTUAL, obj, START_VARARGS, END_LIST)                                                    \
    }                                                                                                                 \
    type jni_CallNonvirtual##Name##MethodV(JNIEnv *env, jobject obj, jclass cls, jmethodID id, va_list args) {        \
        (void)cls;                                                                                                    \
        BODY(type, Name, NONVIRTUAL, obj, START_LIST, END_LIST)                                                       \
    }                                                                                                                 \
    type jni_CallNonvirtual##Name##MethodA(JNIEnv *env, jobject obj, jclass cls, jmethodID id, const jvalue *args) {  \
        (void)cls;                                                                                                    \
        BODY(type, Name, NONVIRTUAL, obj, START_ARRAY, END_ARRAY)                                                     \
    }                                                                                                                 \
    type jni_CallStatic##Name##Method(JNIEnv *env, jclass cls, jmethodID id, ...) {                                   \
        (void)cls;                                                                                                    \
        BODY(type, Name, STATIC, NULL, START_VARARGS, END_LIST)                                                       \
    }                                                                                                                 \
    type jni_CallStatic##Name##MethodV(JNIEnv *env, jclass cls, jmethodID id, va_list args) {                         \
        (void)cls;                                                                                                    \
        BODY(type, Name, STATIC, NULL, START_LIST, END_LIST)                                                          \
    }                                                                                                                 \
    type jni_CallStatic##Name##MethodA(JNIEnv *env, jclass cls, jmethodID id, const jvalue *args) {                   \
        (void)cls;                                                                                                    \
        BODY(type, Name, STATIC, NULL, START_ARRAY, END_ARRAY)                                                        \
    }

CALLS(jobject, Object, BODY)
#define CALLS_PRIMITIVE(type, Name, member, kind) CALLS(type, Name, BODY)
JNI_PRIMITIVES(CALLS_PRIMITIVE)

CALLS(void, Void, BODY_VOID)

// ---- new objects -------------------------------------------------------------------------------

// An instance whose constructor has not run; InstantiationException if the class has no instances.
static Object *allocate(Thread *self, jclass ref) {
    Class *cls = jni_class(ref);
    if (class_is_array(cls) || class_is_primitive(cls) || cls == WK(java_lang_Class) ||
        (cls->access & (ACC_INTERFACE | ACC_ABSTRACT))) {
        throw_wk(self, "java/lang/InstantiationException", "%s", class_external_name(cls));
        return NULL;
    }
    return class_ensure_initialized(self, cls) ? object_new(self, cls) : NULL;
}

jobject jni_AllocObject(JNIEnv *env, jclass cls) {
    VM_ENTER(env);
    jobject result = handle_local(self, allocate(self, cls));
    VM_LEAVE();
    return result;
}

static jobject new_object(Thread *self, jclass cls, Method *constructor, Source *source) {
    Object *o = allocate(self, cls);
    if (!o) return NULL;
    call(self, NONVIRTUAL, o, constructor, source);
    return self->exception ? NULL : handle_local(self, o);
}

#define BODY_NEW(start, end)                             \
    Source source = {0};                                 \
    start;                                               \
    VM_ENTER(env);                                       \
    jobject result = new_object(self, cls, id, &source); \
    VM_LEAVE();                                          \
    end;                                                 \
    return result;

jobject jni_NewObject(JNIEnv *env, jclass cls, jmethodID id, ...){BODY_NEW(START_VARARGS, END_LIST)} jobject
    jni_NewObjectV(JNIEnv *env, jclass cls, jmethodID id, va_list args){BODY_NEW(START_LIST, END_LIST)} jobject
    jni_NewObjectA(JNIEnv *env, jclass cls, jmethodID id, const jvalue *args) {
    BODY_NEW(START_ARRAY, END_ARRAY)
}
