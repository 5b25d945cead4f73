// A profile file, read and checked: what every command of cabernet-prof works on. The bytes come
// from anywhere, so nothing in them is believed before it has been checked against what is there.
#ifndef CABERNET_PROFILER_PROF_FILE_H
#define CABERNET_PROFILER_PROF_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "profiler/analyses/section.h"
#include "profiler/store/format.h"
#include "profiler/tool/base/prof_memory.h"

typedef struct ProfMethod {
    const char *class_name;  // with dots; "" for pseudo-callers
    const char *name;
    const char *desc;        // as in class files; "" for pseudo-callers
    const char *source;      // or NULL
    uint32_t flags;          // class file's, and FORMAT_METHOD_*
    uint64_t hash;           // of the names (prof_method_hash)
    bool twin;               // another method of the file differs in the type of the result alone, as bridge methods do
} ProfMethod;

typedef struct ProfField {
    const char *class_name;  // with dots
    const char *name, *desc;
    uint32_t flags;          // class file's, and FORMAT_METHOD_UNKNOWN
} ProfField;

// The bytes that a class was defined with.
typedef struct ProfClass {
    const char *name;        // with dots
    uint32_t crc;            // CRC-32
    uint64_t size;
    const char *origin;      // where they came from, or NULL
} ProfClass;

typedef struct ProfColumn {
    const char *name;
    uint32_t kind;           // FORMAT_COLUMN_*
} ProfColumn;

// Rows of keys and a count behind them, packed: a column takes eight bytes where it must, else four. METHOD, FIELD and
// WORD cells are indexes that exist, SIGNED ones are decoded. The rows of a thread stay in the file until they are asked for
// (prof_thread_table): all of them together are as many as those of the sum, and most commands do not look at them.
typedef struct ProfTable {
    bool present;
    size_t rows;
    uint64_t total;          // of the counts
    uint8_t *cells;          // NULL: in the file
    uint32_t wide;           // columns of eight bytes, as bits; the count is the last column
    uint8_t offset[FORMAT_MAX_COLUMNS + 1], stride;
    size_t at;               // its chunk in the file
} ProfTable;

typedef struct ProfAnalysis {
    const char *name, *event;
    uint64_t produced, recorded, lost;
    ProfColumn columns[FORMAT_MAX_COLUMNS];
    uint32_t column_count;
    ProfTable merged;
    ProfTable *threads;      // by thread
} ProfAnalysis;

typedef struct ProfThread {
    uint64_t id;
    const char *name;
    uint32_t flags;          // FORMAT_THREAD_*
    uint64_t stands_for;     // threads
    uint64_t produced;       // events of all kinds
} ProfThread;

// A cell of a section (profiler/analyses/section.h), by the kind of its column.
typedef struct ProfCell {
    uint64_t number;         // NUMBER, VARYING, NS, PERMILLE; STACK and SERIES: how many
    const char *text;        // TEXT
    const char **frames;     // STACK
    uint64_t *series;        // SERIES
    Histogram *histogram;    // HISTOGRAM
} ProfCell;

typedef struct ProfSection {
    const char *analysis, *name, *title;
    uint32_t column_count;
    struct ProfSectionColumn {
        const char *name;
        SectionKind kind;
    } columns[SECTION_COLUMNS];
    size_t rows;
    ProfCell *cells;         // rows * column_count
} ProfSection;

typedef struct ProfFile {
    const char *path;
    size_t meta_count;
    struct ProfMeta {
        const char *key, *value;
    } *meta;
    size_t string_count;
    const char **strings;
    size_t method_count;
    ProfMethod *methods;
    size_t field_count;
    ProfField *fields;
    size_t class_count;
    ProfClass *classes;      // by name
    size_t thread_count;
    ProfThread *threads;
    size_t analysis_count;
    ProfAnalysis *analyses;
    size_t section_count;
    ProfSection *sections;
    uint8_t *memory;         // the file's bytes, if it cannot be read in pieces
    int fd;                  // else where they come from
    bool opened;             // is that open?
    size_t size;
    bool complete;           // read to its end without damage
    char problem[256];       // what is wrong, when not complete
    struct ProfBlock *blocks;  // memory of all of the above
} ProfFile;

// Reads `path`, which may also be a file that can be imported (prof_import.h). When the file is damaged, *f holds what came before the damage (at least nothing),
// complete is false and problem says what and where. Always followed by prof_file_close.
void prof_file_open(ProfFile *f, const char *path);
void prof_file_close(ProfFile *f);
// Makes the counts of all threads together comparable with an imported profile, which knows no pseudo-callers in call trees: the VM's calls
// on a method's behalf are the method's. With `names` the other one knows names of methods alone (META has precision=names): no
// descriptors, bytecode indexes and lines. Nodes of trees have numbers that follow from that.
void prof_as_imported(ProfFile *f, bool names);
// Zeroed memory that lasts as long as *f.
void *prof_keep(ProfFile *f, size_t count, size_t size);
// All bytes of a file, malloc'd; NULL with *problem.
uint8_t *prof_load(const char *path, size_t *size, char *problem, size_t problem_size);

// The rows of a thread, to be freed with prof_table_free. A file that has changed meanwhile ends the program with a message.
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
        to[c] = c < a->column_count && a->columns[c].kind == FORMAT_COLUMN_SIGNED ? (uint64_t)(int64_t)(int32_t)narrow : narrow;
    }
    return to;
}
// A row of a table; it lasts as long as the block in which it stands.
#define prof_row(a, t, row) prof_unpack((a), (t), (row), (uint64_t[FORMAT_MAX_COLUMNS + 1]){0})
// Changes a cell to a value that fits: a node, an index, -1.
static inline void prof_set_cell(ProfTable *t, size_t row, int column, uint64_t value) {
    uint8_t *cell = t->cells + row * t->stride + t->offset[column];
    uint32_t narrow = (uint32_t)value;
    if (t->wide >> column & 1) memcpy(cell, &value, sizeof value);
    else memcpy(cell, &narrow, sizeof narrow);
}
static inline uint64_t prof_row_count(const ProfAnalysis *a, const uint64_t *row) {
    return row[a->column_count];
}
// Are the rows a tree? Then the first column is a node, the second its parent (0: none); parents come before their children,
// and what is below a node before its next sibling. A node's value follows from the names of what leads to it.
static inline bool prof_is_tree(const ProfAnalysis *a) {
    return a->column_count > 2 && a->columns[0].kind == FORMAT_COLUMN_NODE && a->columns[1].kind == FORMAT_COLUMN_NODE;
}
uint64_t prof_method_hash(const ProfMethod *m);
// What the file says about the bytes of a class, by its name as methods have it; NULL: nothing.
const ProfClass *prof_class(const ProfFile *f, const char *name);
// The number of a row's node: what leads to it from its parent, whose number is `parent`, by names.
uint64_t prof_step_hash(const ProfFile *f, const ProfAnalysis *a, const uint64_t *row, uint64_t parent);
// The rows of a tree by their parents; PROF_NO_ROW: the root. To be freed.
#define PROF_NO_ROW SIZE_MAX
size_t *prof_parents(const ProfAnalysis *a, const ProfTable *t);
// The calling context tree of the file; NULL: it was not recorded.
const ProfAnalysis *prof_call_tree(const ProfFile *f);
// Index of the column `name`, -1 if there is none.
int prof_column(const ProfAnalysis *a, const char *name);
// Value of a header line, or `otherwise`.
const char *prof_meta(const ProfFile *f, const char *key, const char *otherwise);
// The same as a number, 0 if it is not there.
uint64_t prof_meta_number(const ProfFile *f, const char *key);
// When the recording began, in ns since 1970; 0: the file does not say.
uint64_t prof_started_ns(const ProfFile *f);
// Is it a file of another format? Are these the samples of another program? Did consumers of a transport look at some of the events only? Were copies of the program profiled, not itself? Is every
// event of the program in the profile?
static inline bool prof_consumers_sample(const ProfFile *f) { return strcmp(prof_meta(f, "consume", "all"), "sampled") == 0; }
static inline bool prof_is_foreign(const ProfFile *f) { return prof_meta(f, "import", NULL) != NULL; }
// The VM recorded some activations only (sampling=).
static inline bool prof_is_sampled(const ProfFile *f) {
    const char *sampling = prof_meta(f, "sampling", "off");
    return strcmp(sampling, "off") != 0 && strcmp(sampling, "imported") != 0;
}
static inline bool prof_is_imported(const ProfFile *f) { return strcmp(prof_meta(f, "sampling", "off"), "imported") == 0; }
static inline bool prof_in_shadows(const ProfFile *f) { return strcmp(prof_meta(f, "where", "process"), "shadow") == 0; }
static inline bool prof_is_exact(const ProfFile *f) {
    return strcmp(prof_meta(f, "sampling", "off"), "off") == 0 && !prof_consumers_sample(f) && !prof_in_shadows(f);
}
// Do the numbers agree: produced = recorded + lost, threads add up to the sum? *why (256 bytes)
// says what does not.
bool prof_accounts(const ProfFile *f, char *why);

// Replaces control characters, and what is no UTF-8, by question marks. The texts of a profile are so when they have been read.
void prof_defuse(char *text, size_t length);
// A text of a class file, which has modified UTF-8, as profiles have it. malloc'd.
char *prof_class_text(const uint8_t *text, size_t length);

#endif
