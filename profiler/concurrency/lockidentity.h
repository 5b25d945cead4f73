// Identifies a lock by the allocation site of its object, and by its number among the objects of that site (locks=site
// and locks=instance). Each 16 bytes of the heap have 8 bytes that identify an object beginning there. They are written
// when the object is allocated, and consume memory only there. Nothing needs to be forgotten: a new object at the same
// address overwrites the identity of the old one.
//
// An object allocated by a constructor of the class library (ReentrantLock's Sync) has two places: that constructor,
// and the first caller that is no such constructor.
#ifndef CABERNET_PROFILER_CONCURRENCY_LOCKIDENTITY_H
#define CABERNET_PROFILER_CONCURRENCY_LOCKIDENTITY_H

#include <stdbool.h>
#include <stdint.h>

#include "profiler/analyses/analysis.h"
#include "profiler/analyses/section.h"
#include "vm/api/profiler.h"

// In the order of the words of locks= (profiler/control/options.def).
typedef enum LockDetail { LOCKS_BY_CLASS, LOCKS_BY_SITE, LOCKS_BY_INSTANCE } LockDetail;

// All 0: unknown, or not requested.
typedef struct LockIdentity {
    uint32_t place, outer;  // place numbers; outer 0: none
    uint32_t number;        // from 1; 0: instances are not distinguished
} LockIdentity;

// False: no address space.
// `sides`: of transport=tee, at most ANALYSIS_SIDES.
bool lockidentity_begin(const ProfileHost *host, LockDetail detail, unsigned sides);
void lockidentity_end(void);  // forgets all objects; Analysis.end
LockDetail lockidentity_detail(void);
// From the sink of the event allocation on that side: the thread has allocated an object.
void lockidentity_made(const EventThread *t, unsigned side, uint32_t method, int32_t bci, uintptr_t object);
// The identity of a live object, as that side has seen its allocation.
LockIdentity lockidentity_of(unsigned side, uintptr_t object);
// Of side 0.
void lockidentity_stack(Sections *out, LockIdentity lock);

#endif
