// The VM's functions that template code calls: see helpers.h.
#include "vm/template/helpers.h"

#include <math.h>

#include "base/invariant.h"
#include "vm/instrument/report.h"
#include "vm/interp/flowcounts.h"
#include "vm/interp/hooks.h"
#include "vm/interp/interp.h"
#include "vm/interp/interp_probes.h"
#include "vm/jni/nativecall.h"
#include "vm/jni/nativelib.h"
#include "vm/natives/intrinsics.h"
#include "vm/natives/methodhandle.h"
#include "vm/objects/classes.h"
#include "vm/objects/objects.h"
#include "vm/runtime/exception.h"
#include "vm/template/stubs.h"
#include "vm/threads/monitor.h"
#include "vm/threads/thread.h"
#include "vm/threads/threadevents.h"

Object *helper_allocate_array(Thread *self, Class *cls, int64_t length) {
    return object_allocate_array(self, cls, (int32_t)length);
}

Object *helper_allocate_multi(Thread *self, Class *cls, int64_t dimensions) {
    int32_t lengths[256];
    const Slot *counts = self->frame->sp - dimensions;
    for (int64_t i = 0; i < dimensions; i++) lengths[i] = counts[i].i;
    return object_allocate_multi(self, cls, (int)dimensions, lengths);
}

void helper_monitor_enter(Thread *self, Object *o) {
    if (!monitor_enter(self, o)) return;
    self->frame->lock_count++;
    if (thread_listener() && interp_reports(self)) probes_monitor(self, self->frame);
}

void helper_monitor_exit(Thread *self, Object *o) {
    if (monitor_exit(self, o)) self->frame->lock_count--;
}

void helper_lock_method(Thread *self, Frame *frame) {
    const Method *m = frame->method;
    Object *target = method_is_static(m) ? m->cls->mirror : frame->locals[0].o;
    if (!monitor_enter(self, target)) return;
    frame->monitor = target;
    if (thread_listener() && interp_reports(self)) probes_locked(self, m);
}

void helper_unlock_method(Thread *self, Frame *frame) {
    Object *monitor = frame->monitor;
    frame->monitor = NULL;
    monitor_exit(self, monitor);
}

static void report(Thread *self, Frame *frame, uint64_t which) {
    const Method *m = which == REPORT_INIT ? __atomic_load_n((const Method **)&frame->pc[1].p, __ATOMIC_RELAXED)
                                           : frame->method;
    switch (which) {
        case PLACE_BRANCH: probes_branch(self, frame, probes_outcome(frame->pc, frame->sp)); break;
        case PLACE_ACCESS: probes_access(self, frame); break;
        case PLACE_ARRAY: probes_array(self, frame); break;
        case PLACE_LEAVE: probes_leave(self, frame); break;
        case PLACE_SELECT: probes_select(self, frame); break;
        case REPORT_ENTRY:
            report_call(self, m, frame->prev);
            probes_begin(self, frame);
            break;
        case REPORT_BEGIN: probes_begin(self, frame); break;
        case REPORT_INIT:
            interp_entered(self, m, frame, FLOW_ENTRY);
            probes_exit(self, m, false);
            break;
        default: ASSERT(false, "events of kind %llu", (unsigned long long)which);
    }
}

// After a wait the profile may be another one: the frame continues in the interpreter then, which reports for that one.
void helper_report(Thread *self, uint64_t which) {
    Frame *frame = self->frame;
    if (atomic_load_explicit(&self->poll, memory_order_relaxed) & POLL_SINK) thread_safepoint(self);
    if (!self->exception && frame->resume) report(self, frame, which);
}

// Without a mark: it makes the step or does nothing (0).
uint64_t helper_enter_context(Thread *self, const Frame *frame) {
    return report_entered_context(self, frame->method, frame->prev);
}

void helper_report_object(Thread *self, Object *o) { probes_new(self, self->frame, o); }

// Makes a frame for `m` above its arguments. NULL when the stack overflows; StackOverflowError is pending then.
static Frame *push_frame(Thread *self, Method *m, Slot *args, Frame *caller, FrameKind kind) {
    Frame *f = (Frame *)(args + (m->nargs ? m->nargs : 1));
    if ((Slot *)(f + 1) > self->stack_limit) {
        throw_stack_overflow(self);
        return NULL;
    }
    *f = (Frame){.prev = caller, .method = m, .sp = frame_stack(f), .locals = args, .kind = (uint8_t)kind};
    if (kind == FRAME_NATIVE) f->pc = m->code;
    return f;
}

void helper_call_intrinsic(Thread *self, Method *m, Slot *args, Frame *caller) {
    Frame *f = push_frame(self, m, args, caller, FRAME_NATIVE);
    if (!f) return;
    self->frame = f;
    m->intrinsic(self, args);
    self->frame = caller;
}

void helper_call_native(Thread *self, Method *m, Slot *args, Frame *caller) {
    (void)caller;
    native_call(self, m, args);
}

void helper_call_compiled(Thread *self, Method *m, Slot *args, Frame *caller) {
    Frame *f = push_frame(self, m, args, caller, FRAME_COMPILED);
    if (!f) return;
    self->frame = f;
    interp_hooks.call_code(self, m, 0, args);
    self->frame = caller;
}

// ---- exact profiles: the same as the interpreter's handlers of these methods (vm/interp/interp.c) -------------------

// Reports the exit. After an exception, FRAME_CALL_ENTERED says that it was thrown in the call.
static void called(Thread *self, Method *m, Frame *caller) {
    probes_exit(self, m, self->exception != NULL);
    if (!self->exception) caller->call = FRAME_CALL_BEFORE;
}

void helper_count_intrinsic(Thread *self, Method *m, Slot *args, Frame *caller) {
    Frame *f = push_frame(self, m, args, caller, FRAME_NATIVE);
    if (!f) return;
    interp_entered(self, m, caller, FLOW_ENTRY);
    caller->call = FRAME_CALL_ENTERED;
    self->frame = f;
    m->intrinsic(self, args);
    self->frame = caller;
    called(self, m, caller);
}

void helper_count_native(Thread *self, Method *m, Slot *args, Frame *caller) {
    if (!native_lookup(self, m)) return;
    Frame *f = (Frame *)(args + (m->nargs ? m->nargs : 1));
    if ((Slot *)(f + 1) <= self->stack_limit) {
        interp_entered(self, m, caller, FLOW_ENTRY);
        caller->call = FRAME_CALL_ENTERED;
    }
    native_call(self, m, args);
    called(self, m, caller);
}

void helper_count_compiled(Thread *self, Method *m, Slot *args, Frame *caller) {
    Frame *f = push_frame(self, m, args, caller, FRAME_COMPILED);
    if (!f) return;
    self->frame = f;
    interp_hooks.call_code(self, m, interp_count_compiled(self, m, caller), args);
    self->frame = caller;
    if (self->exception) caller->call = FRAME_CALL_ENTERED;
}

void helper_count_leaf(Thread *self, Method *m, Slot *args, Frame *caller) {
    interp_entered(self, m, caller, FLOW_ENTRY);
    caller->call = FRAME_CALL_ENTERED;
    m->intrinsic(self, args);
    called(self, m, caller);
}

bool helper_count_try(Thread *self, Method *m, Slot *args, Frame *caller) {
    if (!((IntrinsicTryFn)(void (*)(void))m->intrinsic)(self, args)) return false;
    interp_entered(self, m, caller, FLOW_DONE);
    caller->call = FRAME_CALL_ENTERED;
    called(self, m, caller);
    return true;
}

// ---- the ends of calls by compiled code -----------------------------------------------------------------------------

uint64_t helper_edge_undone(Thread *self, const Frame *entry, uint64_t result) {
    self->frame = entry->prev;
    report_edge_undone(self, entry->native, 0);
    return result;
}

uint64_t helper_continue(Thread *self, Frame *entry, TemplateExitKind exit, TemplateState *state) {
    entry->resume = NULL;
    state->exit = exit;
    bool ok = interp_continue(self, entry, state);
    ASSERT(self->frame == entry && ok == !self->exception,
           "template code called by compiled code came back with another frame");
    self->frame = entry->prev;
    uint64_t result = ok ? frame_stack(entry)->raw : 0;
    return entry->reason == ENTRY_COUNTED ? helper_edge_undone(self, entry, result) : result;
}

Method *helper_basic_target(const Object *handle) { return mh_basic_target(handle); }

Method *helper_link_target(Thread *self, const Method *m, Slot *args) {
    return mh_link_target(self, m->sigpoly, args, m->nargs);
}

Method *helper_interface_target(const VTable *vt, const Method *imethod) {
    const InterfaceCall *call = interfacecall_find(vt, imethod);
    return call ? call->target : NULL;
}

bool helper_type_passes(Class *c, Insn *pc) {
    if (!class_is_subtype(c, __atomic_load_n((Class **)&pc[1].p, __ATOMIC_RELAXED))) return false;
    __atomic_store_n((void **)&pc[2].p, c, __ATOMIC_RELAXED);
    return true;
}

bool helper_array_takes(const Object *array, const Object *value) {
    return class_is_subtype(object_class(value), object_class(array)->component);
}

void helper_count_receiver(ReceiverCounts *counts, const VTable *vt) { method_counts_receiver(counts, vt); }

void helper_float_remainder(Slot *operands) { operands[0].f = fmodf(operands[0].f, operands[1].f); }
void helper_double_remainder(Slot *operands) { operands[0].d = fmod(operands[0].d, operands[2].d); }
