// The productions of this profile, and where in the program they match: what the VM asks for each method, and what the
// sinks of the analysis look up. One profile for a process.
#ifndef CABERNET_PROFILER_PRODUCTIONSITES_H
#define CABERNET_PROFILER_PRODUCTIONSITES_H

#include "profiler/productions/productions.h"
#include "vm/api/profiler.h"

// From now on; they stay. Before any method is matched.
void productionsites_use(Productions *p, const ProfileHost *host);
Productions *productionsites_productions(void);  // NULL: none
const ProfileHost *productionsites_host(void);

// As ProfilerInterface has them. match: any thread, takes a lock. A method that cannot be matched for lack of memory has no
// places, which is counted (productionsites_failed).
EventSet productionsites_match(uint32_t method, const ClassFile *file, const ClassFileMethod *info);
EventSet productionsites_wants(uint32_t method, int32_t bci);
bool productionsites_guard(uint32_t method, int32_t bci, PlaceGuard *guard);
unsigned productionsites_partners(uint32_t method, int32_t bci, uint16_t locals[SCALAR_LOCALS]);
uint64_t productionsites_failed(void);
// What stands for the number of a partner at that place, "?" if there is none; it stays.
const char *productionsites_partner_name(uint32_t method, int32_t bci, uint64_t partner);

// Events that may be needed at some place; and those of them that compiled code may count, because every production that
// they decide about always counts there, under keys that are constant.
EventSet productionsites_events(void);
EventSet productionsites_counts(void);

// The site that the event decides about, or NULL. Any thread, no lock.
const MatchSite *productionsites_find(uint32_t method, int32_t bci, enum EventId event);

// Around a fork, in the parent and in the child: the lock of matching, which a compile thread may hold.
void productionsites_before_fork(void);
void productionsites_after_fork(void);

#endif
