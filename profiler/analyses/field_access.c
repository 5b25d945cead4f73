// field-access: reads and writes of each field by the bytecodes getfield, putfield, getstatic and putstatic, in an
// array by field id and kind: gets at even indices, puts at odd ones.
#include "profiler/analyses/analysis.h"
#include "profiler/analyses/densecounts.h"

static __attribute__((noinline)) void count_new(const EventSink_field_access *sink, uint32_t method, int32_t bci,
                                                uint32_t field, uint32_t kind, uintptr_t object, uintptr_t address) {
    CountsState *s = sink->state;
    uint32_t place = field * 2 + kind;
    if (field <= UINT32_MAX / 2 && kind < 2 && counts_grow(&s->counts, place)) s->counts->of[place]++;
    else s->lost++;
    EVENT_PASS(sink, method, bci, field, kind, object, address);
}

static void on_field_access(const EventSink_field_access *sink, uint32_t method, int32_t bci, uint32_t field,
                            uint32_t kind, uintptr_t object, uintptr_t address) {
    Counts *counts = ((CountsState *)sink->state)->counts;
    if (__builtin_expect(field > counts->mask / 2 || kind > 1, 0)) {
        count_new(sink, method, bci, field, kind, object, address);
        return;
    }
    counts->of[field * 2 + kind]++;
    EVENT_PASS(sink, method, bci, field, kind, object, address);
}

static void collect(const void *state, Table *out, uint64_t *lost) {
    const CountsState *s = state;
    const Counts *counts = published_read(&s->counts);
    for (uint32_t i = 0; i <= counts->mask; i++) {
        uint64_t count = __atomic_load_n(&counts->of[i], __ATOMIC_RELAXED);
        if (count) table_add(out, &(TableRow){.key = {i / 2, i % 2}, .count = count});
    }
    *lost += s->lost;
}

static void count(Table *out, uint32_t method, int32_t bci, uint32_t field, uint32_t kind, uintptr_t object,
                  uintptr_t address, uint64_t times) {
    (void)method, (void)bci, (void)object, (void)address;
    table_add(out, &(TableRow){.key = {field, kind}, .count = times});
}

static const char *const kinds[] = {"get", "put", NULL};

const Analysis analysis_field_access = {
    .name = "field-access",
    .event = EVENT_field_access,
    .columns = {{"field", COLUMN_FIELD, NULL}, {"access", COLUMN_WORD, kinds}},
    .thread_new = counts_state_new,
    .thread_free = counts_state_free,
    .collect = collect,
    .snapshot = SNAPSHOT_FIELDS,
    .on_field_access = on_field_access,
    .count_field_access = count,
};
