// Constants, local variables, the operand stack, arithmetic and control flow (JVMS 6.5).
//
// Java's arithmetic is LLVM's where it wraps around. Cases that LLVM leaves undefined are avoided: shift counts are
// masked, the divisor -1 is a special case, conversions saturate. Floating point is strict, without contraction.
#include "jit/emit/emit_core.h"
#include "jit/plan/counts.h"

#include <stdio.h>

static const char kinds_in_order[] = "IJFDL";

static const uint8_t *code_at(const Emit *e) { return e->frame->plan->code->code + e->frame->bci; }

// ---- constants ----------------------------------------------------------------------------------

static void push_bits(Emit *e, char type, int64_t bits) {
    switch (type) {
        case 'J': emit_push(e, KIND_LONG, emit_long(e, bits)); break;
        case 'F':
            emit_push(e, KIND_FLOAT, LLVMConstBitCast(LLVMConstInt(e->i32, (uint32_t)bits, false), e->f32));
            break;
        case 'D':
            emit_push(e, KIND_DOUBLE, LLVMConstBitCast(LLVMConstInt(e->i64, (uint64_t)bits, false), e->f64));
            break;
        default: emit_push(e, KIND_INT, emit_int(e, (int32_t)bits)); break;
    }
}

static void load_constant(Emit *e) {
    const EmitFrame *f = e->frame;
    const CpEntry *entry = &f->method->cls->file->cp[emit_cp_index(f)];
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
        emit_push(e, KIND_REF, emit_const_ref(e, site->site.slot));
    else if (site && site->site.kind == SITE_CONST_PRIM)
        push_bits(e, site->site.type, site->site.bits);
    else
        emit_deopt(e, DEOPT_unresolved);
}

static bool constants(Emit *e, unsigned op) {
    const uint8_t *code = code_at(e);
    switch (op) {
        case OPC_nop: return true;
        case OPC_aconst_null: emit_push(e, KIND_REF, emit_null(e)); return true;
        case OPC_bipush: push_bits(e, 'I', bytes_s1(code + 1)); return true;
        case OPC_sipush: push_bits(e, 'I', bytes_s2(code + 1)); return true;
        case OPC_ldc: case OPC_ldc_w: case OPC_ldc2_w: load_constant(e); return true;
        default: break;
    }
    if (op >= OPC_iconst_m1 && op <= OPC_iconst_5) push_bits(e, 'I', (int)op - OPC_iconst_0);
    else if (op == OPC_lconst_0 || op == OPC_lconst_1) push_bits(e, 'J', (int)op - OPC_lconst_0);
    else if (op >= OPC_fconst_0 && op <= OPC_fconst_2)
        emit_push(e, KIND_FLOAT, LLVMConstReal(e->f32, (int)op - OPC_fconst_0));
    else if (op == OPC_dconst_0 || op == OPC_dconst_1)
        emit_push(e, KIND_DOUBLE, LLVMConstReal(e->f64, (int)op - OPC_dconst_0));
    else return false;
    return true;
}

// ---- local variables ----------------------------------------------------------------------------

static void load(Emit *e, unsigned index, char kind) {
    emit_push(e, kind, emit_load_local(e, index, kind));
}

static void increment(Emit *e) {
    const uint8_t *code = code_at(e);
    bool wide = code[0] == OPC_wide;
    unsigned index = wide ? bytes_u2(code + 2) : code[1];
    int by = wide ? bytes_s2(code + 4) : bytes_s1(code + 2);
    LLVMValueRef v = emit_load_local(e, index, KIND_INT);
    LLVMValueRef sum = LLVMBuildAdd(e->builder, v, emit_int(e, by), "");
    emit_assigned_probes(e, KIND_INT, sum, NULL);
    emit_store_local(e, index, KIND_INT, sum);
}

static bool local_variables(Emit *e, unsigned op) {
    const uint8_t *code = e->frame->plan->code->code;
    unsigned index;
    if (op == OPC_wide) op = code[e->frame->bci + 1];
    if (op == OPC_iinc) {
        increment(e);
        return true;
    }
    if (!(opcodes_info[op].flags & (OPF_LOAD | OPF_STORE)) || (opcodes_info[op].flags & OPF_JSR))
        return false;
    opcodes_local(code, e->frame->bci, &index);
    if (op >= OPC_iload && op <= OPC_aload) load(e, index, kinds_in_order[op - OPC_iload]);
    else if (op >= OPC_iload_0 && op <= OPC_aload_3)
        load(e, index, kinds_in_order[(op - OPC_iload_0) / 4]);
    else {
        EmitValue v = emit_pop_value(e);
        if (v.kind != KIND_REF) emit_assigned_probes(e, v.kind, v.v, NULL);
        emit_store_local(e, index, v.kind, v.v);
    }
    return true;
}

// ---- operand stack ------------------------------------------------------------------------------

// Number of values in `slots` slots, starting `skip` values below the top.
static unsigned values_in(const Emit *e, unsigned skip, unsigned slots) {
    unsigned n = 0;
    while (slots > 0) {
        unsigned size = 1u + emit_is_wide(emit_peek(e, skip + n).kind);
        slots = slots > size ? slots - size : 0;
        n++;
    }
    return n;
}

static void drop(Emit *e, unsigned slots) { e->frame->depth -= values_in(e, 0, slots); }

// Copies the values in the top `slots` slots to below the `under` slots beneath them.
static void duplicate(Emit *e, unsigned slots, unsigned under) {
    EmitFrame *f = e->frame;
    unsigned top = values_in(e, 0, slots), mid = values_in(e, top, under);
    EmitValue copy[2];
    for (unsigned i = 0; i < top; i++) copy[i] = f->stack[f->depth - top + i];
    for (unsigned i = 0; i < top + mid; i++) {
        EmitValue *from = &f->stack[f->depth - 1 - i];
        from[top] = *from;
    }
    for (unsigned i = 0; i < top; i++) f->stack[f->depth - top - mid + i] = copy[i];
    f->depth += top;
}

static bool stack_operations(Emit *e, unsigned op) {
    EmitValue a, b;
    switch (op) {
        case OPC_pop: drop(e, 1); return true;
        case OPC_pop2: drop(e, 2); return true;
        case OPC_dup: duplicate(e, 1, 0); return true;
        case OPC_dup_x1: duplicate(e, 1, 1); return true;
        case OPC_dup_x2: duplicate(e, 1, 2); return true;
        case OPC_dup2: duplicate(e, 2, 0); return true;
        case OPC_dup2_x1: duplicate(e, 2, 1); return true;
        case OPC_dup2_x2: duplicate(e, 2, 2); return true;
        case OPC_swap:
            a = emit_pop_value(e);
            b = emit_pop_value(e);
            emit_push(e, a.kind, a.v);
            emit_push(e, b.kind, b.v);
            return true;
        default: return false;
    }
}

// ---- arithmetic ---------------------------------------------------------------------------------

// Dividing the smallest number by -1 overflows, which traps: the divisor is replaced.
static LLVMValueRef divide(Emit *e, char kind, bool remainder, LLVMValueRef a, LLVMValueRef b) {
    LLVMBuilderRef at = e->builder;
    LLVMTypeRef type = emit_type(e, kind);
    LLVMValueRef zero = LLVMConstNull(type), minus = LLVMConstAllOnes(type);
    emit_throw_if(e, LLVMBuildICmp(at, LLVMIntEQ, b, zero, ""), RT_throw_divide, NULL, 0);
    LLVMValueRef is_minus = LLVMBuildICmp(at, LLVMIntEQ, b, minus, "");
    LLVMValueRef safe = LLVMBuildSelect(at, is_minus, LLVMConstInt(type, 1, false), b, "");
    LLVMValueRef q = remainder ? LLVMBuildSRem(at, a, safe, "") : LLVMBuildSDiv(at, a, safe, "");
    LLVMValueRef special = remainder ? zero : LLVMBuildNeg(at, a, "");
    return LLVMBuildSelect(at, is_minus, special, q, "");
}

static LLVMValueRef shift(Emit *e, char kind, unsigned which, LLVMValueRef a, LLVMValueRef count) {
    LLVMBuilderRef b = e->builder;
    count = LLVMBuildAnd(b, count, emit_int(e, kind == KIND_LONG ? 63 : 31), "");
    if (kind == KIND_LONG) count = LLVMBuildZExt(b, count, e->i64, "");
    switch (which) {
        case 0: return LLVMBuildShl(b, a, count, "");
        case 1: return LLVMBuildAShr(b, a, count, "");
        default: return LLVMBuildLShr(b, a, count, "");
    }
}

// Rows of four opcodes, int long float double: add sub mul div rem.
static LLVMValueRef operate(Emit *e, unsigned row, char kind, LLVMValueRef a, LLVMValueRef b) {
    bool real = kind == KIND_FLOAT || kind == KIND_DOUBLE;
    LLVMBuilderRef at = e->builder;
    LLVMValueRef both[] = {a, b};
    switch (row) {
        case 0: return real ? LLVMBuildFAdd(at, a, b, "") : LLVMBuildAdd(at, a, b, "");
        case 1: return real ? LLVMBuildFSub(at, a, b, "") : LLVMBuildSub(at, a, b, "");
        case 2: return real ? LLVMBuildFMul(at, a, b, "") : LLVMBuildMul(at, a, b, "");
        case 3: return real ? LLVMBuildFDiv(at, a, b, "") : divide(e, kind, false, a, b);
        default: return real ? emit_runtime(e, kind == KIND_FLOAT ? RT_fmodf : RT_fmod, both, 2)
                             : divide(e, kind, true, a, b);
    }
}

static void logic(Emit *e, unsigned op) {
    LLVMValueRef b = emit_pop(e), a = emit_pop(e), v;
    switch ((op - OPC_iand) / 2) {
        case 0: v = LLVMBuildAnd(e->builder, a, b, ""); break;
        case 1: v = LLVMBuildOr(e->builder, a, b, ""); break;
        default: v = LLVMBuildXor(e->builder, a, b, ""); break;
    }
    emit_push(e, (op - OPC_iand) % 2 ? KIND_LONG : KIND_INT, v);
}

static bool arithmetic(Emit *e, unsigned op) {
    LLVMValueRef a, b;
    char kind;
    if (op >= OPC_iadd && op <= OPC_drem) {
        b = emit_pop(e);
        a = emit_pop(e);
        kind = kinds_in_order[(op - OPC_iadd) % 4];
        emit_push(e, kind, operate(e, (op - OPC_iadd) / 4, kind, a, b));
    } else if (op >= OPC_ineg && op <= OPC_dneg) {
        unsigned column = op - OPC_ineg;
        LLVMValueRef v = emit_pop(e);
        v = column >= 2 ? LLVMBuildFNeg(e->builder, v, "") : LLVMBuildNeg(e->builder, v, "");
        emit_push(e, kinds_in_order[column], v);
    } else if (op >= OPC_ishl && op <= OPC_lushr) {
        b = emit_pop(e);
        a = emit_pop(e);
        kind = kinds_in_order[(op - OPC_ishl) % 2];
        emit_push(e, kind, shift(e, kind, (op - OPC_ishl) / 2, a, b));
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
    LLVMValueRef f = LLVMGetIntrinsicDeclaration(e->module, id, types, 2);
    LLVMTypeRef type = LLVMIntrinsicGetType(e->context, id, types, 2);
    return LLVMBuildCall2(e->builder, type, f, &v, 1, "");
}

static LLVMValueRef convert(Emit *e, char from, char to, LLVMValueRef v) {
    LLVMBuilderRef b = e->builder;
    LLVMTypeRef type = emit_type(e, to);
    bool real_from = from == 'F' || from == 'D', real_to = to == 'F' || to == 'D';
    if (real_from && real_to) return to == 'D' ? LLVMBuildFPExt(b, v, type, "") : LLVMBuildFPTrunc(b, v, type, "");
    if (real_from) return saturate(e, type, emit_type(e, from), v);
    if (real_to) return LLVMBuildSIToFP(b, v, type, "");
    return to == 'J' ? LLVMBuildSExt(b, v, type, "") : LLVMBuildTrunc(b, v, type, "");
}

static bool conversions(Emit *e, unsigned op) {
    static const char pairs[][3] = {"IJ", "IF", "ID", "JI", "JF", "JD",
                                    "FI", "FJ", "FD", "DI", "DJ", "DF"};
    LLVMBuilderRef b = e->builder;
    if (op >= OPC_i2l && op <= OPC_d2f) {
        const char *p = pairs[op - OPC_i2l];
        emit_push(e, p[1], convert(e, p[0], p[1], emit_pop(e)));
        return true;
    }
    if (op < OPC_i2b || op > OPC_i2s) return false;
    LLVMTypeRef type = op == OPC_i2b ? e->i8 : e->i16;
    LLVMValueRef small = LLVMBuildTrunc(b, emit_pop(e), type, "");
    emit_push(e, KIND_INT, op == OPC_i2c ? LLVMBuildZExt(b, small, e->i32, "")
                                         : LLVMBuildSExt(b, small, e->i32, ""));
    return true;
}

// ---- comparisons --------------------------------------------------------------------------------

// Predicates in the order of ifeq ... ifle.
static const LLVMIntPredicate int_conditions[] = {LLVMIntEQ, LLVMIntNE, LLVMIntSLT,
                                                  LLVMIntSGE, LLVMIntSGT, LLVMIntSLE};
// The same for fcmpl and dcmpl (unordered is less), and for fcmpg and dcmpg (unordered is greater).
static const LLVMRealPredicate less_conditions[] = {LLVMRealOEQ, LLVMRealUNE, LLVMRealULT,
                                                    LLVMRealOGE, LLVMRealOGT, LLVMRealULE};
static const LLVMRealPredicate greater_conditions[] = {LLVMRealOEQ, LLVMRealUNE, LLVMRealOLT,
                                                       LLVMRealUGE, LLVMRealUGT, LLVMRealOLE};

// i1: the result of comparing a and b with lcmp, fcmpl... satisfies the condition.
static LLVMValueRef condition_of(Emit *e, unsigned op, unsigned condition, LLVMValueRef a,
                                 LLVMValueRef b) {
    if (op == OPC_lcmp) return LLVMBuildICmp(e->builder, int_conditions[condition], a, b, "");
    const LLVMRealPredicate *conditions = op == OPC_fcmpl || op == OPC_dcmpl ? less_conditions : greater_conditions;
    return LLVMBuildFCmp(e->builder, conditions[condition], a, b, "");
}

static void compare(Emit *e, unsigned op) {
    enum { LT = 2, GT = 4 };
    LLVMBuilderRef at = e->builder;
    LLVMValueRef b = emit_pop(e), a = emit_pop(e);
    LLVMValueRef more = LLVMBuildZExt(at, condition_of(e, op, GT, a, b), e->i32, "");
    LLVMValueRef less = LLVMBuildZExt(at, condition_of(e, op, LT, a, b), e->i32, "");
    LLVMValueRef v = LLVMBuildSub(at, more, less, "");
    emit_push(e, KIND_INT, v);
    e->compared.result = v;
    e->compared.a = a;
    e->compared.b = b;
    e->compared.opcode = op;
}

static LLVMValueRef against_zero(Emit *e, unsigned condition) {
    LLVMValueRef v = emit_pop(e);
    if (v == e->compared.result)
        return condition_of(e, e->compared.opcode, condition, e->compared.a, e->compared.b);
    return LLVMBuildICmp(e->builder, int_conditions[condition], v, emit_int(e, 0), "");
}

// ---- control ------------------------------------------------------------------------------------

static LLVMValueRef branch_condition(Emit *e, unsigned op) {
    LLVMValueRef a, b;
    if (op <= OPC_ifle) return against_zero(e, op - OPC_ifeq);
    if (op == OPC_ifnull) return emit_is_null(e, emit_pop(e));
    if (op == OPC_ifnonnull)
        return LLVMBuildNot(e->builder, emit_is_null(e, emit_pop(e)), "");
    b = emit_pop(e);
    a = emit_pop(e);
    unsigned condition = op <= OPC_if_icmple ? op - OPC_if_icmpeq : op - OPC_if_acmpeq;
    return LLVMBuildICmp(e->builder, int_conditions[condition], a, b, "");
}

// The label of an edge that was never taken: the interpreter executes the branch again.
static LLVMBasicBlockRef never_taken(Emit *e) {
    LLVMBasicBlockRef here = LLVMGetInsertBlock(e->builder), never = emit_block(e, "never");
    emit_at(e, never);
    emit_deopt(e, DEOPT_uncommon);
    emit_at(e, here);
    return never;
}

// A conditional branch with an edge that was never taken (Plan.never). The other edge reports.
static void one_sided(Emit *e, unsigned op, uint8_t never) {
    LLVMValueRef condition = branch_condition(e, op);
    emit_spill_stack(e);
    LLVMBasicBlockRef taken = never & 1 ? never_taken(e) : emit_branch_edge(e, 0, 1, emit_edge(e, 0));
    LLVMBasicBlockRef other = never & 1 ? emit_branch_edge(e, 1, 0, emit_edge(e, 1)) : never_taken(e);
    emit_branch(e, condition, taken, other, !(never & 1));
}

// LLVM's weights have 32 bits, and it adds up those of several edges. One is added to each count because weight 0 means
// impossible.
void emit_edge_weights(Emit *e, LLVMValueRef branch, const uint64_t *counts, uint32_t count) {
    LLVMMetadataRef *parts = emit_alloc(count + 1, sizeof *parts);
    uint64_t sum = 0, scale;
    for (uint32_t i = 0; i < count; i++) sum += counts[i] + 1;
    scale = 1 + sum / INT32_MAX;
    parts[0] = LLVMMDStringInContext2(e->context, "branch_weights", 14);
    for (uint32_t i = 0; i < count; i++) parts[i + 1] = LLVMValueAsMetadata(emit_int(e, (int64_t)(counts[i] / scale + 1)));
    LLVMSetMetadata(branch, e->prof_kind, LLVMMetadataAsValue(e->context, LLVMMDNodeInContext2(e->context, parts, count + 1)));
    free(parts);
}

static void conditional(Emit *e, unsigned op) {
    const uint8_t *never = e->frame->plan->never;
    if (emit_loop_test(e, op)) return;
    if (never && never[e->frame->block]) {
        one_sided(e, op, never[e->frame->block]);
        return;
    }
    LLVMValueRef condition = branch_condition(e, op);
    emit_spill_stack(e);
    bool counted = emit_counts(e, EVENT_branch);  // for each edge
    if (!counted) emit_probe(e, EVENT_branch, (LLVMValueRef[]){LLVMBuildZExt(e->builder, condition, e->i32, "")});
    LLVMBasicBlockRef taken = emit_edge(e, 0), other = emit_edge(e, 1);
    if (counted) {
        taken = emit_branch_edge(e, 0, 1, taken);
        other = emit_branch_edge(e, 1, 0, other);
    } else {
        taken = emit_edge_probes(e, 0, emit_path_edge(e, 1, taken));
        other = emit_path_edge(e, 0, other);
    }
    emit_branch(e, condition, taken, other, -1);
    uint64_t counts[2];
    LLVMValueRef branch = LLVMGetBasicBlockTerminator(LLVMGetInsertBlock(e->builder));
    if (counts_of_edges(e->frame->plan, e->frame->block, counts)) emit_edge_weights(e, branch, counts, 2);
}

static void jump(Emit *e, bool is_event) {
    emit_spill_stack(e);
    if (is_event) emit_probe(e, EVENT_jump, NULL);
    LLVMBasicBlockRef to = emit_path_edge(e, 0, emit_edge(e, 0));
    emit_jump(e, is_event ? emit_edge_probes(e, 0, to) : to);
}

// The edge of a switch. All edges that leave the code share one deoptimisation point, *left.
static LLVMBasicBlockRef switch_edge(Emit *e, uint32_t i, LLVMBasicBlockRef *left) {
    const EmitFrame *f = e->frame;
    if (!counts_leave_edge(f->plan, f->block, i)) return emit_branch_edge(e, i, i, emit_edge(e, i));
    if (!*left) *left = never_taken(e);
    return *left;
}

static void switch_to(Emit *e) {
    LLVMBasicBlockRef left = NULL;
    const EmitFrame *f = e->frame;
    OpcodeSwitch s = opcodes_switch(f->plan->code->code, f->bci);
    LLVMValueRef key = emit_pop(e);
    emit_spill_stack(e);
    const uint32_t *succ = f->plan->flow->edges + f->plan->flow->blocks[f->block].first_succ;
    LLVMBasicBlockRef otherwise = switch_edge(e, s.count, &left);
    LLVMValueRef jump_table = LLVMBuildSwitch(e->builder, key, otherwise, s.count);
    for (uint32_t i = 0; i < s.count; i++) {
        if (succ[i] == succ[s.count] && !emit_wants(e, EVENT_branch) && !f->paths) continue;
        LLVMAddCase(jump_table, emit_int(e, opcodes_switch_key(&s, i)), switch_edge(e, i, &left));
    }
}

// Return addresses of jsr are the interpreter's code unit numbers. Only deoptimisation points use them.
static int64_t word_at(const Method *m, uint32_t bci) {
    for (uint32_t k = 0; k < m->code_words; k++)
        if (m->bci[k] == bci) return k;
    return 0;
}

static bool control(Emit *e, unsigned op) {
    if (op >= OPC_ifeq && op <= OPC_if_acmpne) conditional(e, op);
    else if (op == OPC_ifnull || op == OPC_ifnonnull) conditional(e, op);
    else if (op == OPC_goto || op == OPC_goto_w || op == OPC_ret) jump(e, op != OPC_ret);
    else if (op == OPC_tableswitch || op == OPC_lookupswitch) switch_to(e);
    else if (op == OPC_jsr || op == OPC_jsr_w) {
        emit_push(e, KIND_RETURN, emit_long(e, word_at(e->frame->method, e->frame->next_bci)));
        jump(e, true);
    } else return false;
    return true;
}

bool emit_ops(Emit *e, unsigned op) {
    if (op >= OPC_lcmp && op <= OPC_dcmpg) {
        compare(e, op);
        emit_result_probe(e);
        return true;
    }
    if (op == OPC_wide && code_at(e)[1] == OPC_ret) return control(e, OPC_ret);
    if (arithmetic(e, op) || conversions(e, op)) {
        emit_result_probe(e);
        return true;
    }
    return constants(e, op) || local_variables(e, op) || stack_operations(e, op) || control(e, op);
}
