// events: how often each event of vm/api/events.def happened, by method and bytecode index. It wants all events, knows
// none by name, and serves to test the events themselves.
#include "profiler/analyses/analysis.h"
#include "profiler/analyses/sitecounts.h"

// The place in a payload: its first method, and the bytecode index. A payload without a method is attributed to the VM.
#define NOT_A_METHOD UINT32_MAX
#define PLACE_METHOD(name) \
    if (method_ == NOT_A_METHOD) method_ = name;
#define PLACE_BCI(name) bci_ = name;
#define PLACE_FIELD(name)
#define PLACE_CLASS(name)
#define PLACE_THREAD(name)
#define PLACE_OBJECT(name)
#define PLACE_ADDRESS(name)
#define PLACE_VALUE(name)
#define PLACE_NUMBER(name)
#define PLACE(type, name) \
    (void)name;           \
    PLACE_##type(name)

static void count(SiteCounts *s, uint32_t method, int32_t bci, enum EventId event) {
    uint64_t site = sitecounts_site(method == NOT_A_METHOD ? EVENT_PSEUDO(CALLER_VM) : method, bci);
    if (!sitecounts_hit(s, site, event, 1)) sitecounts_add(s, site, event, 1);
}

#define EVENT(id, text, payload, waits, counted, source, made_by)                     \
    static void on_##id(const EventSink_##id *sink, EVENT_SINK_PARAMETERS(payload)) { \
        uint32_t method_ = NOT_A_METHOD;                                              \
        int32_t bci_ = EVENT_NO_BCI;                                                  \
        EVENT_EACH(PLACE, payload)                                                    \
        count(sink->state, method_, bci_, EVENT_##id);                                \
        EVENT_PASS(sink, EVENT_NAMES(payload));                                       \
    }
#include "vm/api/events.def"

// Events fully described by their place.
#define COUNTED(X) X(method_entry) X(call_edge) X(branch) X(jump) X(backedge) X(field_access)

#define EVENT(id, text, payload, waits, counted, source, made_by)                                                \
    __attribute__((unused)) static void count_##id(Table *out, EVENT_SINK_PARAMETERS(payload), uint64_t times) { \
        uint32_t method_ = NOT_A_METHOD;                                                                         \
        int32_t bci_ = EVENT_NO_BCI;                                                                             \
        EVENT_EACH(PLACE, payload)                                                                               \
        table_add(out, &(TableRow){.key = {method_, (uint32_t)bci_, EVENT_##id}, .count = times});               \
    }
#include "vm/api/events.def"

static const char *const names[] = {
#define EVENT(id, text, payload, waits, counted, source, made_by) #id,
#include "vm/api/events.def"
    NULL};

const Analysis analysis_event_counts = {
    .name = "events",
    .event = EVENT_COUNT,
    .columns = {{"method", COLUMN_METHOD, NULL}, {"site", COLUMN_BCI, NULL}, {"event", COLUMN_WORD, names}},
    .thread_new = sitecounts_new,
    .thread_free = sitecounts_free,
    .collect = sitecounts_collect,
#define EVENT(id, text, payload, waits, counted, source, made_by) .on_##id = on_##id,
#include "vm/api/events.def"
#define COUNT(id) .count_##id = count_##id,
    // clang-format off
    COUNTED(COUNT)
    // clang-format on
};
