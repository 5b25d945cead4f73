// Numbers of the methods that one invocation may select. A virtual or interface call selects among methods of one
// name and descriptor, a selector. Exact profiles number the methods that are called, from 1 on, so that code finds
// the counter of a call by the number (CodeSelectedCalls, vm/api/compiler.h).
#ifndef CABERNET_VM_INSTRUMENT_SELECTORS_H
#define CABERNET_VM_INSTRUMENT_SELECTORS_H

#include "vm/model/class.h"

typedef struct Selector Selector;

// Method.selected of methods whose calls are not counted, because they are hidden or out of the profile's scope.
enum { SELECTED_UNCOUNTED = UINT32_MAX };

// Gives the method a number if it has none (Method.selected). Any thread; takes a short lock. Without memory it stays
// without a number.
void selectors_number(Method *m);
// The selector of a method, which lives as long as the process; NULL: no memory. Any thread; takes a short lock.
const Selector *selectors_of(const Method *m);
// How many methods have a number. Any thread; neither this function nor the next takes a lock.
uint32_t selectors_count(const Selector *s);
// Method.id of the method with the number, from 1 to selectors_count; it may be unloaded by now.
uint32_t selectors_method(const Selector *s, uint32_t number);

// ---- a fork (vm/boot/subsystems.def) ----
void selectors_before_fork(void);
void selectors_after_fork(void);
#endif
