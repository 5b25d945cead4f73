// The runtime calls (vm/code/runtime_calls.h) and their table.
#include "vm/code/runtime_calls.h"

#include "arch_entry.h"
#include "arch_frame.h"
#include <math.h>
#include <string.h>

#include "base/invariant.h"
#include "vm/code/hooks.h"
#include "vm/linking/classinit.h"
#include "vm/linking/link.h"
#include "vm/objects/classes.h"
#include "vm/objects/objects.h"
#include "vm/runtime/exception.h"
#include "vm/runtime/invoke.h"
#include "vm/interp/quicken.h"
#include "vm/natives/intrinsics.h"
#include "vm/natives/methodhandle.h"
#include "vm/instrument/hooks.h"
#include "vm/instrument/report.h"
#include "vm/instrument/sampling.h"
#include "vm/instrument/selectors.h"
#include "vm/threads/monitor.h"
#include "vm/threads/thread.h"

// The stubs of vm/code/stubs.S. A leaf is called directly.
#define STUB_CALL(name) extern void compiled_rt_##name(void);
#define STUB_KEEP(name) STUB_CALL(name)
#define STUB_LEAF(name)
#define RUNTIME(name, signature, kind, text) STUB_##kind(name)
#include "vm/api/runtime_calls.def"

#define ADDRESS_CALL(name) (void *)compiled_rt_##name
#define ADDRESS_KEEP(name) (void *)compiled_rt_##name
#define ADDRESS_LEAF(name) (void *)rt_##name
#define IS_CALL RUNTIME_CALL
#define IS_KEEP RUNTIME_KEEP
#define IS_LEAF RUNTIME_LEAF
const RuntimeCall compiler_runtime_calls[RUNTIME_CALLS] = {
#define RUNTIME(name, signature, kind, text) [RT_##name] = {"rt_" #name, signature, IS_##kind, ADDRESS_##kind(name)},
#include "vm/api/runtime_calls.def"
};

// A stub's frame lies between the words that a caller pushes and the function. STUB_KEEP passes some of them on.
#define FITS_CALL(signature) (sizeof(signature) - 2 <= ARCH_INT_REGISTERS)
#define FITS_KEEP(signature) (sizeof(signature) - 2 <= ARCH_INT_REGISTERS + ARCH_STUB_ARGUMENTS)
#define FITS_LEAF(signature) 1
#define RUNTIME(name, signature, kind, text) static_assert(FITS_##kind(signature), #name);
#include "vm/api/runtime_calls.def"

// ---- yieldpoints --------------------------------------------------------------------------------

// Calls rt_deopt_pending here, so that code does not contain that call at every entry and loop.
static int32_t yield_answer(Thread *self) {
    if (self->exception) return YIELD_UNWIND;
    return self->deopt_pending && rt_deopt_pending(self) ? YIELD_DEOPTIMISE : YIELD_GO_ON;
}

int32_t rt_poll(Thread *self) {
    ASSERT(thread_is_running(self), "compiled code polls in state %u", atomic_load(&self->state));
    ASSERT(!self->exception, "compiled code polls with an exception pending");
    const CodeStress *stress = code_stress();
    if (stress) stress->polled(self);
    bool sampled = atomic_load_explicit(&self->poll, memory_order_relaxed) & POLL_SAMPLE;
    thread_safepoint(self);
    if (sampled && !self->exception && code_hooks.begin_sample(self)) return YIELD_DEOPTIMISE;
    return yield_answer(self);
}

int32_t rt_check(Thread *self) { return sample_check(self); }

// The interpreter continues in the mode that Thread.sample.instrumented selects.
int32_t rt_sample(Thread *self) {
    if (!(sample_check(self) & 1) || self->exception) return yield_answer(self);
    sampling_set_instrumented(self, true);
    return YIELD_SAMPLE;
}

int32_t rt_osr_checked(Thread *self) { return self->sample.instrumented; }
void rt_osr_unchecked(Thread *self) { sampling_take_back(self); }

int32_t rt_stack_guard(Thread *self, void *frame_address) {
    if ((char *)frame_address >= (char *)self->c_stack_limit) return rt_poll(self);
    throw_stack_overflow(self);
    return YIELD_UNWIND;
}

// ---- exceptions ---------------------------------------------------------------------------------

void rt_throw_null(Thread *self) { throw_npe(self); }
void rt_throw_bounds(Thread *self, int32_t index, int32_t length) { quicken_throw_bounds(self, index, length); }
void rt_throw_divide(Thread *self) { quicken_throw_divide(self); }
void rt_throw_store(Thread *self, Object *value) { quicken_throw_store(self, value); }
void rt_throw_cast(Thread *self, Object *o, Class *target) { quicken_throw_cast(self, o, target); }
void rt_throw(Thread *self, Object *exception) { throw_object(self, exception); }

// Frames that an OutOfMemoryError has left lie below its handler. The objects that filled the heap must not look
// reachable: the next collection scans stacks conservatively, and may come before other frames have overwritten
// these. Only the part of them that the next calls of the VM reach matters. (After other exceptions, such leftovers
// at most delay the collection of an object.)
__attribute__((noinline)) static void clear_frames_left(void) {
    enum { BYTES = 2048 };
    char below[BYTES];
    memset(below, 0, sizeof below);
    __asm__ volatile("" : : "r"(below) : "memory");
}

int32_t rt_handler(Thread *self, Method *m, int32_t bci) {
    int32_t handler = quicken_find_handler_at(self, m, bci);
    if (self->exception && object_class(self->exception) == WK(java_lang_OutOfMemoryError)) clear_frames_left();
    return handler;
}

// ---- objects ------------------------------------------------------------------------------------

Object *rt_new(Thread *self, Class *cls) {
    ASSERT(cls->vt && !class_is_array(cls), "compiled code makes an instance of %s", cls->name->text);
    return object_allocate(self, cls);
}
Object *rt_new_array(Thread *self, Class *cls, int32_t length) { return object_allocate_array(self, cls, length); }
Object *rt_new_multi(Thread *self, Class *cls, int32_t dims, const int32_t *lengths) {
    return object_allocate_multi(self, cls, dims, lengths);
}
// This is no instruction of the program, so no handler could catch an error. The number of frames bounds the number
// of such objects.
Object *rt_materialize(Thread *self, Class *cls, int32_t length, int32_t locks) {
    Object *o = object_allocate_beyond(self, cls, length, NULL);
    while (locks-- > 0) monitor_enter_quietly(self, o);
    return o;
}
// A loop that does nothing else must not exceed the limit for ever. The error comes late, as JVMS 6.3 permits.
Object *rt_materialize_often(Thread *self, Class *cls, int32_t length) {
    bool beyond;
    Object *o = object_allocate_beyond(self, cls, length, &beyond);
    if (beyond) safepoint_request(self, POLL_MEMORY);
    return o;
}
Object *rt_materialize_box(Thread *self, Class *cls, Object **cache, int32_t least, int64_t value) {
    uint64_t index = (uint64_t)value - (uint64_t)(int64_t)least;
    const Object *known = *cache;
    if (index < (uint64_t)known->length) return ARRAY_DATA(known, Object *)[index];
    return object_allocate_beyond(self, cls, 0, NULL);
}
void rt_class_init(Thread *self, Class *cls) { class_ensure_initialized(self, cls); }
void rt_register_finalizer(Thread *self, Object *o) { invoke_void(self, WK_M(Finalizer_register), ENTRY_VM, 1, o); }
int32_t rt_is_subtype(const Class *sub, const Class *super) { return class_is_subtype(sub, super); }
void rt_monitor_enter(Thread *self, Object *o) { monitor_enter(self, o); }
void rt_monitor_exit(Thread *self, Object *o) { monitor_exit(self, o); }

// ---- calls --------------------------------------------------------------------------------------

Method *rt_interface_method(Thread *self, VTable *vt, Method *imethod) {
    const InterfaceCall *c = interfacecall_select(self, vt, imethod);
    return c ? c->target : NULL;
}

// A target that is signature-polymorphic itself has no signature from which to read registers.
Method *rt_link_target(Thread *self, int32_t kind, Object *receiver, Object *member) {
    Slot args[2] = {{.o = receiver}, {.o = member}};
    Method *m = mh_link_target(self, kind, args, 2);
    if (!m || !m->sigpoly) return m;
    throw_wk(self, "java/lang/InternalError", "MethodHandle.linkTo* to a signature-polymorphic method");
    return NULL;
}

void rt_intrinsic(Thread *self, Method *m, Slot *args) { m->intrinsic(self, args); }

int32_t rt_intrinsic_try(Thread *self, Method *m, Slot *args) {
    return ((IntrinsicTryFn)(void (*)(void))m->intrinsic)(self, args);
}

// ---- arithmetic, events -------------------------------------------------------------------------

double rt_fmod(double a, double b) { return fmod(a, b); }
float rt_fmodf(float a, float b) { return fmodf(a, b); }

// A report by name, and the same after a sampling check.
#define REPORT(id, payload)                                                                                      \
    void rt_report_##id(Thread *self, EVENT_VM_PARAMETERS(payload)) { report_##id(self, EVENT_NAMES(payload)); } \
    int32_t rt_probe_##id(Thread *self, EVENT_VM_PARAMETERS(payload)) {                                          \
        bool sample = sample_probe(self);                                                                        \
        if (sample) report_##id(self, EVENT_NAMES(payload));                                                     \
        return sample;                                                                                           \
    }                                                                                                            \
    int32_t rt_walk_##id(Thread *self, EVENT_VM_PARAMETERS(payload)) {                                           \
        report_##id(self, EVENT_NAMES(payload));                                                                 \
        return 1;                                                                                                \
    }
#define EVENT(id, text, payload, waits, counted, source, made_by) REPORT(id, payload)
#include "vm/api/events.def"
int32_t rt_point_taken(Thread *self, const Method *m, const void *receiver, const void *first) {
    return report_point_taken(self, m, receiver, first);
}
int32_t rt_access(Thread *self, const Method *m, int32_t bci, uint32_t access, Field *field, uint32_t type,
                  const void *object, const void *address) {
    report_shared_access(self, m, bci, access, field, type, object, address);
    return 0;
}
void rt_count_call(Thread *self, uint64_t site, const Method *callee, void *entries) {
    CodeCallEntry *entry = entries;
    for (int i = 0; i < CALL_ENTRIES; i++) {
        if (entry[i].method) continue;
        entry[i] = (CodeCallEntry){callee->id, !report_wants_edge(callee), site, 1};
        return;
    }
    report_edge_from(self, site, callee);
}
void rt_edge_from(Thread *self, uint64_t site, const Method *callee, int32_t number) {
    ContextPosition *context = &self->places.context;
    const uint64_t slots = (uint64_t)(CONTEXT_SLOTS - 1) << CONTEXT_SLOT_SHIFT;
    context->found = NULL;
    report_edge_from(self, site & ~slots, callee);
    ContextNode *n = context->found;
    if (!n) return;
    n->parent->child[(site & slots) >> CONTEXT_SLOT_SHIFT] = n;
    if (number) n->edge = (uint32_t)number;
}
void rt_count_selected(Thread *self, uint64_t site, Method *callee) {
    selectors_number(callee);
    report_edge_from(self, site, callee);
}
void rt_undo_call(Thread *self, const Method *callee) { report_edge_undone(self, callee, 1); }
void rt_event_room(Thread *self, int32_t event) {
    instrument_hooks.profiler->room(self->prof, (enum EventId)event, &self->places.ring);
}
REPORT(edge_to, (METHOD, callee, NUMBER, skip))
REPORT(point, (METHOD, method, OBJECT, receiver, OBJECT, first, OBJECT, second))
REPORT(new, (METHOD, method, BCI, bci, OBJECT, object, NUMBER, depth))
