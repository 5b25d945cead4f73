// Calls between interpreted and compiled methods (vm/code/entry.h). The method's shape determines how arguments move
// between stack slots and registers.
#include "vm/code/entry.h"

#include <string.h>

#include "base/invariant.h"
#include "vm/code/code.h"
#include "vm/code/entry_layout.h"
#include "vm/code/hooks.h"
#include "vm/code/runtime_calls.h"
#include "vm/runtime/exception.h"
#include "vm/model/frame.h"
#include "vm/model/vm.h"
#include "vm/interp/interp.h"
#include "vm/runtime/invoke.h"
#include "vm/natives/intrinsics.h"
#include "vm/instrument/report.h"
#include "vm/instrument/sampling.h"
#include "vm/threads/thread.h"

static_assert(offsetof(Thread, frame) == ENTRY_THREAD_FRAME, "vm/code/entry_layout.h");
static_assert(offsetof(Frame, pc) == ENTRY_FRAME_FP, "vm/code/entry_layout.h");
static_assert(offsetof(Frame, native) == ENTRY_FRAME_RETURN, "vm/code/entry_layout.h");

static bool in_float_register(char kind) { return kind == 'F' || kind == 'D'; }

// ---- into compiled code -------------------------------------------------------------------------

// Moves the arguments off the Java stack, where a collection would otherwise find them for as long as the code runs.
static void load_registers(ArchRegisters *r, uint64_t *stack, const char *shape, Slot *args) {
    int ints = 0, floats = 0;
    r->stack_count = 0;
    r->stack = stack;
    for (; *shape; shape++) {
        uint64_t raw = args->raw;
        args->raw = 0;
        if (in_float_register(*shape) && floats < ARCH_FLOAT_REGISTERS) r->floats[floats++] = raw;
        else if (!in_float_register(*shape) && ints < ARCH_INT_REGISTERS) r->ints[ints++] = raw;
        else stack[r->stack_count++] = raw;
        args += interp_slots(*shape);
    }
}

static uint64_t call_code(Thread *self, uint64_t (*call)(void *, Method *, Thread *, ArchRegisters *), void *entry,
                          Method *m, ArchRegisters *r) {
    if (sampling_by_exits()) sampling_set_instrumented(self, false);
    return call(entry, m, self, r);
}

void entry_call(Thread *self, Method *m, uintptr_t tags, Slot *args) {
    ArchRegisters r;
    uint64_t stack[m->nargs + 1];  // calls may nest deeply: no larger than needed
    void *entry = __atomic_load_n(&m->entry, __ATOMIC_ACQUIRE);
    load_registers(&r, stack, compiler_shape(m), args);
    ASSERT(r.stack_count <= m->nargs, "%u of %u arguments on the stack", (unsigned)r.stack_count, m->nargs);
    ASSERT(thread_is_running(self) && !self->exception, "%s.%s is called in state %u", m->cls->name->text,
           m->name->text, atomic_load(&self->state));
    char kind = compiler_return_kind(m);
    m = (Method *)((uintptr_t)m | tags);
    bool instrumented = self->sample.instrumented;
    uint64_t raw = call_code(self, in_float_register(kind) ? compiled_call_float : compiled_call, entry, m, &r);
    if (sampling_by_exits()) sampling_set_instrumented(self, instrumented);
    if (kind == 'I') args->raw = (uint32_t)raw;
    else if (kind != 'V') args->raw = raw;
}

// The code takes over the locals and clears them.
Slot entry_replace(Thread *self, const Code *code, Slot *locals, Object *monitor) {
    ASSERT(code->osr_bci >= 0, "code %u begins at its method's entry", code->id);
    ArchRegisters r = {.ints = {(uint64_t)locals, (uint64_t)monitor}};
    return (Slot){.raw = call_code(self, compiled_call, code->entry, code->method, &r)};
}

// ---- into the interpreter -----------------------------------------------------------------------

// Moves the passed arguments to slots, and clears the unused registers as well. No code reads the stub's saved
// registers or the words on the stack again, but a collection would scan them while the method runs.
static void store_slots(Slot *args, const char *shape, uint64_t *registers, uint64_t *stack) {
    const uint64_t *ints = registers, *floats = registers + ARCH_INT_REGISTERS;
    int i = 0, f = 0;
    for (; *shape; shape++) {
        bool is_float = in_float_register(*shape);
        if (is_float && f < ARCH_FLOAT_REGISTERS) args->raw = floats[f++];
        else if (!is_float && i < ARCH_INT_REGISTERS) args->raw = ints[i++];
        else args->raw = *stack, *stack++ = 0;
        args += interp_slots(*shape);
    }
    memset(registers, 0, (ARCH_INT_REGISTERS + ARCH_FLOAT_REGISTERS) * sizeof *registers);
}

// Called by compiled_to_interpreter. `registers`: ints, then floats. `method`: the address of the Method, with tags
// (CALL_TAGS).
uint64_t entry_interpret(Thread *self, uintptr_t method, uint64_t *registers, uint64_t *stack) {
    bool counted = method & CALL_COUNTED;
    Method *m = (Method *)(method & ~(uintptr_t)CALL_TAGS);
    Slot args[m->nargs + 1], result = {.raw = 0};
    store_slots(args, compiler_shape(m), registers, stack);
    ASSERT(self->frame && self->frame->kind == FRAME_COMPILED, "compiled code calls from a frame of kind %d",
           self->frame ? self->frame->kind : -1);
    if (m->mflags & MF_INTRINSIC) {
        // The interpreter does not count calls that an intrinsic handles. Calls of String.equals and the like through
        // vtable entries would take this path for ever, so calls from compiled code are counted here.
        uint32_t hotness = m->hotness + 1;
        __atomic_store_n(&m->hotness, hotness, __ATOMIC_RELAXED);
        if ((hotness & METHOD_HOT_MASK) == 0 && intrinsic_kind(m) == INTRINSIC_TRY) code_hooks.hot_method(self, m);
    }
    code_hooks.called_by_code(m);
    sampling_enter_interpreter(self);
    bool entered = true,
         ok = counted ? invoke_counted(self, m, args, &result, &entered)
                      : invoke_method(self, m, args, &result, ENTRY_COMPILED);
    if (!entered) report_edge_undone(self, m, 0);
    return ok ? result.raw : 0;
}
