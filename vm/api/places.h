// Places of a method where events are reported for the sake of productions (docs/PRODUCTIONS.md), and the counters that
// productions keep for each thread: what the VM, the compiler and the profiler agree on.
#ifndef CABERNET_VM_API_PLACES_H
#define CABERNET_VM_API_PLACES_H

#include <stdint.h>

// Operands in the payload of the event `instruction`, the deepest on the operand stack first.
enum { INSTRUCTION_OPERANDS = 5 };

// Assigned values (event scalar_pair): with how many locals each is compared, and what else the event's `with` may be:
// the value by itself, once for each assignment and first; what the field held before.
enum { SCALAR_LOCALS = 8, SCALAR_VALUE = 0x10000, SCALAR_BEFORE };

// Counters of a thread (EventThread.counters). The last one is not 0 while a burst is on.
enum { EVENT_COUNTERS = 17, BURST_COUNTER = EVENT_COUNTERS - 1 };
// A counter is a number that has overflowed from here on.
#define COUNTER_LIMIT (INT64_C(1) << 32)

// When productions want to hear of a place, as far as counters decide: if all tests of one of the alternatives hold. Sets of
// counters, 1 << number. What it leaves out nobody wants; what it lets through they look at again.
enum { GUARD_ALTERNATIVES = 4 };
typedef struct GuardTests {
    uint32_t zero, not_zero, overflow, not_overflow;
} GuardTests;
typedef struct PlaceGuard {
    uint32_t count;
    GuardTests alternatives[GUARD_ALTERNATIVES];
} PlaceGuard;

#endif
