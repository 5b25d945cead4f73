// The VM's functions that template code calls. The functions of the first three groups may block, collect and leave an
// exception pending; template code calls them through stubs (stubs.h). helper_count_leaf and helper_count_try do not
// block or collect. The functions after these groups do not block, allocate in the heap or throw; helper_link_target
// may throw.
#ifndef CABERNET_VM_TEMPLATE_HELPERS_H
#define CABERNET_VM_TEMPLATE_HELPERS_H

#include "vm/api/methodcounts.h"
#include "vm/interp/hooks.h"
#include "vm/linking/interfacecall.h"
#include "vm/model/frame.h"

Object *helper_allocate_array(Thread *self, Class *cls, int64_t length);
Object *helper_allocate_multi(Thread *self, Class *cls, int64_t dimensions);
void helper_monitor_enter(Thread *self, Object *o);
void helper_monitor_exit(Thread *self, Object *o);
// Locks the monitor of a synchronized method at its entry, and unlocks it at its return.
void helper_lock_method(Thread *self, Frame *frame);
void helper_unlock_method(Thread *self, Frame *frame);
// Events of the instruction that the topmost frame executes, as the interpreter reports them before it
// (vm/interp/interp.c), and of an object that it has made. The first may wait for those who analyse events; the second
// does not block.
void helper_report(Thread *self, uint64_t which);
uint64_t helper_enter_context(Thread *self, const Frame *frame);
void helper_report_object(Thread *self, Object *o);

// Calls of methods without template code. The result replaces the arguments.
void helper_call_intrinsic(Thread *self, Method *m, Slot *args, Frame *caller);
void helper_call_native(Thread *self, Method *m, Slot *args, Frame *caller);
void helper_call_compiled(Thread *self, Method *m, Slot *args, Frame *caller);

// The same in exact profiles, which count the call.
void helper_count_intrinsic(Thread *self, Method *m, Slot *args, Frame *caller);
void helper_count_native(Thread *self, Method *m, Slot *args, Frame *caller);
void helper_count_compiled(Thread *self, Method *m, Slot *args, Frame *caller);
void helper_count_leaf(Thread *self, Method *m, Slot *args, Frame *caller);
bool helper_count_try(Thread *self, Method *m, Slot *args, Frame *caller);  // false: the intrinsic declines

// The ends of a call by compiled code (adapters.c), of which `entry` is the FRAME_ENTRY. helper_continue runs the
// method to its end after template code has left in the way `exit`, and returns the raw result, or 0 with an exception
// pending; may do anything. helper_edge_undone takes back the call edge of a method that was not entered, and returns
// `result`.
uint64_t helper_continue(Thread *self, Frame *entry, TemplateExitKind exit, TemplateState *state);
uint64_t helper_edge_undone(Thread *self, const Frame *entry, uint64_t result);

Method *helper_basic_target(const Object *handle);
Method *helper_link_target(Thread *self, const Method *m, Slot *args);  // NULL: an exception is pending
// The method that an interface call selects, or NULL if it is not known yet.
Method *helper_interface_target(const VTable *vt, const Method *imethod);
// Whether an object of class `c` passes the checkcast or instanceof at `pc`. Caches the class in the instruction if it
// does.
bool helper_type_passes(Class *c, Insn *pc);
bool helper_array_takes(const Object *array, const Object *value);
void helper_count_receiver(ReceiverCounts *counts, const VTable *vt);
// Replaces the first of the two operands by the remainder.
void helper_float_remainder(Slot *operands);
void helper_double_remainder(Slot *operands);

#endif
