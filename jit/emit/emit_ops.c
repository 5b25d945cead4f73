// Constants, local variables, the operand stack, arithmetic and control flow (JVMS 6.5).
//
// Java's arithmetic is LLVM's where it wraps around. Cases that LLVM leaves undefined are avoided: shift counts are
// masked, the divisor -1 is a special case, conversions saturate. Floating point is strict, without contraction.
#include "jit/emit/emit_core.h"
#include "jit/plan/plan_counts.h"

#include <stdio.h>

static const char kinds_in_order[] = "IJFDL";

// ---- constants ----------------------------------------------------------------------------------

static void push_bits(Emit *e, char type, int64_t bits) {
    Ir *ir = e->ir;
    switch (type) {
        case 'J': frames_push(e->frames, KIND_LONG, ir_long(ir, bits)); break;
        case 'F':
            frames_push(e->frames, KIND_FLOAT, LLVMConstBitCast(LLVMConstInt(ir->i32, (uint32_t)bits, false), ir->f32));
            break;
        case 'D':
            frames_push(e->frames, KIND_DOUBLE,
                        LLVMConstBitCast(LLVMConstInt(ir->i64, (uint64_t)bits, false), ir->f64));
            break;
        default: frames_push(e->frames, KIND_INT, ir_int(ir, (int32_t)bits)); break;
    }
}

static void load_constant(Emit *e) {
    const JavaFrame *f = e->frames->top;
    const CpEntry *entry = &f->method->cls->file->cp[opcodes_cp_index(f->plan->code->code, f->bci)];
    const PlanSite *site;
    switch (entry->tag) {
        case CP_INTEGER: push_bits(e, 'I', entry->u.i); return;
        case CP_FLOAT: push_bits(e, 'F', entry->u.i); return;
        case CP_LONG: push_bits(e, 'J', entry->u.j); return;
        case CP_DOUBLE: push_bits(e, 'D', entry->u.j); return;
        default: break;
    }
    site = plan_site(f->plan, f->bci);
    if (site && site->site.kind == SITE_CONST_REF)
        frames_push(e->frames, KIND_REF, ir_const_ref(e->ir, site->site.slot, f->method, f->bci));
    else if (site && site->site.kind == SITE_CONST_PRIM) push_bits(e, site->site.type, site->site.bits);
    else emit_deopt(e, DEOPT_unresolved);
}

static bool constants(Emit *e, unsigned op) {
    const uint8_t *code = e->frames->top->plan->code->code + e->frames->top->bci;
    switch (op) {
        case OPC_nop: return true;
        case OPC_aconst_null: frames_push(e->frames, KIND_REF, LLVMConstNull(e->ir->ptr)); return true;
        case OPC_bipush: push_bits(e, 'I', bytes_s1(code + 1)); return true;
        case OPC_sipush: push_bits(e, 'I', bytes_s2(code + 1)); return true;
        case OPC_ldc:
        case OPC_ldc_w:
        case OPC_ldc2_w: load_constant(e); return true;
        default: break;
    }
    if (op >= OPC_iconst_m1 && op <= OPC_iconst_5) push_bits(e, 'I', (int)op - OPC_iconst_0);
    else if (op == OPC_lconst_0 || op == OPC_lconst_1) push_bits(e, 'J', (int)op - OPC_lconst_0);
    else if (op >= OPC_fconst_0 && op <= OPC_fconst_2)
        frames_push(e->frames, KIND_FLOAT, LLVMConstReal(e->ir->f32, (int)op - OPC_fconst_0));
    else if (op == OPC_dconst_0 || op == OPC_dconst_1)
        frames_push(e->frames, KIND_DOUBLE, LLVMConstReal(e->ir->f64, (int)op - OPC_dconst_0));
    else return false;
    return true;
}

// ---- local variables ----------------------------------------------------------------------------

static void increment(Emit *e) {
    const uint8_t *code = e->frames->top->plan->code->code + e->frames->top->bci;
    bool wide = code[0] == OPC_wide;
    unsigned index = wide ? bytes_u2(code + 2) : code[1];
    int by = wide ? bytes_s2(code + 4) : bytes_s1(code + 2);
    LLVMValueRef v = frames_load_local(e->frames, index, KIND_INT);
    LLVMValueRef sum = LLVMBuildAdd(e->ir->builder, v, ir_int(e->ir, by), "");
    probe_assigned(e->probes, KIND_INT, sum, NULL);
    frames_store_local(e->frames, index, KIND_INT, sum);
}

static bool local_variables(Emit *e, unsigned op) {
    const uint8_t *code = e->frames->top->plan->code->code;
    unsigned index;
    if (op == OPC_wide) op = code[e->frames->top->bci + 1];
    if (op == OPC_iinc) {
        increment(e);
        return true;
    }
    if (!(opcodes_info[op].flags & (OPF_LOAD | OPF_STORE)) || (opcodes_info[op].flags & OPF_JSR)) return false;
    opcodes_local(code, e->frames->top->bci, &index);
    if (opcodes_info[op].flags & OPF_LOAD) {
        bool implicit = op >= OPC_iload_0 && op <= OPC_aload_3;
        char kind = kinds_in_order[implicit ? (op - OPC_iload_0) / 4 : op - OPC_iload];
        frames_push(e->frames, kind, frames_load_local(e->frames, index, kind));
        return true;
    }
    TypedValue v = frames_peek(e->frames, 0);
    frames_pop(e->frames);
    if (v.kind != KIND_REF) probe_assigned(e->probes, v.kind, v.v, NULL);
    frames_store_local(e->frames, index, v.kind, v.v);
    return true;
}

// ---- operand stack ------------------------------------------------------------------------------

// Number of values in `slots` slots, starting `skip` values below the top.
static unsigned values_in(const Emit *e, unsigned skip, unsigned slots) {
    unsigned n = 0;
    while (slots > 0) {
        unsigned size = 1u + ir_is_wide(frames_peek(e->frames, skip + n).kind);
        slots = slots > size ? slots - size : 0;
        n++;
    }
    return n;
}

// Copies the values in the top `slots` slots to below the `under` slots beneath them.
static void duplicate(Emit *e, unsigned slots, unsigned under) {
    JavaFrame *f = e->frames->top;
    unsigned top = values_in(e, 0, slots), mid = values_in(e, top, under);
    TypedValue copy[2];
    for (unsigned i = 0; i < top; i++) copy[i] = f->stack[f->depth - top + i];
    for (unsigned i = 0; i < top + mid; i++) {
        TypedValue *from = &f->stack[f->depth - 1 - i];
        from[top] = *from;
    }
    for (unsigned i = 0; i < top; i++) f->stack[f->depth - top - mid + i] = copy[i];
    f->depth += top;
}

static bool stack_operations(Emit *e, unsigned op) {
    TypedValue a, b;
    switch (op) {
        case OPC_pop: e->frames->top->depth -= values_in(e, 0, 1); return true;
        case OPC_pop2: e->frames->top->depth -= values_in(e, 0, 2); return true;
        case OPC_dup: duplicate(e, 1, 0); return true;
        case OPC_dup_x1: duplicate(e, 1, 1); return true;
        case OPC_dup_x2: duplicate(e, 1, 2); return true;
        case OPC_dup2: duplicate(e, 2, 0); return true;
        case OPC_dup2_x1: duplicate(e, 2, 1); return true;
        case OPC_dup2_x2: duplicate(e, 2, 2); return true;
        case OPC_swap:
            a = frames_peek(e->frames, 0);
            b = frames_peek(e->frames, 1);
            e->frames->top->depth -= 2;
            frames_push(e->frames, a.kind, a.v);
            frames_push(e->frames, b.kind, b.v);
            return true;
        default: return false;
    }
}

// ---- arithmetic ---------------------------------------------------------------------------------

// Dividing the smallest number by -1 overflows, which traps: the divisor is replaced.
static LLVMValueRef divide(Emit *e, char kind, bool remainder, LLVMValueRef a, LLVMValueRef b) {
    LLVMBuilderRef at = e->ir->builder;
    LLVMTypeRef type = ir_type(e->ir, kind);
    LLVMValueRef zero = LLVMConstNull(type), minus = LLVMConstAllOnes(type);
    emit_throw_if(e, LLVMBuildICmp(at, LLVMIntEQ, b, zero, ""), RT_throw_divide, NULL, 0);
    LLVMValueRef is_minus = LLVMBuildICmp(at, LLVMIntEQ, b, minus, "");
    LLVMValueRef safe = LLVMBuildSelect(at, is_minus, LLVMConstInt(type, 1, false), b, "");
    LLVMValueRef q = remainder ? LLVMBuildSRem(at, a, safe, "") : LLVMBuildSDiv(at, a, safe, "");
    LLVMValueRef special = remainder ? zero : LLVMBuildNeg(at, a, "");
    return LLVMBuildSelect(at, is_minus, special, q, "");
}

static LLVMValueRef shift(Emit *e, char kind, unsigned which, LLVMValueRef a, LLVMValueRef count) {
    LLVMBuilderRef b = e->ir->builder;
    count = LLVMBuildAnd(b, count, ir_int(e->ir, kind == KIND_LONG ? 63 : 31), "");
    if (kind == KIND_LONG) count = LLVMBuildZExt(b, count, e->ir->i64, "");
    switch (which) {
        case 0: return LLVMBuildShl(b, a, count, "");
        case 1: return LLVMBuildAShr(b, a, count, "");
        default: return LLVMBuildLShr(b, a, count, "");
    }
}

// Rows of four opcodes, int long float double: add sub mul div rem.
static LLVMValueRef operate(Emit *e, unsigned row, char kind, LLVMValueRef a, LLVMValueRef b) {
    bool real = kind == KIND_FLOAT || kind == KIND_DOUBLE;
    LLVMBuilderRef at = e->ir->builder;
    LLVMValueRef both[] = {a, b};
    switch (row) {
        case 0: return real ? LLVMBuildFAdd(at, a, b, "") : LLVMBuildAdd(at, a, b, "");
        case 1: return real ? LLVMBuildFSub(at, a, b, "") : LLVMBuildSub(at, a, b, "");
        case 2: return real ? LLVMBuildFMul(at, a, b, "") : LLVMBuildMul(at, a, b, "");
        case 3: return real ? LLVMBuildFDiv(at, a, b, "") : divide(e, kind, false, a, b);
        default:
            return real ? frames_runtime(e->frames, kind == KIND_FLOAT ? RT_fmodf : RT_fmod, both, 2)
                        : divide(e, kind, true, a, b);
    }
}

static void logic(Emit *e, unsigned op) {
    LLVMValueRef b = frames_pop(e->frames), a = frames_pop(e->frames), v;
    switch ((op - OPC_iand) / 2) {
        case 0: v = LLVMBuildAnd(e->ir->builder, a, b, ""); break;
        case 1: v = LLVMBuildOr(e->ir->builder, a, b, ""); break;
        default: v = LLVMBuildXor(e->ir->builder, a, b, ""); break;
    }
    frames_push(e->frames, (op - OPC_iand) % 2 ? KIND_LONG : KIND_INT, v);
}

static bool arithmetic(Emit *e, unsigned op) {
    LLVMValueRef a, b;
    char kind;
    if (op >= OPC_iadd && op <= OPC_drem) {
        b = frames_pop(e->frames);
        a = frames_pop(e->frames);
        kind = kinds_in_order[(op - OPC_iadd) % 4];
        frames_push(e->frames, kind, operate(e, (op - OPC_iadd) / 4, kind, a, b));
    } else if (op >= OPC_ineg && op <= OPC_dneg) {
        unsigned column = op - OPC_ineg;
        LLVMValueRef v = frames_pop(e->frames);
        v = column >= 2 ? LLVMBuildFNeg(e->ir->builder, v, "") : LLVMBuildNeg(e->ir->builder, v, "");
        frames_push(e->frames, kinds_in_order[column], v);
    } else if (op >= OPC_ishl && op <= OPC_lushr) {
        b = frames_pop(e->frames);
        a = frames_pop(e->frames);
        kind = kinds_in_order[(op - OPC_ishl) % 2];
        frames_push(e->frames, kind, shift(e, kind, (op - OPC_ishl) / 2, a, b));
    } else if (op >= OPC_iand && op <= OPC_lxor) {
        logic(e, op);
    } else {
        return false;
    }
    return true;
}

// ---- conversions --------------------------------------------------------------------------------

static LLVMValueRef saturate(Emit *e, LLVMTypeRef to, LLVMTypeRef from, LLVMValueRef v) {
    LLVMTypeRef types[] = {to, from};
    unsigned id = LLVMLookupIntrinsicID("llvm.fptosi.sat", strlen("llvm.fptosi.sat"));
    LLVMValueRef f = LLVMGetIntrinsicDeclaration(e->ir->module, id, types, 2);
    LLVMTypeRef type = LLVMIntrinsicGetType(e->ir->context, id, types, 2);
    return LLVMBuildCall2(e->ir->builder, type, f, &v, 1, "");
}

static LLVMValueRef convert(Emit *e, char from, char to, LLVMValueRef v) {
    LLVMBuilderRef b = e->ir->builder;
    LLVMTypeRef type = ir_type(e->ir, to);
    bool real_from = from == 'F' || from == 'D', real_to = to == 'F' || to == 'D';
    if (real_from && real_to) return to == 'D' ? LLVMBuildFPExt(b, v, type, "") : LLVMBuildFPTrunc(b, v, type, "");
    if (real_from) return saturate(e, type, ir_type(e->ir, from), v);
    if (real_to) return LLVMBuildSIToFP(b, v, type, "");
    return to == 'J' ? LLVMBuildSExt(b, v, type, "") : LLVMBuildTrunc(b, v, type, "");
}

static bool conversions(Emit *e, unsigned op) {
    Ir *ir = e->ir;
    static const char pairs[][3] = {"IJ", "IF", "ID", "JI", "JF", "JD", "FI", "FJ", "FD", "DI", "DJ", "DF"};
    LLVMBuilderRef b = ir->builder;
    if (op >= OPC_i2l && op <= OPC_d2f) {
        const char *p = pairs[op - OPC_i2l];
        frames_push(e->frames, p[1], convert(e, p[0], p[1], frames_pop(e->frames)));
        return true;
    }
    if (op < OPC_i2b || op > OPC_i2s) return false;
    LLVMTypeRef type = op == OPC_i2b ? ir->i8 : ir->i16;
    LLVMValueRef small = LLVMBuildTrunc(b, frames_pop(e->frames), type, "");
    frames_push(e->frames, KIND_INT,
                op == OPC_i2c ? LLVMBuildZExt(b, small, ir->i32, "") : LLVMBuildSExt(b, small, ir->i32, ""));
    return true;
}

// ---- comparisons --------------------------------------------------------------------------------

// Predicates in the order of ifeq ... ifle.
static const LLVMIntPredicate int_conditions[] = {LLVMIntEQ, LLVMIntNE, LLVMIntSLT, LLVMIntSGE, LLVMIntSGT, LLVMIntSLE};
// The same for fcmpl and dcmpl (unordered is less), and for fcmpg and dcmpg (unordered is greater).
static const LLVMRealPredicate less_conditions[] = {LLVMRealOEQ, LLVMRealUNE, LLVMRealULT,
                                                    LLVMRealOGE, LLVMRealOGT, LLVMRealULE};
static const LLVMRealPredicate greater_conditions[] = {LLVMRealOEQ, LLVMRealUNE, LLVMRealOLT,
                                                       LLVMRealUGE, LLVMRealUGT, LLVMRealOLE};

// i1: the result of comparing a and b with lcmp, fcmpl... satisfies the condition.
static LLVMValueRef condition_of(Emit *e, unsigned op, unsigned condition, LLVMValueRef a, LLVMValueRef b) {
    if (op == OPC_lcmp) return LLVMBuildICmp(e->ir->builder, int_conditions[condition], a, b, "");
    const LLVMRealPredicate *conditions = op == OPC_fcmpl || op == OPC_dcmpl ? less_conditions : greater_conditions;
    return LLVMBuildFCmp(e->ir->builder, conditions[condition], a, b, "");
}

static void compare(Emit *e, unsigned op) {
    enum { LT = 2, GT = 4 };
    LLVMBuilderRef at = e->ir->builder;
    LLVMValueRef b = frames_pop(e->frames), a = frames_pop(e->frames);
    LLVMValueRef more = LLVMBuildZExt(at, condition_of(e, op, GT, a, b), e->ir->i32, "");
    LLVMValueRef less = LLVMBuildZExt(at, condition_of(e, op, LT, a, b), e->ir->i32, "");
    LLVMValueRef v = LLVMBuildSub(at, more, less, "");
    frames_push(e->frames, KIND_INT, v);
    e->compared.result = v;
    e->compared.a = a;
    e->compared.b = b;
    e->compared.opcode = op;
}

// ---- control ------------------------------------------------------------------------------------

static LLVMValueRef branch_condition(Emit *e, unsigned op) {
    Ir *ir = e->ir;
    LLVMValueRef a, b;
    if (op <= OPC_ifle) {
        unsigned condition = op - OPC_ifeq;
        a = frames_pop(e->frames);
        if (a == e->compared.result)
            return condition_of(e, e->compared.opcode, condition, e->compared.a, e->compared.b);
        return LLVMBuildICmp(ir->builder, int_conditions[condition], a, ir_int(ir, 0), "");
    }
    if (op == OPC_ifnull) return ir_is_null(ir, frames_pop(e->frames));
    if (op == OPC_ifnonnull) return LLVMBuildNot(ir->builder, ir_is_null(ir, frames_pop(e->frames)), "");
    b = frames_pop(e->frames);
    a = frames_pop(e->frames);
    unsigned condition = op <= OPC_if_icmple ? op - OPC_if_icmpeq : op - OPC_if_acmpeq;
    return LLVMBuildICmp(ir->builder, int_conditions[condition], a, b, "");
}

// The label of an edge that was never taken: the interpreter executes the branch again.
static LLVMBasicBlockRef never_taken(Emit *e) {
    Ir *ir = e->ir;
    LLVMBasicBlockRef here = LLVMGetInsertBlock(ir->builder), never = ir_block(ir, "never");
    ir_at(ir, never);
    emit_deopt(e, DEOPT_uncommon);
    ir_at(ir, here);
    return never;
}

static void conditional(Emit *e, unsigned op) {
    Ir *ir = e->ir;
    const uint8_t *never = e->frames->top->plan->never;
    if (emit_loop_test(e, op)) return;
    LLVMValueRef condition = branch_condition(e, op);
    frames_spill_stack(e->frames);
    if (never && never[e->frames->top->block]) {  // an edge was never taken; the other one reports
        bool first = never[e->frames->top->block] & 1;
        LLVMBasicBlockRef taken = first ? never_taken(e) : probe_branch_edge(e->probes, 0, 1, emit_edge(e, 0));
        LLVMBasicBlockRef other = first ? probe_branch_edge(e->probes, 1, 0, emit_edge(e, 1)) : never_taken(e);
        ir_branch(ir, condition, taken, other, !first);
        return;
    }
    bool counted = probe_counts(e->probes, EVENT_branch);  // for each edge
    if (!counted)
        probe_event(e->probes, EVENT_branch, (LLVMValueRef[]){LLVMBuildZExt(ir->builder, condition, ir->i32, "")});
    LLVMBasicBlockRef taken = emit_edge(e, 0), other = emit_edge(e, 1);
    if (counted) {
        taken = probe_branch_edge(e->probes, 0, 1, taken);
        other = probe_branch_edge(e->probes, 1, 0, other);
    } else {
        taken = probe_edge(e->probes, 0, probe_path_edge(e->probes, 1, taken));
        other = probe_path_edge(e->probes, 0, other);
    }
    ir_branch(ir, condition, taken, other, -1);
    uint64_t counts[2];
    LLVMValueRef branch = LLVMGetBasicBlockTerminator(LLVMGetInsertBlock(ir->builder));
    if (counts_of_edges(e->frames->top->plan, e->frames->top->block, counts)) ir_edge_weights(ir, branch, counts, 2);
}

static void jump(Emit *e, bool is_event) {
    frames_spill_stack(e->frames);
    if (is_event) probe_event(e->probes, EVENT_jump, NULL);
    LLVMBasicBlockRef to = probe_path_edge(e->probes, 0, emit_edge(e, 0));
    ir_jump(e->ir, is_event ? probe_edge(e->probes, 0, to) : to);
}

// The edge of a switch. All edges that leave the code share one deoptimisation point, *left.
static LLVMBasicBlockRef switch_edge(Emit *e, uint32_t i, LLVMBasicBlockRef *left) {
    const JavaFrame *f = e->frames->top;
    if (!counts_leave_edge(f->plan, f->block, i)) return probe_branch_edge(e->probes, i, i, emit_edge(e, i));
    if (!*left) *left = never_taken(e);
    return *left;
}

static void switch_to(Emit *e) {
    LLVMBasicBlockRef left = NULL;
    const JavaFrame *f = e->frames->top;
    OpcodeSwitch s = opcodes_switch(f->plan->code->code, f->bci);
    LLVMValueRef key = frames_pop(e->frames);
    frames_spill_stack(e->frames);
    const uint32_t *succ = f->plan->flow->edges + f->plan->flow->blocks[f->block].first_succ;
    LLVMBasicBlockRef otherwise = switch_edge(e, s.count, &left);
    LLVMValueRef jump_table = LLVMBuildSwitch(e->ir->builder, key, otherwise, s.count);
    for (uint32_t i = 0; i < s.count; i++) {
        if (succ[i] == succ[s.count] && !probe_wants(e->probes, EVENT_branch) && !f->paths) continue;
        LLVMAddCase(jump_table, ir_int(e->ir, opcodes_switch_key(&s, i)), switch_edge(e, i, &left));
    }
}

static bool control(Emit *e, unsigned op) {
    if (op >= OPC_ifeq && op <= OPC_if_acmpne) conditional(e, op);
    else if (op == OPC_ifnull || op == OPC_ifnonnull) conditional(e, op);
    else if (op == OPC_goto || op == OPC_goto_w || op == OPC_ret) jump(e, op != OPC_ret);
    else if (op == OPC_tableswitch || op == OPC_lookupswitch) switch_to(e);
    else if (op == OPC_jsr || op == OPC_jsr_w) {
        // Return addresses are the interpreter's code unit numbers. Only deoptimisation points use them.
        const Method *m = e->frames->top->method;
        uint32_t k = 0;
        while (k < m->code_words && m->bci[k] != e->frames->top->next_bci) k++;
        frames_push(e->frames, KIND_RETURN, ir_long(e->ir, k < m->code_words ? k : 0));
        jump(e, true);
    } else return false;
    return true;
}

bool emit_ops(Emit *e, unsigned op) {
    if (op >= OPC_lcmp && op <= OPC_dcmpg) {
        compare(e, op);
        probe_result(e->probes);
        return true;
    }
    if (op == OPC_wide && e->frames->top->plan->code->code[e->frames->top->bci + 1] == OPC_ret)
        return control(e, OPC_ret);
    if (arithmetic(e, op) || conversions(e, op)) {
        probe_result(e->probes);
        return true;
    }
    return constants(e, op) || local_variables(e, op) || stack_operations(e, op) || control(e, op);
}
