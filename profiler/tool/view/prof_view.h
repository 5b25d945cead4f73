// Shared by the commands of cabernet-prof: selection and order of a profile's rows, and the texts of methods.
#ifndef CABERNET_PROFILER_TOOL_VIEW_PROF_VIEW_H
#define CABERNET_PROFILER_TOOL_VIEW_PROF_VIEW_H

#include <stdio.h>

#include "profiler/tool/read/prof_file.h"

typedef enum ProfSort { SORT_COUNT, SORT_NAME, SORT_CALLER, SORT_CALLEE } ProfSort;

enum { MAX_FILTERS = 32 };

// A bound on the entries of all methods with a name (prof_match).
typedef struct ProfThreshold {
    const char *text;    // "Repo.load<=1"
    size_t name_length;  // length of the name at its beginning
    bool least;          // a lower bound; else an upper one
    uint64_t limit;
} ProfThreshold;

typedef struct ProfOptions {
    const char *files[2];
    size_t file_count;
    const char *analysis;              // NULL: all
    const char *filters[MAX_FILTERS];  // a row passes if one of its methods matches one of the filters
    size_t filter_count;
    size_t top;  // rows of a table; 0: all
    bool top_given;
    ProfSort sort;
    const char *method;               // report --method: filter for methods whose calls are shown; or NULL
    const char *bytecode;             // report --bytecode: filter for methods whose instructions are shown; or NULL
    const char *classes;              // where class files are: folders and archives, separated by colons; or NULL
    const char *source;               // report --source: folders with sources, separated by colons; or NULL
    const struct ProfFormat *format;  // export: or NULL
    const char *output;               // -o: the output file; NULL: standard output
    ProfThreshold thresholds[MAX_FILTERS];  // check --max, --min
    size_t threshold_count;
    double least_share;         // export --min: stacks with less of the total count as their callers
    const char *junit, *sarif;  // check: output files; or NULL
    bool threads, json, html, damaged, accuracy, verbose;
    bool text;     // the output is text for people, with a terminal's colours, width and pager
    size_t width;  // of its lines; 0: unlimited
    bool width_given;
    size_t every, times;  // top: seconds; number of looks, 0: endless
    const char *events;   // record, live: what is profiled, as after -Xprofile:; or NULL
    const char *name;     // top, live: the profile to show; NULL: the only one
    double duration;      // record: seconds; 0: no limit
    bool all;             // include the class library like the program
    bool application;     // only rows of the program; shares refer to these
} ProfOptions;

// The rows of a table that pass the filters, sorted: indexes, which the caller frees.
typedef struct ProfView {
    size_t *rows;
    size_t count;
    uint64_t total;  // counts of these rows
    uint64_t all;    // counts of all rows of the table
} ProfView;

ProfView prof_view(const ProfFile *f, const ProfAnalysis *a, const ProfTable *t, const ProfOptions *o);
void prof_view_free(ProfView *v);

// Does a method match a filter? All commands have the same filters: whole parts of class.method, as a package (with its
// subpackages), a class (with its nested classes), a method, HashMap.get, Node.getKey for HashMap$Node.getKey; or a
// pattern with * and ? over class.method, or over the rest of it after a dot or dollar sign.
bool prof_match(const ProfMethod *m, const char *filter);
bool prof_match_field(const ProfField *f, const char *filter);
// Does it match a method or field of the file, or a text in its sections?
bool prof_filter_matches(const ProfFile *f, const char *filter);

// "pkg.Class.name(int, String[])"; if another method differs only in the return type, "pkg.Class.name(int, String[]):
// Object". malloc'd.
char *prof_method_text(const ProfMethod *m);
// "pkg.Class.name(I[Ljava/lang/String;)V": the exact form, malloc'd.
char *prof_method_exact(const ProfMethod *m);
// "pkg.Class.name" and "pkg.Class.name:I": malloc'd.
char *prof_field_text(const ProfField *f);
char *prof_field_exact(const ProfField *f);
// "pkg.Class.name(Class.java:57)", malloc'd.
char *prof_place_text(const ProfMethod *m, int64_t line);
// The same of a frame of a section, "pkg.Class.name:57". If no method of the class is in the file, the name of its
// source is what javac expects. malloc'd.
char *prof_frame_text(const ProfFile *f, const char *frame);
// A word in a column. A class is a Java type: "int[]" for "[I", "java.lang.String" for "java/lang/String". malloc'd.
char *prof_word_text(const ProfFile *f, const ProfColumn *column, uint64_t value);
// All keys of a row as one line: "a.B.c(B.java:12) @4 -> d.E.f(int)". malloc'd.
char *prof_row_text(const ProfFile *f, const ProfAnalysis *a, const uint64_t *row);
// The meaning of a cell's bits: by the type of values that its row has (analysis value), otherwise an integer. *number:
// the value of PROF_REAL.
typedef enum ProfNumber { PROF_INTEGER, PROF_ADDRESS, PROF_REAL } ProfNumber;
ProfNumber prof_number_kind(const ProfFile *f, const ProfAnalysis *a, const uint64_t *row, uint32_t column,
                            double *number);
// The same exactly and without line numbers, as `export --lines` prints it before the count. malloc'd.
char *prof_row_key(const ProfFile *f, const ProfAnalysis *a, const uint64_t *row);
// Length of the package in a class name, without the dot; 0: default package.
size_t prof_package_length(const char *class_name);
// 1234567 -> "1,234,567" in buf (32 bytes), which is returned.
char *prof_number(char *buf, uint64_t value);

// Does the row belong to the program? It does if one of its methods does, or without methods, its field.
bool prof_row_is_application(const ProfFile *f, const ProfAnalysis *a, const uint64_t *row);
// Does the file have anything that belongs to the program?
bool prof_has_application(const ProfFile *f);

// Do the options select this row of a section?
bool prof_section_passes(const ProfSection *s, size_t row, const ProfOptions *o);
// A row of a section as `export --lines` prints it; NULL: it has nothing that is the same in every run. malloc'd.
char *prof_section_key(const ProfSection *s, size_t row);

#endif
