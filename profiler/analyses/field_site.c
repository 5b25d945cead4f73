// field-site: how often each getfield, putfield, getstatic and putstatic accessed its field. The instruction tells
// reads from writes. field-access is faster when only the sums per field are needed.
#include "profiler/analyses/analysis.h"
#include "profiler/analyses/sitecounts.h"

static __attribute__((noinline)) void count_slow(const EventSink_field_access *sink, uint32_t method, int32_t bci,
                                                 uint32_t field, uint32_t access, uintptr_t object, uintptr_t address) {
    sitecounts_add(sink->state, sitecounts_site(method, bci), field, 1);
    EVENT_PASS(sink, method, bci, field, access, object, address);
}

static void on_field_access(const EventSink_field_access *sink, uint32_t method, int32_t bci, uint32_t field,
                            uint32_t access, uintptr_t object, uintptr_t address) {
    if (__builtin_expect(!sitecounts_hit(sink->state, sitecounts_site(method, bci), field, 1), 0)) {
        count_slow(sink, method, bci, field, access, object, address);
        return;
    }
    EVENT_PASS(sink, method, bci, field, access, object, address);
}

static void count(Table *out, uint32_t method, int32_t bci, uint32_t field, uint32_t access, uintptr_t object,
                  uintptr_t address, uint64_t times) {
    (void)access, (void)object, (void)address;
    table_add(out, &(TableRow){.key = {method, (uint32_t)bci, field}, .count = times});
}

const Analysis analysis_field_site = {
    .name = "field-site",
    .event = EVENT_field_access,
    .columns = {{"method", COLUMN_METHOD, NULL}, {"site", COLUMN_BCI, NULL}, {"field", COLUMN_FIELD, NULL}},
    .thread_new = sitecounts_new,
    .thread_free = sitecounts_free,
    .collect = sitecounts_collect,
    .snapshot = SNAPSHOT_ACCESSES,
    .on_field_access = on_field_access,
    .count_field_access = count,
};
