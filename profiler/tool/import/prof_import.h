// Profiles of other programs as profiles of this one: stacks of samples, read from a file of theirs, become the bytes of a profile file
// (docs/FORMATS.md) with call-tree, call-edge and method-count, which the reader then reads as any other.
#ifndef CABERNET_PROFILER_PROF_IMPORT_H
#define CABERNET_PROFILER_PROF_IMPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profiler/store/format.h"

// Is it a file of a format that can be imported? Recordings of JFR are told by their first bytes, collapsed stacks by all lines being
// such.
bool prof_can_import(const uint8_t *data, size_t size);
// The profile, malloc'd, and its size; NULL with *problem.
uint8_t *prof_import(const uint8_t *data, size_t size, size_t *out_size, char *problem, size_t problem_size);

// ---- for the formats ----

typedef struct Import Import;  // a profile that is being made

// A frame of a stack; bci and line in the method, -1: not known.
typedef struct ImportFrame {
    uint32_t method;
    int64_t bci, line;
    uint32_t caller;  // one more than the number of the pseudo-caller that has called the method; 0: the frame below has, or a thread
} ImportFrame;

// An analysis whose rows are given as they are. Texts are copied.
typedef struct ImportAnalysis {
    const char *name, *event;
    uint64_t lost;
    uint32_t column_count;
    struct ImportColumn {
        char name[72];
        uint32_t kind;  // FORMAT_COLUMN_*
    } columns[FORMAT_MAX_COLUMNS];
} ImportAnalysis;

// Number of a method: class (with slashes), name, descriptor, and FORMAT_METHOD_ flags. Texts are copied. The number 0 is <thread>.
uint32_t import_method(Import *b, const char *class_name, const char *name, const char *descriptor, uint32_t flags);
// Its source file, which is copied.
void import_source(Import *b, uint32_t method, const char *source);
// Number of a field, likewise. `text`: what rows call it.
uint32_t import_field(Import *b, const char *text, const char *class_name, const char *name, const char *descriptor, uint32_t flags);
// Number of the field that rows call so; without an import_field before it is a field of that name that could not be looked up.
uint32_t import_field_called(Import *b, const char *text);
// Number of a word.
uint32_t import_word(Import *b, const char *text);
// What a class was defined with (ProfClass in prof_file.h).
void import_class(Import *b, const char *name, uint32_t crc, uint64_t size, const char *origin);
// A line of the header; the first one with a key counts.
void import_meta(Import *b, const char *key, const char *value);
// `count` samples with this stack, innermost frame first, `frames` > 0. With `fold` recursion is folded as by recursion=1; else it was
// folded as it should be.
void import_stack(Import *b, const ImportFrame *stack, size_t frames, uint64_t count, bool fold);
// The stacks are the rows of this analysis, which was exported; else they are samples. The columns do not matter.
void import_stacks_of(Import *b, const ImportAnalysis *a);
// Another analysis of the profile; the number of its rows' table.
size_t import_analysis(Import *b, const ImportAnalysis *a);
// A row: a cell for each column, methods, fields and words by their numbers, nodes by any that name each row, and the count.
void import_row(Import *b, size_t analysis, const uint64_t *cells);

// The formats: false with *problem. Calls of the functions above before that have no effect then.
typedef bool ImportFormat(Import *b, const uint8_t *data, size_t size, char *problem, size_t problem_size);
ImportFormat import_jfr, import_collapsed;
bool is_jfr(const uint8_t *data, size_t size);
bool is_collapsed(const uint8_t *data, size_t size);

#endif
