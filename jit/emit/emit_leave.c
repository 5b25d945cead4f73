// Leaving a method: the return instructions and athrow.
#include "jit/emit/emit_access.h"
#include "jit/emit/emit_core.h"
#include "jit/escape/escape.h"

// A pending exception goes to `unwind`. deopt_pending is left to the caller.
static void exception_to(Emit *e, LLVMBasicBlockRef unwind) {
    LLVMBasicBlockRef next = emit_block(e, "next");
    emit_branch(e, emit_is_null(e, emit_exception(e)), next, unwind, 1);
    emit_at(e, next);
}

void emit_finalizer_test(Emit *e, LLVMValueRef object, bool at_return) {
    const CompilerLayout *l = e->layout;
    LLVMBasicBlockRef cold = emit_block(e, "finalizer"), next = emit_block(e, "plain");
    LLVMValueRef flags = emit_load_constant(e, e->i32, emit_class_of(e, object), l->class_cflags);
    flags = LLVMBuildAnd(e->builder, flags, emit_int(e, l->cflag_finalizer), "");
    LLVMValueRef plain = LLVMBuildICmp(e->builder, LLVMIntEQ, flags, emit_int(e, 0), "");
    if (e->escapes) plain = escape_op(e->unit, e->builder, ESCAPE_PLAIN, (LLVMValueRef[]){object, plain});
    emit_branch(e, plain, next, cold, 1);
    emit_at(e, cold);
    emit_runtime(e, RT_register_finalizer, &object, 1);
    if (at_return) exception_to(e, emit_unwind_label(e));
    else emit_check(e, true);
    emit_jump(e, next);
    emit_at(e, next);
}

// If the monitor cannot be left (native code did that), the interpreter continues with the exception, without the
// monitor.
static void release_monitor(Emit *e) {
    EmitFrame *f = e->frame;
    LLVMBasicBlockRef failed = emit_block(e, "unlock");
    LLVMValueRef object = LLVMBuildLoad2(e->builder, e->ptr, f->monitor, "");
    f->locked = false;
    emit_monitor_exit(e, object, failed);
    LLVMBasicBlockRef here = LLVMGetInsertBlock(e->builder);
    char *kinds = emit_handler_kinds(f);
    emit_at(e, failed);
    emit_deopt_rethrow(e, DEOPT_uncommon, kinds);
    free(kinds);
    emit_at(e, here);
}

void emit_leave_with(Emit *e, LLVMValueRef result) {
    EmitFrame *f = e->frame;
    if (f->lock_depth) {
        emit_deopt(e, DEOPT_uncommon);  // the interpreter handles the monitors
        return;
    }
    if (f->method->mflags & MF_OBJECT_INIT)
        emit_finalizer_test(e, emit_load_local(e, 0, KIND_REF), true);
    bool locked = f->locked;
    if (locked) release_monitor(e);
    f->locked = locked;  // for the blocks emitted after this one
    emit_exit_probe(e, f->method, false);
    if (!f->parent) {
        if (result && e->root->osr_bci >= 0) result = emit_to_raw(e, e->return_kind, result);
        emit_return(e, result);
        return;
    }
    emit_versions_return(e, result);
}

// JVMS 6.5 ireturn: narrows the value to the method's return type.
static LLVMValueRef narrowed(Emit *e, char type, LLVMValueRef v) {
    LLVMBuilderRef b = e->builder;
    switch (type) {
        case 'Z': return LLVMBuildAnd(b, v, emit_int(e, 1), "");
        case 'B': return LLVMBuildSExt(b, LLVMBuildTrunc(b, v, e->i8, ""), e->i32, "");
        case 'S': return LLVMBuildSExt(b, LLVMBuildTrunc(b, v, e->i16, ""), e->i32, "");
        case 'C': return LLVMBuildAnd(b, v, emit_int(e, 0xffff), "");
        default: return v;
    }
}

bool emit_leave(Emit *e, unsigned opcode) {
    if (opcode != OPC_athrow && opcodes_info[opcode].flags & OPF_RETURN && !e->frame->lock_depth) emit_path_end(e);
    switch (opcode) {
        case OPC_ireturn:
            emit_returned_probe(e, emit_peek(e, 0).v);
            emit_leave_with(e, narrowed(e, e->frame->method->ret, emit_pop(e)));
            return true;
        case OPC_lreturn: case OPC_freturn: case OPC_dreturn: case OPC_areturn:
            emit_returned_probe(e, emit_peek(e, 0).v);
            emit_leave_with(e, emit_pop(e));
            return true;
        case OPC_return:
            emit_leave_with(e, NULL);
            return true;
        case OPC_athrow: {
            LLVMValueRef exception = emit_pop(e);
            emit_null_check(e, exception);
            emit_runtime(e, RT_throw, &exception, 1);
            emit_unwind(e);
            return true;
        }
        default:
            return false;
    }
}
