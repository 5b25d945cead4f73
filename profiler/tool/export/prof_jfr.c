// `cabernet-prof export --jfr`: the profile as a JDK Flight Recorder recording of one chunk, version 2.1. It has the
// metadata of its event types, constant pools (classes, methods, stacks), and an event for each row of each analysis,
// with its count; tree rows have their stacks. For readers that only know the JDK's events, each sample of time (cpu,
// wall) is a jdk.ExecutionSample as well, with its thread and the time that the profile has for it; each stack and class
// of alloc-tree, or else each place and class of alloc-bytes, is a jdk.ObjectAllocationSample whose weight is all its
// bytes; and waits for monitors are jdk.JavaMonitorEnter. The times of these two only spread the events evenly. Collections of the heap are
// jdk.GarbageCollection and jdk.GCHeapSummary. Data that has no place in JFR's types is in extra events: flags and
// source files of methods, the parts of fields, the columns of analyses. With them the reader (prof_import_jfr.c)
// restores the same rows.
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "profiler/tool/base/prof_bytes.h"
#include "profiler/tool/base/prof_order.h"
#include "profiler/tool/export/prof_export.h"
#include "profiler/tool/import/prof_jfr_types.h"
#include "profiler/tool/view/prof_collections.h"
#include "profiler/tool/view/prof_stacks.h"

// Type ids in the metadata. Events of analyses are numbered from FIRST_ANALYSIS.
typedef enum TypeId {
    BOOLEAN = 10,
    INT,
    LONG,
    STRING,
    SYMBOL,
    CLASS_LOADER,
    CLASS,
    METHOD,
    FRAME_TYPE,
    STACK_FRAME,
    STACK_TRACE,
    LABEL,
    CATEGORY,
    TIMESTAMP,
    META_EVENT,
    METHOD_EVENT,
    FIELD_EVENT,
    CLASS_EVENT,
    ANALYSIS_EVENT,
    STACK_EVENT,
    THREAD,
    THREAD_STATE,
    SAMPLE_EVENT,
    TIMESPAN,
    DATA_AMOUNT,
    ALLOCATION_EVENT,
    ENTER_EVENT,
    COLLECTION_EVENT,
    HEAP_EVENT,
    FIRST_ANALYSIS
} TypeId;

enum { IN_POOL = 1, ARRAY = 2, TICKS = 4, SPAN = 8, AMOUNT = 16 };
// Numbers of threads: 1 is the thread of counts that all threads share.
enum { FIRST_THREAD = 2 };
enum { MOST_FIELDS = 7, POOL_BYTES = 1 << 26, MOST_WAITS = 1000 };

typedef struct Field {
    const char *name;
    TypeId type;
    int how;
    const char *label;
} Field;

static const struct Type {
    TypeId id;
    const char *name, *super, *label;
    bool simple;
    Field fields[MOST_FIELDS];
} types[] = {
    {.id = BOOLEAN, .name = "boolean"},
    {.id = INT, .name = "int"},
    {.id = LONG, .name = "long"},
    {.id = STRING, .name = "java.lang.String"},
    {.id = SYMBOL, .name = "jdk.types.Symbol", .simple = true, .fields = {{"string", STRING, 0, NULL}}},
    {.id = CLASS_LOADER,
     .name = "jdk.types.ClassLoader",
     .fields = {{"type", CLASS, IN_POOL, NULL}, {"name", SYMBOL, IN_POOL, NULL}}},
    {.id = CLASS,
     .name = "java.lang.Class",
     .fields = {{"classLoader", CLASS_LOADER, IN_POOL, NULL},
                {"name", SYMBOL, IN_POOL, NULL},
                {"modifiers", INT, 0, NULL}}},
    {.id = METHOD,
     .name = "jdk.types.Method",
     .fields = {{"type", CLASS, IN_POOL, NULL},
                {"name", SYMBOL, IN_POOL, NULL},
                {"descriptor", SYMBOL, IN_POOL, NULL},
                {"modifiers", INT, 0, NULL},
                {"hidden", BOOLEAN, 0, NULL}}},
    {.id = FRAME_TYPE, .name = "jdk.types.FrameType", .simple = true, .fields = {{"description", STRING, 0, NULL}}},
    {.id = STACK_FRAME,
     .name = "jdk.types.StackFrame",
     .fields = {{"method", METHOD, IN_POOL, NULL},
                {"lineNumber", INT, 0, NULL},
                {"bytecodeIndex", INT, 0, NULL},
                {"type", FRAME_TYPE, IN_POOL, NULL}}},
    {.id = STACK_TRACE,
     .name = "jdk.types.StackTrace",
     .fields = {{"truncated", BOOLEAN, 0, NULL}, {"frames", STACK_FRAME, ARRAY, NULL}}},
    {.id = LABEL,
     .name = "jdk.jfr.Label",
     .super = "java.lang.annotation.Annotation",
     .fields = {{"value", STRING, 0, NULL}}},
    {.id = CATEGORY,
     .name = "jdk.jfr.Category",
     .super = "java.lang.annotation.Annotation",
     .fields = {{"value", STRING, ARRAY, NULL}}},
    {.id = TIMESTAMP,
     .name = "jdk.jfr.Timestamp",
     .super = "java.lang.annotation.Annotation",
     .fields = {{"value", STRING, 0, NULL}}},
    {.id = META_EVENT,
     .name = JFR_META_EVENT,
     .super = "jdk.jfr.Event",
     .label = "How it was recorded",
     .fields = {{"startTime", LONG, TICKS, "Start Time"}, {"key", STRING, 0, "Key"}, {"value", STRING, 0, "Value"}}},
    {.id = METHOD_EVENT,
     .name = JFR_METHOD_EVENT,
     .super = "jdk.jfr.Event",
     .label = "Methods of the profile",
     .fields = {{"startTime", LONG, TICKS, "Start Time"},
                {"method", METHOD, IN_POOL, "Method"},
                {"holder", STRING, 0, "Class"},
                {"descriptor", STRING, 0, "Descriptor"},
                {"source", STRING, 0, "Source File"},
                {"flags", LONG, 0, "Flags"}}},
    {.id = FIELD_EVENT,
     .name = JFR_FIELD_EVENT,
     .super = "jdk.jfr.Event",
     .label = "Fields of the profile",
     .fields = {{"startTime", LONG, TICKS, "Start Time"},
                {"field", STRING, 0, "Field"},
                {"holder", STRING, 0, "Class"},
                {"name", STRING, 0, "Name"},
                {"descriptor", STRING, 0, "Descriptor"},
                {"flags", LONG, 0, "Flags"}}},
    {.id = CLASS_EVENT,
     .name = JFR_CLASS_EVENT,
     .super = "jdk.jfr.Event",
     .label = "Class files of the profile",
     .fields = {{"startTime", LONG, TICKS, "Start Time"},
                {"name", STRING, 0, "Class"},
                {"crc", LONG, 0, "CRC-32"},
                {"size", LONG, 0, "Size"},
                {"origin", STRING, 0, "Origin"}}},
    {.id = ANALYSIS_EVENT,
     .name = JFR_ANALYSIS_EVENT,
     .super = "jdk.jfr.Event",
     .label = "Analyses of the profile",
     .fields = {{"startTime", LONG, TICKS, "Start Time"},
                {"type", LONG, 0, "Type of its Rows"},
                {"name", STRING, 0, "Analysis"},
                {"event", STRING, 0, "Event"},
                {"lost", LONG, 0, "Lost"},
                {"columns", STRING, 0, "Columns"}}},
    {.id = STACK_EVENT,
     .name = JFR_STACK_EVENT,
     .super = "jdk.jfr.Event",
     .label = "Entries of methods, by stack",
     .fields = {{"startTime", LONG, TICKS, "Start Time"},
                {"stackTrace", STACK_TRACE, IN_POOL, "Stack Trace"},
                {"count", LONG, 0, "Count"}}},
    {.id = THREAD,
     .name = "java.lang.Thread",
     .fields = {{"osName", STRING, 0, NULL},
                {"osThreadId", LONG, 0, NULL},
                {"javaName", STRING, 0, NULL},
                {"javaThreadId", LONG, 0, NULL}}},
    {.id = THREAD_STATE, .name = "jdk.types.ThreadState", .simple = true, .fields = {{"name", STRING, 0, NULL}}},
    {.id = SAMPLE_EVENT,
     .name = "jdk.ExecutionSample",
     .super = "jdk.jfr.Event",
     .label = "Method Profiling Sample",
     .fields = {{"startTime", LONG, TICKS, "Start Time"},
                {"sampledThread", THREAD, IN_POOL, "Thread"},
                {"stackTrace", STACK_TRACE, IN_POOL, "Stack Trace"},
                {"state", THREAD_STATE, IN_POOL, "Thread State"}}},
    {.id = TIMESPAN,
     .name = "jdk.jfr.Timespan",
     .super = "java.lang.annotation.Annotation",
     .fields = {{"value", STRING, 0, NULL}}},
    {.id = DATA_AMOUNT,
     .name = "jdk.jfr.DataAmount",
     .super = "java.lang.annotation.Annotation",
     .fields = {{"value", STRING, 0, NULL}}},
    {.id = ALLOCATION_EVENT,
     .name = "jdk.ObjectAllocationSample",
     .super = "jdk.jfr.Event",
     .label = "Object Allocation Sample",
     .fields = {{"startTime", LONG, TICKS, "Start Time"},
                {"eventThread", THREAD, IN_POOL, "Event Thread"},
                {"stackTrace", STACK_TRACE, IN_POOL, "Stack Trace"},
                {"objectClass", CLASS, IN_POOL, "Object Class"},
                {"weight", LONG, AMOUNT, "Sample Weight"}}},
    {.id = ENTER_EVENT,
     .name = "jdk.JavaMonitorEnter",
     .super = "jdk.jfr.Event",
     .label = "Java Monitor Blocked",
     .fields = {{"startTime", LONG, TICKS, "Start Time"},
                {"duration", LONG, SPAN, "Duration"},
                {"eventThread", THREAD, IN_POOL, "Event Thread"},
                {"stackTrace", STACK_TRACE, IN_POOL, "Stack Trace"},
                {"monitorClass", CLASS, IN_POOL, "Monitor Class"},
                {"previousOwner", THREAD, IN_POOL, "Previous Monitor Owner"},
                {"address", LONG, 0, "Monitor Address"}}},
    {.id = COLLECTION_EVENT,
     .name = "jdk.GarbageCollection",
     .super = "jdk.jfr.Event",
     .label = "Garbage Collection",
     .fields = {{"startTime", LONG, TICKS, "Start Time"},
                {"duration", LONG, SPAN, "Duration"},
                {"gcId", INT, 0, "GC Identifier"},
                {"name", STRING, 0, "Name"},
                {"cause", STRING, 0, "Cause"},
                {"sumOfPauses", LONG, SPAN, "Sum of Pauses"},
                {"longestPause", LONG, SPAN, "Longest Pause"}}},
    {.id = HEAP_EVENT,
     .name = "jdk.GCHeapSummary",
     .super = "jdk.jfr.Event",
     .label = "Heap Summary",
     .fields = {{"startTime", LONG, TICKS, "Start Time"},
                {"gcId", INT, 0, "GC Identifier"},
                {"when", STRING, 0, "When"},
                {"heapUsed", LONG, AMOUNT, "Heap Used"}}},
};

// A frame that a section gives as text, "pkg.Class.name:57".
typedef struct FrameText {
    char *cls, *name;  // malloc'd
    int64_t line;
    uint64_t class_number;
} FrameText;

// A row of who-waits-for-whom: waits for one monitor.
typedef struct Wait {
    const Histogram *times;
    const char *waiter, *owner, *monitor;
    uint64_t waiter_number, owner_number, monitor_number;
    size_t frame, frames;  // in Writer.frames
} Wait;

typedef struct Writer {
    const ProfFile *f;
    FILE *out;
    uint64_t at;  // bytes written
    Bytes body, pool, tree;
    char **texts;  // of the metadata
    size_t text_count, text_capacity;
    uint64_t checkpoint;            // position of the last checkpoint; 0: none
    uint64_t *classes;              // by method: class number, from 1
    uint64_t *words;                // by string of the file: the same, of classes whose objects are allocated; else 0
    const ProfStacks *allocations;  // alloc-tree, if it becomes events; or NULL
    uint64_t *allocated;            // by method: the class number of an allocated object that the frame is; else 0
    const ProfAnalysis *bytes;      // alloc-bytes, if it becomes events; or NULL
    Wait *waits;
    size_t wait_count;
    FrameText *frames;  // of waits; their methods have the numbers after the file's methods
    size_t frame_count;
    uint64_t sample_traces;      // the number of the stack of the first row of samples of time
    uint64_t allocation_traces;  // the same of `allocations`
    uint64_t traces;             // the number of the first stack that is no row of a tree
} Writer;

// Samples of a thread with one stack in one slot of time.
typedef struct Timed {
    uint64_t slot_ns;
    uint32_t thread;
    ProfTimeRow row;
} Timed;

// ---- numbers, texts, events --------------------------------------------------------------------

// LEB128, except that the ninth byte has eight bits.
static void put_long(Bytes *b, uint64_t v) {
    for (int i = 0; i < 8 && v > 0x7f; i++, v >>= 7) bytes_byte(b, (uint8_t)(v | 0x80));
    bytes_byte(b, (uint8_t)v);
}

static void put_int(Bytes *b, int64_t v) { put_long(b, (uint32_t)(v < -1 || v > INT32_MAX ? -1 : v)); }

static void put_text(Bytes *b, const char *text) {
    bytes_byte(b, JFR_UTF8);
    put_long(b, strlen(text));
    bytes_put(b, text, strlen(text));
}

// An event's length includes the length field.
static void write_event(Writer *w) {
    Bytes head = {0};
    size_t n = 0;
    do {
        n++, head.size = 0;
        put_long(&head, w->body.size + n);
    } while (head.size != n);
    fwrite(prof_bytes(&head), 1, head.size, w->out);
    fwrite(prof_bytes(&w->body), 1, w->body.size, w->out);
    w->at += head.size + w->body.size;
    w->body.size = 0;
    free(head.data);
}

// The time of every event is the chunk's start.
static void begin_event(Writer *w, uint64_t type) {
    put_long(&w->body, type);
    put_long(&w->body, 0);
}

// ---- events ------------------------------------------------------------------------------------

// Constants of methods have the methods' numbers, from 1.
static void write_method_facts(Writer *w) {
    for (size_t i = 0; i < w->f->method_count; i++) {
        const ProfMethod *m = &w->f->methods[i];
        begin_event(w, METHOD_EVENT);
        put_long(&w->body, i + 1);
        put_text(&w->body, m->class_name);
        put_text(&w->body, m->desc);
        if (m->source) put_text(&w->body, m->source);
        else bytes_byte(&w->body, JFR_NULL);
        put_long(&w->body, m->flags);
        write_event(w);
    }
}

static void write_field_facts(Writer *w) {
    for (size_t i = 0; i < w->f->field_count; i++) {
        const ProfField *field = &w->f->fields[i];
        char *text = prof_field_exact(field);
        begin_event(w, FIELD_EVENT);
        put_text(&w->body, text);
        put_text(&w->body, field->class_name);
        put_text(&w->body, field->name);
        put_text(&w->body, field->desc);
        put_long(&w->body, field->flags);
        write_event(w);
        free(text);
    }
}

static void write_class_facts(Writer *w) {
    for (size_t i = 0; i < w->f->class_count; i++) {
        const ProfClass *c = &w->f->classes[i];
        begin_event(w, CLASS_EVENT);
        put_text(&w->body, c->name);
        put_long(&w->body, c->crc);
        put_long(&w->body, c->size);
        if (c->origin) put_text(&w->body, c->origin);
        else bytes_byte(&w->body, JFR_NULL);
        write_event(w);
    }
}

// Columns as "1 caller,2 bci": kind and name.
static void write_analysis_facts(Writer *w, const ProfAnalysis *a, uint64_t type) {
    char columns[FORMAT_MAX_COLUMNS * 80] = "";
    size_t n = 0;
    for (uint32_t c = 0; c < a->column_count && n < sizeof columns; c++)
        n += (size_t)snprintf(columns + n, sizeof columns - n, "%s%u %.64s", c ? "," : "", a->columns[c].kind,
                              a->columns[c].name);
    begin_event(w, ANALYSIS_EVENT);
    put_long(&w->body, type);
    put_text(&w->body, a->name);
    put_text(&w->body, a->event);
    put_long(&w->body, a->lost);
    put_text(&w->body, columns);
    write_event(w);
}

static void write_stacks(Writer *w, const ProfStacks *s) {
    for (size_t i = 0; i < s->rows && !ferror(w->out); i++) {
        if (!s->counts[i]) continue;
        begin_event(w, STACK_EVENT);
        put_long(&w->body, i + 1);
        put_long(&w->body, s->counts[i]);
        write_event(w);
    }
}

// The time of event `i` of `count`, without an order.
static uint64_t spread(const Writer *w, uint64_t i, uint64_t count) {
    return (uint64_t)((double)prof_meta_number(w->f, "duration-ns") * (double)i / (double)count);
}

static uint64_t thread_number(size_t thread) { return thread + FIRST_THREAD; }

static void write_sample(Writer *w, uint64_t at, uint64_t thread, size_t row) {
    put_long(&w->body, SAMPLE_EVENT);
    put_long(&w->body, at);
    put_long(&w->body, thread);
    put_long(&w->body, w->sample_traces + row);
    put_long(&w->body, 1);
    write_event(w);
}

static int by_slot(const void *x, const void *y) {
    const Timed *a = x, *b = y;
    if (a->slot_ns * a->row.slot != b->slot_ns * b->row.slot)
        return a->slot_ns * a->row.slot < b->slot_ns * b->row.slot ? -1 : 1;
    if (a->thread != b->thread) return a->thread < b->thread ? -1 : 1;
    return a->row.node < b->row.node ? -1 : a->row.node > b->row.node;
}

// The samples whose slots of time the profile has, by time. *count: their rows. malloc'd.
static Timed *timed_samples(const ProfFile *f, const ProfAnalysis *a, size_t *count) {
    size_t most = 0, n = 0;
    for (size_t i = 0; i < f->time_count; i++) most += f->times[i].row_count;
    Timed *list = prof_alloc(most * sizeof *list);
    for (size_t i = 0; i < f->time_count; i++) {
        const ProfTimes *t = &f->times[i];
        for (size_t k = 0; k < t->row_count && &f->analyses[t->analysis] == a; k++)
            list[n++] = (Timed){t->slot_ns, t->thread, t->rows[k]};
    }
    if (n) qsort(list, n, sizeof *list, by_slot);
    *count = n;
    return list;
}

static int by_row_and_thread(const void *x, const void *y) {
    const ProfThreadCount *a = x, *b = y;
    if (a->row != b->row) return a->row < b->row ? -1 : 1;
    return a->thread < b->thread ? -1 : a->thread > b->thread;
}

static uint64_t reduce(uint64_t *left, uint64_t by) {
    uint64_t n = by < *left ? by : *left;
    *left -= n;
    return n;
}

// Samples of one thread in one slot, spread evenly over it. `left`: samples of each row without an event yet; `counts`
// has the same for each thread.
static void write_slot(Writer *w, const Timed *first, const Timed *end, uint64_t *left, ProfThreadCount *counts,
                       size_t count) {
    uint64_t all = 0, k = 0, start = first->slot_ns * first->row.slot, run = prof_meta_number(w->f, "duration-ns"),
             width = first->slot_ns;
    if (start < run && run - start < width) width = run - start;
    for (const Timed *t = first; t < end; t++) all += t->row.count;
    for (const Timed *t = first; t < end && !ferror(w->out); t++) {
        ProfThreadCount *of_thread = bsearch(&(ProfThreadCount){t->row.node, t->thread, 0}, counts, count,
                                             sizeof *counts, by_row_and_thread);
        if (!of_thread) continue;  // it passes no filter, or the file is damaged
        uint64_t n = reduce(&of_thread->count, reduce(&left[t->row.node], t->row.count));
        for (uint64_t i = 0; i < n; i++, k++)
            write_sample(w, start + (uint64_t)((double)width * ((double)k + 0.5) / (double)all),
                         thread_number(t->thread), t->row.node);
    }
}

// Samples of time, for readers that know no other events. A sample's time is exact to the slot that the profile has for
// it; samples without one are spread evenly over the run, and those that no thread has belong to thread 1.
static void write_samples(Writer *w, const ProfStacks *s, const ProfOptions *o) {
    size_t timed_count, count, end;
    Timed *timed = timed_samples(w->f, s->a, &timed_count);
    ProfThreadCount *counts = prof_stacks_by_thread(w->f, o, s, &count);
    uint64_t *left = prof_alloc(s->rows * sizeof *left), without = 0, at = 0;
    memcpy(left, s->counts, s->rows * sizeof *left);
    for (size_t i = 0; i < timed_count; i = end) {
        for (end = i + 1; end < timed_count && timed[end].thread == timed[i].thread &&
             timed[end].row.slot == timed[i].row.slot && timed[end].slot_ns == timed[i].slot_ns;)
            end++;
        write_slot(w, &timed[i], &timed[end], left, counts, count);
    }
    for (size_t i = 0; i < s->rows; i++) without += left[i];
    for (size_t i = 0, next = 0; i < s->rows && !ferror(w->out); i++) {
        for (; next < count && counts[next].row == i; next++)
            for (uint64_t n = reduce(&left[i], counts[next].count); n > 0; n--)
                write_sample(w, spread(w, at++, without), thread_number(counts[next].thread), i);
        for (; left[i]; left[i]--) write_sample(w, spread(w, at++, without), 1, i);
    }
    free(left);
    free(counts);
    free(timed);
}

static void write_allocation(Writer *w, uint64_t at, uint64_t thread, uint64_t trace, uint64_t cls, uint64_t bytes) {
    put_long(&w->body, ALLOCATION_EVENT);
    put_long(&w->body, at);
    put_long(&w->body, thread);
    put_long(&w->body, trace);
    put_long(&w->body, cls);
    put_long(&w->body, bytes);
    write_event(w);
}

// The innermost frame of a stack of allocations is the object's class.
static void write_allocation_stacks(Writer *w, const ProfOptions *o) {
    size_t count;
    ProfThreadCount *counts = prof_stacks_by_thread(w->f, o, w->allocations, &count);
    for (size_t i = 0; i < count && !ferror(w->out); i++)
        write_allocation(w, spread(w, i, count), thread_number(counts[i].thread), w->allocation_traces + counts[i].row,
                         w->allocated[w->allocations->methods[counts[i].row]], counts[i].count);
    free(counts);
}

static void write_allocations(Writer *w) {
    const ProfAnalysis *a = w->bytes;
    int column = a ? prof_column(a, "class") : -1;
    for (size_t i = 0; a && i < a->merged.rows && !ferror(w->out); i++) {
        const uint64_t *row = prof_row(a, &a->merged, i);
        write_allocation(w, spread(w, i, a->merged.rows), 1, w->traces + i, w->words[row[column]],
                         prof_row_count(a, row));
    }
}

static void write_heap(Writer *w, uint64_t at, uint64_t number, const char *when, uint64_t used) {
    put_long(&w->body, HEAP_EVENT);
    put_long(&w->body, at);
    put_long(&w->body, number & INT32_MAX);
    put_text(&w->body, when);
    put_long(&w->body, used);
    write_event(w);
}

static void write_collections(Writer *w) {
    size_t count;
    ProfCollection *list = prof_collections(w->f, &count);
    for (size_t i = 0; i < count && !ferror(w->out); i++) {
        const ProfCollection *c = &list[i];
        write_heap(w, c->start_ns, c->number, "Before GC", c->before);
        put_long(&w->body, COLLECTION_EVENT);
        put_long(&w->body, c->start_ns);
        put_long(&w->body, c->pause_ns);
        put_long(&w->body, c->number & INT32_MAX);
        put_text(&w->body, c->collector);
        put_text(&w->body, c->cause);
        put_long(&w->body, c->pause_ns);
        put_long(&w->body, c->pause_ns);
        write_event(w);
        write_heap(w, c->start_ns + c->pause_ns, c->number, "After GC", c->after);
    }
    free(list);
}

// One event for each wait, up to MOST_WAITS of nearly the same length, which then share the time of all. The lengths
// add up to the row's.
static void write_waits(Writer *w) {
    uint64_t trace = w->traces + (w->bytes ? w->bytes->merged.rows : 0);
    for (size_t i = 0; i < w->wait_count; i++, trace++) {
        const Wait *wait = &w->waits[i];
        const Histogram *h = wait->times;
        double rounded = 0;
        for (uint32_t b = 0; b < h->used; b++)
            rounded += (double)h->buckets[b].count * (double)histogram_middle(h->buckets[b].bucket);
        for (uint32_t b = 0; b < h->used && !ferror(w->out); b++) {
            uint64_t times = h->buckets[b].count, events = times < MOST_WAITS ? times : MOST_WAITS;
            double all = (double)times * (double)histogram_middle(h->buckets[b].bucket) *
                (rounded > 0 ? (double)h->sum / rounded : 0);
            for (uint64_t k = 0; k < events; k++) {
                put_long(&w->body, ENTER_EVENT);
                put_long(&w->body, spread(w, k, events));
                put_long(&w->body, (uint64_t)(all / (double)events));
                put_long(&w->body, wait->waiter_number);
                put_long(&w->body, trace);
                put_long(&w->body, wait->monitor_number);
                put_long(&w->body, wait->owner_number);
                put_long(&w->body, 0);
                write_event(w);
            }
        }
    }
}

static void write_rows(Writer *w, const ProfAnalysis *a, uint64_t type, const ProfOptions *o) {
    ProfView v = prof_view(w->f, a, &a->merged, o);
    for (size_t i = 0; i < v.count && !ferror(w->out); i++) {
        const uint64_t *row = prof_row(a, &a->merged, v.rows[i]);
        begin_event(w, type);
        for (uint32_t c = 0; c < a->column_count; c++) {
            if (a->columns[c].kind == FORMAT_COLUMN_METHOD) put_long(&w->body, row[c] + 1);
            else if (a->columns[c].kind == FORMAT_COLUMN_WORD) put_text(&w->body, w->f->strings[row[c]]);
            else if (a->columns[c].kind == FORMAT_COLUMN_FIELD) {
                char *field = prof_field_exact(&w->f->fields[row[c]]);
                put_text(&w->body, field);
                free(field);
            } else put_long(&w->body, row[c]);
        }
        put_long(&w->body, prof_row_count(a, row));
        write_event(w);
    }
    prof_view_free(&v);
}

// ---- constants ---------------------------------------------------------------------------------

// Writes `pool`, `count` constants of one type, as a checkpoint event. Readers follow the checkpoints backwards from
// the chunk's last one.
static void write_pool(Writer *w, TypeId type, uint64_t count) {
    uint64_t at = w->at;
    if (!count) return;
    begin_event(w, JFR_CHECKPOINT);
    put_long(&w->body, 0);                                       // duration
    put_long(&w->body, w->checkpoint ? w->checkpoint - at : 0);  // to the previous checkpoint
    bytes_byte(&w->body, 0);
    put_long(&w->body, 1);
    put_long(&w->body, type);
    put_long(&w->body, count);
    bytes_put(&w->body, prof_bytes(&w->pool), w->pool.size);
    w->pool.size = 0;
    w->checkpoint = at;
    write_event(w);
}

// A name and where its number is needed.
typedef struct Class {
    char *name;  // with slashes, malloc'd
    uint64_t *number;
    bool application;
} Class;

static void add_class(Class *list, size_t *count, const char *name, uint64_t *number, bool application) {
    char *copy = strdup(*name ? name : "cabernet");
    if (!copy) prof_out_of_memory();
    for (char *p = copy; (p = strchr(p, '.')) != NULL;) *p = '/';
    list[(*count)++] = (Class){copy, number, application};
}

// Adds the class of a readable type: int[] is [I, and java.lang.String[] is [Ljava.lang.String;.
static void add_type(Class *list, size_t *count, const char *type, uint64_t *number) {
    static const char *const primitives[] = {"Bbyte", "Cchar", "Ddouble", "Ffloat",
                                             "Iint",  "Jlong", "Sshort",  "Zboolean"};
    size_t length = strcspn(type, "["), dimensions = (strlen(type) - length) / 2;
    char primitive = '\0';
    for (size_t i = 0; i < sizeof primitives / sizeof *primitives; i++)
        if (strlen(primitives[i]) == 1 + length && strncmp(primitives[i] + 1, type, length) == 0)
            primitive = primitives[i][0];
    Bytes name = {0};
    for (size_t i = 0; i < dimensions; i++) bytes_byte(&name, '[');
    if (dimensions) bytes_byte(&name, (uint8_t)(primitive ? primitive : 'L'));
    if (!dimensions || !primitive) bytes_put(&name, type, length);
    if (dimensions && !primitive) bytes_byte(&name, ';');
    bytes_byte(&name, '\0');
    add_class(list, count, (const char *)prof_bytes(&name), number, false);
    free(name.data);
}

// All classes that are named, with duplicates. *count: their number. malloc'd.
static Class *named_classes(Writer *w, size_t *count) {
    const ProfFile *f = w->f;
    const ProfAnalysis *a = w->bytes;
    Class *list = prof_alloc((2 * f->method_count + f->string_count + w->wait_count + w->frame_count) * sizeof *list);
    *count = 0;
    for (size_t i = 0; i < f->method_count; i++)
        add_class(list, count, f->methods[i].class_name, &w->classes[i],
                  f->methods[i].flags & FORMAT_METHOD_APPLICATION);
    for (size_t i = 0; w->allocations && i < w->allocations->rows; i++) {
        uint32_t method = w->allocations->methods[i];
        if (!w->allocations->counts[i] || w->allocated[method]) continue;
        w->allocated[method] = 1;  // until it has its number
        add_type(list, count, f->methods[method].name, &w->allocated[method]);
    }
    for (size_t i = 0; a && i < a->merged.rows; i++) {
        uint64_t word = prof_row(a, &a->merged, i)[prof_column(a, "class")];
        if (w->words[word]) continue;
        w->words[word] = 1;  // until it has its number
        add_class(list, count, f->strings[word], &w->words[word], false);
    }
    for (size_t i = 0; i < w->wait_count; i++)
        add_class(list, count, w->waits[i].monitor, &w->waits[i].monitor_number, false);
    for (size_t i = 0; i < w->frame_count; i++)
        add_class(list, count, w->frames[i].cls, &w->frames[i].class_number, false);
    return list;
}

// Numbers classes by name, before the events that refer to them. The list has each class once. malloc'd.
static Class *number_classes(Writer *w, size_t *count) {
    size_t n, kept = 0;
    Class *list = named_classes(w, &n);
    if (n) qsort(list, n, sizeof *list, prof_by_text);
    for (size_t i = 0; i < n; i++) {
        if (kept && strcmp(list[i].name, list[kept - 1].name) == 0) {
            list[kept - 1].application |= list[i].application;
            free(list[i].name);
        } else {
            list[kept++] = list[i];
        }
        *list[i].number = kept;
    }
    *count = kept;
    return list;
}

// The symbols of class names have the classes' numbers; symbols of method names follow.
static size_t write_classes(Writer *w, const Class *list, size_t count) {
    for (size_t i = 0; i < count; i++) {
        put_long(&w->pool, i + 1);
        put_long(&w->pool, list[i].application ? 1 : 0);
        put_long(&w->pool, i + 1);
        put_int(&w->pool, 0);
    }
    put_long(&w->pool, count + 1);  // class of the application class loader
    put_long(&w->pool, 0);
    put_long(&w->pool, count + 1);
    put_int(&w->pool, 0);
    write_pool(w, CLASS, count + 1);
    for (size_t i = 0; i < count; i++) {
        put_long(&w->pool, i + 1);
        put_text(&w->pool, list[i].name);
    }
    put_long(&w->pool, count + 1);
    put_text(&w->pool, "jdk/internal/loader/ClassLoaders$AppClassLoader");
    put_long(&w->pool, count + 2);
    put_text(&w->pool, "app");
    write_pool(w, SYMBOL, count + 2);
    put_long(&w->pool, 1);
    put_long(&w->pool, count + 1);
    put_long(&w->pool, count + 2);
    write_pool(w, CLASS_LOADER, 1);
    return count + 2;
}

// Readers parse descriptors without checking them.
static const char *descriptor_of(const ProfMethod *m) {
    const char *p = m->desc;
    if (*p++ != '(') return "()V";
    while (*p && *p != ')') {
        while (*p == '[') p++;
        if (*p == 'L') p += strcspn(p, ";)");
        if (!strchr("BCDFIJSZ;", *p) || !*p) return "()V";
        p++;
    }
    return *p ? m->desc : "()V";
}

static void write_methods(Writer *w, size_t symbols) {
    const ProfFile *f = w->f;
    for (size_t i = 0; i < f->method_count; i++) {
        put_long(&w->pool, symbols + 2 * i + 1);
        put_text(&w->pool, f->methods[i].name);
        put_long(&w->pool, symbols + 2 * i + 2);
        put_text(&w->pool, descriptor_of(&f->methods[i]));
    }
    uint64_t more = symbols + 2 * f->method_count;  // symbols of frames that are texts
    for (size_t i = 0; i < w->frame_count; i++) {
        put_long(&w->pool, more + i + 1);
        put_text(&w->pool, w->frames[i].name);
    }
    put_long(&w->pool, more + w->frame_count + 1);
    put_text(&w->pool, "()V");
    write_pool(w, SYMBOL, 2 * f->method_count + w->frame_count + 1);
    for (size_t i = 0; i < f->method_count; i++) {
        put_long(&w->pool, i + 1);
        put_long(&w->pool, w->classes[i]);
        put_long(&w->pool, symbols + 2 * i + 1);
        put_long(&w->pool, symbols + 2 * i + 2);
        put_int(&w->pool, f->methods[i].flags & 0xffff);
        bytes_byte(&w->pool, 0);
    }
    for (size_t i = 0; i < w->frame_count; i++) {
        put_long(&w->pool, f->method_count + i + 1);
        put_long(&w->pool, w->frames[i].class_number);
        put_long(&w->pool, more + i + 1);
        put_long(&w->pool, more + w->frame_count + 1);
        put_int(&w->pool, 0);
        bytes_byte(&w->pool, 0);
    }
    write_pool(w, METHOD, f->method_count + w->frame_count);
}

static void put_frame(Bytes *b, uint32_t method, ProfPlace place, uint64_t type) {
    put_long(b, method + 1u);
    put_int(b, place.line);
    put_int(b, place.bci);
    put_long(b, type);
}

// A frame's type says what called its method: the frame below, or a pseudo-caller, which has no frame.
static uint64_t frame_type(const Writer *w, const ProfStacks *s, size_t row) {
    int column = prof_column(s->a, "caller");
    if (column < 0 || s->a->columns[column].kind != FORMAT_COLUMN_METHOD) return 1;
    uint64_t caller = prof_row(s->a, &s->a->merged, row)[column];
    return w->f->methods[caller].flags & FORMAT_METHOD_PSEUDO ? caller + 2 : 1;
}

static void write_frame_types(Writer *w) {
    const ProfFile *f = w->f;
    uint64_t count = 1;
    put_long(&w->pool, 1);
    put_text(&w->pool, JFR_FRAME);
    for (size_t i = 0; i < f->method_count; i++) {
        if (!(f->methods[i].flags & FORMAT_METHOD_PSEUDO)) continue;
        char *text;
        if (asprintf(&text, JFR_CALLED_BY "%s", f->methods[i].name) < 0) prof_out_of_memory();
        put_long(&w->pool, i + 2);
        put_text(&w->pool, text);
        count++;
        free(text);
    }
    write_pool(w, FRAME_TYPE, count);
}

static void put_thread(Writer *w, uint64_t number, uint64_t id, const char *name) {
    put_long(&w->pool, number);
    put_text(&w->pool, name);
    put_long(&w->pool, id);
    put_text(&w->pool, name);
    put_long(&w->pool, id);
}

// The file's threads have their numbers in the VM as ids. Groups of threads that waits name follow, with larger ones.
static void write_threads(Writer *w) {
    const ProfFile *f = w->f;
    uint64_t count = f->thread_count + 1, id = 0;
    put_thread(w, 1, 0, "all threads");
    for (size_t i = 0; i < f->thread_count; i++) {
        put_thread(w, thread_number(i), f->threads[i].id, f->threads[i].name);
        if (f->threads[i].id > id) id = f->threads[i].id;
    }
    for (size_t i = 0; i < w->wait_count; i++) {
        if (w->waits[i].waiter_number > count) put_thread(w, ++count, ++id, w->waits[i].waiter);
        if (w->waits[i].owner_number > count) put_thread(w, ++count, ++id, w->waits[i].owner);
    }
    write_pool(w, THREAD, count);
    put_long(&w->pool, 1);
    put_text(&w->pool, "STATE_RUNNABLE");
    write_pool(w, THREAD_STATE, 1);
}

// Stacks of allocations, which have one frame, and of waits. They have the numbers after the tree's.
static void write_more_traces(Writer *w) {
    const ProfAnalysis *a = w->bytes;
    uint64_t count = 0, number = w->traces;
    for (size_t i = 0; a && i < a->merged.rows; i++, count++) {
        const uint64_t *row = prof_row(a, &a->merged, i);
        int line = prof_column(a, "line"), bci = prof_column(a, "bci");
        put_long(&w->pool, number++);
        bytes_byte(&w->pool, 0);
        put_long(&w->pool, 1);
        put_frame(&w->pool, (uint32_t)row[prof_column(a, "method")],
                  (ProfPlace){line < 0 ? -1 : (int64_t)row[line], bci < 0 ? -1 : (int64_t)row[bci]}, 1);
    }
    for (size_t i = 0; i < w->wait_count; i++, count++) {
        const Wait *wait = &w->waits[i];
        put_long(&w->pool, number++);
        bytes_byte(&w->pool, 0);
        put_long(&w->pool, wait->frames);
        for (size_t k = wait->frame; k < wait->frame + wait->frames; k++)
            put_frame(&w->pool, (uint32_t)(w->f->method_count + k), (ProfPlace){w->frames[k].line, -1}, 1);
    }
    write_pool(w, STACK_TRACE, count);
}

// `first`: the number of the first row; `called`: without the innermost frame, which is no method.
static void write_traces(Writer *w, const ProfStacks *s, uint64_t first, bool called) {
    uint64_t count = 0;
    for (size_t i = 0; i < s->rows; i++) {
        if (!s->counts[i]) continue;
        count++;
        put_long(&w->pool, first + i);
        bytes_byte(&w->pool, 0);
        put_long(&w->pool, s->depths[i] + !called);
        if (!called) put_frame(&w->pool, s->methods[i], (ProfPlace){-1, 0}, frame_type(w, s, i));
        for (size_t r = i; s->parents[r] != PROF_NO_ROW; r = s->parents[r])
            put_frame(&w->pool, s->methods[s->parents[r]], prof_stack_place(s, r), frame_type(w, s, s->parents[r]));
        if (w->pool.size < POOL_BYTES) continue;
        write_pool(w, STACK_TRACE, count);
        count = 0;
    }
    write_pool(w, STACK_TRACE, count);
}

// ---- metadata ----------------------------------------------------------------------------------

static void put_index(Writer *w, const char *text) {
    size_t i = 0;
    while (i < w->text_count && strcmp(w->texts[i], text) != 0) i++;
    if (i == w->text_count) {
        char *copy = strdup(text);
        if (!copy || !GROW(w->texts, w->text_capacity, i + 1)) prof_out_of_memory();
        w->texts[w->text_count++] = copy;
    }
    put_long(&w->tree, i);
}

static void put_attribute(Writer *w, const char *key, const char *value) {
    put_index(w, key);
    put_index(w, value);
}

static void put_attribute_number(Writer *w, const char *key, uint64_t value) {
    char text[32];
    snprintf(text, sizeof text, "%llu", (unsigned long long)value);
    put_attribute(w, key, text);
}

static void put_element(Writer *w, const char *name, uint64_t attributes) {
    put_index(w, name);
    put_long(&w->tree, attributes);
}

static void put_annotation(Writer *w, TypeId type, const char *key, const char *value) {
    put_element(w, "annotation", 2);
    put_attribute_number(w, "class", type);
    put_attribute(w, key, value);
    put_long(&w->tree, 0);
}

static void put_field(Writer *w, const Field *f) {
    put_element(w, "field", 2u + (f->how & IN_POOL ? 1 : 0) + (f->how & ARRAY ? 1 : 0));
    put_attribute(w, "name", f->name);
    put_attribute_number(w, "class", f->type);
    if (f->how & IN_POOL) put_attribute(w, "constantPool", "true");
    if (f->how & ARRAY) put_attribute(w, "dimension", "1");
    put_long(&w->tree, (f->label ? 1 : 0) + (f->how & (TICKS | SPAN | AMOUNT) ? 1 : 0));
    if (f->label) put_annotation(w, LABEL, "value", f->label);
    if (f->how & TICKS) put_annotation(w, TIMESTAMP, "value", "TICKS");
    if (f->how & SPAN) put_annotation(w, TIMESPAN, "value", "TICKS");
    if (f->how & AMOUNT) put_annotation(w, DATA_AMOUNT, "value", "BYTES");
}

// Begins a type; its fields follow.
static void put_type(Writer *w, const char *name, uint64_t id, const char *super, const char *label, bool simple,
                     size_t fields) {
    put_element(w, "class", 2u + (super ? 1 : 0) + simple);
    put_attribute(w, "name", name);
    put_attribute_number(w, "id", id);
    if (super) put_attribute(w, "superType", super);
    if (simple) put_attribute(w, "simpleType", "true");
    put_long(&w->tree, fields + (label ? 2 : 0));
    if (!label) return;
    put_annotation(w, LABEL, "value", label);
    put_annotation(w, CATEGORY, "value-0", "cabernet");
}

// "call-edge" -> "CallEdge": only letters and digits.
static void name_in_java(char *to, size_t size, const char *from, bool upper) {
    size_t n = strlen(to);
    for (; *from && n + 1 < size; from++) {
        bool letter = (*from >= 'a' && *from <= 'z') || (*from >= 'A' && *from <= 'Z'),
             digit = *from >= '0' && *from <= '9';
        if (letter || digit) to[n++] = upper && *from >= 'a' && *from <= 'z' ? (char)(*from - 32) : *from;
        upper = !letter && !digit;
    }
    to[n] = '\0';
}

static void put_analysis(Writer *w, const ProfAnalysis *a, uint64_t id) {
    char name[128] = "cabernet.";
    name_in_java(name, sizeof name, a->name, true);
    put_type(w, name, id, "jdk.jfr.Event", a->name, false, a->column_count + 2u);
    put_field(w, &(Field){"startTime", LONG, TICKS, "Start Time"});
    for (uint32_t c = 0; c < a->column_count; c++) {
        uint32_t kind = a->columns[c].kind;
        char field[64] = "";
        name_in_java(field, sizeof field, a->columns[c].name, false);
        put_field(w,
                  &(Field){field,
                           kind == FORMAT_COLUMN_METHOD                                    ? METHOD
                               : kind == FORMAT_COLUMN_WORD || kind == FORMAT_COLUMN_FIELD ? STRING
                                                                                           : LONG,
                           kind == FORMAT_COLUMN_METHOD ? IN_POOL : 0, a->columns[c].name});
    }
    put_field(w, &(Field){"count", LONG, 0, a->event});
}

// An element has a name, attributes (keys and values) and child elements. Texts are indexes into the preceding string
// table.
static void write_metadata(Writer *w, const bool *wanted) {
    size_t classes = sizeof types / sizeof *types;
    for (size_t i = 0; i < w->f->analysis_count; i++) classes += wanted[i];
    put_element(w, "root", 0);
    put_long(&w->tree, 2);
    put_element(w, "metadata", 0);
    put_long(&w->tree, classes);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        size_t n = 0;
        while (n < MOST_FIELDS && types[i].fields[n].name) n++;
        put_type(w, types[i].name, types[i].id, types[i].super, types[i].label, types[i].simple, n);
        for (size_t k = 0; k < n; k++) put_field(w, &types[i].fields[k]);
    }
    for (size_t i = 0; i < w->f->analysis_count; i++)
        if (wanted[i]) put_analysis(w, &w->f->analyses[i], FIRST_ANALYSIS + i);
    put_element(w, "region", 2);
    put_attribute(w, "locale", "en_US");
    put_attribute(w, "gmtOffset", "0");
    put_long(&w->tree, 0);
    begin_event(w, JFR_METADATA);
    put_long(&w->body, 0);  // duration
    put_long(&w->body, 1);  // number of the metadata
    put_long(&w->body, w->text_count);
    for (size_t i = 0; i < w->text_count; i++) put_text(&w->body, w->texts[i]);
    bytes_put(&w->body, prof_bytes(&w->tree), w->tree.size);
    write_event(w);
}

// ---- the chunk ---------------------------------------------------------------------------------

static void put_fixed(uint8_t *to, uint64_t v) {
    for (int i = 0; i < 8; i++) to[i] = (uint8_t)(v >> (56 - 8 * i));
}

static void write_header(Writer *w, uint64_t metadata) {
    uint8_t h[JFR_HEADER] = {'F', 'L', 'R', '\0', 0, 2, 0, 1};
    put_fixed(h + JFR_CHUNK_SIZE, w->at);
    put_fixed(h + JFR_CHECKPOINT_AT, w->checkpoint);
    put_fixed(h + JFR_METADATA_AT, metadata);
    put_fixed(h + JFR_START_NS, prof_started_ns(w->f));
    put_fixed(h + JFR_DURATION_NS, prof_meta_number(w->f, "duration-ns"));
    put_fixed(h + JFR_START_TICKS, 0);
    put_fixed(h + JFR_TICKS_IN_SECOND, 1000 * 1000 * 1000);
    h[JFR_FLAGS] = JFR_COMPRESSED;
    rewind(w->out);
    fwrite(h, 1, sizeof h, w->out);
}

static bool copy(FILE *from, FILE *to) {
    char buffer[1 << 16];
    rewind(from);
    for (size_t n; (n = fread(buffer, 1, sizeof buffer, from)) > 0;)
        if (fwrite(buffer, 1, n, to) != n) return false;
    return !ferror(from);
}

// ---- waits --------------------------------------------------------------------------------------

static FrameText parse_frame(const char *text) {
    const char *colon = strrchr(text, ':'), *end = colon ? colon : text + strlen(text);
    const char *dot = memrchr(text, '.', (size_t)(end - text)), *name = dot ? dot + 1 : text;
    FrameText f = {strndup(text, dot ? (size_t)(dot - text) : 0), strndup(name, (size_t)(end - name)),
                   colon ? strtol(colon + 1, NULL, 10) : -1, 0};
    if (!f.cls || !f.name) prof_out_of_memory();
    return f;
}

static uint64_t number_of_thread(const Writer *w, size_t waits, const char *name, uint64_t *last) {
    for (size_t i = 0; i < waits; i++) {
        if (strcmp(w->waits[i].waiter, name) == 0) return w->waits[i].waiter_number;
        if (strcmp(w->waits[i].owner, name) == 0) return w->waits[i].owner_number;
    }
    return ++*last;
}

// Takes the waits for monitors from the section of analysis threads.
static void collect_waits(Writer *w, const ProfSection *s) {
    int waiter = prof_section_column(s, "waiter", SECTION_TEXT),
        at = prof_section_column(s, "waiter at", SECTION_STACK), how = prof_section_column(s, "how", SECTION_TEXT),
        monitor = prof_section_column(s, "for", SECTION_TEXT),
        owner = prof_section_column(s, "because of", SECTION_TEXT),
        times = prof_section_column(s, "wait", SECTION_HISTOGRAM);
    if (waiter < 0 || at < 0 || how < 0 || monitor < 0 || owner < 0 || times < 0) return;
    size_t frames = 0;
    uint64_t threads = w->f->thread_count + 1;
    for (size_t i = 0; i < s->rows; i++) frames += s->cells[i * s->column_count + (size_t)at].number;
    w->waits = prof_alloc(s->rows * sizeof *w->waits);
    w->frames = prof_alloc(frames * sizeof *w->frames);
    for (size_t i = 0; i < s->rows; i++) {
        const ProfCell *row = &s->cells[i * s->column_count];
        if (strcmp(row[how].text, "monitor") != 0) continue;
        Wait *wait = &w->waits[w->wait_count];
        *wait = (Wait){.times = row[times].histogram,
                       .waiter = row[waiter].text,
                       .owner = row[owner].text,
                       .monitor = row[monitor].text,
                       .frame = w->frame_count,
                       .frames = row[at].number};
        wait->waiter_number = number_of_thread(w, w->wait_count, wait->waiter, &threads);
        wait->owner_number = strcmp(wait->owner, wait->waiter) == 0
            ? wait->waiter_number
            : number_of_thread(w, w->wait_count, wait->owner, &threads);
        for (size_t k = 0; k < wait->frames; k++) w->frames[w->frame_count++] = parse_frame(row[at].frames[k]);
        w->wait_count++;
    }
}

static bool has_column(const ProfAnalysis *a, const char *name, uint32_t kind) {
    int c = prof_column(a, name);
    return c >= 0 && a->columns[c].kind == kind;
}

// Chooses the rows that become events of the JDK, besides samples of time.
static void collect(Writer *w, const ProfOptions *o) {
    const ProfFile *f = w->f;
    const ProfAnalysis *a = prof_analysis(f, "alloc-bytes");
    bool filtered = o->filter_count || o->analysis;
    if (!filtered && !w->allocations && a && has_column(a, "class", FORMAT_COLUMN_WORD) &&
        has_column(a, "method", FORMAT_COLUMN_METHOD))
        w->bytes = a;
    for (size_t i = 0; i < f->section_count && !filtered && !w->waits; i++)
        if (strcmp(f->sections[i].name, "who-waits-for-whom") == 0) collect_waits(w, &f->sections[i]);
}

// `s`: the tree whose rows become cabernet.CallTree, or NULL; `samples`: the one of samples of time, which may be the
// same, or NULL; w->allocations likewise.
static void write_chunk(Writer *w, const ProfStacks *s, const ProfStacks *samples, const bool *wanted,
                        const ProfOptions *o) {
    uint8_t zeros[JFR_HEADER] = {0};
    size_t class_count;
    collect(w, o);
    w->sample_traces = s && s != samples ? s->rows + 1 : 1;
    w->allocation_traces = w->sample_traces + (samples ? samples->rows : 0);
    w->traces = w->allocation_traces + (w->allocations ? w->allocations->rows : 0);
    w->allocated = prof_alloc(w->f->method_count * sizeof *w->allocated);
    w->classes = prof_alloc(w->f->method_count * sizeof *w->classes);
    w->words = prof_alloc(w->f->string_count * sizeof *w->words);
    Class *classes = number_classes(w, &class_count);
    w->at = fwrite(zeros, 1, sizeof zeros, w->out);
    for (size_t i = 0; i < w->f->meta_count; i++) {
        begin_event(w, META_EVENT);
        put_text(&w->body, w->f->meta[i].key);
        put_text(&w->body, w->f->meta[i].value);
        write_event(w);
    }
    write_method_facts(w);
    write_field_facts(w);
    write_class_facts(w);
    for (size_t i = 0; i < w->f->analysis_count; i++)
        if (wanted[i]) write_analysis_facts(w, &w->f->analyses[i], FIRST_ANALYSIS + i);
    if (s) write_analysis_facts(w, s->a, STACK_EVENT);
    if (s) write_stacks(w, s);
    if (samples) write_samples(w, samples, o);
    for (size_t i = 0; i < w->f->analysis_count; i++)
        if (wanted[i]) write_rows(w, &w->f->analyses[i], FIRST_ANALYSIS + i, o);
    if (w->allocations) write_allocation_stacks(w, o);
    write_allocations(w);
    write_waits(w);
    if (!o->filter_count && !o->analysis) write_collections(w);
    write_methods(w, write_classes(w, classes, class_count));
    write_threads(w);
    write_frame_types(w);
    if (s) write_traces(w, s, 1, false);
    if (samples && samples != s) write_traces(w, samples, w->sample_traces, false);
    if (w->allocations) write_traces(w, w->allocations, w->allocation_traces, true);
    write_more_traces(w);
    uint64_t metadata = w->at;
    write_metadata(w, wanted);
    write_header(w, metadata);
    for (size_t i = 0; i < w->text_count; i++) free(w->texts[i]);
    free(w->texts);
    for (size_t i = 0; i < class_count; i++) free(classes[i].name);
    for (size_t i = 0; i < w->frame_count; i++) free(w->frames[i].cls), free(w->frames[i].name);
    free(classes);
    free(w->classes);
    free(w->words);
    free(w->allocated);
    free(w->waits);
    free(w->frames);
    free(w->body.data);
    free(w->pool.data);
    free(w->tree.data);
}

// Selects the analyses whose rows become events: all that the options select and that have rows, except the call tree.
// Returns whether there is anything to write.
static bool choose(const ProfFile *f, const ProfOptions *o, bool *wanted, bool *tree) {
    bool any = false;
    for (size_t i = 0; i < f->analysis_count; i++) {
        const ProfAnalysis *a = &f->analyses[i];
        if (!a->merged.rows || (o->analysis && strcmp(o->analysis, a->name) != 0)) continue;
        bool is_tree = a == prof_stack_tree(f, o->analysis);
        if (prof_is_tree(a) && prof_tick_ns(f, a) && !is_tree) continue;  // one tree becomes stacks
        *tree |= is_tree;
        wanted[i] = !is_tree;
        any = true;
    }
    return any;
}

// A tree beside the one whose rows become cabernet.CallTree. False: there is none.
static bool read_tree(const ProfFile *f, const ProfOptions *o, const char *name, ProfStacks *out) {
    ProfOptions of = *o;
    const ProfAnalysis *a = prof_stack_tree(f, of.analysis = name);
    if (!a || !a->merged.total || !prof_stacks(f, &of, "--jfr", out)) return false;
    if (!prof_stacks_too_many(f, out, "--jfr")) return true;
    prof_stacks_free(out);
    return false;
}

// Writes the chunk to w->out, with the trees for events of the JDK: samples of time, and allocations.
static void write_trees(Writer *w, const ProfStacks *s, const bool *wanted, const ProfOptions *o) {
    ProfStacks samples, allocations;
    bool all = !o->analysis, is_timed = s && prof_tick_ns(w->f, s->a), is_bytes = s && prof_samples_bytes(s->a),
         timed = all && !is_timed && (read_tree(w->f, o, "cpu", &samples) || read_tree(w->f, o, "wall", &samples)),
         bytes = all && !is_bytes && read_tree(w->f, o, "alloc-tree", &allocations);
    w->allocations = is_bytes ? s : bytes ? &allocations : NULL;
    write_chunk(w, s, is_timed ? s : timed ? &samples : NULL, wanted, o);
    if (timed) prof_stacks_free(&samples);
    if (bytes) prof_stacks_free(&allocations);
}

int prof_export_jfr(const ProfFile *f, const ProfOptions *o, FILE *out) {
    ProfStacks s;
    bool *wanted = prof_alloc(f->analysis_count * sizeof *wanted), tree = false;
    int code = 1;
    if (isatty(fileno(out))) {
        fputs("cabernet-prof: --jfr is not for a terminal: name a file with -o\n", stderr);
    } else if (!choose(f, o, wanted, &tree)) {
        fprintf(stderr, "cabernet-prof: %s has no counts\n", f->path);
    } else if (!tree || prof_stacks(f, o, "--jfr", &s)) {
        if (!tree || !prof_stacks_too_many(f, &s, "--jfr")) {
            Writer w = {.f = f, .out = tmpfile()};
            code = 2;
            if (w.out) write_trees(&w, tree ? &s : NULL, wanted, o);
            if (w.out && !ferror(w.out) && copy(w.out, out)) code = 0;
            else fputs("cabernet-prof: cannot write a temporary file\n", stderr);
            if (w.out) fclose(w.out);
        }
        if (tree) prof_stacks_free(&s);
    }
    free(wanted);
    return code;
}
