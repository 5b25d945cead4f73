// A profile file, read and checked: the input of every command of cabernet-prof. The bytes are untrusted; every value
// is checked before use.
#ifndef CABERNET_PROFILER_TOOL_READ_PROF_FILE_H
#define CABERNET_PROFILER_TOOL_READ_PROF_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "profiler/analyses/section.h"
#include "profiler/store/format.h"
#include "profiler/tool/base/prof_memory.h"
#include "profiler/tool/base/prof_order.h"

typedef struct ProfMethod {
    const char *class_name;  // with dots; "" for pseudo-callers
    const char *name;
    const char *desc;    // as in class files; "" for pseudo-callers
    const char *source;  // or NULL
    uint32_t flags;      // of the class file, and FORMAT_METHOD_*
    uint64_t hash;       // of the names (prof_method_hash)
    bool twin;           // another method of the file differs only in its return type, as bridge methods do
} ProfMethod;

typedef struct ProfField {
    const char *class_name;  // with dots
    const char *name, *desc;
    uint32_t flags;  // of the class file, and FORMAT_METHOD_UNKNOWN
} ProfField;

// The bytes that a class was defined with.
typedef struct ProfClass {
    const char *name;  // with dots
    uint32_t crc;      // CRC-32
    uint64_t size;
    const char *origin;  // where they came from, or NULL
} ProfClass;

typedef struct ProfColumn {
    const char *name;
    uint32_t kind;  // FORMAT_COLUMN_*
} ProfColumn;

// Packed rows: the keys, then the count. A column has eight bytes where it needs them, else four. METHOD, FIELD and
// WORD values are valid indexes; SIGNED values are decoded. The rows of a thread stay in the file until requested
// (prof_thread_table): all threads together have at least as many rows as the sum, and most commands do not need them.
typedef struct ProfTable {
    bool present;
    size_t rows;
    uint64_t total;  // sum of the counts
    uint8_t *cells;  // NULL: still in the file
    uint32_t wide;   // bit set of eight-byte columns; the count is the last column
    uint8_t offset[FORMAT_MAX_COLUMNS + 1], stride;
    size_t at;  // position of its chunk in the file
} ProfTable;

typedef struct ProfAnalysis {
    const char *name, *event;
    uint64_t produced, recorded, lost;
    ProfColumn columns[FORMAT_MAX_COLUMNS];
    uint32_t column_count;
    ProfTable merged;
    ProfTable *threads;  // by thread
} ProfAnalysis;

typedef struct ProfThread {
    uint64_t id;
    const char *name;
    uint32_t flags;       // FORMAT_THREAD_*
    uint64_t stands_for;  // number of threads it represents
    uint64_t produced;    // events of all kinds
} ProfThread;

// A cell of a section (profiler/analyses/section.h); the kind of its column says which member is used.
typedef struct ProfCell {
    uint64_t number;       // NUMBER, VARYING, NS, PERMILLE; STACK and SERIES: length
    const char *text;      // TEXT
    const char **frames;   // STACK
    uint64_t *series;      // SERIES
    Histogram *histogram;  // HISTOGRAM
} ProfCell;

typedef struct ProfSection {
    const char *analysis, *name, *title;
    uint32_t column_count;
    struct ProfSectionColumn {
        const char *name;
        SectionKind kind;
    } columns[SECTION_COLUMNS];
    size_t rows;
    ProfCell *cells;  // rows * column_count
} ProfSection;

// Samples of a thread by time: those of a node of the tree in a slot. Slots are slot_ns long, from the profile's start.
typedef struct ProfTimeRow {
    uint32_t slot, node, count;  // node: a row of the tree's sum
} ProfTimeRow;

typedef struct ProfTimes {
    uint32_t analysis, thread;  // indexes
    uint64_t slot_ns;
    size_t row_count;
    ProfTimeRow *rows;  // by slot, then node
} ProfTimes;

typedef struct ProfFile {
    const char *path;
    size_t meta_count;
    struct ProfMeta {
        const char *key, *value;
    } * meta;
    size_t string_count;
    const char **strings;
    size_t method_count;
    ProfMethod *methods;
    size_t field_count;
    ProfField *fields;
    size_t class_count;
    ProfClass *classes;  // by name
    size_t thread_count;
    ProfThread *threads;
    size_t analysis_count;
    ProfAnalysis *analyses;
    size_t section_count;
    ProfSection *sections;
    size_t time_count;
    ProfTimes *times;
    uint8_t *memory;  // the whole file, if it cannot be read in pieces
    int fd;           // else the file to read from
    bool opened;      // is `fd` open?
    size_t size;
    bool complete;             // read to its end without damage
    char problem[256];         // the problem, unless complete
    struct ProfBlock *blocks;  // owns all of the above
} ProfFile;

// Reads `path`, which may also be a file that can be imported (prof_import.h). If the file is damaged, *f holds what
// precedes the damage, complete is false, and problem says what is wrong and where. Always followed by prof_file_close.
void prof_file_open(ProfFile *f, const char *path);
void prof_file_close(ProfFile *f);
// Makes the counts of all threads together comparable with an imported profile, whose call trees have no
// pseudo-callers: a call that the VM makes on behalf of a method becomes that method's call. With `names` the other
// profile knows methods only by name (META has precision=names): no descriptors, bytecode indexes and lines. Node
// numbers are recomputed.
void prof_as_imported(ProfFile *f, bool names);
// Zeroed memory with the lifetime of *f.
void *prof_keep(ProfFile *f, size_t count, size_t size);
// All bytes of a file, malloc'd; NULL with *problem.
uint8_t *prof_load(const char *path, size_t *size, char *problem, size_t problem_size);

// The rows of a thread, freed by prof_table_free. If the file has changed since it was opened, the program ends with a
// message.
ProfTable prof_thread_table(const ProfFile *f, const ProfAnalysis *a, size_t thread);
void prof_table_free(ProfTable *t);

static inline const uint64_t *prof_unpack(const ProfAnalysis *a, const ProfTable *t, size_t row, uint64_t *to) {
    const uint8_t *cells = t->cells + row * t->stride;
    for (uint32_t c = 0; c <= a->column_count; c++) {
        uint32_t narrow;
        if (t->wide >> c & 1) {
            memcpy(&to[c], cells + t->offset[c], sizeof to[c]);
            continue;
        }
        memcpy(&narrow, cells + t->offset[c], sizeof narrow);
        to[c] = c < a->column_count && a->columns[c].kind == FORMAT_COLUMN_SIGNED ? (uint64_t)(int64_t)(int32_t)narrow
                                                                                  : narrow;
    }
    return to;
}
// A row of a table, valid in the enclosing block.
#define prof_row(a, t, row) prof_unpack((a), (t), (row), (uint64_t[FORMAT_MAX_COLUMNS + 1]){0})
// Changes a cell to a value that fits its column: a node, an index, -1.
static inline void prof_set_cell(ProfTable *t, size_t row, int column, uint64_t value) {
    uint8_t *cell = t->cells + row * t->stride + t->offset[column];
    uint32_t narrow = (uint32_t)value;
    if (t->wide >> column & 1) memcpy(cell, &value, sizeof value);
    else memcpy(cell, &narrow, sizeof narrow);
}
static inline uint64_t prof_row_count(const ProfAnalysis *a, const uint64_t *row) { return row[a->column_count]; }
// Are the rows a tree? Then the first column is a node, the second its parent (0: none); parents precede their
// children, and a subtree precedes its next sibling. A node's value is a hash of the names on its path from the root.
static inline bool prof_is_tree(const ProfAnalysis *a) {
    return a->column_count > 2 && a->columns[0].kind == FORMAT_COLUMN_NODE && a->columns[1].kind == FORMAT_COLUMN_NODE;
}
uint64_t prof_method_hash(const ProfMethod *m);
// The bytes of a class, by its name as in methods; NULL: the file does not say.
const ProfClass *prof_class(const ProfFile *f, const char *name);
// The node number of a row, computed from its names and its parent's number `parent`.
uint64_t prof_step_hash(const ProfFile *f, const ProfAnalysis *a, const uint64_t *row, uint64_t parent);
// The parent of each row of a tree; PROF_NO_ROW: a root. The caller frees it.
#define PROF_NO_ROW SIZE_MAX
size_t *prof_parents(const ProfAnalysis *a, const ProfTable *t);
// The rows of a tree's sum by their nodes (ProfRank.weight), which have the same values in the rows of each thread. The
// caller frees them.
ProfRank *prof_nodes(const ProfAnalysis *a);
// A node's row in these; PROF_NO_ROW: it has none, as in a damaged file.
size_t prof_row_of_node(const ProfAnalysis *a, const ProfRank *nodes, uint64_t node);
// The file's calling context tree; NULL: not recorded.
const ProfAnalysis *prof_call_tree(const ProfFile *f);
// The file's tree of stacks called `name`: call-tree, or samples of time or allocation (cpu, wall, alloc-tree). NULL:
// the first of them that was recorded.
const ProfAnalysis *prof_stack_tree(const ProfFile *f, const char *name);
// The time that a sample of the analysis stands for; 0: it is not of time.
uint64_t prof_tick_ns(const ProfFile *f, const ProfAnalysis *a);
// Whether the analysis's rows count bytes of sampled allocations.
bool prof_samples_bytes(const ProfAnalysis *a);
// The file's analysis `name`; NULL: not recorded.
const ProfAnalysis *prof_analysis(const ProfFile *f, const char *name);
// Index of the column `name`; -1: none.
int prof_column(const ProfAnalysis *a, const char *name);
// The file's first section `name`; NULL: none.
const ProfSection *prof_section(const ProfFile *f, const char *name);
// Index of the section's column of this name and kind; -1: none.
int prof_section_column(const ProfSection *s, const char *name, SectionKind kind);
// Index of the last method column before the column `place` ("bci" or "line"): the method that the place is in.
// *column: the place's index. -1: the rows have no such place.
int prof_place_method(const ProfAnalysis *a, const char *place, int *column);
// Value of a header line, or `otherwise`.
const char *prof_meta(const ProfFile *f, const char *key, const char *otherwise);
// The same as a number; 0 if missing.
uint64_t prof_meta_number(const ProfFile *f, const char *key);
// Start of the recording, in ns since 1970; 0: unknown.
uint64_t prof_started_ns(const ProfFile *f);
// Questions about how the profile was made. Did consumers of a transport analyse only some of the events? Is it a
// sample of another program's profiler? Does it only measure a part of concurrent analysis, without any event? Were
// forked copies of the program profiled instead of the program itself? Does it have every event of the program?
static inline bool prof_consumers_sample(const ProfFile *f) {
    return strcmp(prof_meta(f, "consume", "all"), "sampled") == 0;
}
static inline bool prof_is_unanalysed(const ProfFile *f) {
    const char *consume = prof_meta(f, "consume", "all");
    return strcmp(consume, "none") == 0 || strcmp(consume, "discard") == 0 ||
        strcmp(prof_meta(f, "transport", "direct"), "word") == 0;
}
// The VM recorded only some activations (sampling=).
static inline bool prof_is_sampled(const ProfFile *f) {
    const char *sampling = prof_meta(f, "sampling", "off");
    return strcmp(sampling, "off") != 0 && strcmp(sampling, "imported") != 0;
}
static inline bool prof_is_imported(const ProfFile *f) {
    return strcmp(prof_meta(f, "sampling", "off"), "imported") == 0;
}
static inline bool prof_in_shadows(const ProfFile *f) {
    return strcmp(prof_meta(f, "where", "process"), "shadow") == 0;
}
static inline bool prof_is_exact(const ProfFile *f) {
    return strcmp(prof_meta(f, "sampling", "off"), "off") == 0 && !prof_consumers_sample(f) && !prof_is_unanalysed(f) &&
        !prof_in_shadows(f);
}
// Is the profile consistent: produced = recorded + lost, and threads add up to the sum? *why (256 bytes) receives the
// first inconsistency.
bool prof_accounts(const ProfFile *f, char *why);

// Replaces control characters and invalid UTF-8 by question marks. All texts of a profile that was read have been
// treated so.
void prof_defuse(char *text, size_t length);
// Converts a class file's text (modified UTF-8) to that of a profile. malloc'd.
char *prof_class_text(const uint8_t *text, size_t length);

#endif
