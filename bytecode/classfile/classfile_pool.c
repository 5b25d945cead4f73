/*
 * The constant pool (JVMS 4.4): reading it, checking that entries refer to the right kinds, and the
 * syntax of names and descriptors in it.
 */
#include "bytecode/classfile/classfile_parser.h"

#include "bytecode/classfile/descriptor.h"
#include "bytecode/classfile/mutf8.h"

/* Names and descriptors, used for the pool and for members. */

void classfile_pool_check_class_name(Parser *p, ClassFileUtf8 name) {
    if (!p->check || descriptor_valid_class_ref(name.ptr, name.len, p->legacy_names)) return;
    if (name.len != 0 && name.ptr[0] == '[') {
        switch (descriptor_check_field(name.ptr, name.len, p->legacy_names)) {
            case DESCRIPTOR_BAD_CLASS_NAME:
                classfile_reject_in(p, "Class name is empty or contains illegal character in descriptor");
            case DESCRIPTOR_TOO_MANY_DIMS: classfile_reject_in(p, "Array type descriptor has more than 255 dimensions");
            default: break;
        }
    }
    classfile_reject_in(p, "Illegal class name \"%s\"", classfile_text(p, name));
}

void classfile_pool_check_field_name(Parser *p, ClassFileUtf8 name) {
    if (p->check && !descriptor_valid_name(name.ptr, name.len, DESCRIPTOR_FIELD_NAME, p->legacy_names))
        classfile_reject(p, "Illegal field name \"%s\" in class %s", classfile_text(p, name),
                         classfile_text(p, p->name));
}

void classfile_pool_check_method_name(Parser *p, ClassFileUtf8 name) {
    if (p->check && !descriptor_valid_name(name.ptr, name.len, DESCRIPTOR_METHOD_NAME, p->legacy_names))
        classfile_reject(p, "Illegal method name \"%s\" in class %s", classfile_text(p, name),
                         classfile_text(p, p->name));
}

_Noreturn static void bad_signature(Parser *p, const char *kind, ClassFileUtf8 name, ClassFileUtf8 desc) {
    classfile_reject(p, "%s \"%s\" in class %s has illegal signature \"%s\"", kind, classfile_text(p, name),
                     classfile_text(p, p->name), classfile_text(p, desc));
}

_Noreturn static void bad_descriptor(Parser *p, enum DescriptorFault fault, const char *kind, ClassFileUtf8 name,
                                     ClassFileUtf8 desc) {
    if (fault == DESCRIPTOR_BAD_CLASS_NAME)
        classfile_reject_in(p, "Class name is empty or contains illegal character in descriptor");
    if (fault == DESCRIPTOR_TOO_MANY_DIMS) classfile_reject_in(p, "Array type descriptor has more than 255 dimensions");
    bad_signature(p, kind, name, desc);
}

void classfile_pool_check_field_desc(Parser *p, ClassFileUtf8 name, ClassFileUtf8 desc) {
    if (!p->check) return;
    enum DescriptorFault fault = descriptor_check_field(desc.ptr, desc.len, p->legacy_names);
    if (fault != DESCRIPTOR_OK) bad_descriptor(p, fault, "Field", name, desc);
}

unsigned classfile_pool_check_method_desc(Parser *p, ClassFileUtf8 name, ClassFileUtf8 desc) {
    unsigned slots;
    if (!p->check) return descriptor_arg_slots(desc.ptr, desc.len);
    if (PARSER_IS(name, "<clinit>") && !PARSER_IS(desc, "()V") && p->cf->major >= MAJOR_JAVA_7)
        bad_signature(p, "Method", name, desc);
    enum DescriptorFault fault = descriptor_check_method(desc.ptr, desc.len, p->legacy_names, &slots);
    if (fault != DESCRIPTOR_OK) bad_descriptor(p, fault, "Method", name, desc);
    if (name.len != 0 && name.ptr[0] == '<' && desc.ptr[desc.len - 1] != 'V') bad_signature(p, "Method", name, desc);
    return slots;
}

/* Reading. */

static void require_major(Parser *p, uint8_t tag, unsigned major) {
    if (p->cf->major < major) classfile_reject_in(p, "Class file version does not support constant tag %u", tag);
}

static void read_pair(Parser *p, CpEntry *e) {
    parser_need(p, 4);
    e->u.ref.class_index = parser_u2(p);
    e->u.ref.nat_index = parser_u2(p);
}

/* Reads the entry at index; returns the slots it takes. */
static unsigned read_entry(Parser *p, unsigned index) {
    CpEntry *e = &p->cp[index];
    parser_need(p, 1);
    e->tag = *p->pos++;
    switch (e->tag) {
        case CP_UTF8:
            e->utf8_len = parser_next_u2(p);
            e->u.utf8 = parser_skip(p, e->utf8_len);
            if (p->check && !mutf8_valid(e->u.utf8, e->utf8_len, p->cf->major <= 47))
                classfile_reject_in(p, "Illegal UTF8 string in constant pool");
            return 1;
        case CP_INTEGER:
        case CP_FLOAT:
            parser_need(p, 4);
            e->u.i = (int32_t)parser_u4(p);
            return 1;
        case CP_LONG:
        case CP_DOUBLE:
            if (index + 1 >= p->cf->cp_count) classfile_reject_in(p, "Invalid constant pool entry %u", index);
            e->u.j = (int64_t)bytes_u8(parser_skip(p, 8));
            return 2;
        case CP_CLASS:
        case CP_STRING: e->u.name_index = parser_next_u2(p); return 1;
        case CP_METHOD_TYPE:
            require_major(p, e->tag, MAJOR_JAVA_7);
            e->u.name_index = parser_next_u2(p);
            return 1;
        case CP_FIELDREF:
        case CP_METHODREF:
        case CP_INTERFACE_METHODREF:
        case CP_NAME_AND_TYPE: read_pair(p, e); return 1;
        case CP_METHOD_HANDLE:
            require_major(p, e->tag, MAJOR_JAVA_7);
            parser_need(p, 3);
            e->ref_kind = *p->pos++;
            e->u.ref_index = parser_u2(p);
            return 1;
        case CP_DYNAMIC:
        case CP_INVOKE_DYNAMIC:
            require_major(p, e->tag, e->tag == CP_DYNAMIC ? MAJOR_JAVA_11 : MAJOR_JAVA_7);
            read_pair(p, e);
            if (e->u.dyn.bsm_index > p->max_bsm) p->max_bsm = e->u.dyn.bsm_index;
            return 1;
        case CP_MODULE:
        case CP_PACKAGE:
            /*
         * Only allowed in module-info, which its access flags reject: decide when those are known.
         */
            if (p->cf->major >= MAJOR_JAVA_9) {
                e->u.name_index = parser_next_u2(p);
                p->bad_tag = e->tag;
                return 1;
            }
            break;
    }
    classfile_reject_in(p, "Unknown constant tag %u", e->tag);
}

static void need_tag(Parser *p, uint16_t index, enum CpTag tag) {
    if (!parser_has_tag(p, index, tag)) classfile_reject_in(p, "Invalid constant pool index %u", index);
}

static void check_handle(Parser *p, unsigned index) {
    const CpEntry *e = &p->cp[index];
    uint16_t ref = e->u.ref_index;
    if (ref == 0 || ref >= p->cf->cp_count) classfile_reject_in(p, "Invalid constant pool index %u", ref);
    unsigned tag = p->cp[ref].tag;
    const char *want = NULL;
    switch (e->ref_kind) {
        case REF_getField:
        case REF_getStatic:
        case REF_putField:
        case REF_putStatic: want = tag == CP_FIELDREF ? NULL : "a field"; break;
        case REF_invokeVirtual:
        case REF_newInvokeSpecial: want = tag == CP_METHODREF ? NULL : "a method"; break;
        case REF_invokeStatic:
        case REF_invokeSpecial:
            if (tag != CP_METHODREF && !(tag == CP_INTERFACE_METHODREF && p->cf->major >= MAJOR_JAVA_8))
                want = "a method";
            break;
        case REF_invokeInterface: want = tag == CP_INTERFACE_METHODREF ? NULL : "an interface method"; break;
        default: classfile_reject_in(p, "Bad method handle kind at constant pool index %u", index);
    }
    if (want)
        classfile_reject(p, "Invalid constant pool index %u in class file %s (not %s)", ref, classfile_text(p, p->name),
                         want);
}

/*
 * Checks that every index in the entry names an entry of the right kind, also for trusted classes.
 */
static void check_links(Parser *p, unsigned index) {
    const CpEntry *e = &p->cp[index];
    switch (e->tag) {
        case CP_CLASS:
        case CP_STRING:
        case CP_METHOD_TYPE: need_tag(p, e->u.name_index, CP_UTF8); break;
        case CP_FIELDREF:
        case CP_METHODREF:
        case CP_INTERFACE_METHODREF:
            need_tag(p, e->u.ref.class_index, CP_CLASS);
            need_tag(p, e->u.ref.nat_index, CP_NAME_AND_TYPE);
            break;
        case CP_NAME_AND_TYPE:
            need_tag(p, e->u.nat.name_index, CP_UTF8);
            need_tag(p, e->u.nat.desc_index, CP_UTF8);
            break;
        case CP_METHOD_HANDLE: check_handle(p, index); break;
        case CP_DYNAMIC:
        case CP_INVOKE_DYNAMIC: need_tag(p, e->u.dyn.nat_index, CP_NAME_AND_TYPE); break;
    }
}

void classfile_pool_parse(Parser *p) {
    uint16_t count = parser_next_u2(p);
    if (count == 0) classfile_reject_in(p, "Illegal constant pool size %u", count);
    p->cf->cp_count = count;
    p->cp = classfile_alloc(p, (size_t)count * sizeof *p->cp);
    p->cf->cp = p->cp;
    for (unsigned i = 1; i < count;) i += read_entry(p, i);
    /* After a bad tag only the access flags are still examined. */
    for (unsigned i = 1; i < count && p->bad_tag == 0; i++) check_links(p, i);
}

/* Syntax. */

static bool is_method_desc(ClassFileUtf8 desc) { return desc.len != 0 && desc.ptr[0] == '('; }

static void check_nat(Parser *p, const CpEntry *e) {
    ClassFileUtf8 name = classfile_utf8(p->cf, e->u.nat.name_index);
    ClassFileUtf8 desc = classfile_utf8(p->cf, e->u.nat.desc_index);
    if (desc.len == 0 || name.len == 0)
        classfile_reject(p, "Illegal zero length constant pool entry at %u in class %s",
                         desc.len == 0 ? e->u.nat.desc_index : e->u.nat.name_index, classfile_text(p, p->name));
    if (is_method_desc(desc)) {
        classfile_pool_check_method_name(p, name);
        classfile_pool_check_method_desc(p, name, desc);
    } else {
        classfile_pool_check_field_name(p, name);
        classfile_pool_check_field_desc(p, name, desc);
    }
}

static void check_ref(Parser *p, unsigned index) {
    const CpEntry *e = &p->cp[index];
    ClassFileUtf8 name = classfile_ref_name(p->cf, (uint16_t)index);
    ClassFileUtf8 desc = classfile_ref_desc(p->cf, (uint16_t)index);
    bool want_field = e->tag == CP_FIELDREF || e->tag == CP_DYNAMIC;
    if (want_field && is_method_desc(desc))
        bad_signature(p, e->tag == CP_DYNAMIC ? "CONSTANT_Dynamic" : "Field", name, desc);
    if (!want_field && !is_method_desc(desc)) bad_signature(p, "Method", name, desc);
    if (e->tag == CP_METHODREF && name.len != 0 && name.ptr[0] == '<' && !PARSER_IS(name, "<init>"))
        classfile_reject_in(p, "Bad method name at constant pool index %u",
                            classfile_nat(p->cf, (uint16_t)index)->u.nat.name_index);
}

static void check_handle_name(Parser *p, const CpEntry *e) {
    if (e->ref_kind < REF_invokeVirtual || e->ref_kind > REF_newInvokeSpecial) return;
    bool init = PARSER_IS(classfile_ref_name(p->cf, e->u.ref_index), "<init>");
    unsigned at = classfile_nat(p->cf, e->u.ref_index)->u.nat.name_index;
    if (e->ref_kind == REF_newInvokeSpecial && !init)
        classfile_reject_in(p, "Bad constructor name at constant pool index %u", at);
    if (e->ref_kind != REF_newInvokeSpecial && init)
        classfile_reject_in(p, "Bad method name at constant pool index %u", at);
}

void classfile_pool_check(Parser *p) {
    static const char no_name[] = "type";
    if (p->bad_tag != 0) return;
    for (unsigned i = 1; i < p->cf->cp_count; i++) {
        const CpEntry *e = &p->cp[i];
        switch (e->tag) {
            case CP_CLASS: classfile_pool_check_class_name(p, classfile_utf8(p->cf, e->u.name_index)); break;
            case CP_NAME_AND_TYPE: check_nat(p, e); break;
            case CP_FIELDREF:
            case CP_METHODREF:
            case CP_INTERFACE_METHODREF:
            case CP_DYNAMIC:
            case CP_INVOKE_DYNAMIC: check_ref(p, i); break;
            case CP_METHOD_HANDLE: check_handle_name(p, e); break;
            case CP_METHOD_TYPE:
                classfile_pool_check_method_desc(p, (ClassFileUtf8){(const uint8_t *)no_name, sizeof no_name - 1},
                                                 classfile_utf8(p->cf, e->u.name_index));
                break;
        }
    }
}
