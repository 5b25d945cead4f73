// The productions of this profile and the sites in the program where they match. The VM queries them for each method,
// and the sinks of the analysis look sites up. One profile per process.
#ifndef CABERNET_PROFILER_ANALYSES_PRODUCTIONSITES_H
#define CABERNET_PROFILER_ANALYSES_PRODUCTIONSITES_H

#include "profiler/productions/productions.h"
#include "vm/api/profiler.h"

// Installs the productions, which are never freed. Call before any method is matched.
void productionsites_use(Productions *p, const ProfileHost *host);
Productions *productionsites_productions(void);  // NULL: none
const ProfileHost *productionsites_host(void);

// These implement the functions of ProfilerInterface. match: any thread, takes a lock. A method that cannot be matched
// for lack of memory has no sites.
EventSet productionsites_match(uint32_t method, const ClassFile *file, const ClassFileMethod *info);
EventSet productionsites_wants(uint32_t method, int32_t bci);
bool productionsites_guard(uint32_t method, int32_t bci, PlaceGuard *guard);
unsigned productionsites_partners(uint32_t method, int32_t bci, uint16_t locals[SCALAR_LOCALS]);
// Name of the partner with that number at that place, "?" if there is none. The text is never freed.
const char *productionsites_partner_name(uint32_t method, int32_t bci, uint64_t partner);

// Events that some place may need, and the subset that compiled code may count because every production they decide
// always counts there, under constant keys.
EventSet productionsites_events(void);
EventSet productionsites_counts(void);

// The site that the event decides, or NULL. Any thread, no lock.
const MatchSite *productionsites_find(uint32_t method, int32_t bci, enum EventId event);

// Around a fork, in parent and child: holds the matching lock, which a compile thread may own.
void productionsites_fork(bool before);

// The profile has ended: forgets productions and sites. No other thread reads them.
void productionsites_end(void);

#endif
