// What a terminal gets that a file does not: colours, lines of its width, a pager, progress.
#ifndef CABERNET_PROFILER_PROF_TERMINAL_H
#define CABERNET_PROFILER_PROF_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef struct ProfScreen {
    bool colours;  // standard output is a terminal that has them, and NO_COLOR is not set
    bool pages;    // standard output is a terminal, so is standard input, and PAGER is not empty
    size_t width;  // of a line in characters; 0: any
    size_t height;
} ProfScreen;

// What standard output is. `width`: that the user has asked for, 0: the terminal's.
ProfScreen prof_screen(size_t width);
// Writes a text to standard output: rows of tables that are too long are cut, numbers and headings have colours, and what is longer than the
// screen goes through the pager ($PAGER, less). False: it could not be written.
bool prof_screen_show(const ProfScreen *s, const char *text, size_t size);
// The same, to `out`, without a pager.
void prof_screen_write(const ProfScreen *s, const char *text, size_t size, FILE *out);

// Bytes of the first `width` characters of a line; 0: of all. Sequences of UTF-8 stay whole.
size_t prof_cut(const char *line, size_t length, size_t width);

// Says on standard error how far something is that takes longer than a second, if that is a terminal. done == of: it is over.
void prof_progress(const char *what, uint64_t done, uint64_t of);

#endif
