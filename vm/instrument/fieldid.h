// Ids of fields. A field gets its id when it first occurs in an event, so that a table of counts by id stays small.
// Any thread; the first use of a field takes a mutex.
#ifndef CABERNET_VM_INSTRUMENT_FIELDID_H
#define CABERNET_VM_INSTRUMENT_FIELDID_H

#include "vm/model/class.h"

uint32_t fieldid_give(Field *f);      // 0: out of memory
Field *fieldid_field(uint32_t id);    // NULL: there is none
void fieldid_forget(const Field *f);  // its class is unloaded: its id no longer names a field

static inline uint32_t fieldid_of(Field *f) {
    uint32_t id = __atomic_load_n(&f->id, __ATOMIC_ACQUIRE);
    return __builtin_expect(id != 0, 1) ? id : fieldid_give(f);
}

// Around a fork, in the parent and in the child: hold the lock that a compile thread may hold.
void fieldid_before_fork(void);
void fieldid_after_fork(void);

#endif
