// java.lang.reflect objects: creating them from members, finding members from them, boxing.
//
// Class metadata is immutable here. Only this thread's locals refer to new objects until they are returned. Everything
// that takes `self` may collect.
#include "vm/natives/reflect.h"

#include <string.h>

#include "bytecode/classfile/bytes.h"
#include "bytecode/classfile/descriptor.h"
#include "vm/api/stackwalk.h"
#include "vm/linking/classinit.h"
#include "vm/objects/classes.h"
#include "vm/objects/constpool.h"
#include "vm/objects/objects.h"
#include "vm/runtime/exception.h"
#include "vm/linking/link.h"
#include "vm/loading/loader.h"
#include "vm/linking/resolve.h"
#include "vm/objects/string.h"
#include "vm/objects/symbol.h"
#include "vm/threads/thread.h"

enum { CLASS_MODIFIERS = 0x7fff & ~ACC_SUPER };

// ---- from objects to members ---------------------------------------------------------------------

Field *reflect_field_of(const Object *field) {
    Class *cls = class_from_mirror(get_ref(field, (size_t)WK_OFF(java_lang_reflect_Field, clazz)));
    return &cls->fields[get_int(field, (size_t)WK_OFF(java_lang_reflect_Field, slot))];
}

Method *reflect_method_of(const Object *executable) {
    bool is_method = object_class(executable) == WK(java_lang_reflect_Method);
    int64_t clazz_at = is_method ? WK_OFF(java_lang_reflect_Method, clazz)
                                 : WK_OFF(java_lang_reflect_Constructor, clazz);
    int64_t slot_at = is_method ? WK_OFF(java_lang_reflect_Method, slot) : WK_OFF(java_lang_reflect_Constructor, slot);
    Class *cls = class_from_mirror(get_ref(executable, (size_t)clazz_at));
    return &cls->methods[get_int(executable, (size_t)slot_at)];
}

// ---- types and attributes ------------------------------------------------------------------------

// Mirror of the type at a descriptor's `text`, loaded (not initialised) through cls's loader.
static Object *type_mirror(Thread *self, Class *cls, const char *text, uint32_t len) {
    Class *type = resolve_type(self, cls->loader, text, len);
    return !type ? NULL : type->mirror;
}

Object *reflect_parameter_types(Thread *self, Class *cls, const Symbol *desc, Object **rtype) {
    const uint8_t *text = (const uint8_t *)desc->text;
    Object *types = reflect_new_array(self, WK(java_lang_Class), (int32_t)descriptor_param_count(text, desc->length));
    if (!types) return NULL;
    DescriptorIter it;
    DescriptorType type;
    descriptor_begin(&it, text, desc->length);
    for (int32_t i = 0; descriptor_next(&it, &type); i++) {
        Object *mirror = type_mirror(self, cls, (const char *)type.ptr, type.len);
        if (!mirror) return NULL;
        set_element(types, i, mirror);
    }
    if (!rtype) return types;
    descriptor_return(&it, &type);
    *rtype = type_mirror(self, cls, (const char *)type.ptr, type.len);
    return !*rtype ? NULL : types;
}

static Object *exception_types(Thread *self, Method *m) {
    int32_t count = !m->info ? 0 : m->info->exception_count;
    Object *types = reflect_new_array(self, WK(java_lang_Class), count);
    if (!types) return NULL;
    for (int32_t i = 0; i < count; i++) {
        Class *cls = resolve_class(self, m->cls, m->info->exceptions[i]);
        if (!cls) return NULL;
        set_element(types, i, cls->mirror);
    }
    return types;
}

Object *reflect_bytes(Thread *self, ClassFileBytes bytes) {
    if (!bytes.ptr) return NULL;
    Object *array = object_new_prim_array(self, 'B', (int32_t)bytes.len);
    if (array) memcpy(ARRAY_DATA(array, uint8_t), bytes.ptr, bytes.len);
    return array;
}

int reflect_class_modifiers(const Class *cls) {
    if (class_is_primitive(cls)) return ACC_ABSTRACT | ACC_FINAL | ACC_PUBLIC;
    if (class_is_array(cls))
        return (reflect_class_modifiers(cls->element) & (ACC_PUBLIC | ACC_PRIVATE | ACC_PROTECTED)) | ACC_FINAL |
            ACC_ABSTRACT;
    const ClassFile *file = cls->file;
    ClassFileUtf8 own = classfile_this_name(file);
    for (uint16_t i = 0; i < file->inner_class_count; i++) {
        const ClassFileInnerClass *inner = &file->inner_classes[i];
        if (inner->inner_class_index == file->this_class ||
            classfile_utf8_equal(classfile_name_of(file, inner->inner_class_index), own))
            return inner->access_flags & CLASS_MODIFIERS;
    }
    return cls->access & CLASS_MODIFIERS;
}

int reflect_access_flags(const Class *cls) { return cls->file ? cls->access & 0x7fff : reflect_class_modifiers(cls); }

// ---- callers -------------------------------------------------------------------------------------

bool reflect_is_plumbing(const Method *m) {
    if (m->cls == WK(java_lang_reflect_Method) && m->name == SYMS(invoke)) return true;
    if (class_is_subtype(m->cls, WK(jdk_internal_reflect_MethodAccessorImpl))) return true;
    return (m->mflags & MF_LAMBDAFORM_COMPILED) != 0 || m->sigpoly != 0;
}

Class *reflect_caller_class(Thread *self) {
    StackWalk w;
    stackwalk_begin(&w, self);
    for (int n = 0; n < 2; n++) {
        if (stackwalk_next(&w) && w.method->mflags & MF_CALLER_SENSITIVE) continue;
        throw_wk(self, "java/lang/InternalError", "CallerSensitive annotation expected at frame %d", n);
        return NULL;
    }
    while (stackwalk_next(&w))
        if (!reflect_is_plumbing(w.method)) return w.method->cls;
    return NULL;
}

// ---- from members to objects ---------------------------------------------------------------------

// Fills reference fields of a new object; not `ok` as soon as a value cannot be created.
typedef struct Filling {
    Thread *self;
    Object *object;
    bool ok;
} Filling;

static void fill_ref(Filling *f, int64_t offset, Object *value) {
    if (f->self->exception) f->ok = false;
    if (f->ok) set_ref(f->object, (size_t)offset, value);
}

static void fill_bytes(Filling *f, int64_t offset, ClassFileBytes bytes) {
    if (f->ok && bytes.ptr) fill_ref(f, offset, reflect_bytes(f->self, bytes));
}

static void fill_signature(Filling *f, int64_t offset, const Class *cls, uint16_t index) {
    if (!f->ok || index == 0) return;
    ClassFileUtf8 text = classfile_utf8(cls->file, index);
    fill_ref(f, offset, string_from_mutf8(f->self, (const char *)text.ptr, text.len));
}

static Filling fill_new(Thread *self, Class *cls) {
    Filling f = {.self = self};
    if (class_ensure_initialized(self, cls)) f.object = object_new(self, cls);
    f.ok = f.object != NULL;
    return f;
}

#define FIELD_OFF(name) WK_OFF(java_lang_reflect_Field, name)
Object *reflect_new_field(Thread *self, Field *field) {
    Filling f = fill_new(self, WK(java_lang_reflect_Field));
    if (!f.ok) return NULL;
    set_int(f.object, (size_t)FIELD_OFF(slot), field->slot);
    set_int(f.object, (size_t)FIELD_OFF(modifiers), field->flags & FIELD_MODIFIERS);
    FIELD_AT(f.object, FIELD_OFF(trustedFinal), uint8_t) = field->trusted_final;
    fill_ref(&f, FIELD_OFF(clazz), field->cls->mirror);
    fill_ref(&f, FIELD_OFF(name), string_intern_symbol(self, field->name));
    if (f.ok) fill_ref(&f, FIELD_OFF(type), type_mirror(self, field->cls, field->desc->text, field->desc->length));
    fill_signature(&f, FIELD_OFF(signature), field->cls, field->info->signature_index);
    fill_bytes(&f, FIELD_OFF(annotations), field->info->annotations);
    return f.ok ? f.object : NULL;
}

#define METHOD_OFF(name) WK_OFF(java_lang_reflect_Method, name)
Object *reflect_new_method(Thread *self, Method *m) {
    Object *rtype = NULL;
    Object *ptypes = reflect_parameter_types(self, m->cls, m->desc, &rtype);
    if (!ptypes) return NULL;
    Filling f = fill_new(self, WK(java_lang_reflect_Method));
    if (!f.ok) return NULL;
    set_int(f.object, (size_t)METHOD_OFF(slot), m->slot);
    set_int(f.object, (size_t)METHOD_OFF(modifiers), m->flags & METHOD_MODIFIERS);
    fill_ref(&f, METHOD_OFF(clazz), m->cls->mirror);
    fill_ref(&f, METHOD_OFF(name), string_intern_symbol(self, m->name));
    fill_ref(&f, METHOD_OFF(parameterTypes), ptypes);
    fill_ref(&f, METHOD_OFF(returnType), rtype);
    if (f.ok) fill_ref(&f, METHOD_OFF(exceptionTypes), exception_types(self, m));
    if (!m->info) return f.ok ? f.object : NULL;
    fill_signature(&f, METHOD_OFF(signature), m->cls, m->info->signature_index);
    fill_bytes(&f, METHOD_OFF(annotations), m->info->annotations);
    fill_bytes(&f, METHOD_OFF(parameterAnnotations), m->info->parameter_annotations);
    fill_bytes(&f, METHOD_OFF(annotationDefault), m->info->annotation_default);
    return f.ok ? f.object : NULL;
}

#define CONSTRUCTOR_OFF(name) WK_OFF(java_lang_reflect_Constructor, name)
Object *reflect_new_constructor(Thread *self, Method *m) {
    Object *ptypes = reflect_parameter_types(self, m->cls, m->desc, NULL);
    if (!ptypes) return NULL;
    Filling f = fill_new(self, WK(java_lang_reflect_Constructor));
    if (!f.ok) return NULL;
    set_int(f.object, (size_t)CONSTRUCTOR_OFF(slot), m->slot);
    set_int(f.object, (size_t)CONSTRUCTOR_OFF(modifiers), m->flags & METHOD_MODIFIERS);
    fill_ref(&f, CONSTRUCTOR_OFF(clazz), m->cls->mirror);
    fill_ref(&f, CONSTRUCTOR_OFF(parameterTypes), ptypes);
    fill_ref(&f, CONSTRUCTOR_OFF(exceptionTypes), exception_types(self, m));
    fill_signature(&f, CONSTRUCTOR_OFF(signature), m->cls, m->info->signature_index);
    fill_bytes(&f, CONSTRUCTOR_OFF(annotations), m->info->annotations);
    fill_bytes(&f, CONSTRUCTOR_OFF(parameterAnnotations), m->info->parameter_annotations);
    return f.ok ? f.object : NULL;
}

// ---- records and parameters ----------------------------------------------------------------------

// The accessor of a component: the class's non-static method with that name and without parameters.
static Object *record_accessor(Thread *self, Class *cls, Symbol *name, Symbol *type) {
    for (uint32_t i = 0; i < cls->method_count; i++) {
        Method *m = &cls->methods[i];
        if (m->name == name && !method_is_static(m) && strncmp(m->desc->text, "()", 2) == 0 &&
            strcmp(m->desc->text + 2, type->text) == 0)
            return reflect_new_method(self, m);
    }
    return NULL;
}

#define COMPONENT_OFF(name) WK_OFF(java_lang_reflect_RecordComponent, name)
static Object *new_component(Thread *self, Class *cls, const ClassFileRecordComponent *c) {
    Symbol *name = cp_utf8(cls, c->name_index), *desc = cp_utf8(cls, c->desc_index);
    Filling f = fill_new(self, WK(java_lang_reflect_RecordComponent));
    if (!f.ok) return NULL;
    fill_ref(&f, COMPONENT_OFF(clazz), cls->mirror);
    fill_ref(&f, COMPONENT_OFF(name), string_intern_symbol(self, name));
    if (f.ok) fill_ref(&f, COMPONENT_OFF(type), type_mirror(self, cls, desc->text, desc->length));
    if (f.ok) fill_ref(&f, COMPONENT_OFF(accessor), record_accessor(self, cls, name, desc));
    fill_signature(&f, COMPONENT_OFF(signature), cls, c->signature_index);
    fill_bytes(&f, COMPONENT_OFF(annotations), c->annotations);
    fill_bytes(&f, COMPONENT_OFF(typeAnnotations), c->type_annotations);
    return f.ok ? f.object : NULL;
}

Object *reflect_record_components(Thread *self, Class *cls) {
    int32_t count = cls->file->record_count;
    Object *result = reflect_new_array(self, WK(java_lang_reflect_RecordComponent), count);
    if (!result) return NULL;
    for (int32_t i = 0; i < count; i++) {
        Object *component = new_component(self, cls, &cls->file->record[i]);
        if (!component) return NULL;
        set_element(result, i, component);
    }
    return result;
}

#define PARAMETER_OFF(name) WK_OFF(java_lang_reflect_Parameter, name)
static Object *new_parameter(Thread *self, Class *cls, Object *executable, int index, const uint8_t *row) {
    uint16_t name = bytes_u2(row);
    if (name >= cls->cp_count || (name != 0 && cp_tag(cls, name) != CP_UTF8)) {
        throw_wk(self, "java/lang/IllegalArgumentException", "Wrong type at constant pool index");
        return NULL;
    }
    Filling f = fill_new(self, WK(java_lang_reflect_Parameter));
    if (!f.ok) return NULL;
    set_int(f.object, (size_t)PARAMETER_OFF(modifiers), bytes_u2(row + 2));
    set_int(f.object, (size_t)PARAMETER_OFF(index), index);
    fill_ref(&f, PARAMETER_OFF(executable), executable);
    if (name != 0) fill_ref(&f, PARAMETER_OFF(name), string_intern_symbol(self, cp_utf8(cls, name)));
    return f.ok ? f.object : NULL;
}

Object *reflect_parameters(Thread *self, Object *executable) {
    const Method *m = reflect_method_of(executable);
    if (!m->info || !m->info->method_parameters.ptr) return NULL;
    ClassFileBytes table = m->info->method_parameters;
    int32_t count = table.len == 0 ? 0 : table.ptr[0];
    if (table.len < 1 + (uint32_t)count * 4) return NULL;
    Object *result = reflect_new_array(self, WK(java_lang_reflect_Parameter), count);
    if (!result) return NULL;
    for (int32_t i = 0; i < count; i++) {
        Object *p = new_parameter(self, m->cls, executable, i, table.ptr + 1 + i * 4);
        if (!p) return NULL;
        set_element(result, i, p);
    }
    return result;
}

// ---- boxes ---------------------------------------------------------------------------------------

#define BOXES(ROW)                             \
    ROW('Z', java_lang_Boolean, uint8_t, i)    \
    ROW('B', java_lang_Byte, int8_t, i)        \
    ROW('C', java_lang_Character, uint16_t, i) \
    ROW('S', java_lang_Short, int16_t, i)      \
    ROW('I', java_lang_Integer, int32_t, i)    \
    ROW('J', java_lang_Long, int64_t, l)       \
    ROW('F', java_lang_Float, float, f)        \
    ROW('D', java_lang_Double, double, d)

Object *reflect_box(Thread *self, char type, const Slot *value) {
    Object *box = NULL;
    switch (type) {
#define ROW(code, cls, ctype, member)                                                     \
    case code:                                                                            \
        box = class_ensure_initialized(self, WK(cls)) ? object_new(self, WK(cls)) : NULL; \
        if (box) FIELD_AT(box, WK_OFF(cls, value), ctype) = (ctype)value->member;         \
        return box;
        BOXES(ROW)
#undef ROW
        case 'V': return NULL;
        default: return value->o;
    }
}

char reflect_unbox(const Object *box, Slot *value) {
    if (!box) return 0;
    const Class *type = object_class(box);
#define ROW(code, cls, ctype, member)                             \
    if (type == WK(cls)) {                                        \
        value->member = FIELD_AT(box, WK_OFF(cls, value), ctype); \
        return code;                                              \
    }
    BOXES(ROW)
#undef ROW
    return 0;
}

bool reflect_widen(char from, char to, Slot *value) {
    if (from == to) return true;
    bool from_int = from == 'B' || from == 'S' || from == 'C' || from == 'I';
    switch (to) {
        case 'S': return from == 'B';
        case 'I': return from_int;
        case 'J':
            if (!from_int) return false;
            value->l = value->i;
            return true;
        case 'F':
            if (from == 'J') value->f = (float)value->l;
            else if (from_int) value->f = (float)value->i;
            else return false;
            return true;
        case 'D':
            if (from == 'J') value->d = (double)value->l;
            else if (from == 'F') value->d = value->f;
            else if (from_int) value->d = value->i;
            else return false;
            return true;
        default: return false;
    }
}
