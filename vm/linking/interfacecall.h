// Interface calls: which method a receiver's class has for an interface method, for each pair that was ever
// called. A vtable has a few of its own pairs at hand, its interface method table (IMT): each interface method
// has one slot there, which it may share with others. (Alpern, Cocchi, Fink, Grove, "Efficient Implementation of
// Java Interfaces: invokeinterface Considered Harmless", OOPSLA 2001, fills every slot with a stub
// that tells them apart; here a slot holds one pair, and the others are looked up.)
#ifndef CABERNET_VM_INTERFACECALL_H
#define CABERNET_VM_INTERFACECALL_H

#include "vm/model/class.h"
#include "vm/model/object.h"

// Immutable, one per (vtable, imethod), as long as the vtable's class lives; vt and imethod are NULL in interfacecall_none.
typedef struct InterfaceCall {
    const VTable *vt;
    Method *imethod;
    Method *target;
    struct InterfaceCall *next;
} InterfaceCall;
extern const InterfaceCall interfacecall_none;

// Of a new vtable, before anyone else sees it.
void interfacecall_begin(VTable *vt);

// The slot of an interface method: the same in every run.
uint32_t interfacecall_slot(const Method *imethod);

// NULL: not known yet. No locks.
const InterfaceCall *interfacecall_find(const VTable *vt, const Method *imethod);
// Throws IncompatibleClassChangeError (NULL) if the class does not implement the interface. Puts the
// pair into the IMT, or leaves there what it finds. Short lock for a new pair.
const InterfaceCall *interfacecall_select(Thread *self, VTable *vt, Method *imethod);

// World stopped, collector thread: drops pairs of dead classes.
void interfacecall_forget_dead(void);

#endif
