// Sets of events, derived from the columns of vm/api/events.def. Code that treats some events differently uses these,
// so that a new row is in the right sets automatically.
#ifndef CABERNET_VM_API_EVENTSETS_H
#define CABERNET_VM_API_EVENTSETS_H

#include "bytecode/classfile/opcodes.h"
#include "vm/api/events.h"

// The column `source`.
enum EventSource { EVENTS_CODE, EVENTS_CALLS, EVENTS_THREADS, EVENTS_SCHEDULER, EVENTS_VM };

static inline EventSet events_from(enum EventSource source_) {
    return 0
#define EVENT(id, text, payload, waits, counted, source, made_by) \
    | (EVENTS_##source == source_ ? EVENT_BIT(EVENT_##id) : 0)
#include "vm/api/events.def"
        ;
}

// Events that an instruction with these OPF_ flags may make itself.
static inline EventSet events_made_by(unsigned flags) {
    return 0
#define EVENT(id, text, payload, waits, counted, source, made_by) | ((made_by)&flags ? EVENT_BIT(EVENT_##id) : 0)
#include "vm/api/events.def"
        ;
}

// Events that code reports at its places, interpreted or compiled.
static inline EventSet events_of_code(void) { return events_from(EVENTS_CODE) | events_from(EVENTS_CALLS); }

// Events that a branch or a call reports before its target is decided: executing such an instruction again reports them
// twice.
static inline EventSet events_before_decisions(void) {
    enum { BY_PLACE, BY_EVENT, FLAGS = OPF_COND | OPF_INVOKE };
    return 0
#define EVENT(id, text, payload, waits, counted, source, made_by)                                     \
    |                                                                                                 \
        (counted == BY_EVENT && EVENTS_##source == EVENTS_CODE && ((made_by) == 0 || (made_by)&FLAGS) \
             ? EVENT_BIT(EVENT_##id)                                                                  \
             : 0)
#include "vm/api/events.def"
        ;
}

#endif
