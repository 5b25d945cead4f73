/*
 * The type-checking verifier (JVMS 4.10.1): one pass over each method in bci order, with the
 * current frame in Verifier.now. Frames of the StackMapTable are compared with it and replace it.
 *
 * Instructions whose effect in opcodes.def has no star and moves no unknown slots are checked from
 * that table alone; the others have functions here. Where the reference implementation deviates
 * from the specification and programs could tell, this follows the implementation: see the
 * comments.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bytecode/classfile/mutf8.h"
#include "bytecode/classfile/opcodes.h"
#include "bytecode/verifier/verify_internal.h"

#define MAJOR_STACK_MAPS 50

static const VerifyOrigin no_origin;

static VerifyOrigin from_pool(VType t, uint16_t index) { return (VerifyOrigin){ORIGIN_CP, t, index}; }

static _Noreturn void bad_code(Verifier *v, const char *msg) {
    verify_fail_reason(v, v->now.bci, VERIFY_BAD_CODE, NULL, NULL, "%s", msg);
}

/* The type popped last is wrong; `wanted` may be no_origin. */
static _Noreturn void bad_popped(Verifier *v, VerifyOrigin wanted, const char *msg) {
    verify_fail_type(v, v->now.bci, verify_frame_popped(v), wanted, &v->now, NULL, "%s", msg);
}

static bool answer(Verifier *v, VerifyAnswer a) {
    if (a == VERIFY_THROWN) verify_fail_status(v, VERIFY_PENDING);
    return a == VERIFY_YES;
}

static const VerifyName *name_of(const Verifier *v, VType t) { return &v->names.list[vtype_payload(t)]; }
static bool is_array(const Verifier *v, VType t) { return vtype_kind(t) == VT_REF && name_of(v, t)->dims != 0; }

/* Constant pool operands. */

/* Checks index and tag (bits of 1 << tag) of a pool operand. */
static void need_tag(Verifier *v, uint16_t index, uint32_t tags) {
    bool fits = index != 0 && index < v->cf->cp_count;
    if (fits && (tags >> v->cf->cp[index].tag & 1) != 0) return;
    char name[256], reason[64];
    ClassFileUtf8 this_name = classfile_this_name(v->cf);
    mutf8_to_utf8(this_name.ptr, this_name.len, name, sizeof name);
    snprintf(reason, sizeof reason, "Constant pool index %u is invalid", index);
    verify_fail_reason(v, v->now.bci, reason, NULL, NULL,
                       fits ? "Illegal type at constant pool entry %u in class %s"
                            : "Illegal constant pool index %u in class %s",
                       index, name);
}

static VType class_operand(Verifier *v, uint16_t *index) {
    *index = opcodes_cp_index(v->code->code, v->now.bci);
    need_tag(v, *index, 1u << CP_CLASS);
    return verify_frame_class_type(v, *index);
}

/* Type of a field reference or dynamic constant, in words. */
static unsigned field_words(Verifier *v, uint16_t index, VType words[2]) {
    ClassFileUtf8 d = classfile_ref_desc(v->cf, index);
    DescriptorType t;
    if (d.len == 0 || descriptor_type(d.ptr, d.len, false, &t) != d.len) bad_code(v, "Illegal field descriptor");
    return verify_frame_words(v, &t, words);
}

static void push_words(Verifier *v, const VType *words, unsigned n) {
    for (unsigned i = 0; i < n; i++) verify_frame_push(v, words[i]);
}
static void pop_words(Verifier *v, const VType *words, unsigned n) {
    while (n > 0) verify_frame_pop(v, words[--n]);
}

/* Control flow. */

static void flow_to(Verifier *v, uint32_t target) {
    int32_t offset = (int32_t)(target - v->now.bci);
    if (offset < -UINT16_MAX || offset > UINT16_MAX)
        verify_fail_reason(v, v->now.bci, "Invalid stackmap specification.", &v->now, NULL,
                           "Illegal target of jump or branch (bci %u + offset %d)", v->now.bci, offset);
    const VerifyFrame *map = verify_frame_at(v, target);
    if (!map)
        verify_fail_reason(v, v->now.bci, "Expected stackmap frame at this location.", NULL, NULL,
                           "Expecting a stackmap frame at branch target %d", (int32_t)target);
    verify_frame_match(v, &v->now, map, "Inconsistent stackmap frames at branch target %u");
}

static void do_switch(Verifier *v) {
    const uint8_t *code = v->code->code;
    OpcodeSwitch s = opcodes_switch(code, v->now.bci);
    if (v->cf->major < 51) {
        for (const uint8_t *p = code + v->now.bci + 1; p < s.base; p++) {
            if (*p != 0) bad_code(v, "Nonzero padding byte in lookupswitch or tableswitch");
        }
    }
    verify_frame_pop(v, VT_INT);
    for (uint32_t i = 1; !s.is_table && i < s.count; i++) {
        if (opcodes_switch_key(&s, i) <= opcodes_switch_key(&s, i - 1)) bad_code(v, "Bad lookupswitch instruction");
    }
    flow_to(v, opcodes_switch_target(&s, s.count));
    for (uint32_t i = 0; i < s.count; i++) flow_to(v, opcodes_switch_target(&s, i));
}

/* Finds the table's frame for this place, if there must be one (4.10.1.6). */
static void meet_map(Verifier *v, uint32_t *next) {
    uint32_t bci = v->now.bci;
    if (*next == v->frame_count) {
        if (v->dead) bad_code(v, "Expecting a stack map frame");
        return;
    }
    const VerifyFrame *map = &v->frames[*next];
    if (v->dead && map->bci > bci)
        verify_fail_reason(v, bci, "Expected stackmap frame at this location.", NULL, NULL,
                           "Expecting a stack map frame");
    if (map->bci != bci) return;
    if (!v->dead) verify_frame_match(v, &v->now, map, "Instruction type does not match stack map");
    v->now.local_count = map->local_count;
    v->now.stack_count = map->stack_count;
    v->now.this_uninit = map->this_uninit;
    memcpy(v->now.locals, map->locals, map->local_count * sizeof(VType));
    memcpy(v->now.stack, map->stack, map->stack_count * sizeof(VType));
    v->mark = v->now.stack_count;
    (*next)++;
}

/* The frame as a handler sees it must fit every handler that covers the instruction. */
static void flow_to_handlers(Verifier *v, bool this_uninit) {
    const ClassFileCode *code = v->code;
    for (unsigned i = 0; i < code->handler_count; i++) {
        const ClassFileHandler *h = &code->handlers[i];
        if (v->now.bci < h->start_pc || v->now.bci >= h->end_pc) continue;
        VType thrown = h->catch_type == 0 ? v->throwable_type : verify_frame_class_type(v, h->catch_type);
        VerifyFrame f = v->now;
        f.stack = &thrown;
        f.stack_count = 1;
        f.this_uninit |= this_uninit;
        if (code->max_stack == 0)
            verify_fail_reason(v, v->now.bci, "Exceeded max stack size.", &v->now, NULL, "Operand stack overflow");
        const VerifyFrame *map = verify_frame_at(v, h->handler_pc);
        if (!map)
            verify_fail_reason(v, v->now.bci, "Expected stackmap frame at this location.", NULL, NULL,
                               "Expecting a stackmap frame at branch target %u", h->handler_pc);
        verify_frame_match(v, &f, map, "Stack map does not match the one at exception handler %u");
    }
}

/* Instructions by table. */

static VType type_of_letter(const Verifier *v, char c) {
    switch (c) {
        case 'I': return VT_INT;
        case 'F': return VT_FLOAT;
        case 'J': return VT_LONG;
        case 'D': return VT_DOUBLE;
        default: return v->object_type;
    }
}

static void pop_letter(Verifier *v, char c) {
    if (c == 'J') verify_frame_pop_wide(v, VT_LONG2, VT_LONG);
    else if (c == 'D') verify_frame_pop_wide(v, VT_DOUBLE2, VT_DOUBLE);
    else verify_frame_pop(v, type_of_letter(v, c));
}

static void push_letter(Verifier *v, char c) {
    verify_frame_push(v, type_of_letter(v, c));
    if (c == 'J') verify_frame_push(v, VT_LONG2);
    else if (c == 'D') verify_frame_push(v, VT_DOUBLE2);
}

/* Locals. */

static void do_load(Verifier *v, char type) {
    unsigned index;
    opcodes_local(v->code->code, v->now.bci, &index);
    switch (type) {
        case 'J': verify_frame_get_wide_local(v, index, VT_LONG, VT_LONG2); break;
        case 'D': verify_frame_get_wide_local(v, index, VT_DOUBLE, VT_DOUBLE2); break;
        case 'A': verify_frame_push(v, verify_frame_get_local(v, index, VT_ANY_REF)); return;
        default: verify_frame_get_local(v, index, type_of_letter(v, type));
    }
    push_letter(v, type);
}

static void do_store(Verifier *v, char type) {
    unsigned index;
    opcodes_local(v->code->code, v->now.bci, &index);
    if (type == 'A') {
        verify_frame_set_local(v, index, verify_frame_pop(v, VT_ANY_REF));
        return;
    }
    pop_letter(v, type);
    if (type == 'J') verify_frame_set_wide_local(v, index, VT_LONG, VT_LONG2);
    else if (type == 'D') verify_frame_set_wide_local(v, index, VT_DOUBLE, VT_DOUBLE2);
    else verify_frame_set_local(v, index, type_of_letter(v, type));
}

/* Stack shuffling. Each may not split a long or double. */

/* Pops two words that are two values of one word, or one long or double. */
static void pop_two(Verifier *v, VType *lower, VType *upper) {
    VType top = v->now.stack_count == 0 ? VT_TOP : v->now.stack[v->now.stack_count - 1];
    if (vtype_is_second(top)) {
        *upper = verify_frame_pop(v, VT_CAT2_2ND);
        *lower = verify_frame_pop(v, VT_CAT2);
    } else {
        *upper = verify_frame_pop(v, VT_CAT1);
        *lower = verify_frame_pop(v, VT_CAT1);
    }
}

static void push_two(Verifier *v, VType lower, VType upper) {
    verify_frame_push(v, lower);
    verify_frame_push(v, upper);
}

static void do_shuffle(Verifier *v, uint8_t op) {
    VType a, b, c, d;
    switch (op) {
        case OPC_pop: verify_frame_pop(v, VT_CAT1); break;
        case OPC_pop2: pop_two(v, &b, &a); break;
        case OPC_dup:
            a = verify_frame_pop(v, VT_CAT1);
            push_two(v, a, a);
            break;
        case OPC_dup_x1:
            a = verify_frame_pop(v, VT_CAT1);
            b = verify_frame_pop(v, VT_CAT1);
            verify_frame_push(v, a);
            push_two(v, b, a);
            break;
        case OPC_dup_x2:
            a = verify_frame_pop(v, VT_CAT1);
            pop_two(v, &c, &b);
            verify_frame_push(v, a);
            push_two(v, c, b);
            verify_frame_push(v, a);
            break;
        case OPC_dup2:
            pop_two(v, &b, &a);
            push_two(v, b, a);
            push_two(v, b, a);
            break;
        case OPC_dup2_x1:
            pop_two(v, &b, &a);
            c = verify_frame_pop(v, VT_CAT1);
            push_two(v, b, a);
            verify_frame_push(v, c);
            push_two(v, b, a);
            break;
        case OPC_dup2_x2:
            pop_two(v, &b, &a);
            pop_two(v, &d, &c);
            push_two(v, b, a);
            push_two(v, d, c);
            push_two(v, b, a);
            break;
        case OPC_swap:
            a = verify_frame_pop(v, VT_CAT1);
            b = verify_frame_pop(v, VT_CAT1);
            push_two(v, a, b);
            break;
    }
}

/* Arrays. */

static _Noreturn void bad_array(Verifier *v, uint8_t op) {
    char msg[64];
    snprintf(msg, sizeof msg, "Bad type on operand stack in %s", opcodes_name(op));
    bad_popped(v, no_origin, msg);
}

/* Pops an array whose elements are of one of the given type characters, or null. */
static VType pop_array(Verifier *v, uint8_t op, const char *elements) {
    VType t = verify_frame_pop(v, VT_ANY_REF);
    if (t == VT_NULL) return t;
    if (!is_array(v, t)) bad_array(v, op);
    const VerifyName *n = name_of(v, t);
    char element = n->dims > 1 ? '[' : n->element;
    if (!strchr(elements, element)) bad_array(v, op);
    return t;
}

/* The element types of an array instruction's arrays, by the type letter of its table row. */
static const char *elements_of(uint8_t op) {
    switch (op) {
        case OPC_iaload:
        case OPC_iastore: return "I";
        case OPC_laload:
        case OPC_lastore: return "J";
        case OPC_faload:
        case OPC_fastore: return "F";
        case OPC_daload:
        case OPC_dastore: return "D";
        case OPC_aaload:
        case OPC_aastore: return "L[";
        case OPC_baload:
        case OPC_bastore: return "BZ";
        case OPC_caload:
        case OPC_castore: return "C";
        default: return "S";
    }
}

static void do_array(Verifier *v, uint8_t op) {
    const char *effect = opcodes_info[op].effect;
    bool load = effect[2] == '>';
    if (!load) /* whether a reference fits the array is checked at run time (aastore) */
        pop_letter(v, effect[2]);
    verify_frame_pop(v, VT_INT);
    VType array = pop_array(v, op, elements_of(op));
    if (op == OPC_aaload) {
        VType component = VT_NULL;
        if (array != VT_NULL) {
            VerifyName n = *name_of(v, array);
            n.dims--;
            component = verify_frame_ref(v, n);
        }
        verify_frame_push(v, component);
    } else if (load) {
        push_letter(v, effect[3]);
    }
}

static void do_newarray(Verifier *v) {
    static const char elements[] = "ZCFDBSIJ";
    uint8_t type = v->code->code[v->now.bci + 1];
    if (type < 4 || type > 11) bad_code(v, "Illegal newarray instruction");
    verify_frame_pop(v, VT_INT);
    verify_frame_push(v, verify_frame_ref(v, (VerifyName){NULL, 0, 1, elements[type - 4]}));
}

static void do_anewarray(Verifier *v) {
    uint16_t index;
    VerifyName n = *name_of(v, class_operand(v, &index));
    verify_frame_pop(v, VT_INT);
    if (n.dims == DESCRIPTOR_MAX_DIMS) bad_code(v, "Illegal anewarray instruction, array has more than 255 dimensions");
    n.dims++;
    verify_frame_push(v, verify_frame_ref(v, n));
}

static void do_multianewarray(Verifier *v) {
    uint16_t index;
    VType t = class_operand(v, &index);
    unsigned dims = v->code->code[v->now.bci + 3];
    if (!is_array(v, t))
        verify_fail_type(v, v->now.bci, from_pool(t, index), no_origin, NULL, NULL,
                         "Illegal constant pool index in multianewarray instruction");
    if (dims == 0 || dims > name_of(v, t)->dims)
        verify_fail_reason(v, v->now.bci, VERIFY_BAD_CODE, NULL, NULL,
                           "Illegal dimension in multianewarray instruction: %u", dims);
    for (unsigned i = 0; i < dims; i++) verify_frame_pop(v, VT_INT);
    verify_frame_push(v, t);
}

/* Constants. */

static void do_ldc(Verifier *v, uint8_t op) {
    uint16_t index = opcodes_cp_index(v->code->code, v->now.bci);
    VType words[2];
    if (op == OPC_ldc2_w) need_tag(v, index, 1u << CP_LONG | 1u << CP_DOUBLE | 1u << CP_DYNAMIC);
    else
        need_tag(v, index,
                 1u << CP_INTEGER | 1u << CP_FLOAT | 1u << CP_STRING | 1u << CP_CLASS | 1u << CP_METHOD_HANDLE |
                     1u << CP_METHOD_TYPE | 1u << CP_DYNAMIC);
    switch (v->cf->cp[index].tag) {
        case CP_INTEGER: verify_frame_push(v, VT_INT); break;
        case CP_FLOAT: verify_frame_push(v, VT_FLOAT); break;
        case CP_LONG: push_two(v, VT_LONG, VT_LONG2); break;
        case CP_DOUBLE: push_two(v, VT_DOUBLE, VT_DOUBLE2); break;
        case CP_STRING: verify_frame_push(v, verify_frame_named(v, "java/lang/String")); break;
        case CP_CLASS: verify_frame_push(v, verify_frame_named(v, "java/lang/Class")); break;
        case CP_METHOD_HANDLE: verify_frame_push(v, verify_frame_named(v, "java/lang/invoke/MethodHandle")); break;
        case CP_METHOD_TYPE: verify_frame_push(v, verify_frame_named(v, "java/lang/invoke/MethodType")); break;
        default:
            if (field_words(v, index, words) != (op == OPC_ldc2_w ? 2u : 1u)) need_tag(v, index, 0);
            push_words(v, words, op == OPC_ldc2_w ? 2 : 1);
    }
}

/* Objects. */

static void do_new(Verifier *v) {
    uint16_t index;
    VType t = class_operand(v, &index);
    VType fresh = vtype_make(VT_UNINIT, v->now.bci);
    if (is_array(v, t))
        verify_fail_type(v, v->now.bci, from_pool(t, index), no_origin, NULL, NULL, "Illegal new instruction");
    /*
     * An older, still uninitialised object of this instruction could be mistaken for the new one.
     */
    for (uint32_t i = 0; i < v->now.stack_count; i++) {
        if (v->now.stack[i] == fresh) bad_code(v, "Uninitialized object on operand stack at its own new instruction");
    }
    verify_frame_replace(v, fresh, VT_TOP);
    verify_frame_push(v, fresh);
}

/*
 * Protected members of a superclass in another package are accessible only on objects of this class
 * (4.10.1.8). `object` is the popped type.
 */
static void check_protected(Verifier *v, uint16_t index, VType object, bool method, const char *msg) {
    ClassFileUtf8 owner = classfile_ref_class(v->cf, index);
    if (object == v->this_type || (owner.len != 0 && owner.ptr[0] == '[')) return;
    if (!answer(v, v->cb->is_superclass(v->cb->ctx, owner))) return;
    ClassFileUtf8 name = classfile_ref_name(v->cf, index);
    if (!answer(
            v, v->cb->is_protected_in_other_package(v->cb->ctx, owner, name, classfile_ref_desc(v->cf, index), method)))
        return;
    /* clone is treated as public in arrays. */
    if (method && is_array(v, object) && classfile_utf8_is(owner, "java/lang/Object") &&
        classfile_utf8_is(name, "clone"))
        return;
    if (!verify_frame_assignable(v, object, v->this_type)) bad_popped(v, verify_implied(v->this_type), msg);
}

/* putfield may set fields of this class before the superclass constructor has run. */
static void pop_putfield_object(Verifier *v, uint16_t index, VType owner) {
    VType object = verify_frame_pop(v, VT_TOP);
    ClassFileUtf8 name = classfile_ref_name(v->cf, index), desc = classfile_ref_desc(v->cf, index);
    bool of_this = object == VT_UNINIT_THIS && owner == v->this_type;
    for (unsigned i = 0; of_this && i < v->cf->field_count; i++) {
        const ClassFileField *f = &v->cf->fields[i];
        if (classfile_utf8_equal(name, classfile_utf8(v->cf, f->name_index)) &&
            classfile_utf8_equal(desc, classfile_utf8(v->cf, f->desc_index)))
            object = v->this_type;
    }
    if (!verify_frame_assignable(v, object, owner))
        bad_popped(v, from_pool(owner, index), "Bad type on operand stack in putfield");
    check_protected(v, index, object, false, "Bad access to protected data in putfield");
}

static void do_field(Verifier *v, uint8_t op) {
    uint16_t index = opcodes_cp_index(v->code->code, v->now.bci);
    VType words[2];
    need_tag(v, index, 1u << CP_FIELDREF);
    unsigned n = field_words(v, index, words);
    VType owner = verify_frame_class_type(v, v->cf->cp[index].u.ref.class_index);
    if (is_array(v, owner) && op != OPC_getstatic && op != OPC_putstatic) need_tag(v, index, 0);
    switch (op) {
        case OPC_getstatic: push_words(v, words, n); break;
        case OPC_putstatic: pop_words(v, words, n); break;
        case OPC_getfield: {
            VType object = verify_frame_pop(v, owner);
            check_protected(v, index, object, false, "Bad access to protected data in getfield");
            push_words(v, words, n);
            break;
        }
        case OPC_putfield:
            pop_words(v, words, n);
            pop_putfield_object(v, index, owner);
            break;
    }
}

/* Constructors. */

static bool in_try_block(const Verifier *v) {
    for (unsigned i = 0; i < v->code->handler_count; i++) {
        const ClassFileHandler *h = &v->code->handlers[i];
        if (v->now.bci >= h->start_pc && v->now.bci < h->end_pc) return true;
    }
    return false;
}

static void visit(uint8_t *seen, uint32_t *work, uint32_t *count, uint32_t len, uint32_t bci) {
    if (bci < len && !seen[bci]) {
        seen[bci] = 1;
        work[(*count)++] = bci;
    }
}

/* Does no path from the handler return normally? Exceptions within it are not followed. */
static bool handler_only_throws(Verifier *v, uint32_t handler) {
    const uint8_t *code = v->code->code;
    uint32_t len = v->code->code_len, count = 0;
    uint8_t *seen = verify_frame_alloc(v, len);
    uint32_t *work = verify_frame_alloc(v, len * sizeof *work);
    memset(seen, 0, len);
    visit(seen, work, &count, len, handler);
    while (count > 0) {
        uint32_t bci = work[--count];
        const OpcodeInfo *info = &opcodes_info[code[bci]];
        if (info->flags & OPF_RETURN) return false;
        if (info->flags & OPF_SWITCH) {
            OpcodeSwitch s = opcodes_switch(code, bci);
            for (uint32_t i = 0; i <= s.count; i++) visit(seen, work, &count, len, opcodes_switch_target(&s, i));
        } else if (info->flags & OPF_BRANCH) {
            visit(seen, work, &count, len, opcodes_branch_target(code, bci));
        }
        if ((info->flags & OPF_STOP) == 0) visit(seen, work, &count, len, bci + opcodes_length(code, len, bci));
    }
    return true;
}

static void init_this(Verifier *v, VType owner) {
    ClassFileUtf8 super = classfile_name_of(v->cf, v->cf->super_class);
    bool is_super = super.ptr && owner == verify_frame_ref(v, verify_types_of_class(super));
    if (owner != v->this_type && !is_super)
        verify_fail_type(v, v->now.bci, verify_implied(owner), verify_implied(v->this_type), NULL, NULL,
                         "Bad <init> method call");
    /* A handler must not let an object escape whose superclass constructor failed. */
    for (unsigned i = 0; i < v->code->handler_count; i++) {
        const ClassFileHandler *h = &v->code->handlers[i];
        if (v->now.bci >= h->start_pc && v->now.bci < h->end_pc && !handler_only_throws(v, h->handler_pc))
            bad_code(v, "Bad <init> method call from inside of a try block");
    }
    if (in_try_block(v)) flow_to_handlers(v, true);
    verify_frame_replace(v, VT_UNINIT_THIS, v->this_type);
    v->now.this_uninit = false;
    v->this_became_init = true;
}

static void init_new(Verifier *v, VType object, uint16_t index, VType owner) {
    uint32_t at = vtype_payload(object);
    uint16_t new_index = bytes_u2(v->code->code + at + 1);
    need_tag(v, new_index, 1u << CP_CLASS);
    VType made = verify_frame_class_type(v, new_index);
    if (made != owner)
        verify_fail_type(v, v->now.bci, from_pool(made, new_index),
                         from_pool(owner, v->cf->cp[index].u.ref.class_index), NULL, NULL,
                         "Call to wrong <init> method");
    ClassFileUtf8 name = classfile_ref_class(v->cf, index);
    if (made != v->this_type && answer(v, v->cb->is_superclass(v->cb->ctx, name)) &&
        answer(v,
               v->cb->is_protected_in_other_package(v->cb->ctx, name, classfile_ref_name(v->cf, index),
                                                    classfile_ref_desc(v->cf, index), true)) &&
        !verify_frame_assignable(v, made, v->this_type))
        verify_fail_type(v, v->now.bci, from_pool(made, new_index), verify_implied(v->this_type), NULL, NULL,
                         "Bad access to protected <init> method");
    if (in_try_block(v)) flow_to_handlers(v, false);
    verify_frame_replace(v, object, made);
}

/* Invocations. */

static void check_invoke_operands(Verifier *v, uint8_t op, unsigned slots) {
    const uint8_t *p = v->code->code + v->now.bci;
    if (op == OPC_invokeinterface) {
        if (p[3] != slots + 1) bad_code(v, "Inconsistent args count operand in invokeinterface");
        if (p[4] != 0) bad_code(v, "Fourth operand byte of invokeinterface must be zero");
    }
    if (op == OPC_invokedynamic && (p[3] != 0 || p[4] != 0))
        bad_code(v, "Third and fourth operand bytes of invokedynamic must be zero");
}

/* invokespecial of an ordinary method: of this class, a superclass or a direct superinterface. */
static void check_special_owner(Verifier *v, uint16_t index, VType owner) {
    ClassFileUtf8 name = classfile_ref_class(v->cf, index);
    ClassFileUtf8 super = classfile_name_of(v->cf, v->cf->super_class);
    if (owner == v->this_type || (super.ptr && classfile_utf8_equal(name, super))) return;
    for (unsigned i = 0; i < v->cf->interface_count; i++) {
        if (classfile_utf8_equal(name, classfile_name_of(v->cf, v->cf->interfaces[i]))) return;
    }
    if (!verify_frame_assignable(v, v->this_type, owner))
        bad_code(v,
                 "Bad invokespecial instruction: current class isn't assignable to reference "
                 "class.");
    if (v->cf->cp[index].tag == CP_INTERFACE_METHODREF)
        bad_code(v,
                 "Bad invokespecial instruction: interface method reference is in an indirect "
                 "superinterface.");
}

static uint32_t invoke_tags(const Verifier *v, uint8_t op) {
    switch (op) {
        case OPC_invokeinterface: return 1u << CP_INTERFACE_METHODREF;
        case OPC_invokedynamic: return 1u << CP_INVOKE_DYNAMIC;
        case OPC_invokevirtual: return 1u << CP_METHODREF;
        default: return v->cf->major < 52 ? 1u << CP_METHODREF : 1u << CP_METHODREF | 1u << CP_INTERFACE_METHODREF;
    }
}

/* Pops the arguments, last first: the words are collected in order, then popped in reverse. */
static void pop_arguments(Verifier *v, ClassFileUtf8 desc) {
    VType words[2 * (DESCRIPTOR_MAX_ARG_SLOTS + 1)];
    unsigned n = 0;
    DescriptorIter it;
    DescriptorType t;
    for (descriptor_begin(&it, desc.ptr, desc.len); descriptor_next(&it, &t);)
        n += verify_frame_words(v, &t, words + n);
    pop_words(v, words, n);
}

static void push_result(Verifier *v, ClassFileUtf8 desc, bool init) {
    DescriptorIter it;
    DescriptorType t;
    VType words[2];
    descriptor_begin(&it, desc.ptr, desc.len);
    if (!descriptor_return(&it, &t) || t.kind == 'V') return;
    if (init) bad_code(v, "Return type must be void in <init> method");
    push_words(v, words, verify_frame_words(v, &t, words));
}

static void pop_receiver(Verifier *v, uint8_t op, uint16_t index, VType owner) {
    if (op == OPC_invokespecial) {
        verify_frame_pop(v, v->this_type);
        return;
    }
    VType object = verify_frame_pop(v, owner);
    if (op == OPC_invokevirtual)
        check_protected(v, index, object, true, "Bad access to protected data in invokevirtual");
}

static void do_invoke(Verifier *v, uint8_t op) {
    uint16_t index = opcodes_cp_index(v->code->code, v->now.bci);
    need_tag(v, index, invoke_tags(v, op));
    ClassFileUtf8 name = classfile_ref_name(v->cf, index);
    ClassFileUtf8 desc = classfile_ref_desc(v->cf, index);
    int slots = descriptor_valid_method(desc.ptr, desc.len, false);
    if (slots < 0 || slots > DESCRIPTOR_MAX_ARG_SLOTS) bad_code(v, "Illegal method descriptor");
    VType owner = VT_NULL;
    if (op != OPC_invokedynamic) owner = verify_frame_class_type(v, v->cf->cp[index].u.ref.class_index);
    check_invoke_operands(v, op, (unsigned)slots);
    bool init = false;
    if (name.len != 0 && name.ptr[0] == '<') {
        init = op == OPC_invokespecial && classfile_utf8_is(name, "<init>");
        if (!init) bad_code(v, "Illegal call to internal method");
    } else if (op == OPC_invokespecial) {
        check_special_owner(v, index, owner);
    }
    pop_arguments(v, desc);
    if (init) {
        VType object = verify_frame_pop(v, VT_ANY_REF);
        if (object == VT_UNINIT_THIS) init_this(v, owner);
        else if (vtype_kind(object) == VT_UNINIT) init_new(v, object, index, owner);
        else bad_popped(v, no_origin, "Bad operand type when invoking <init>");
    } else if (op != OPC_invokestatic && op != OPC_invokedynamic) pop_receiver(v, op, index, owner);
    push_result(v, desc, init);
}

/* Returns. */

static void do_return(Verifier *v, uint8_t op) {
    char letter = opcodes_info[op].effect[0];
    if (letter == '>') {
        if (v->return_type != VT_TOP) bad_code(v, "Method expects a return value");
        if (v->is_init && v->now.this_uninit) bad_code(v, "Constructor must call super() or this() before return");
        return;
    }
    switch (letter) {
        case 'A': verify_frame_pop(v, VT_ANY_REF); break;
        case 'J':
            verify_frame_pop(v, VT_LONG2);
            verify_frame_pop(v, VT_LONG);
            break;
        case 'D':
            verify_frame_pop(v, VT_DOUBLE2);
            verify_frame_pop(v, VT_DOUBLE);
            break;
        default: pop_letter(v, letter);
    }
    VerifyOrigin is = verify_frame_popped(v);
    VerifyOrigin wanted = {ORIGIN_SIGNATURE, v->return_type, 0};
    const char *msg = NULL;
    if (v->return_type == VT_TOP) msg = "Method does not expect a return value";
    else if (!verify_frame_assignable(v, is.type, v->return_type)) msg = "Bad return type";
    if (msg) verify_fail_type(v, v->now.bci, is, wanted, &v->now, NULL, "%s", msg);
}

static void do_other(Verifier *v, uint8_t op) {
    unsigned local;
    uint16_t index;
    switch (op) {
        case OPC_aconst_null: verify_frame_push(v, VT_NULL); break;
        case OPC_iinc:
            opcodes_local(v->code->code, v->now.bci, &local);
            verify_frame_get_local(v, local, VT_INT);
            break;
        case OPC_ldc:
        case OPC_ldc_w:
        case OPC_ldc2_w: do_ldc(v, op); break;
        case OPC_new: do_new(v); break;
        case OPC_newarray: do_newarray(v); break;
        case OPC_anewarray: do_anewarray(v); break;
        case OPC_multianewarray: do_multianewarray(v); break;
        case OPC_arraylength: {
            VType t = verify_frame_pop(v, VT_ANY_REF);
            if (t != VT_NULL && !is_array(v, t)) bad_array(v, op);
            verify_frame_push(v, VT_INT);
            break;
        }
        case OPC_checkcast: {
            VType t = class_operand(v, &index);
            verify_frame_pop(v, v->object_type);
            verify_frame_push(v, t);
            break;
        }
        case OPC_instanceof:
            class_operand(v, &index);
            verify_frame_pop(v, v->object_type);
            verify_frame_push(v, VT_INT);
            break;
        case OPC_athrow: verify_frame_pop(v, v->throwable_type); break;
        case OPC_monitorenter:
        case OPC_monitorexit: verify_frame_pop(v, VT_ANY_REF); break;
        default: {
            if (op >= OPC_pop && op <= OPC_swap) {
                do_shuffle(v, op);
                break;
            }
            const char *effect = opcodes_info[op].effect, *arrow = strchr(effect, '>');
            for (const char *p = arrow; p > effect; p--) pop_letter(v, p[-1]);
            for (const char *p = arrow + 1; *p != '\0'; p++) push_letter(v, *p);
        }
    }
}

/* One instruction; op is what a wide prefixes. */
static void do_instruction(Verifier *v, uint8_t op) {
    const OpcodeInfo *info = &opcodes_info[op];
    if (info->flags & OPF_JSR)
        verify_fail_reason(v, v->now.bci, VERIFY_BAD_CODE, NULL, NULL, "Bad instruction: %02x", op);
    if (info->flags & OPF_ARRAY) do_array(v, op);
    else if (info->flags & OPF_FIELD) do_field(v, op);
    else if (info->flags & OPF_INVOKE) do_invoke(v, op);
    else if (info->flags & OPF_RETURN) do_return(v, op);
    else if (info->flags & OPF_SWITCH) do_switch(v);
    else if ((info->flags & OPF_LOAD) && op != OPC_iinc) do_load(v, info->effect[1]);
    else if ((info->flags & OPF_STORE) && op != OPC_iinc) do_store(v, info->effect[0]);
    else do_other(v, op);
    if ((info->flags & (OPF_BRANCH | OPF_SWITCH)) == OPF_BRANCH)
        flow_to(v, opcodes_branch_target(v->code->code, v->now.bci));
}

/* Methods as a whole. */

static void find_starts(Verifier *v) {
    const ClassFileCode *code = v->code;
    v->starts = verify_frame_alloc(v, code->code_len);
    memset(v->starts, START_NONE, code->code_len);
    for (uint32_t bci = 0; bci < code->code_len;) {
        uint32_t n = opcodes_length(code->code, code->code_len, bci);
        if (n == 0) verify_fail_reason(v, bci, VERIFY_BAD_CODE, NULL, NULL, "Bad instruction");
        v->starts[bci] = code->code[bci] == OPC_new ? START_NEW : START_OTHER;
        bci += n;
    }
}

static bool is_start(const Verifier *v, uint32_t bci) {
    return bci < v->code->code_len && v->starts[bci] != START_NONE;
}

static void check_handlers(Verifier *v) {
    for (unsigned i = 0; i < v->code->handler_count; i++) {
        const ClassFileHandler *h = &v->code->handlers[i];
        if (!is_start(v, h->start_pc)) verify_fail_format(v, true, "Illegal exception table start_pc %u", h->start_pc);
        if (h->end_pc != v->code->code_len && !is_start(v, h->end_pc))
            verify_fail_format(v, true, "Illegal exception table end_pc %u", h->end_pc);
        if (!is_start(v, h->handler_pc))
            verify_fail_format(v, true, "Illegal exception table handler_pc %u", h->handler_pc);
        if (h->catch_type == 0) continue;
        VType t = verify_frame_class_type(v, h->catch_type);
        if (!verify_frame_assignable(v, t, v->throwable_type))
            verify_fail_type(v, h->handler_pc, from_pool(t, h->catch_type), verify_implied(v->throwable_type), NULL,
                             NULL, "Catch type is not a subclass of Throwable in exception handler %u", h->handler_pc);
    }
}

static void check_local_table(Verifier *v) {
    for (uint32_t i = 0; i < v->code->local_count; i++) {
        const ClassFileLocal *l = &v->code->locals[i];
        uint32_t end = (uint32_t)l->start_pc + l->length;
        if (!is_start(v, l->start_pc))
            verify_fail_format(v, true, "Illegal local variable table start_pc %u", l->start_pc);
        if (end != v->code->code_len && !is_start(v, end))
            verify_fail_format(v, true, "Illegal local variable table length %u", l->length);
    }
}

/* Handlers see the locals before a store, and after any other instruction. */
static void verify_instruction(Verifier *v) {
    const uint8_t *code = v->code->code;
    uint8_t op = code[v->now.bci];
    if (op == OPC_wide) op = code[v->now.bci + 1];
    const OpcodeInfo *info = &opcodes_info[op];
    bool covered = v->code->handler_count != 0 && in_try_block(v);
    bool store = (info->flags & OPF_STORE) != 0 && op != OPC_iinc;
    v->this_became_init = false;
    if (covered && store) flow_to_handlers(v, false);
    do_instruction(v, op);
    if (covered && !store) flow_to_handlers(v, v->this_became_init);
    v->dead = (info->flags & OPF_STOP) != 0;
}

static void verify_code(Verifier *v) {
    const ClassFileCode *code = v->code;
    uint32_t next_map = 0;
    find_starts(v);
    verify_frame_enter(v);
    check_handlers(v);
    check_local_table(v);
    verify_frame_read_map(v);
    v->dead = false;
    for (uint32_t bci = 0; bci < code->code_len;) {
        v->now.bci = bci;
        v->mark = v->now.stack_count;
        meet_map(v, &next_map);
        verify_instruction(v);
        bci += opcodes_length(code->code, code->code_len, bci);
    }
    if (!v->dead)
        verify_fail_reason(v, code->code_len, VERIFY_BAD_CODE, NULL, NULL, "Control flow falls through code end");
}

static void verify_methods(Verifier *v) {
    v->this_type = verify_frame_class_type(v, v->cf->this_class);
    v->object_type = verify_frame_named(v, "java/lang/Object");
    v->throwable_type = verify_frame_named(v, "java/lang/Throwable");
    for (unsigned i = 0; i < v->cf->method_count; i++) {
        v->m = &v->cf->methods[i];
        v->code = v->m->code;
        if (!v->code) continue;
        v->is_init = classfile_utf8_is(classfile_utf8(v->cf, v->m->name_index), "<init>");
        verify_code(v);
        verify_frame_free_arena(v);
    }
}

enum VerifyStatus verify_class(const ClassFile *cf, const VerifyCallbacks *cb, VerifyError *err) {
    err->status = VERIFY_OK;
    err->msg[0] = '\0';
    Verifier *v = calloc(1, sizeof *v);
    if (!v) {
        err->status = VERIFY_NO_MEMORY;
        return err->status;
    }
    v->cf = cf;
    v->cb = cb;
    v->err = err;
    v->m = cf->methods;
    if (setjmp(v->out) == 0) {
        if (cf->major < MAJOR_STACK_MAPS) {
            verify_report_append(err, "class file version %u has no stack maps", cf->major);
            err->status = VERIFY_FAILED;
        } else {
            verify_methods(v);
        }
    }
    verify_frame_free_arena(v);
    free(v->names.list);
    hash_free(&v->names.table);
    free(v);
    return err->status;
}
