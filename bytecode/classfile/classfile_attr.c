/*
 * Attributes (JVMS 4.7): their identification, the attributes shared by several owners, and those
 * of the class.
 *
 * Attributes that refer to the whole class (InnerClasses, NestMembers, Record, PermittedSubclasses)
 * are only located while the list is read and are parsed afterwards, like in the reference
 * implementation: which of two errors is reported depends on it.
 */
#include "bytecode/classfile/classfile_parser.h"

typedef struct NameRow {
    const char *name;
    uint32_t len;
} NameRow;

static const NameRow attr_names[ATTR_COUNT] = {
#define ATTRIBUTE(name) [ATTR_##name] = {#name, sizeof #name - 1},
#include "bytecode/classfile/attributes.def"
#undef ATTRIBUTE
};

static const NameRow annotation_names[] = {
#define ANNOTATION(name, bit, descriptor) [bit] = {descriptor, sizeof descriptor - 1},
#include "bytecode/classfile/annotations.def"
#undef ANNOTATION
};

enum AttrId classfile_attr_id(ClassFileUtf8 name) {
    for (unsigned i = 1; i < ATTR_COUNT; i++) {
        if (attr_names[i].len == name.len && attr_names[i].name[0] == (char)name.ptr[0] &&
            memcmp(attr_names[i].name, name.ptr, name.len) == 0)
            return (enum AttrId)i;
    }
    return ATTR_UNKNOWN;
}

enum AttrId classfile_attr_begin(Parser *p, const char *what, uint32_t *len) {
    parser_need(p, 6);
    uint16_t name = parser_u2(p);
    *len = parser_u4(p);
    if (!parser_has_tag(p, name, CP_UTF8)) classfile_reject_in(p, what, name);
    return classfile_attr_id(classfile_utf8(p->cf, name));
}

/* Recognised annotations. Never reads out of bounds: malformed bytes just end the walk. */

typedef struct Walk {
    const uint8_t *pos, *end;
} Walk;

static bool walk_skip(Walk *w, size_t n) {
    if ((size_t)(w->end - w->pos) < n) return false;
    w->pos += n;
    return true;
}

static bool walk_u2(Walk *w, uint16_t *v) {
    if (w->end - w->pos < 2) return false;
    *v = bytes_u2(w->pos);
    w->pos += 2;
    return true;
}

static bool walk_value(Walk *w, int depth);

static bool walk_pairs(Walk *w, int depth) {
    uint16_t pairs;
    if (!walk_u2(w, &pairs)) return false;
    while (pairs-- > 0) {
        if (!walk_skip(w, 2) || !walk_value(w, depth)) return false;
    }
    return true;
}

/* An element value; the depth limit keeps hostile nesting from exhausting the C stack. */
static bool walk_value(Walk *w, int depth) {
    if (depth == 0 || w->pos == w->end) return false;
    switch (*w->pos++) {
        case 'e': return walk_skip(w, 4);
        case '@': return walk_skip(w, 2) && walk_pairs(w, depth - 1);
        case '[': {
            uint16_t count;
            if (!walk_u2(w, &count)) return false;
            while (count-- > 0) {
                if (!walk_value(w, depth - 1)) return false;
            }
            return true;
        }
        default: return walk_skip(w, 2);
    }
}

static uint32_t annotation_bit(ClassFileUtf8 desc) {
    /*
     * All known names start with Lj and are long; most annotations of programs are rejected here.
     */
    if (desc.len < 20 || desc.ptr[1] != 'j') return 0;
    for (unsigned i = 0; i < sizeof annotation_names / sizeof *annotation_names; i++) {
        if (parser_name_is(desc, annotation_names[i].name, annotation_names[i].len)) return UINT32_C(1) << i;
    }
    return 0;
}

uint32_t classfile_attr_mask(const Parser *p, ClassFileBytes annotations) {
    Walk w = {annotations.ptr, annotations.ptr + annotations.len};
    uint32_t mask = 0;
    uint16_t count, type;
    if (!walk_u2(&w, &count)) return 0;
    while (count-- > 0 && walk_u2(&w, &type)) {
        if (parser_has_tag(p, type, CP_UTF8)) mask |= annotation_bit(classfile_utf8(p->cf, type));
        if (!walk_pairs(&w, 16)) break;
    }
    return mask;
}

/* Shared attributes. */

static void parse_signature(Parser *p, AttrCommon *c, uint32_t len, const char *owner) {
    bool is_class = owner[0] == 'c', is_component = owner[0] == 'R';
    if (c->signature_index != 0)
        classfile_reject_in(p, "Multiple Signature attributes%s%s", is_class ? "" : " for ", is_class ? "" : owner);
    if (len != 2)
        classfile_reject_in(p,
                            is_class              ? "Wrong Signature attribute length %u"
                                : is_component    ? "Invalid Signature attribute length %u in Record component"
                                : owner[0] == 'f' ? "Wrong size %u for field's Signature attribute"
                                                  : "Invalid Signature attribute length %u",
                            len);
    uint16_t index = parser_next_u2(p);
    if (!parser_has_tag(p, index, CP_UTF8))
        classfile_reject_in(p,
                            is_class ? "Invalid constant pool index %u in Signature attribute"
                                     : "Invalid Signature attribute at constant pool index %u",
                            index);
    c->signature_index = index;
}

bool classfile_attr_common(Parser *p, AttrCommon *c, enum AttrId id, uint32_t len, const char *owner) {
    bool is_class = owner[0] == 'c', is_component = owner[0] == 'R';
    if (id == ATTR_Synthetic || id == ATTR_Deprecated) {
        if (is_component) return false;
        if (len != 0) classfile_reject_in(p, "Invalid %s %s attribute length %u", attr_names[id].name, owner, len);
        c->marks |= id == ATTR_Synthetic ? CFM_SYNTHETIC : CFM_DEPRECATED;
        return true;
    }
    if (p->cf->major < MAJOR_JAVA_5) return false;
    switch (id) {
        case ATTR_Signature: parse_signature(p, c, len, owner); return true;
        case ATTR_RuntimeVisibleAnnotations:
        case ATTR_RuntimeInvisibleAnnotations:
        case ATTR_RuntimeVisibleTypeAnnotations:
        case ATTR_RuntimeInvisibleTypeAnnotations: break;
        default: return false;
    }
    if (attr_again(c, id))
        classfile_reject_in(p, "Multiple %s attributes%s%s", attr_names[id].name, is_class ? "" : " for ",
                            is_class ? "" : owner);
    ClassFileBytes raw = parser_raw(p, len);
    if (id == ATTR_RuntimeVisibleAnnotations) {
        c->annotations = raw;
        c->annotation_mask = classfile_attr_mask(p, raw);
    } else if (id == ATTR_RuntimeVisibleTypeAnnotations) {
        c->type_annotations = raw;
    }
    return true;
}

/* Attributes of the class. */

uint16_t *classfile_attr_classes(Parser *p, uint16_t count, const char *what) {
    parser_need(p, (size_t)count * 2);
    uint16_t *list = classfile_alloc(p, (size_t)count * sizeof *list);
    for (unsigned i = 0; i < count; i++) {
        list[i] = parser_u2(p);
        if (!parser_has_tag(p, list[i], CP_CLASS)) classfile_reject_in(p, what, list[i]);
    }
    return list;
}

/* Positions of attributes that are parsed after the list; pos NULL: absent. */
typedef struct Deferred {
    const uint8_t *pos;
    uint32_t len;
} Deferred;

typedef struct ClassAttrs {
    AttrCommon common;
    Deferred inner_classes, nest_members, record, permitted;
} ClassAttrs;

static void defer(Parser *p, Deferred *d, uint32_t len) {
    d->pos = parser_skip(p, len);
    d->len = len;
}

static void parse_enclosing_method(Parser *p, uint32_t len) {
    if (len != 4) classfile_reject_in(p, "Wrong EnclosingMethod attribute length %u", len);
    parser_need(p, 4);
    uint16_t class_index = parser_u2(p), method_index = parser_u2(p);
    if (class_index == 0) classfile_reject_in(p, "Invalid class index in EnclosingMethod attribute");
    if (!parser_has_tag(p, class_index, CP_CLASS))
        classfile_reject_in(p, "Invalid or out-of-bounds class index in EnclosingMethod attribute");
    if (method_index != 0 && !parser_has_tag(p, method_index, CP_NAME_AND_TYPE))
        classfile_reject_in(p, "Invalid or out-of-bounds method index in EnclosingMethod attribute");
    p->cf->enclosing_class = class_index;
    p->cf->enclosing_method = method_index;
}

static bool is_loadable(const Parser *p, uint16_t index) {
    if (index == 0 || index >= p->cf->cp_count) return false;
    switch (p->cp[index].tag) {
        case CP_INTEGER:
        case CP_FLOAT:
        case CP_LONG:
        case CP_DOUBLE:
        case CP_CLASS:
        case CP_STRING:
        case CP_METHOD_HANDLE:
        case CP_METHOD_TYPE:
        case CP_DYNAMIC: return true;
        default: return false;
    }
}

static void parse_bootstrap(Parser *p, ClassFileBootstrap *b, const uint8_t *end) {
    parser_need(p, 4);
    b->method_ref = parser_u2(p);
    b->arg_count = parser_u2(p);
    if (!parser_has_tag(p, b->method_ref, CP_METHOD_HANDLE))
        classfile_reject_in(p, "bootstrap_method_index %u has bad constant type", b->method_ref);
    if (end < p->pos || (size_t)(end - p->pos) < (size_t)b->arg_count * 2)
        classfile_reject_in(p,
                            "Invalid BootstrapMethods num_bootstrap_methods or "
                            "num_bootstrap_arguments value");
    uint16_t *args = classfile_alloc(p, (size_t)b->arg_count * sizeof *args);
    for (unsigned i = 0; i < b->arg_count; i++) {
        args[i] = parser_u2(p);
        if (!is_loadable(p, args[i])) classfile_reject_in(p, "argument_index %u has bad constant type", args[i]);
    }
    b->args = args;
}

static void parse_bootstraps(Parser *p, uint32_t len) {
    parser_need(p, len);
    if (len < 2) classfile_reject_in(p, "Invalid BootstrapMethods attribute length %u", len);
    const uint8_t *end = p->pos + len;
    uint16_t count = parser_u2(p);
    if (p->max_bsm >= count) classfile_reject_in(p, "Short length on BootstrapMethods");
    ClassFileBootstrap *list = classfile_alloc(p, parser_fit(p, count, 4) * sizeof *list);
    for (unsigned i = 0; i < count; i++) parse_bootstrap(p, &list[i], end);
    if (p->pos != end) classfile_reject_in(p, "Bad length on BootstrapMethods");
    p->cf->bootstraps = list;
    p->cf->bootstrap_count = count;
}

static void once(Parser *p, AttrCommon *c, enum AttrId id) {
    if (attr_again(c, id)) classfile_reject_in(p, "Multiple %s attributes", attr_names[id].name);
}

/* The first class-file version in which an attribute of a class is recognised. */
static unsigned since(enum AttrId id) {
    switch (id) {
        case ATTR_EnclosingMethod: return MAJOR_JAVA_5;
        case ATTR_BootstrapMethods: return MAJOR_JAVA_7;
        case ATTR_NestHost:
        case ATTR_NestMembers: return MAJOR_JAVA_11;
        case ATTR_Record: return MAJOR_JAVA_16;
        case ATTR_PermittedSubclasses: return MAJOR_JAVA_17;
        default: return 0;
    }
}

static void parse_one(Parser *p, ClassAttrs *a, enum AttrId id, uint32_t len) {
    if (classfile_attr_common(p, &a->common, id, len, "classfile")) return;
    if (p->cf->major < since(id)) {
        parser_skip(p, len);
        return;
    }
    switch (id) {
        case ATTR_SourceFile:
            if (p->check && len != 2) classfile_reject_in(p, "Wrong SourceFile attribute length");
            once(p, &a->common, id);
            p->cf->source_file_index = parser_next_u2(p);
            if (!parser_has_tag(p, p->cf->source_file_index, CP_UTF8))
                classfile_reject_in(p, "Invalid SourceFile attribute at constant pool index %u",
                                    p->cf->source_file_index);
            break;
        case ATTR_SourceDebugExtension:
            once(p, &a->common, id);
            p->cf->source_debug = parser_raw(p, len);
            break;
        case ATTR_InnerClasses:
            once(p, &a->common, id);
            defer(p, &a->inner_classes, len);
            break;
        case ATTR_EnclosingMethod:
            once(p, &a->common, id);
            parse_enclosing_method(p, len);
            break;
        case ATTR_BootstrapMethods:
            once(p, &a->common, id);
            p->cf->has_bootstrap = true;
            parse_bootstraps(p, len);
            break;
        case ATTR_NestMembers:
            once(p, &a->common, id);
            if ((a->common.seen >> ATTR_NestHost & 1) != 0)
                classfile_reject_in(p, "Conflicting NestHost and NestMembers attributes");
            defer(p, &a->nest_members, len);
            break;
        case ATTR_NestHost:
            once(p, &a->common, id);
            if ((a->common.seen >> ATTR_NestMembers & 1) != 0)
                classfile_reject_in(p, "Conflicting NestMembers and NestHost attributes");
            if (p->check && len != 2) classfile_reject_in(p, "Wrong NestHost attribute length");
            p->cf->nest_host = parser_next_u2(p);
            if (!parser_has_tag(p, p->cf->nest_host, CP_CLASS))
                classfile_reject_in(p, "Nest-host class_info_index %u has bad constant type", p->cf->nest_host);
            break;
        case ATTR_Record:
            once(p, &a->common, id);
            defer(p, &a->record, len);
            break;
        case ATTR_PermittedSubclasses:
            once(p, &a->common, id);
            if ((p->cf->access_flags & ACC_FINAL) != 0)
                classfile_reject(p, "PermittedSubclasses attribute in final class file %s", classfile_text(p, p->name));
            defer(p, &a->permitted, len);
            break;
        default: parser_skip(p, len);
    }
}

/* Moves the cursor to a deferred attribute; returns the old position. */
static const uint8_t *enter(Parser *p, const Deferred *d) {
    const uint8_t *back = p->pos;
    p->pos = d->pos;
    return back;
}

static void check_length(Parser *p, const Deferred *d, const char *what) {
    if (p->check && (size_t)(p->pos - d->pos) != d->len) classfile_reject_in(p, "%s", what);
}

static void parse_inner_class(Parser *p, ClassFileInnerClass *c) {
    c->inner_class_index = parser_u2(p);
    if (!parser_has_tag(p, c->inner_class_index, CP_CLASS))
        classfile_reject_in(p, "inner_class_info_index %u has bad constant type", c->inner_class_index);
    c->outer_class_index = parser_u2(p);
    if (c->outer_class_index != 0 && !parser_has_tag(p, c->outer_class_index, CP_CLASS))
        classfile_reject_in(p, "outer_class_info_index %u has bad constant type", c->outer_class_index);
    if (c->outer_class_index != 0) {
        ClassFileUtf8 outer = classfile_name_of(p->cf, c->outer_class_index);
        if (outer.len != 0 && outer.ptr[0] == '[') classfile_reject_in(p, "Outer class is an array class");
    }
    c->name_index = parser_u2(p);
    if (c->name_index != 0 && !parser_has_tag(p, c->name_index, CP_UTF8))
        classfile_reject_in(p, "inner_name_index %u has bad constant type", c->name_index);
    if (p->check && c->inner_class_index == c->outer_class_index)
        classfile_reject_in(p, "Class is both outer and inner class");
    const uint32_t known = ACC_PUBLIC | ACC_PRIVATE | ACC_PROTECTED | ACC_STATIC | ACC_FINAL | ACC_SUPER |
        ACC_INTERFACE | ACC_ABSTRACT | ACC_SYNTHETIC | ACC_ANNOTATION | ACC_ENUM;
    uint32_t flags = parser_u2(p);
    flags &= p->cf->major >= MAJOR_JAVA_9 ? known | ACC_MODULE : known;
    if ((flags & ACC_INTERFACE) != 0 && p->cf->major < MAJOR_JAVA_6) flags |= ACC_ABSTRACT;
    classfile_member_class_flags(p, flags);
    c->access_flags = (uint16_t)flags;
}

/*
 * Entry numbers + 1 by the constant-pool index of their inner class; *again: a class has two
 * entries.
 */
static void index_inner_classes(Parser *p, const ClassFileInnerClass *list, uint16_t count, uint16_t *entry_of,
                                bool *again) {
    *again = false;
    for (unsigned i = 0; i < count; i++) {
        uint16_t *slot = &entry_of[list[i].inner_class_index];
        if (*slot == 0) {
            *slot = (uint16_t)(i + 1);
            continue;
        }
        if (memcmp(&list[*slot - 1], &list[i], sizeof *list) == 0)
            classfile_reject_in(p, "Duplicate entry in InnerClasses attribute");
        *again = true;
    }
}

/*
 * Are the entries consistent: one per class, and no cycle of outer classes? Each outward walk
 * stamps the entries that it passes, and stops at an entry that an earlier walk has stamped.
 */
static bool inner_classes_sound(Parser *p, const ClassFileInnerClass *list, uint16_t count) {
    uint16_t *entry_of = classfile_scratch(p, 2 * (size_t)p->cf->cp_count);
    uint16_t *stamp = entry_of + p->cf->cp_count;
    bool again;
    index_inner_classes(p, list, count, entry_of, &again);
    if (again) return false;
    for (unsigned i = 0; i < count; i++) {
        uint16_t at = list[i].inner_class_index;
        while (at != 0 && entry_of[at] != 0 && stamp[at] == 0) {
            stamp[at] = (uint16_t)(i + 1);
            at = list[entry_of[at] - 1].outer_class_index;
        }
        if (at != 0 && stamp[at] == i + 1) return false;
    }
    return true;
}

static void parse_inner_classes(Parser *p, const Deferred *d) {
    const uint8_t *back = enter(p, d);
    uint16_t count = parser_next_u2(p);
    parser_need(p, (size_t)count * 8);
    ClassFileInnerClass *list = classfile_alloc(p, (size_t)count * sizeof *list);
    for (unsigned i = 0; i < count; i++) parse_inner_class(p, &list[i]);
    /* Contradictory entries void the attribute, not the class. */
    bool strict = p->check && p->cf->major >= MAJOR_JAVA_5;
    if (!strict || inner_classes_sound(p, list, count)) {
        p->cf->inner_classes = list;
        p->cf->inner_class_count = count;
        p->cf->has_inner_classes = true;
    }
    if (strict) check_length(p, d, "Wrong InnerClasses attribute length");
    p->pos = back;
}

static void parse_nest_members(Parser *p, const Deferred *d) {
    const uint8_t *back = enter(p, d);
    uint16_t count = parser_next_u2(p);
    p->cf->nest_members = classfile_attr_classes(p, count, "Nest member class_info_index %u has bad constant type");
    p->cf->nest_member_count = count;
    p->cf->has_nest_members = true;
    check_length(p, d, "Wrong NestMembers attribute length");
    p->pos = back;
}

static void parse_permitted(Parser *p, const Deferred *d) {
    const uint8_t *back = enter(p, d);
    uint16_t count = parser_next_u2(p);
    p->cf->permitted = classfile_attr_classes(p, count, "Permitted subclass class_info_index %u has bad constant type");
    p->cf->permitted_count = count;
    p->cf->has_permitted = true;
    check_length(p, d, "Wrong PermittedSubclasses attribute length");
    p->pos = back;
}

static void parse_component(Parser *p, ClassFileRecordComponent *r) {
    parser_need(p, 6);
    r->name_index = parser_u2(p);
    if (!parser_has_tag(p, r->name_index, CP_UTF8))
        classfile_reject_in(p, "Invalid constant pool index %u for name in Record attribute", r->name_index);
    ClassFileUtf8 name = classfile_utf8(p->cf, r->name_index);
    classfile_pool_check_field_name(p, name);
    r->desc_index = parser_u2(p);
    if (!parser_has_tag(p, r->desc_index, CP_UTF8))
        classfile_reject_in(p, "Invalid constant pool index %u for descriptor in Record attribute", r->desc_index);
    classfile_pool_check_field_desc(p, name, classfile_utf8(p->cf, r->desc_index));
    AttrCommon c = {0};
    for (unsigned n = parser_u2(p); n > 0; n--) {
        uint32_t len;
        enum AttrId id = classfile_attr_begin(p, "Invalid Record attribute name index %u", &len);
        if (!classfile_attr_common(p, &c, id, len, "Record component")) parser_skip(p, len);
    }
    r->signature_index = c.signature_index;
    r->annotations = c.annotations;
    r->type_annotations = c.type_annotations;
}

static void parse_record(Parser *p, const Deferred *d) {
    const uint8_t *back = enter(p, d);
    uint16_t count = parser_next_u2(p);
    ClassFileRecordComponent *list = classfile_alloc(p, parser_fit(p, count, 6) * sizeof *list);
    for (unsigned i = 0; i < count; i++) parse_component(p, &list[i]);
    p->cf->record = list;
    p->cf->record_count = count;
    p->cf->has_record = true;
    check_length(p, d, "Record attribute has wrong length");
    p->pos = back;
}

void classfile_attr_class(Parser *p) {
    ClassAttrs a = {0};
    for (unsigned n = parser_next_u2(p); n > 0; n--) {
        uint32_t len;
        enum AttrId id = classfile_attr_begin(p, "Attribute name has bad constant pool index %u", &len);
        parse_one(p, &a, id, len);
    }
    if (a.inner_classes.pos) parse_inner_classes(p, &a.inner_classes);
    if (a.nest_members.pos) parse_nest_members(p, &a.nest_members);
    if (a.record.pos) parse_record(p, &a.record);
    if (a.permitted.pos) parse_permitted(p, &a.permitted);
    if (p->max_bsm >= 0 && !p->cf->has_bootstrap) classfile_reject_in(p, "Missing BootstrapMethods attribute");
    p->cf->signature_index = a.common.signature_index;
    p->cf->marks = a.common.marks;
    p->cf->annotation_mask = a.common.annotation_mask;
    p->cf->annotations = a.common.annotations;
    p->cf->type_annotations = a.common.type_annotations;
}
