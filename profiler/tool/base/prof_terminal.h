// Terminal output: colours, cutting to the line width, the pager, progress.
#ifndef CABERNET_PROFILER_TOOL_BASE_PROF_TERMINAL_H
#define CABERNET_PROFILER_TOOL_BASE_PROF_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef struct ProfScreen {
    bool colours;  // standard output is a terminal that has them, and NO_COLOR is not set
    bool pages;    // standard input and output are terminals, and PAGER is not empty
    size_t width;  // of a line in characters; 0: unlimited
    size_t height;
} ProfScreen;

// Properties of standard output. `width`: the width the user asked for; 0: the terminal's.
ProfScreen prof_screen(size_t width);
// Writes a text to standard output: cuts table rows that are too long, colours numbers and headings, and pipes text
// that is longer than the screen through the pager ($PAGER, less). False: it could not be written.
bool prof_screen_show(const ProfScreen *s, const char *text, size_t size);
// The same, to `out`, without a pager.
void prof_screen_write(const ProfScreen *s, const char *text, size_t size, FILE *out);

// Length in bytes of the first `width` characters of a line; 0: of the whole line. UTF-8 sequences are not split.
size_t prof_cut(const char *line, size_t length, size_t width);

// Shows progress on standard error, if that is a terminal and the work takes longer than a second. done == of:
// finished.
void prof_progress(const char *what, uint64_t done, uint64_t of);

#endif
