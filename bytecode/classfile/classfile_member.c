/*
 * Fields and methods (JVMS 4.5, 4.6), access-flag rules, and the duplicate check.
 */
#include "bytecode/classfile/classfile_parser.h"

#include "bytecode/classfile/descriptor.h"

#define MAX_ARG_SLOTS 255

/* Access flags. */

static bool has(uint32_t flags, uint32_t any_of) { return (flags & any_of) != 0; }

static bool two_visibilities(uint32_t flags) {
    uint32_t v = flags & (ACC_PUBLIC | ACC_PRIVATE | ACC_PROTECTED);
    return (v & (v - 1)) != 0;
}

void classfile_member_class_flags(Parser *p, uint32_t flags) {
    if (has(flags, ACC_MODULE))
        classfile_reject_as(p, CLASSFILE_NAME, "%s is not a class because access_flag ACC_MODULE is set",
                            classfile_text(p, p->name));
    if (!p->check) return;
    bool java5 = p->cf->major >= MAJOR_JAVA_5;
    bool bad;
    if (has(flags, ACC_INTERFACE)) bad = !has(flags, ACC_ABSTRACT) || (java5 && has(flags, ACC_SUPER | ACC_ENUM));
    else bad = java5 && has(flags, ACC_ANNOTATION);
    if (bad || (has(flags, ACC_ABSTRACT) && has(flags, ACC_FINAL)))
        classfile_reject(p, "Illegal class modifiers in class %s: 0x%X", classfile_text(p, p->name), flags);
}

static void check_field_flags(Parser *p, uint32_t flags) {
    const uint32_t constant = ACC_PUBLIC | ACC_STATIC | ACC_FINAL;
    bool bad;
    if (has(p->cf->access_flags, ACC_INTERFACE)) {
        uint32_t never = ACC_PRIVATE | ACC_PROTECTED | ACC_VOLATILE | ACC_TRANSIENT;
        if (p->cf->major >= MAJOR_JAVA_5) never |= ACC_ENUM;
        bad = (flags & constant) != constant || has(flags, never);
    } else {
        bad = two_visibilities(flags) || (has(flags, ACC_FINAL) && has(flags, ACC_VOLATILE));
    }
    if (bad) classfile_reject(p, "Illegal field modifiers in class %s: 0x%X", classfile_text(p, p->name), flags);
}

static bool bad_interface_method(const Parser *p, uint32_t flags) {
    unsigned major = p->cf->major;
    uint32_t strict = major >= MAJOR_JAVA_17 ? 0 : ACC_STRICT;
    if (major >= MAJOR_JAVA_8) {
        if (has(flags, ACC_PUBLIC) == has(flags, ACC_PRIVATE) ||
            has(flags, ACC_NATIVE | ACC_PROTECTED | ACC_FINAL | ACC_SYNCHRONIZED))
            return true;
        return has(flags, ACC_ABSTRACT) && has(flags, ACC_PRIVATE | ACC_STATIC | strict);
    }
    uint32_t never = ACC_STATIC | ACC_FINAL | ACC_NATIVE;
    if (major >= MAJOR_JAVA_5) never |= ACC_PRIVATE | ACC_PROTECTED | ACC_SYNCHRONIZED | ACC_STRICT;
    return !has(flags, ACC_PUBLIC) || !has(flags, ACC_ABSTRACT) || has(flags, never);
}

static bool bad_class_method(const Parser *p, uint32_t flags, bool init) {
    unsigned major = p->cf->major;
    if (two_visibilities(flags)) return true;
    if (init)
        return has(flags, ACC_STATIC | ACC_FINAL | ACC_SYNCHRONIZED | ACC_NATIVE | ACC_ABSTRACT) ||
            (major >= MAJOR_JAVA_5 && has(flags, ACC_BRIDGE));
    uint32_t never = ACC_FINAL | ACC_NATIVE | ACC_PRIVATE | ACC_STATIC;
    if (major >= MAJOR_JAVA_5) never |= ACC_SYNCHRONIZED | (major >= MAJOR_JAVA_17 ? 0 : ACC_STRICT);
    return has(flags, ACC_ABSTRACT) && has(flags, never);
}

/* Duplicates: items are member numbers + 1, keys the bytes of name and descriptor. */

typedef struct Members {
    const ClassFile *cf;
    bool methods;
} Members;

typedef struct MemberKey {
    ClassFileUtf8 name, desc;
} MemberKey;

static MemberKey key_of(const Members *members, unsigned i) {
    const ClassFile *cf = members->cf;
    const ClassFileField *f = members->methods ? NULL : &cf->fields[i];
    const ClassFileMethod *m = members->methods ? &cf->methods[i] : NULL;
    return (MemberKey){classfile_utf8(cf, f ? f->name_index : m->name_index),
                       classfile_utf8(cf, f ? f->desc_index : m->desc_index)};
}

static bool same_member(const void *owner, uintptr_t item, const void *key) {
    const MemberKey *k = key, other = key_of(owner, (unsigned)item - 1);
    return classfile_utf8_equal(k->name, other.name) && classfile_utf8_equal(k->desc, other.desc);
}

static void check_duplicates(Parser *p, unsigned count, bool methods) {
    static const HashKind by_key = {NULL, same_member};
    const Members members = {p->cf, methods};
    if (count < 2) return;
    HashTable *seen = classfile_seen(p, count);
    for (unsigned i = 0; i < count; i++) {
        MemberKey key = key_of(&members, i);
        uint32_t hash = hash_bytes(HASH_START, key.name.ptr, key.name.len);
        hash = hash_bytes(hash, key.desc.ptr, key.desc.len);
        if (hash_find(seen, &by_key, &members, hash, &key))
            classfile_reject_in(p, "Duplicate %s name \"%s\" with signature \"%s\"", methods ? "method" : "field",
                                classfile_text(p, key.name), classfile_text(p, key.desc));
        hash_place(seen, hash, i + 1);
    }
}

/* Fields. */

static void check_constant_value(Parser *p, uint16_t index, ClassFileUtf8 desc) {
    if (index == 0 || index >= p->cf->cp_count)
        classfile_reject_in(p, "Bad initial value index %u in ConstantValue attribute", index);
    enum CpTag want;
    switch (desc.len != 0 ? desc.ptr[0] : 0) {
        case 'J': want = CP_LONG; break;
        case 'F': want = CP_FLOAT; break;
        case 'D': want = CP_DOUBLE; break;
        case 'B':
        case 'C':
        case 'S':
        case 'I':
        case 'Z': want = CP_INTEGER; break;
        case 'L':
            if (!PARSER_IS(desc, "Ljava/lang/String;") || p->cp[index].tag != CP_STRING)
                classfile_reject_in(p, "Bad string initial value");
            return;
        default: classfile_reject_in(p, "Unable to set initial value %u", index);
    }
    if (p->cp[index].tag != want) classfile_reject_in(p, "Inconsistent constant value type");
}

static void parse_field_attributes(Parser *p, ClassFileField *f) {
    AttrCommon c = {0};
    for (unsigned n = parser_u2(p); n > 0; n--) {
        uint32_t len;
        enum AttrId id = classfile_attr_begin(p, "Invalid field attribute index %u", &len);
        if (id == ATTR_ConstantValue && has(f->access_flags, ACC_STATIC)) {
            if (f->constant_value_index != 0) classfile_reject_in(p, "Duplicate ConstantValue attribute");
            if (len != 2) classfile_reject_in(p, "Invalid ConstantValue field attribute length %u", len);
            f->constant_value_index = parser_next_u2(p);
            check_constant_value(p, f->constant_value_index, classfile_utf8(p->cf, f->desc_index));
        } else if (!classfile_attr_common(p, &c, id, len, "field")) parser_skip(p, len);
    }
    f->signature_index = c.signature_index;
    f->marks = c.marks;
    f->annotation_mask = c.annotation_mask;
    f->annotations = c.annotations;
    f->type_annotations = c.type_annotations;
}

static void parse_field(Parser *p, ClassFileField *f) {
    const uint32_t known = ACC_PUBLIC | ACC_PRIVATE | ACC_PROTECTED | ACC_STATIC | ACC_FINAL | ACC_VOLATILE |
        ACC_TRANSIENT | ACC_ENUM | ACC_SYNTHETIC;
    parser_need(p, 8);
    uint32_t flags = parser_u2(p) & known;
    if (p->check) check_field_flags(p, flags);
    f->access_flags = (uint16_t)flags;
    f->name_index = parser_u2(p);
    if (!parser_has_tag(p, f->name_index, CP_UTF8))
        classfile_reject_in(p, "Invalid constant pool index %u for field name", f->name_index);
    ClassFileUtf8 name = classfile_utf8(p->cf, f->name_index);
    classfile_pool_check_field_name(p, name);
    f->desc_index = parser_u2(p);
    if (!parser_has_tag(p, f->desc_index, CP_UTF8))
        classfile_reject_in(p, "Invalid constant pool index %u for field signature", f->desc_index);
    classfile_pool_check_field_desc(p, name, classfile_utf8(p->cf, f->desc_index));
    parse_field_attributes(p, f);
}

void classfile_member_fields(Parser *p) {
    uint16_t count = parser_next_u2(p);
    ClassFileField *list = classfile_alloc(p, parser_fit(p, count, 8) * sizeof *list);
    for (unsigned i = 0; i < count; i++) parse_field(p, &list[i]);
    p->cf->fields = list;
    p->cf->field_count = count;
    if (p->check) check_duplicates(p, count, false);
}

/* Methods. */

/* The annotations that only methods have. Returns false for any other attribute. */
static bool parse_method_annotations(Parser *p, ClassFileMethod *m, AttrCommon *c, enum AttrId id, uint32_t len) {
    static const char many[] = "Multiple %s attributes for method";
    if (p->cf->major < MAJOR_JAVA_5) return false;
    switch (id) {
        case ATTR_RuntimeVisibleParameterAnnotations:
            if (attr_again(c, id)) classfile_reject_in(p, many, "RuntimeVisibleParameterAnnotations");
            m->parameter_annotations = parser_raw(p, len);
            return true;
        case ATTR_RuntimeInvisibleParameterAnnotations:
            if (attr_again(c, id)) classfile_reject_in(p, many, "RuntimeInvisibleParameterAnnotations");
            parser_skip(p, len);
            return true;
        case ATTR_AnnotationDefault:
            if (attr_again(c, id)) classfile_reject_in(p, many, "AnnotationDefault");
            m->annotation_default = parser_raw(p, len);
            return true;
        default: return false;
    }
}

static void parse_method_attribute(Parser *p, ClassFileMethod *m, AttrCommon *c) {
    uint32_t len;
    enum AttrId id = classfile_attr_begin(p, "Invalid method attribute name index %u", &len);
    switch (id) {
        case ATTR_Code:
            if (has(m->access_flags, ACC_NATIVE | ACC_ABSTRACT))
                classfile_reject_in(p, "Code attribute in native or abstract methods");
            if (attr_again(c, id)) classfile_reject_in(p, "Multiple Code attributes");
            classfile_code_parse(p, m, len);
            break;
        case ATTR_Exceptions:
            if (attr_again(c, id)) classfile_reject_in(p, "Multiple Exceptions attributes");
            m->exception_count = parser_next_u2(p);
            m->exceptions = classfile_attr_classes(p, m->exception_count,
                                                   "Exception name has bad type at constant pool %u");
            if (p->check && len != 2 + 2 * (uint32_t)m->exception_count)
                classfile_reject_in(p, "Exceptions attribute has wrong length");
            break;
        case ATTR_MethodParameters:
            if (attr_again(c, id)) classfile_reject_in(p, "Multiple MethodParameters attributes");
            parser_need(p, 1);
            if (len != 1 + 4 * (uint32_t)p->pos[0])
                classfile_reject(p, "Invalid MethodParameters method attribute length %u in class file", len);
            m->method_parameters = parser_raw(p, len);
            break;
        default:
            if (!classfile_attr_common(p, c, id, len, "method") && !parse_method_annotations(p, m, c, id, len))
                parser_skip(p, len);
    }
}

static void parse_method(Parser *p, ClassFileMethod *m) {
    const uint32_t known = ACC_PUBLIC | ACC_PRIVATE | ACC_PROTECTED | ACC_STATIC | ACC_FINAL | ACC_SYNCHRONIZED |
        ACC_BRIDGE | ACC_VARARGS | ACC_NATIVE | ACC_ABSTRACT | ACC_STRICT | ACC_SYNTHETIC;
    parser_need(p, 8);
    uint32_t flags = parser_u2(p);
    m->name_index = parser_u2(p);
    if (!parser_has_tag(p, m->name_index, CP_UTF8))
        classfile_reject_in(p, "Illegal constant pool index %u for method name", m->name_index);
    ClassFileUtf8 name = classfile_utf8(p->cf, m->name_index);
    classfile_pool_check_method_name(p, name);
    m->desc_index = parser_u2(p);
    if (!parser_has_tag(p, m->desc_index, CP_UTF8))
        classfile_reject_in(p, "Illegal constant pool index %u for method signature", m->desc_index);
    ClassFileUtf8 desc = classfile_utf8(p->cf, m->desc_index);
    bool in_interface = has(p->cf->access_flags, ACC_INTERFACE), init = PARSER_IS(name, "<init>");
    if (PARSER_IS(name, "<clinit>")) {
        /* Only ACC_STATIC matters among its flags; old class files need not set it. */
        if (p->cf->major < MAJOR_JAVA_7) flags = ACC_STATIC;
        else if (!has(flags, ACC_STATIC)) classfile_reject_in(p, "Method <clinit> is not static");
        flags &= ACC_STATIC | (p->cf->major <= MAJOR_JAVA_16 ? ACC_STRICT : 0);
    } else if (p->check && (in_interface ? bad_interface_method(p, flags) : bad_class_method(p, flags, init))) {
        classfile_reject(p, "Method %s in class %s has illegal modifiers: 0x%X", classfile_text(p, name),
                         classfile_text(p, p->name), flags);
    }
    if (init && in_interface)
        classfile_reject(p, "Interface cannot have a method named <init>, class file %s", classfile_text(p, p->name));
    unsigned slots = classfile_pool_check_method_desc(p, name, desc) + !has(flags, ACC_STATIC);
    if (slots > MAX_ARG_SLOTS) classfile_reject_in(p, "Too many arguments in method signature");
    m->arg_slots = (uint16_t)slots;
    m->access_flags = (uint16_t)(flags & known);
    AttrCommon c = {0};
    for (unsigned n = parser_u2(p); n > 0; n--) parse_method_attribute(p, m, &c);
    m->signature_index = c.signature_index;
    m->marks = c.marks;
    m->annotation_mask = c.annotation_mask;
    m->annotations = c.annotations;
    m->type_annotations = c.type_annotations;
    if (!m->code && !has(m->access_flags, ACC_NATIVE | ACC_ABSTRACT))
        classfile_reject_in(p, "Absent Code attribute in method that is not native or abstract");
}

void classfile_member_methods(Parser *p) {
    uint16_t count = parser_next_u2(p);
    ClassFileMethod *list = classfile_alloc(p, parser_fit(p, count, 8) * sizeof *list);
    for (unsigned i = 0; i < count; i++) parse_method(p, &list[i]);
    p->cf->methods = list;
    p->cf->method_count = count;
    if (p->check) check_duplicates(p, count, true);
}
