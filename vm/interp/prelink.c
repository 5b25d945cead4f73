// See vm/interp/prelink.h. A frame of the method is pushed meanwhile, as if it executed each of the instructions:
// quickening reads it, and the stack trace of a failed resolution shows it.
#include "vm/interp/prelink.h"

#include <string.h>

#include "bytecode/classfile/opcodes.h"
#include "vm/linking/link.h"
#include "vm/linking/resolve.h"
#include "vm/objects/classes.h"
#include "vm/objects/constpool.h"
#include "vm/objects/symbol.h"
#include "vm/interp/quicken.h"
#include "vm/threads/thread.h"

typedef struct Prelink {
    Thread *self;
    Method *m;
    Class *cls;
    Insn *pc;
    int index;  // of the constant-pool entry
} Prelink;

static Class *holder(const Prelink *p) { return resolve_class_if_loaded(p->cls, cp_ref_class_index(p->cls, p->index)); }

static void link_class(const Prelink *p, unsigned opcode) {
    if (opcode == OPC_newarray) {
        quicken_array(p->self, p->pc);
        return;
    }
    const Class *c = resolve_class_if_loaded(p->cls, p->index);
    if (!c) return;
    if (opcode == OPC_new) {
        if (class_is_initialized(c)) quicken_new(p->self, p->pc);
    } else if (opcode == OPC_checkcast || opcode == OPC_instanceof) {
        quicken_type(p->self, p->pc);
    } else {
        quicken_array(p->self, p->pc);
    }
}

static void link_instruction(const Prelink *p, unsigned opcode) {
    switch (opcode) {
        case OPC_ldc:
        case OPC_ldc_w:
        case OPC_ldc2_w: {
            // Resolving a string constant interns it, which the program can observe, so it must not happen early.
            uint8_t tag = cp_tag(p->cls, p->index);
            if ((tag == CP_STRING && cp_is_resolved(p->cls, p->index)) ||
                (tag == CP_CLASS && resolve_class_if_loaded(p->cls, p->index)))
                quicken_ldc(p->self, p->pc);
            break;
        }
        case OPC_getstatic:
        case OPC_putstatic:
        case OPC_invokestatic: {
            if (holder(p)) {
                if (opcode == OPC_invokestatic) resolve_method(p->self, p->cls, p->index, OPC_invokestatic);
                else resolve_field_in(p->self, p->cls, p->m, p->index, true, opcode == OPC_putstatic);
            }
            break;
        }
        case OPC_getfield:
        case OPC_putfield: {
            const Class *c = holder(p);
            if (c && class_is_linked(c)) quicken_field(p->self, p->pc, opcode == OPC_putfield);
            break;
        }
        case OPC_invokevirtual:
        case OPC_invokespecial:
        case OPC_invokeinterface: {
            const Class *c = holder(p);
            if (!c || (!class_is_linked(c) && !class_is_interface(c))) break;
            bool linked_by_java = strcmp(c->name->text, "java/lang/invoke/MethodHandle") == 0 ||
                strcmp(c->name->text, "java/lang/invoke/VarHandle") == 0;
            if (!linked_by_java) quicken_invoke(p->self, p->pc, (int)opcode);
            break;
        }
        case OPC_new:
        case OPC_newarray:
        case OPC_anewarray:
        case OPC_multianewarray:
        case OPC_checkcast:
        case OPC_instanceof: link_class(p, opcode); break;
        default: break;
    }
}

void prelink_method(Thread *self, Method *m, Slot *args) {
    Frame *f = (Frame *)(args + (m->nargs ? m->nargs : 1));
    if (!m->info || !m->info->code || (Slot *)(f + 1) > self->stack_limit || self->exception) return;
    const uint8_t *code = m->info->code->code;
    uint32_t length = m->info->code->code_len, step;
    *f = (Frame){
        .prev = self->frame, .method = m, .sp = frame_stack(f), .locals = args, .kind = FRAME_INTERP, .not_begun = 1};
    self->frame = f;
    for (uint32_t bci = 0; bci < length; bci += step) {
        step = opcodes_length(code, length, bci);
        if (!step) break;
        unsigned opcode = code[bci];
        bool has_constant = (opcode >= OPC_ldc && opcode <= OPC_ldc2_w) || opcode == OPC_multianewarray ||
            (opcode >= OPC_getstatic && opcode <= OPC_instanceof);
        if (!has_constant) continue;
        Prelink p = {self, m, m->cls, (Insn *)method_pc_at(m, (int)bci), opcodes_cp_index(code + bci, 0)};
        if (!p.pc) continue;
        f->pc = p.pc;
        link_instruction(&p, opcode);
        self->exception = NULL;
    }
    self->frame = f->prev;
}

void prelink_uncalled(Thread *self, Method *m, Slot *room) {
    if (!class_is_linked(m->cls) && !class_link(self, m->cls)) {
        self->exception = NULL;
        return;
    }
    if (!m->info || !m->info->code || room + m->nargs + 1 > self->stack_limit) return;
    interp_decode(m);
    memset(room, 0, (m->nargs + 1) * sizeof *room);  // a collection may scan them as arguments
    prelink_method(self, m, room);
}
