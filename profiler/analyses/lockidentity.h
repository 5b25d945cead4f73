// Which lock is it: the place where its object was made, and which of the objects of that place it is (locks=site and
// locks=instance). For each 16 bytes of the heap there are 8 that say it of an object that begins there; they are written
// when an object is made and taken from memory where that happens. So nothing has to be forgotten: an object that is made
// where another was has its own.
//
// The place of an object that a constructor of the class library makes (ReentrantLock's Sync) is two: the constructor's, and that of
// the first caller which is none.
#ifndef CABERNET_PROFILER_LOCKIDENTITY_H
#define CABERNET_PROFILER_LOCKIDENTITY_H

#include <stdbool.h>
#include <stdint.h>

#include "profiler/analyses/section.h"
#include "vm/api/profiler.h"

// As the words of locks= (profiler/control/options.def).
typedef enum LockDetail { LOCKS_BY_CLASS, LOCKS_BY_SITE, LOCKS_BY_INSTANCE } LockDetail;

// All 0: not known, or not asked for.
typedef struct LockIdentity {
    uint32_t place, outer;  // numbers of places; outer 0: there is none
    uint32_t number;        // from 1 on; 0: not told apart
} LockIdentity;

// False: there is no address space.
bool lockidentity_begin(const ProfileHost *host, LockDetail detail);
LockDetail lockidentity_detail(void);
// Sink of the event allocation: the current thread has made an object.
void lockidentity_made(uint32_t method, int32_t bci, uintptr_t object);
// Of an object that lives.
LockIdentity lockidentity_of(uintptr_t object);
void lockidentity_stack(Sections *out, LockIdentity lock);

#endif
