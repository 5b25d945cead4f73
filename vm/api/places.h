// Places of a method where events are reported for productions (docs/PRODUCTIONS.md), and the counters that productions
// keep for each thread. Shared by the VM, the compiler and the profiler.
#ifndef CABERNET_VM_API_PLACES_H
#define CABERNET_VM_API_PLACES_H

#include <stdint.h>

// Operands in the payload of the event `instruction`, deepest on the operand stack first.
enum { INSTRUCTION_OPERANDS = 5 };

// Assigned values (event scalar_pair): the number of locals that each is compared with, and special values of the
// event's `with`: the value alone, reported once for each assignment and first; the field's previous value.
enum { SCALAR_LOCALS = 8, SCALAR_VALUE = 0x10000, SCALAR_BEFORE };

// Counters of a thread (EventThread.counters). The last one is nonzero during a burst.
enum { EVENT_COUNTERS = 17, BURST_COUNTER = EVENT_COUNTERS - 1 };
// A counter has overflowed from this value on.
#define COUNTER_LIMIT (INT64_C(1) << 32)

// When productions want events of a place, as far as counters decide: if all tests of one alternative hold. Sets of
// counters, 1 << number. Events that the guard excludes are never wanted; productions check those that it admits again.
enum { GUARD_ALTERNATIVES = 4 };
typedef struct GuardTests {
    uint32_t zero, not_zero, overflow, not_overflow;
} GuardTests;
typedef struct PlaceGuard {
    uint32_t count;
    GuardTests alternatives[GUARD_ALTERNATIVES];
} PlaceGuard;

#endif
