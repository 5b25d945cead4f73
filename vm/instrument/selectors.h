// Numbers of the methods that one invocation may select. A virtual call or a call of an interface's method selects among
// methods of one name and descriptor, a selector. Exact profiles number those that are called, from 1 on, so that
// code finds the counter of a call by the number (CodeSelectedCalls, vm/api/compiler.h).
#ifndef CABERNET_VM_INSTRUMENT_SELECTORS_H
#define CABERNET_VM_INSTRUMENT_SELECTORS_H

#include "vm/model/class.h"

typedef struct Selector Selector;

// Method.selected of methods whose calls are not counted: they are hidden, or out of the profile's scope.
enum { SELECTED_UNCOUNTED = UINT32_MAX };

// The method gets a number if it has none (Method.selected). Any thread; takes a short lock. Without memory it has none afterwards.
void selectors_number(Method *m);
// The selector of a method, which lives as long as the process; NULL without memory. Any thread; takes a short lock.
const Selector *selectors_of(const Method *m);
// How many methods have a number so far. Any thread, without a lock, and so is the next.
uint32_t selectors_count(const Selector *s);
// Method.id of the one with the number, of which there are so many; it may be unloaded by now.
uint32_t selectors_method(const Selector *s, uint32_t number);

// ---- a fork (vm/boot/subsystems.def) ----
void selectors_before_fork(void);
void selectors_after_fork(void);
#endif
