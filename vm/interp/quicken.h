// The first execution of instructions: they are resolved and replace themselves. Private to interp.c.
//
// `pc` is the header of the instruction that self->frame is executing (frame->pc == pc). Functions that return bool
// leave an exception pending if false. If true, the word holds a quick operation, which the interpreter then executes.
// All may load and initialise classes, and so may run Java code.
#ifndef CABERNET_VM_INTERP_QUICKEN_H
#define CABERNET_VM_INTERP_QUICKEN_H

#include "vm/linking/interfacecall.h"
#include "vm/interp/interp.h"

// The payload of invoke_interface is an InterfaceCall; a new site's has a NULL vt.
enum { CALL_CACHE_MISSES = 100 };  // after which a site stops caching

// Payload of invoke_linked. Immutable.
typedef struct LinkedCall {
    Method *method;     // static adapter
    Object **appendix;  // root with the object to push after the arguments, or NULL
} LinkedCall;

bool quicken_ldc(Thread *self, Insn *pc);  // ldc and ldc2
bool quicken_field(Thread *self, Insn *pc, bool put);
// invokevirtual, invokespecial, invokeinterface, invokedynamic.
bool quicken_invoke(Thread *self, Insn *pc, int opcode);
bool quicken_array(Thread *self, Insn *pc);  // newarray, anewarray, multianewarray
bool quicken_type(Thread *self, Insn *pc);   // checkcast, instanceof

// These instructions have a class to initialise. While this thread is initialising it, the instruction stays unchanged,
// so the caller executes it with the returned value (NULL: exception pending).
Field *quicken_static(Thread *self, Insn *pc, bool put);
Method *quicken_invokestatic(Thread *self, Insn *pc);
Class *quicken_new(Thread *self, Insn *pc);

// Target of an interface call. Updates the site's cache. NULL with IncompatibleClassChangeError pending: the receiver
// lacks the interface.
Method *quicken_interface_miss(Thread *self, Insn *pc, VTable *vt);

// Out-of-line exceptions with HotSpot's messages.
void quicken_throw_bounds(Thread *self, int32_t index, int32_t length);
void quicken_throw_cast(Thread *self, const Object *o, const Class *target);
void quicken_throw_store(Thread *self, const Object *value);
void quicken_throw_divide(Thread *self);
void quicken_throw_unlinked(Thread *self, const Method *m, const Slot *args);

// The handler of the pending exception thrown at `bci` of `m`, which is decoded: its number in exception-table order,
// or -1. May resolve the classes of catch clauses; an exception thrown by that becomes the pending exception.
int quicken_find_handler_at(Thread *self, const Method *m, int bci);

// World stopped, collector thread: interface calls in the methods of a live class forget receivers of dead classes.
void quicken_forget_dead(Class *c);

#endif
