// First execution of instructions, and other cold paths of the interpreter (vm/interp/quicken.h).
//
// Quickening needs no lock against other threads at the same site: the payload is stored first and then the header, as
// one word, and every such thread computes an equivalent result (resolution has one outcome per constant-pool entry,
// and so has the linking of a call site).
#include "vm/interp/quicken.h"

#include <stdlib.h>

#include "base/invariant.h"
#include "bytecode/classfile/opcodes.h"
#include "vm/linking/classinit.h"
#include "vm/loading/arrayclass.h"
#include "vm/loading/classaccess.h"
#include "vm/objects/classes.h"
#include "vm/objects/constpool.h"
#include "vm/runtime/exception.h"
#include "vm/loading/metaspace.h"
#include "vm/linking/link.h"
#include "vm/loading/loader.h"
#include "vm/natives/methodhandle.h"
#include "vm/linking/resolve.h"
#include "vm/objects/string.h"
#include "vm/threads/thread.h"
#include "vm/model/vm.h"

// ---- the site -----------------------------------------------------------------------------------

static Class *caller_of(const Thread *self) { return self->frame->method->cls; }

static const uint8_t *site_bytes(const Thread *self, const Insn *pc) {
    const Method *m = self->frame->method;
    ASSERT(self->frame->kind == FRAME_INTERP && m->code_words, "the site of a frame of kind %u", self->frame->kind);
    ASSERT(pc >= m->code && pc < m->code + m->code_words, "%s.%s: instruction %td of %u", m->cls->name->text,
           m->name->text, pc - m->code, m->code_words);
    return m->info->code->code + m->bci[pc - m->code];
}

static int site_index(const Thread *self, const Insn *pc) { return opcodes_cp_index(site_bytes(self, pc), 0); }

static void set_payload(Insn *pc, int i, const void *p) {
    __atomic_store_n(&pc[i].p, (void *)(uintptr_t)p, __ATOMIC_RELAXED);
}

static void set_header(Insn *pc, unsigned op, unsigned a, int32_t b) {
    ASSERT(op < INSN_COUNT && a <= UINT16_MAX, "operation %u with %u", op, a);
    Insn word = {.op = (uint16_t)op, .a = (uint16_t)a, .b = b};
    __atomic_store_n(&pc->word, word.word, __ATOMIC_RELEASE);
}

static void quicken(Insn *pc, unsigned op, unsigned a, int32_t b, const void *payload) {
    set_payload(pc, 1, payload);
    set_header(pc, op, a, b);
}

// ---- constants ----------------------------------------------------------------------------------

static bool quicken_dynamic_prim(Thread *self, Insn *pc, int index) {
    Slot value;
    char type;
    if (!resolve_dynamic_prim(self, caller_of(self), index, &value, &type)) return false;
    if (interp_slots(type) == 2) {
        quicken(pc, INSN_lconst, 0, 0, value.p);
    } else {
        Insn nop = {.op = INSN_nop};
        set_payload(pc, 1, nop.p);
        set_header(pc, INSN_iconst, 0, value.i);
    }
    return true;
}

bool quicken_ldc(Thread *self, Insn *pc) {
    Class *caller = caller_of(self);
    int index = site_index(self, pc);
    int tag = cp_tag(caller, index);
    Object **slot;
    if (tag == CP_CLASS) {
        Class *c = resolve_class(self, caller, index);
        if (!c) return false;
        slot = &c->mirror;
    } else {
        char type = tag == CP_DYNAMIC ? cp_ref_desc(caller, index)->text[0] : 'L';
        if (type != 'L' && type != '[') return quicken_dynamic_prim(self, pc, index);
        slot = resolve_ref_slot(self, caller, index);
        if (!slot) return false;
    }
    quicken(pc, INSN_ldc_ref, 0, 0, slot);
    return true;
}

// ---- fields -------------------------------------------------------------------------------------

// Column of a field's type in the quick operations b c s i l a; a second row is for volatile fields.
static int get_column(const Field *f) {
    int row = f->flags & ACC_VOLATILE ? 6 : 0;
    switch (f->type) {
        case 'Z':
        case 'B': return row;
        case 'C': return row + 1;
        case 'S': return row + 2;
        case 'I':
        case 'F': return row + 3;
        case 'J':
        case 'D': return row + 4;
        default: return row + 5;
    }
}

// The same for z b s i l a.
static int put_column(char type) {
    switch (type) {
        case 'Z': return 0;
        case 'B': return 1;
        case 'C':
        case 'S': return 2;
        case 'I':
        case 'F': return 3;
        case 'J':
        case 'D': return 4;
        default: return 5;
    }
}

static_assert(INSN_getstatic_a_v == INSN_getstatic_b + 11 && INSN_getfield_a_v == INSN_getfield_b + 11 &&
                  INSN_getfield_a_v_a == INSN_getfield_b_a + 11 && INSN_putstatic_a == INSN_putstatic_z + 5 &&
                  INSN_putfield_a == INSN_putfield_z + 5,
              "columns");

static unsigned put_op(const Field *f, unsigned first, unsigned volatile_op) {
    return f->flags & ACC_VOLATILE ? volatile_op : first + (unsigned)put_column(f->type);
}

bool quicken_field(Thread *self, Insn *pc, bool put) {
    Field *f = resolve_field_in(self, caller_of(self), self->frame->method, site_index(self, pc), false, put);
    if (!f) return false;
    unsigned op = put ? put_op(f, INSN_putfield_z, INSN_putfield_v) : INSN_getfield_b + (unsigned)get_column(f);
    set_header(pc, op, (unsigned char)f->type, (int32_t)f->offset);
    if (put) return true;
    // An aload before it is fused with it, if the word before pc is the header of a separate one-word instruction.
    const Method *m = self->frame->method;
    size_t i = (size_t)(pc - m->code);
    bool is_separate = i >= 2 && m->bci[i - 1] != m->bci[i] && m->bci[i - 2] != m->bci[i - 1];
    if (is_separate && pc[-1].op == INSN_aload)
        __atomic_store_n(&pc[-1].op, (uint16_t)(INSN_getfield_b_a + (unsigned)get_column(f)), __ATOMIC_RELEASE);
    return true;
}

Field *quicken_static(Thread *self, Insn *pc, bool put) {
    Field *f = resolve_field_in(self, caller_of(self), self->frame->method, site_index(self, pc), true, put);
    if (!f || !class_ensure_initialized(self, f->cls)) return NULL;
    if (class_init_done(f->cls)) {
        unsigned op = put ? put_op(f, INSN_putstatic_z, INSN_putstatic_v) : INSN_getstatic_b + (unsigned)get_column(f);
        quicken(pc, op, (unsigned char)f->type, 0, field_static_addr(f));
    }
    return f;
}

// ---- calls --------------------------------------------------------------------------------------

// The part of an invocation's b that never changes (vm/interp/flowcounts.h).
static int32_t counters_of(const Insn *pc) {
    return (int32_t)(__atomic_load_n((const uint32_t *)&pc->b, __ATOMIC_RELAXED) & 0xffff0000u);
}

static void quicken_direct(Insn *pc, Method *m, unsigned op) {
    if (m->mflags & MF_OBJECT_INIT) op = INSN_invoke_object_init;
    quicken(pc, op, m->nargs, 0, m);
}

// The InterfaceCall of a site that has not been executed.
static const InterfaceCall *nothing_called(const Class *caller, Method *m) {
    InterfaceCall *empty = arena_alloc(&caller->space->arena, sizeof *empty);
    empty->imethod = m;
    return empty;
}

static void quicken_virtual(const Class *caller, Insn *pc, Method *m) {
    if ((m->flags & (ACC_PRIVATE | ACC_FINAL)) || (m->cls->access & ACC_FINAL) || m->sigpoly > MH_GENERIC) {
        quicken_direct(pc, m, INSN_invoke_special);
    } else if (class_is_interface(m->cls)) {
        quicken(pc, INSN_invoke_interface, m->nargs, counters_of(pc), nothing_called(caller, m));
    } else {
        ASSERT(m->vtable_index >= 0, "%s.%s is not virtual", m->cls->name->text, m->name->text);
        bool far = m->vtable_index > UINT16_MAX;
        quicken(pc, far ? INSN_invoke_vtable_far : INSN_invoke_vtable, m->nargs,
                counters_of(pc) | (far ? 0 : m->vtable_index), m);
    }
}

// `receiver`: slots from the top of the stack down to a receiver that must not be null; 0: there is none.
static bool quicken_linked(const Class *caller, Insn *pc, Method *adapter, Object **appendix, int receiver) {
    if (!adapter) return false;
    LinkedCall *call = arena_alloc(&caller->space->arena, sizeof *call);
    call->method = adapter;
    call->appendix = appendix;
    quicken(pc, INSN_invoke_linked, receiver, counters_of(pc), call);
    return true;
}

bool quicken_invoke(Thread *self, Insn *pc, int opcode) {
    Class *caller = caller_of(self);
    int index = site_index(self, pc);
    if (opcode == OPC_invokedynamic) {
        Object **appendix = NULL;
        Method *adapter = mh_link_callsite(self, caller, index, &appendix);
        return quicken_linked(caller, pc, adapter, appendix, 0);
    }
    Method *m = resolve_method(self, caller, index, opcode);
    if (!m) return false;
    if (m->sigpoly == MH_GENERIC && opcode == OPC_invokevirtual) {
        Object **appendix = NULL;
        Method *adapter = mh_link_method(self, caller, m->cls, cp_ref_name(caller, index), cp_ref_desc(caller, index),
                                         &appendix);
        return quicken_linked(caller, pc, adapter, appendix, 1 + cp_ref_arg_slots(caller, index));
    }
    if (opcode == OPC_invokespecial) quicken_direct(pc, m, INSN_invoke_special);
    else quicken_virtual(caller, pc, m);
    return true;
}

Method *quicken_invokestatic(Thread *self, Insn *pc) {
    Method *m = resolve_method(self, caller_of(self), site_index(self, pc), OPC_invokestatic);
    if (!m || !class_ensure_initialized(self, m->cls)) return NULL;
    if (class_init_done(m->cls)) quicken(pc, INSN_invoke_static, m->nargs, 0, m);
    return m;
}

// ---- interface calls ----------------------------------------------------------------------------

Method *quicken_interface_miss(Thread *self, Insn *pc, VTable *vt) {
    const InterfaceCall *old = __atomic_load_n((const InterfaceCall **)&pc[1].p, __ATOMIC_ACQUIRE);
    const InterfaceCall *c = interfacecall_select(self, vt, old->imethod);
    if (!c) return NULL;
    Insn header = {.word = __atomic_load_n(&pc->word, __ATOMIC_RELAXED)};
    if (header.op != INSN_invoke_interface) return c->target;
    if ((uint16_t)header.b < CALL_CACHE_MISSES) {
        __atomic_store_n(&pc[1].p, (void *)c, __ATOMIC_RELEASE);
        set_header(pc, INSN_invoke_interface, header.a, header.b + 1);
    } else {
        set_header(pc, INSN_invoke_interface_many, header.a, counters_of(pc));
    }
    return c->target;
}

void quicken_forget_dead(Class *c) {
    for (const Method *m = c->methods; m < c->methods + c->method_count; m++)
        for (uint32_t i = 0; i < m->code_words; i++) {
            bool begins = i == 0 || m->bci[i] != m->bci[i - 1];
            unsigned op = m->code[i].op;
            if (!begins || (op != INSN_invoke_interface && op != INSN_invoke_interface_many)) continue;
            const InterfaceCall *call = m->code[i + 1].p;
            if (!call->vt || !class_is_dead(call->vt->cls)) continue;
            const InterfaceCall *empty = nothing_called(c, call->imethod);
            __atomic_store_n(&m->code[i + 1].p, (void *)(uintptr_t)empty, __ATOMIC_RELEASE);
        }
}

// ---- types --------------------------------------------------------------------------------------

Class *quicken_new(Thread *self, Insn *pc) {
    Class *c = resolve_class(self, caller_of(self), site_index(self, pc));
    if (!c) return NULL;
    if (c == WK(java_lang_Class)) {
        throw_wk(self, "java/lang/IllegalAccessError", "%s", class_external_name(c));
        return NULL;
    }
    if ((c->access & (ACC_ABSTRACT | ACC_INTERFACE)) || class_is_array(c)) {
        throw_wk(self, "java/lang/InstantiationError", "%s", class_external_name(c));
        return NULL;
    }
    if (!class_ensure_initialized(self, c)) return NULL;
    if (!class_init_done(c)) return c;
    if (c->ref_kind == REF_NONE && c->instance_size <= HEAP_SMALL_MAX)
        quicken(pc, INSN_new_fast, HEAP_GRANULES(c->instance_size), 0, c->vt);
    else quicken(pc, INSN_new_object, 0, 0, c);
    return c;
}

bool quicken_array(Thread *self, Insn *pc) {
    const uint8_t *bytes = site_bytes(self, pc);
    Class *c;
    unsigned op;
    if (bytes[0] == OPC_newarray) {
        c = class_array_of(self, class_primitive("ZCFDBSIJ"[(bytes[1] - 4) & 7]));
        op = INSN_newarray_q;
    } else {
        c = resolve_class(self, caller_of(self), bytes_u2(bytes + 1));
        op = bytes[0] == OPC_anewarray ? INSN_anewarray_q : INSN_multianewarray_q;
        if (c && op == INSN_anewarray_q) c = class_array_of(self, c);
    }
    if (!c) return false;
    unsigned a = op == INSN_multianewarray_q ? bytes[3] : c->elem_shift;
    quicken(pc, op, a, 0, c);
    return true;
}

bool quicken_type(Thread *self, Insn *pc) {
    const uint8_t *bytes = site_bytes(self, pc);
    Class *c = resolve_class(self, caller_of(self), bytes_u2(bytes + 1));
    if (!c) return false;
    set_payload(pc, 2, c);
    quicken(pc, bytes[0] == OPC_checkcast ? INSN_checkcast_q : INSN_instanceof_q, 0, 0, c);
    return true;
}

// ---- exceptions ---------------------------------------------------------------------------------

void quicken_throw_bounds(Thread *self, int32_t index, int32_t length) {
    throw_wk(self, "java/lang/ArrayIndexOutOfBoundsException", "Index %d out of bounds for length %d", index, length);
}

void quicken_throw_cast(Thread *self, const Object *o, const Class *target) {
    char *where = class_pair_description(object_class(o), target);
    throw_new(self, WK(java_lang_ClassCastException), "class %s cannot be cast to class %s (%s)",
              class_external_name(object_class(o)), class_external_name(target), where ? where : "");
    free(where);
}

void quicken_throw_store(Thread *self, const Object *value) {
    throw_new(self, WK(java_lang_ArrayStoreException), "%s", class_external_name(object_class(value)));
}

void quicken_throw_divide(Thread *self) { throw_wk(self, "java/lang/ArithmeticException", "/ by zero"); }

void quicken_throw_unlinked(Thread *self, const Method *m, const Slot *args) {
    const Class *receiver = !method_is_static(m) && args->o ? object_class(args->o) : NULL;
    method_throw_unlinked(self, m, receiver, m);
}

// Whether the handler catches the pending exception. An error in resolving its class replaces that exception.
static bool handler_catches(Thread *self, Class *caller, Handler *h) {
    if (h->catch_index == 0) return true;
    Class *c = atomic_load_explicit(&h->cls, memory_order_acquire);
    if (c) return class_is_subtype(object_class(self->exception), c);
    Object *exception = exception_take(self);
    c = resolve_class(self, caller, h->catch_index);
    if (!c) {
        // If memory is exhausted, asking a class loader written in Java for the class cannot succeed. The exception
        // thrown first is then compared by name, so that a program's catch of OutOfMemoryError catches it.
        if (!class_is_subtype(object_class(self->exception), WK(java_lang_OutOfMemoryError))) return false;
        const Symbol *name = cp_class_name(caller, h->catch_index);
        const Class *named = object_class(exception);
        while (named && (named->name != name || named->loader != vm.boot_loader)) named = named->super;
        if (named) self->exception = exception;
        return named != NULL;
    }
    atomic_store_explicit(&h->cls, c, memory_order_release);
    self->exception = exception;
    return class_is_subtype(object_class(exception), c);
}

// If resolving a handler's class throws, the search restarts for that exception, as if the handler had thrown it (JVMS
// leaves this open; HotSpot does so), unless the handler covers itself.
int quicken_find_handler_at(Thread *self, const Method *m, int bci) {
    for (uint32_t i = 0; i < m->handler_count; i++) {
        Handler *h = &m->handlers[i];
        if (bci < h->start || bci >= h->end) continue;
        const Object *before = self->exception;
        if (handler_catches(self, m->cls, h)) return (int)i;
        int handler_bci = m->bci[h->word];
        bool covers_itself = handler_bci >= h->start && handler_bci < h->end;
        if (self->exception == before || covers_itself) continue;
        bci = handler_bci;
        i = (uint32_t)-1;
    }
    return -1;
}
