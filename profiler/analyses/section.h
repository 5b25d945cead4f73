// Sections: what an analysis reports beyond counts under keys, as tables with typed columns. An analysis writes them
// when the profile is written (Analysis.report), the file stores them (SECT in docs/FORMATS.md), and cabernet-prof
// prints each one as text, JSON and lines without interpreting it. Names are resolved when writing: a section contains
// no ids.
#ifndef CABERNET_PROFILER_ANALYSES_SECTION_H
#define CABERNET_PROFILER_ANALYSES_SECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytebuffer.h"
#include "profiler/analyses/histogram.h"

struct ProfileHost;  // vm/api/profiler.h

// SECTION_KIND(id, number in the file, name). The lines format is meant for comparison, so it omits values that depend
// on the clock: NS, PERMILLE, SERIES, VARYING (a number), NOTE (a text) and SAMPLED (a histogram). Of a HISTOGRAM it
// shows only the count. A section whose first column has one of these kinds has no lines.
// clang-format off
#define SECTION_KINDS(X) \
    X(TEXT, 1, "text") X(NUMBER, 2, "number") X(NS, 3, "ns") X(HISTOGRAM, 4, "histogram") X(STACK, 5, "stack") \
    X(PERMILLE, 6, "permille") X(SERIES, 7, "series") X(VARYING, 8, "varying") X(NOTE, 9, "note") X(SAMPLED, 10, "sampled")
// clang-format on
typedef enum SectionKind {
#define SECTION_KIND(id, number, name) SECTION_##id = number,
    SECTION_KINDS(SECTION_KIND)
#undef SECTION_KIND
} SectionKind;
enum { SECTION_COLUMNS = 16 };

// Writes sections in sequence, row by row, cell by cell in column order. All zero except host: empty.
typedef struct Sections {
    const struct ProfileHost *host;
    const uint64_t *produced;  // events of all threads, by EventId
    Bytes data;                // the completed sections
    uint32_t count;
    bool failed;  // out of memory
    Bytes rows;   // head and rows of the section being written
    uint32_t row_count, column, columns;
    SectionKind kinds[SECTION_COLUMNS];
} Sections;

// `columns`: "name kind, name kind", with the kinds of SECTION_KINDS. `title`: a sentence that says what a row is and
// gives the error of measured values.
void section_begin(Sections *s, const char *analysis, const char *name, const char *title, const char *columns);
void section_text(Sections *s, const char *text);
void section_class(Sections *s, uint32_t class_id);  // its name, with dots; "-": none
void section_number(Sections *s, uint64_t number);   // NUMBER, VARYING, NS or PERMILLE
void section_histogram(Sections *s, const Histogram *h);
// Frames, innermost first, each "class.method:line".
void section_stack(Sections *s, const uint32_t *methods, const int32_t *bcis, uint32_t count);
// The same for frames given as text, and the text of one frame.
enum { SECTION_FRAME = 512 };
void section_frames(Sections *s, const char *const *frames, uint32_t count);
void section_frame(const struct ProfileHost *host, uint32_t method, int32_t bci, char text[static SECTION_FRAME]);
void section_series(Sections *s, const uint64_t *numbers, uint32_t count);
void section_end(Sections *s);
void sections_free(Sections *s);

#endif
