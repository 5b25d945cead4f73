// Leaving a method: the return instructions and athrow.
#include "jit/emit/emit_core.h"
#include "jit/escape/escape.h"

void emit_finalizer_test(Emit *e, LLVMValueRef object, bool at_return) {
    Ir *ir = e->ir;
    const CompilerLayout *l = ir->layout;
    LLVMBasicBlockRef cold = ir_block(ir, "finalizer"), next = ir_block(ir, "plain");
    LLVMValueRef flags = ir_load_constant(ir, ir->i32, ir_class_of(ir, object), l->class_cflags);
    flags = LLVMBuildAnd(ir->builder, flags, ir_int(ir, l->cflag_finalizer), "");
    LLVMValueRef plain = LLVMBuildICmp(ir->builder, LLVMIntEQ, flags, ir_int(ir, 0), "");
    if (e->escapes) plain = escape_op(e->unit, ir->builder, ESCAPE_PLAIN, (LLVMValueRef[]){object, plain});
    ir_branch(ir, plain, next, cold, 1);
    ir_at(ir, cold);
    frames_runtime(e->frames, RT_register_finalizer, &object, 1);
    if (at_return) {  // deopt_pending is left to the caller
        LLVMBasicBlockRef unwind = emit_unwind_label(e), fine = ir_block(ir, "next");
        ir_branch(ir, ir_is_null(ir, emit_exception(e)), fine, unwind, 1);
        ir_at(ir, fine);
    } else {
        emit_check(e, true);
    }
    ir_jump(ir, next);
    ir_at(ir, next);
}

// If the monitor cannot be left (native code did that), the interpreter continues with the exception, without the
// monitor.
static void release_monitor(Emit *e) {
    Ir *ir = e->ir;
    JavaFrame *f = e->frames->top;
    LLVMBasicBlockRef failed = ir_block(ir, "unlock");
    LLVMValueRef object = LLVMBuildLoad2(ir->builder, ir->ptr, f->monitor, "");
    f->locked = false;
    emit_monitor_exit(e, object, failed);
    LLVMBasicBlockRef here = LLVMGetInsertBlock(ir->builder);
    char *kinds = emit_handler_kinds(f);
    ir_at(ir, failed);
    emit_deopt_rethrow(e, DEOPT_uncommon, kinds);
    free(kinds);
    ir_at(ir, here);
}

void emit_leave_with(Emit *e, LLVMValueRef result) {
    JavaFrame *f = e->frames->top;
    if (f->lock_depth) {
        emit_deopt(e, DEOPT_uncommon);  // the interpreter handles the monitors
        return;
    }
    if (f->method->mflags & MF_OBJECT_INIT) emit_finalizer_test(e, frames_load_local(e->frames, 0, KIND_REF), true);
    bool locked = f->locked;
    if (locked) release_monitor(e);
    f->locked = locked;  // for the blocks emitted after this one
    probe_exit(e->probes, f->method, false);
    if (!f->parent) {
        if (result && e->root->osr_bci >= 0) result = ir_to_raw(e->ir, e->return_kind, result);
        emit_return(e, result);
        return;
    }
    emit_versions_join(e, f->parent, result);
}

// JVMS 6.5 ireturn: narrows the value to the method's return type.
static LLVMValueRef narrowed(Emit *e, char type, LLVMValueRef v) {
    Ir *ir = e->ir;
    LLVMBuilderRef b = ir->builder;
    switch (type) {
        case 'Z': return LLVMBuildAnd(b, v, ir_int(ir, 1), "");
        case 'B': return LLVMBuildSExt(b, LLVMBuildTrunc(b, v, ir->i8, ""), ir->i32, "");
        case 'S': return LLVMBuildSExt(b, LLVMBuildTrunc(b, v, ir->i16, ""), ir->i32, "");
        case 'C': return LLVMBuildAnd(b, v, ir_int(ir, 0xffff), "");
        default: return v;
    }
}

bool emit_leave(Emit *e, unsigned opcode) {
    if (opcode != OPC_athrow && opcodes_info[opcode].flags & OPF_RETURN && !e->frames->top->lock_depth)
        probe_path_end(e->probes);
    switch (opcode) {
        case OPC_ireturn:
            probe_returned(e->probes, frames_peek(e->frames, 0).v);
            emit_leave_with(e, narrowed(e, e->frames->top->method->ret, frames_pop(e->frames)));
            return true;
        case OPC_lreturn:
        case OPC_freturn:
        case OPC_dreturn:
        case OPC_areturn:
            probe_returned(e->probes, frames_peek(e->frames, 0).v);
            emit_leave_with(e, frames_pop(e->frames));
            return true;
        case OPC_return: emit_leave_with(e, NULL); return true;
        case OPC_athrow: {
            LLVMValueRef exception = frames_pop(e->frames);
            emit_null_check(e, exception);
            frames_runtime(e->frames, RT_throw, &exception, 1);
            ir_jump(e->ir, emit_unwind_label(e));
            return true;
        }
        default: return false;
    }
}
