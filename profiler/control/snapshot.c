// Building a snapshot (profiler/control/snapshot.h): the rows of tables become the sorted arrays of one block.
#include "profiler/control/snapshot.h"

#include "base/invariant.h"

static SnapshotSites take_sites(const Table *t, SnapshotSite **room) {
    SnapshotSite *rows = *room;
    for (size_t i = 0; i < t->count; i++) {
        const TableRow *r = &t->rows[i];
        rows[i] = (SnapshotSite){(uint32_t)r->key[0], (int32_t)(uint32_t)r->key[1], (uint32_t)r->key[2], r->count};
    }
    *room += t->count;
    return (SnapshotSites){rows, t->count};
}

// Gets and puts of a field are adjacent rows. Returns the number of fields.
static size_t take_fields(const Table *t, SnapshotField *fields) {
    size_t count = 0;
    for (size_t i = 0; i < t->count; i++) {
        const TableRow *r = &t->rows[i];
        if (count == 0 || fields[count - 1].field != (uint32_t)r->key[0])
            fields[count++] = (SnapshotField){.field = (uint32_t)r->key[0]};
        if (r->key[1] == 0) fields[count - 1].gets = r->count;
        else fields[count - 1].puts = r->count;
    }
    return count;
}

static bool is_sorted(const SnapshotSites *sites) {
    for (size_t i = 1; i < sites->count; i++) {
        const SnapshotSite *a = &sites->rows[i - 1], *b = a + 1;
        if (a->method != b->method) {
            if (a->method > b->method) return false;
        } else if ((uint32_t)a->bci > (uint32_t)b->bci || (a->bci == b->bci && a->what >= b->what)) {
            return false;
        }
    }
    return true;
}

ProfileSnapshot *snapshot_make(Table tables[SNAPSHOT_TABLES], uint64_t version, int64_t taken_ns,
                               const SamplingRequest *sampling) {
    size_t bytes = sizeof(ProfileSnapshot);
    bool failed = false;
    for (int i = 0; i < SNAPSHOT_TABLES; i++) {
        table_combine(&tables[i]);
        failed |= tables[i].failed;
        bytes += tables[i].count * (i == SNAPSHOT_FIELDS ? sizeof(SnapshotField) : sizeof(SnapshotSite));
    }
    ProfileSnapshot *s = failed ? NULL : malloc(bytes);
    if (s) {
        SnapshotField *fields = (SnapshotField *)(s + 1);
        SnapshotSite *room = (SnapshotSite *)(fields + tables[SNAPSHOT_FIELDS].count);
        *s = (ProfileSnapshot){.version = version,
                               .taken_ns = taken_ns,
                               .sampling = *sampling,
                               .bytes = bytes,
                               .fields = fields,
                               .users = 1};
        s->field_count = take_fields(&tables[SNAPSHOT_FIELDS], fields);
        s->calls = take_sites(&tables[SNAPSHOT_CALLS], &room);
        s->receivers = take_sites(&tables[SNAPSHOT_RECEIVERS], &room);
        s->branches = take_sites(&tables[SNAPSHOT_BRANCHES], &room);
        s->accesses = take_sites(&tables[SNAPSHOT_ACCESSES], &room);
        ASSERT((char *)room == (char *)s + bytes, "rows of %zu bytes", bytes);
        ASSERT(is_sorted(&s->calls) && is_sorted(&s->receivers) && is_sorted(&s->branches) && is_sorted(&s->accesses),
               "the rows are not sorted");
    }
    for (int i = 0; i < SNAPSHOT_TABLES; i++) table_free(&tables[i]);
    return s;
}
