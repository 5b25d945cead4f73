// Sites by method number and bytecode index. Written once per method, under the lock, and read without it: a chunk of
// the directory and a method's sites are complete before they are published.
#include "profiler/analyses/productionsites.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

enum { CHUNK = 4096, CHUNKS = 4096 };

typedef struct MethodSites {
    EventSet events;  // of all sites
    uint32_t count, code_length;
    const MatchSite *sites;  // sorted by bytecode index
    const uint16_t *first;   // by bytecode index: first site + 1, 0: none
} MethodSites;

static struct ProductionSites {
    Productions *productions;
    const ProfileHost *host;
    pthread_mutex_t lock;  // held while matching
    _Atomic(_Atomic(const MethodSites *) *) chunks[CHUNKS];
} sites = {.lock = PTHREAD_MUTEX_INITIALIZER};

static const MethodSites no_sites;  // of a method without a match

void productionsites_use(Productions *p, const ProfileHost *host) {
    sites.productions = p;
    sites.host = host;
}
Productions *productionsites_productions(void) { return sites.productions; }
const ProfileHost *productionsites_host(void) { return sites.host; }

// ---- finding ------------------------------------------------------------------------------------

static const MethodSites *of_method(uint32_t method) {
    if (method / CHUNK >= CHUNKS) return NULL;
    _Atomic(const MethodSites *) *chunk = atomic_load_explicit(&sites.chunks[method / CHUNK], memory_order_acquire);
    return chunk ? atomic_load_explicit(&chunk[method % CHUNK], memory_order_acquire) : NULL;
}

static const MatchSite *first_at(const MethodSites *m, int32_t bci) {
    if (!m || !m->count) return NULL;
    if (bci == EVENT_NO_BCI) return m->sites[0].bci == EVENT_NO_BCI ? m->sites : NULL;
    if ((uint32_t)bci >= m->code_length || !m->first[bci]) return NULL;
    return &m->sites[m->first[bci] - 1];
}

const MatchSite *productionsites_find(uint32_t method, int32_t bci, enum EventId event) {
    const MethodSites *m = of_method(method);
    const MatchSite *s = first_at(m, bci);
    for (const MatchSite *end = s ? m->sites + m->count : NULL; s < end && s->bci == bci; s++)
        if (s->decides == event) return s;
    return NULL;
}

EventSet productionsites_wants(uint32_t method, int32_t bci) {
    const MethodSites *m = of_method(method);
    const MatchSite *s = first_at(m, bci);
    EventSet events = 0;
    for (const MatchSite *end = s ? m->sites + m->count : NULL; s < end && s->bci == bci; s++) events |= s->events;
    return events;
}

bool productionsites_guard(uint32_t method, int32_t bci, PlaceGuard *guard) {
    const MethodSites *m = of_method(method);
    const MatchSite *s = first_at(m, bci);
    *guard = (PlaceGuard){0};
    for (const MatchSite *end = s ? m->sites + m->count : NULL; s < end && s->bci == bci; s++)
        for (uint32_t i = 0; i < s->count; i++)
            if (!productions_guard(sites.productions, s->matches[i].rest, guard)) return false;
    return guard->count > 0;
}

static const ScalarPartners *partners_of(uint32_t method, int32_t bci) {
    const MethodSites *m = of_method(method);
    const MatchSite *s = first_at(m, bci);
    for (const MatchSite *end = s ? m->sites + m->count : NULL; s < end && s->bci == bci; s++)
        if (s->partners) return s->partners;
    return NULL;
}

unsigned productionsites_partners(uint32_t method, int32_t bci, uint16_t locals[SCALAR_LOCALS]) {
    const ScalarPartners *p = partners_of(method, bci);
    if (!p) return 0;
    memcpy(locals, p->locals, p->local_count * sizeof *locals);
    return p->local_count;
}

const char *productionsites_partner_name(uint32_t method, int32_t bci, uint64_t partner) {
    const ScalarPartners *p = partners_of(method, bci);
    return p && partner <= p->local_count + p->constant_count ? p->names[partner] : "?";
}

// ---- matching -----------------------------------------------------------------------------------

// Limit on the assignments of a method whose locals are searched: each requires an analysis of the method.
enum { ANALYSED_ASSIGNMENTS = 256 };

typedef struct Draft {
    const ClassFile *file;
    const ClassFileMethod *info;
    uint32_t assignments;
    MatchSite *sites;
    uint32_t count, room;
    EventSet events;
    bool failed;
} Draft;

static void add_site(void *arg, const MatchSite *site) {
    Draft *d = arg;
    Match *matches = malloc(site->count * sizeof *matches);
    if (!matches || d->count == UINT16_MAX - 1 || !GROW(d->sites, d->room, d->count + 1)) {
        free(matches);
        d->failed = true;
        return;
    }
    memcpy(matches, site->matches, site->count * sizeof *matches);
    d->sites[d->count] = *site;
    d->sites[d->count].matches = matches;
    if (site->place == PLACE_OF_assign) {
        ScalarPartners *p = malloc(sizeof *p);
        bool analysed = d->assignments++ < ANALYSED_ASSIGNMENTS;
        if (p) productions_partners(d->file, d->info, (uint32_t)site->bci, analysed, p);
        else d->failed = true;
        d->sites[d->count].partners = p;
    }
    d->count++;
    d->events |= site->events;
}

static const MethodSites *make(const Draft *d, const ClassFileMethod *info) {
    if (!d->count) return &no_sites;
    uint32_t length = info->code ? info->code->code_len : 0;
    MethodSites *m = malloc(sizeof *m);
    uint16_t *first = calloc(length + 1, sizeof *first);
    if (!m || !first) {
        free(m);
        free(first);
        return NULL;
    }
    for (uint32_t i = d->count; i-- > 0;)
        if (d->sites[i].bci >= 0) first[d->sites[i].bci] = (uint16_t)(i + 1);
    *m = (MethodSites){d->events, d->count, length, d->sites, first};
    return m;
}

static const MethodSites *match_now(const ClassFile *file, const ClassFileMethod *info) {
    char why[160];
    Draft d = {.file = file, .info = info};
    const MethodSites *m = NULL;
    if (productions_match(sites.productions, file, info, add_site, &d, why, sizeof why) && !d.failed)
        m = make(&d, info);
    if (m && d.count) return m;
    for (uint32_t i = 0; i < d.count; i++) {
        free((void *)d.sites[i].matches);
        free((void *)d.sites[i].partners);
    }
    free(d.sites);
    return m ? m : &no_sites;
}

EventSet productionsites_match(uint32_t method, const ClassFile *file, const ClassFileMethod *info) {
    const MethodSites *m = of_method(method);
    if (m || !sites.productions || method / CHUNK >= CHUNKS) return m ? m->events : 0;
    pthread_mutex_lock(&sites.lock);
    _Atomic(const MethodSites *) *chunk = sites.chunks[method / CHUNK];
    if (!chunk && (chunk = calloc(CHUNK, sizeof *chunk))) sites.chunks[method / CHUNK] = chunk;
    if (chunk && !(m = chunk[method % CHUNK])) chunk[method % CHUNK] = m = match_now(file, info);
    pthread_mutex_unlock(&sites.lock);
    return m ? m->events : 0;
}

static void free_sites(const MethodSites *m) {
    if (!m || m == &no_sites) return;
    for (uint32_t i = 0; i < m->count; i++) {
        free((void *)m->sites[i].matches);
        free((void *)m->sites[i].partners);
    }
    free((void *)m->sites);
    free((void *)m->first);
    free((void *)m);
}

void productionsites_end(void) {
    for (uint32_t i = 0; i < CHUNKS; i++) {
        _Atomic(const MethodSites *) *chunk = sites.chunks[i];
        for (uint32_t k = 0; chunk && k < CHUNK; k++) free_sites(chunk[k]);
        free(chunk);
        sites.chunks[i] = NULL;
    }
    productionsites_use(NULL, NULL);
}

void productionsites_fork(bool before) {
    if (before) pthread_mutex_lock(&sites.lock);
    else pthread_mutex_unlock(&sites.lock);
}

// ---- sets of events -----------------------------------------------------------------------------

EventSet productionsites_events(void) { return sites.productions ? productions_events(sites.productions) : 0; }
EventSet productionsites_counts(void) { return sites.productions ? productions_counts(sites.productions) : 0; }
