// The C side of the functions that compiled code calls (vm/api/runtime_calls.def). Each function except a leaf is
// reached through a stub that records where compiled code was left.
#ifndef CABERNET_VM_CODE_RUNTIME_CALLS_H
#define CABERNET_VM_CODE_RUNTIME_CALLS_H

#include "arch_entry.h"
#include "vm/api/compiler.h"

// Called by compiled_to_interpreter.
uint64_t entry_interpret(Thread *self, uintptr_t method, uint64_t *registers, uint64_t *stack);

int32_t rt_poll(Thread *self);
int32_t rt_check(Thread *self);
int32_t rt_sample(Thread *self);
int32_t rt_osr_checked(Thread *self);
void rt_osr_unchecked(Thread *self);
int32_t rt_stack_guard(Thread *self, void *frame_address);
int32_t rt_deopt_pending(Thread *self);

void rt_throw_null(Thread *self);
void rt_throw_bounds(Thread *self, int32_t index, int32_t length);
void rt_throw_divide(Thread *self);
void rt_throw_store(Thread *self, Object *value);
void rt_throw_cast(Thread *self, Object *o, Class *target);
void rt_throw(Thread *self, Object *exception);
int32_t rt_handler(Thread *self, Method *m, int32_t bci);

Object *rt_new(Thread *self, Class *cls);
Object *rt_new_array(Thread *self, Class *cls, int32_t length);
Object *rt_new_multi(Thread *self, Class *cls, int32_t dims, const int32_t *lengths);
Object *rt_materialize(Thread *self, Class *cls, int32_t length, int32_t locks);
Object *rt_materialize_often(Thread *self, Class *cls, int32_t length);
Object *rt_materialize_box(Thread *self, Class *cls, Object **cache, int32_t least, int64_t value);
void rt_class_init(Thread *self, Class *cls);
void rt_register_finalizer(Thread *self, Object *o);
int32_t rt_is_subtype(const Class *sub, const Class *super);
void rt_monitor_enter(Thread *self, Object *o);
void rt_monitor_exit(Thread *self, Object *o);

Method *rt_interface_method(Thread *self, VTable *vt, Method *imethod);
Method *rt_link_target(Thread *self, int32_t kind, Object *receiver, Object *member);
void rt_intrinsic(Thread *self, Method *m, Slot *args);
int32_t rt_intrinsic_try(Thread *self, Method *m, Slot *args);

double rt_fmod(double a, double b);
float rt_fmodf(float a, float b);

int32_t rt_point_taken(Thread *self, const Method *m, const void *receiver, const void *first);
int32_t rt_access(Thread *self, const Method *m, int32_t bci, uint32_t access, Field *field, uint32_t type,
                  const void *object, const void *address);
void rt_event_room(Thread *self, int32_t event);
void rt_edge_from(Thread *self, uint64_t site, const Method *callee, int32_t number);
void rt_count_selected(Thread *self, uint64_t site, Method *callee);
void rt_count_call(Thread *self, uint64_t site, const Method *callee, void *entries);
void rt_undo_call(Thread *self, const Method *callee);

// Reports of events, and the same after a sampling check.
#define REPORT(id, payload)                                          \
    void rt_report_##id(Thread *self, EVENT_VM_PARAMETERS(payload)); \
    int32_t rt_probe_##id(Thread *self, EVENT_VM_PARAMETERS(payload));
#define EVENT(id, text, payload, waits, counted, source, made_by) REPORT(id, payload)
#include "vm/api/events.def"
REPORT(edge_to, (METHOD, callee, NUMBER, skip))
REPORT(point, (METHOD, method, OBJECT, receiver, OBJECT, first, OBJECT, second))
REPORT(new, (METHOD, method, BCI, bci, OBJECT, object, NUMBER, depth))
#undef REPORT

#endif
