// Interface calls: a map from pairs of receiver class and called interface method to the selected method. A vtable
// caches some of its pairs in its interface method table (IMT), in which each interface method has one slot, possibly
// shared. (Alpern, Cocchi, Fink, Grove, "Efficient Implementation of Java Interfaces: invokeinterface Considered
// Harmless", OOPSLA 2001, fill every slot with a stub that distinguishes its methods; here a slot holds one pair, and
// the others are looked up.)
#ifndef CABERNET_VM_LINKING_INTERFACECALL_H
#define CABERNET_VM_LINKING_INTERFACECALL_H

#include "vm/model/class.h"
#include "vm/model/object.h"

// Immutable, one per (vtable, imethod); lives as long as the vtable's class. vt and imethod are NULL in
// interfacecall_none.
typedef struct InterfaceCall {
    const VTable *vt;
    Method *imethod;
    Method *target;
    struct InterfaceCall *next;
} InterfaceCall;
extern const InterfaceCall interfacecall_none;

// Initialises the IMT of a new vtable, before it is visible to other threads.
void interfacecall_begin(VTable *vt);

// The slot of an interface method: the same in every run.
uint32_t interfacecall_slot(const Method *imethod);

// NULL: not known yet. Takes no locks.
const InterfaceCall *interfacecall_find(const VTable *vt, const Method *imethod);
// NULL with IncompatibleClassChangeError if the class does not implement the interface. Puts the pair into the IMT, or
// keeps the slot's present pair. Takes a lock briefly for a new pair.
const InterfaceCall *interfacecall_select(Thread *self, VTable *vt, Method *imethod);

// World stopped, collector thread: drops pairs of dead classes.
void interfacecall_forget_dead(void);

#endif
