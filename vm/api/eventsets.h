// Sets of events by what their rows say (vm/api/events.def). Whoever treats some events unlike others asks here, so that
// a new row is in the right sets without being named anywhere.
#ifndef CABERNET_VM_API_EVENTSETS_H
#define CABERNET_VM_API_EVENTSETS_H

#include "bytecode/classfile/opcodes.h"
#include "vm/api/events.h"

// The column `source`.
enum EventSource { EVENTS_CODE, EVENTS_CALLS, EVENTS_THREADS, EVENTS_SCHEDULER, EVENTS_VM };

static inline EventSet events_from(enum EventSource source_) {
    return 0
#define EVENT(id, text, payload, waits, counted, source, made_by) | (EVENTS_##source == source_ ? EVENT_BIT(EVENT_##id) : 0)
#include "vm/api/events.def"
        ;
}

// Those that an instruction with these OPF_ flags may make by itself.
static inline EventSet events_made_by(unsigned flags) {
    return 0
#define EVENT(id, text, payload, waits, counted, source, made_by) | ((made_by) & flags ? EVENT_BIT(EVENT_##id) : 0)
#include "vm/api/events.def"
        ;
}

// Those that code reports at its places, interpreted or compiled.
static inline EventSet events_of_code(void) { return events_from(EVENTS_CODE) | events_from(EVENTS_CALLS); }

// Those that a branch or a call reports before it is decided where it goes: what does such an instruction anew reports them twice.
static inline EventSet events_before_decisions(void) {
    enum { BY_PLACE, BY_EVENT, FLAGS = OPF_COND | OPF_INVOKE };
    return 0
#define EVENT(id, text, payload, waits, counted, source, made_by) \
    | (counted == BY_EVENT && EVENTS_##source == EVENTS_CODE && ((made_by) == 0 || (made_by) & FLAGS) ? EVENT_BIT(EVENT_##id) : 0)
#include "vm/api/events.def"
        ;
}

#endif
