// Import of profiles from other programs: sample stacks read from their files become the bytes of a profile file
// (docs/FORMATS.md) with call-tree, call-edge and method-count, which the reader reads like any other.
#ifndef CABERNET_PROFILER_TOOL_IMPORT_PROF_IMPORT_H
#define CABERNET_PROFILER_TOOL_IMPORT_PROF_IMPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profiler/store/format.h"

// Is it a file of a format that can be imported? JFR recordings are recognised by their first bytes, collapsed stacks
// by the form of all lines.
bool prof_can_import(const uint8_t *data, size_t size);
// The malloc'd profile and its size; NULL with *problem.
uint8_t *prof_import(const uint8_t *data, size_t size, size_t *out_size, char *problem, size_t problem_size);

// ---- for the formats ----

typedef struct Import Import;  // a profile under construction

// A frame of a stack; bci and line in the method, -1: unknown.
typedef struct ImportFrame {
    uint32_t method;
    int64_t bci, line;
    uint32_t caller;  // 1 + number of the method's pseudo-caller; 0: the frame below or a thread called it
} ImportFrame;

// An analysis whose rows are imported unchanged. Texts are copied.
typedef struct ImportAnalysis {
    const char *name, *event;
    uint64_t lost;
    uint32_t column_count;
    struct ImportColumn {
        char name[72];
        uint32_t kind;  // FORMAT_COLUMN_*
    } columns[FORMAT_MAX_COLUMNS];
} ImportAnalysis;

// Number of a method: class (with slashes), name, descriptor, and FORMAT_METHOD_ flags. Texts are copied. The number 0
// is <thread>.
uint32_t import_method(Import *b, const char *class_name, const char *name, const char *descriptor, uint32_t flags);
// Sets its source file; the text is copied.
void import_source(Import *b, uint32_t method, const char *source);
// The number of a field; texts are copied. `text`: the name by which rows refer to it.
uint32_t import_field(Import *b, const char *text, const char *class_name, const char *name, const char *descriptor,
                      uint32_t flags);
// The number of the field that rows refer to by `text`. Without a previous import_field it is a field of that name that
// could not be resolved.
uint32_t import_field_called(Import *b, const char *text);
// The number of a string, as which a word is imported.
uint32_t import_string(Import *b, const char *text);
// The bytes a class was defined with (ProfClass in prof_file.h).
void import_class(Import *b, const char *name, uint32_t crc, uint64_t size, const char *origin);
// A header line; the first line with a key wins.
void import_meta(Import *b, const char *key, const char *value);
// `count` samples with this stack, innermost frame first, `frames` > 0. With `fold`, recursion is folded as by
// recursion=1; without it the stack is already as wanted.
void import_stack(Import *b, const ImportFrame *stack, size_t frames, uint64_t count, bool fold);
// The stacks are the rows of this exported analysis, not samples. Its columns are ignored.
void import_stacks_of(Import *b, const ImportAnalysis *a);
// Adds another analysis and returns the number of its table.
size_t import_analysis(Import *b, const ImportAnalysis *a);
// Adds a row: a value for each column (methods, fields and words by their numbers, nodes by any unique number), then
// the count.
void import_row(Import *b, size_t analysis, const uint64_t *cells);

// Are the rows a tree (prof_is_tree in prof_file.h)?
bool import_is_tree(const ImportAnalysis *a);

// The formats: false with *problem. Functions called before the failure then have no effect.
typedef bool ImportFormat(Import *b, const uint8_t *data, size_t size, char *problem, size_t problem_size);
ImportFormat import_jfr, import_collapsed;
bool is_jfr(const uint8_t *data, size_t size);
bool is_collapsed(const uint8_t *data, size_t size);

#endif
