// Self-contained HTML pages, which need no other file: head, end and escaped text.
#ifndef CABERNET_BASE_HTMLPAGE_H
#define CABERNET_BASE_HTMLPAGE_H

#include <stdio.h>

// Text with the special characters of HTML and XML escaped, also for attributes in double quotes.
static inline void html_text(FILE *out, const char *text) {
    for (; *text; text++) {
        switch (*text) {
            case '<': fputs("&lt;", out); break;
            case '>': fputs("&gt;", out); break;
            case '&': fputs("&amp;", out); break;
            case '"': fputs("&quot;", out); break;
            default: putc(*text, out);
        }
    }
}

// The page up to its heading. `style` is CSS.
static inline void html_begin(FILE *out, const char *title, const char *heading, const char *style) {
    fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>", out);
    html_text(out, title);
    fprintf(out, "</title><style>%s</style></head><body>\n<h1>", style);
    html_text(out, heading);
    fputs("</h1>\n", out);
}

static inline void html_end(FILE *out) { fputs("</body></html>\n", out); }

#endif
