// Profiles of other programs as profiles of this one: stacks of samples, read from a file of theirs, become the bytes of a profile file
// (docs/FORMATS.md) with call-tree, call-edge and method-count, which the reader then reads as any other.
#ifndef CABERNET_PROFILER_PROF_IMPORT_H
#define CABERNET_PROFILER_PROF_IMPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
} ImportFrame;

// Number of a method: class (with slashes), name, descriptor, and FORMAT_METHOD_ flags. Texts are copied.
uint32_t import_method(Import *b, const char *class_name, const char *name, const char *descriptor, uint32_t flags);
// A line of the header; the first one with a key counts.
void import_meta(Import *b, const char *key, const char *value);
// `count` samples with this stack, innermost frame first, `frames` > 0. Recursion is folded as by recursion=1.
void import_stack(Import *b, const ImportFrame *stack, size_t frames, uint64_t count);

// The formats: false with *problem. Calls of the functions above before that have no effect then.
typedef bool ImportFormat(Import *b, const uint8_t *data, size_t size, char *problem, size_t problem_size);
ImportFormat import_jfr, import_collapsed;
bool is_jfr(const uint8_t *data, size_t size);
bool is_collapsed(const uint8_t *data, size_t size);

#endif
