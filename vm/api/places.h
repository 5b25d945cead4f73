// Places of a method where events are reported for the sake of productions (docs/PRODUCTIONS.md), and the counters that
// productions keep for each thread: what the VM, the compiler and the profiler agree on.
#ifndef CABERNET_VM_API_PLACES_H
#define CABERNET_VM_API_PLACES_H

// Operands in the payload of the event `instruction`, the deepest on the operand stack first.
enum { INSTRUCTION_OPERANDS = 5 };

// Counters of a thread (EventThread.counters).
enum { EVENT_COUNTERS = 16 };
// A counter is a number that has overflowed from here on.
#define COUNTER_LIMIT (INT64_C(1) << 32)

#endif
