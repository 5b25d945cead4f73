// What the commands of cabernet-prof share: which rows of a profile are looked at, in what order,
// and how a method is called in text.
#ifndef CABERNET_PROFILER_PROF_VIEW_H
#define CABERNET_PROFILER_PROF_VIEW_H

#include <stdio.h>

#include "profiler/tool/read/prof_file.h"

typedef enum ProfSort { SORT_COUNT, SORT_NAME, SORT_CALLER, SORT_CALLEE } ProfSort;

enum { MAX_FILTERS = 32 };

// A bound for the entries of all methods of a name (prof_match_end).
typedef struct ProfThreshold {
    const char *text;    // "Repo.load<=1"
    size_t name_length;  // of it, in front
    bool least;          // else most
    uint64_t limit;
} ProfThreshold;

typedef struct ProfOptions {
    const char *files[2];
    size_t file_count;
    const char *analysis;              // NULL: all
    const char *filters[MAX_FILTERS];  // a row passes when one of its methods matches one of them
    size_t filter_count;
    size_t top;                        // rows of a table; 0: all
    bool top_given;
    ProfSort sort;
    const char *method;                // report --method: a filter for methods, whose calls are shown; or NULL
    const char *bytecode;              // report --bytecode: a filter for methods, whose instructions are shown; or NULL
    const char *classes;               // where their class files are: folders and archives, separated by colons; or NULL
    const char *source;                // report --source: folders with sources, separated by colons; or NULL
    const struct ProfFormat *format;   // export: or NULL
    const char *output;                // -o: the file to be written; NULL: standard output
    ProfThreshold thresholds[MAX_FILTERS];  // check --max, --min
    size_t threshold_count;
    const char *junit, *sarif;         // check: files to be written; or NULL
    bool threads, json, html, damaged, accuracy;
    bool text;                         // people read the output: a terminal's colours, width and pager are for it
    size_t width;                      // of its lines; 0: any
    bool width_given;
    size_t every, times;               // top: seconds; looks, 0: no end
    bool all;                          // the class library like the program
    bool application;                  // only rows of the program; shares are of these
} ProfOptions;

// Rows of a table that pass the filters, sorted: indexes, to be freed.
typedef struct ProfView {
    size_t *rows;
    size_t count;
    uint64_t total;     // counts of these rows
    uint64_t all;       // counts of all rows of the table
} ProfView;

ProfView prof_view(const ProfFile *f, const ProfAnalysis *a, const ProfTable *t,
                   const ProfOptions *o);
void prof_view_free(ProfView *v);

// Does a method match a filter? A filter is a package (with all below it), a class (with its nested
// ones) or class.method, with dots; or a pattern with * and ? over class.method.
bool prof_match(const ProfMethod *m, const char *filter);
// The same, or the end of a name: HashMap.get for java.util.HashMap.get, Node.getKey for HashMap$Node.getKey.
bool prof_match_end(const ProfMethod *m, const char *name);
bool prof_match_field(const ProfField *f, const char *filter);
// Whether it matches a method or field of the file, or is in a text of its sections.
bool prof_filter_matches(const ProfFile *f, const char *filter);

// "pkg.Class.name(int, String[])", of methods that differ in the result alone "pkg.Class.name(int, String[]): Object". malloc'd.
char *prof_method_text(const ProfMethod *m);
// "pkg.Class.name(I[Ljava/lang/String;)V": the exact form, malloc'd.
char *prof_method_exact(const ProfMethod *m);
// "pkg.Class.name" and "pkg.Class.name:I": malloc'd.
char *prof_field_text(const ProfField *f);
char *prof_field_exact(const ProfField *f);
// All keys of a row as one line: "a.B.c:12 @4 -> d.E.f(int)". malloc'd.
char *prof_row_text(const ProfFile *f, const ProfAnalysis *a, const uint64_t *row);
// The same exactly and without line numbers, as `export --lines` has it before the count. malloc'd.
char *prof_row_key(const ProfFile *f, const ProfAnalysis *a, const uint64_t *row);
// Length of the package in a class name, without the dot; 0: default package.
size_t prof_package_length(const char *class_name);
// 1234567 -> "1,234,567" in buf (32 bytes), which is returned.
char *prof_number(char *buf, uint64_t value);

// Is the row the program's: one of its methods is, or where it has none, its field?
bool prof_row_is_application(const ProfFile *f, const ProfAnalysis *a, const uint64_t *row);
// Is anything in the file the program's?
bool prof_has_application(const ProfFile *f);

// Do the options leave this row of a section in it?
bool prof_section_passes(const ProfSection *s, size_t row, const ProfOptions *o);
// A row of a section as `export --lines` has it; NULL: it holds nothing that is the same in every run. malloc'd.
char *prof_section_key(const ProfSection *s, size_t row);

#endif
