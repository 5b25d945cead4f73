// Instructions that are unresolved at translation. The interpreter executes them. Translation continues after them,
// because the code that follows can be entered at the next block or return. The constant pool gives their effect on the
// operand stack.
#include "bytecode/classfile/opcodes.h"
#include "vm/objects/constpool.h"
#include "vm/template/translate.h"

static const uint8_t *bytes_of(const Translation *t) { return t->m->info->code->code + t->m->bci[t->word]; }

void ops_unresolved(Translation *t, int pops, int pushes) {
    operands_flush(t);
    translate_exit(t, asm_jump(&t->a), TEMPLATE_RESOLVES, t->word);
    operands_forget(t);
    operands_pop(t, (uint32_t)pops);
    for (int i = 0; i < pushes; i++) operands_push_home(t, 1);
}

void ops_unresolved_field(Translation *t, int has_object, int gets) {
    int slots = interp_slots(cp_ref_desc(t->m->cls, opcodes_cp_index(bytes_of(t), 0))->text[0]);
    ops_unresolved(t, has_object + (gets ? 0 : slots), gets ? slots : 0);
}

void ops_unresolved_multi(Translation *t, int argument, int other) {
    (void)argument, (void)other;
    ops_unresolved(t, bytes_of(t)[3], 1);
}

// A null operand passes without resolution of the class.
void ops_unresolved_type(Translation *t, int casts, int other) {
    (void)other;
    operands_flush(t);
    asm_mi(&t->a, ASM_CMP, true, operands_home(t->depth - 1), 0);
    translate_exit(t, asm_jump_if(&t->a, CC_NOT_EQUAL), TEMPLATE_RESOLVES, t->word);
    if (casts) return;
    operands_pop(t, 1);
    operands_push_constant(t, 0, 1);
}

void ops_unresolved_call(Translation *t, int has_receiver, int other) {
    (void)other;
    Class *cls = t->m->cls;
    int index = opcodes_cp_index(bytes_of(t), 0);
    const char *desc = cp_ref_desc(cls, index)->text, *result = desc;
    while (*result++ != ')') {}
    uint32_t slots = (uint32_t)(cp_ref_arg_slots(cls, index) + has_receiver), first_exit = t->exit_count;
    operands_flush(t);
    translate_exit(t, asm_jump(&t->a), TEMPLATE_RESOLVES_CALL, t->word);
    translate_resumes(t, slots, *result, first_exit);
}
