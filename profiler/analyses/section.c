#include "profiler/analyses/section.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/invariant.h"
#include "vm/api/profiler.h"

static SectionKind kind_named(const char *name, size_t n) {
#define SECTION_KIND(id, number, text) \
    if (strlen(text) == n && memcmp(text, name, n) == 0) return SECTION_##id;
    SECTION_KINDS(SECTION_KIND)
#undef SECTION_KIND
    ASSERT(false, "no kind of column: %s", name);
    return SECTION_TEXT;
}

// The head is collected in the rows buffer, before the rows, until section_end.
void section_begin(Sections *s, const char *analysis, const char *name, const char *title, const char *columns) {
    s->rows.size = s->row_count = s->column = s->columns = 0;
    bytes_text(&s->rows, analysis);
    bytes_text(&s->rows, name);
    bytes_text(&s->rows, title);
    const char *names[SECTION_COLUMNS];
    size_t lengths[SECTION_COLUMNS];
    for (const char *at = columns; *at;) {
        const char *end = at + strcspn(at, ","), *blank = end;
        while (*blank != ' ') blank--;
        ASSERT(s->columns < SECTION_COLUMNS, "too many columns: %s", columns);
        names[s->columns] = at;
        lengths[s->columns] = (size_t)(blank - at);
        s->kinds[s->columns++] = kind_named(blank + 1, (size_t)(end - blank - 1));
        at = *end ? end + 2 : end;
    }
    bytes_varint(&s->rows, s->columns);
    for (uint32_t i = 0; i < s->columns; i++) {
        bytes_varint(&s->rows, lengths[i]);
        bytes_put(&s->rows, names[i], lengths[i]);
        bytes_varint(&s->rows, s->kinds[i]);
    }
}

// Each row is preceded by a mark, so that the row count need not be known: 1 a row, 0 the end.
static void begin_cell(Sections *s, SectionKind kind) {
    if (s->column == 0) bytes_varint(&s->rows, 1);
    ASSERT(s->kinds[s->column] == kind, "column %u holds kind %d, not %d", s->column, (int)s->kinds[s->column],
           (int)kind);
    (void)kind;
    if (++s->column < s->columns) return;
    s->column = 0;
    s->row_count++;
}

void section_text(Sections *s, const char *text) {
    begin_cell(s, s->kinds[s->column] == SECTION_NOTE ? SECTION_NOTE : SECTION_TEXT);
    bytes_text(&s->rows, text);
}

void section_class(Sections *s, uint32_t class_id) {
    char text[512];
    const char *name = class_id && s->host->class_name ? s->host->class_name(class_id) : NULL;
    snprintf(text, sizeof text, "%s", name ? name : "-");
    for (char *c = text; *c; c++)
        if (*c == '/') *c = '.';
    section_text(s, text);
}

void section_number(Sections *s, uint64_t number) {
    begin_cell(s, s->kinds[s->column]);
    bytes_varint(&s->rows, number);
}

void section_histogram(Sections *s, const Histogram *h) {
    begin_cell(s, s->kinds[s->column] == SECTION_SAMPLED ? SECTION_SAMPLED : SECTION_HISTOGRAM);
    bytes_varint(&s->rows, h->count);
    bytes_varint(&s->rows, h->sum);
    bytes_varint(&s->rows, h->least);
    bytes_varint(&s->rows, h->largest);
    bytes_varint(&s->rows, h->lost);
    bytes_varint(&s->rows, h->used);
    for (uint32_t i = 0; i < h->used; i++) {
        bytes_varint(&s->rows, h->buckets[i].bucket);
        bytes_varint(&s->rows, h->buckets[i].count);
    }
}

void section_frame(const ProfileHost *host, uint32_t method, int32_t bci, char text[static SECTION_FRAME]) {
    char number[16] = "";
    ProfiledMethod m = {0};
    bool known = host->method(method, &m) && m.name;
    int32_t line = known ? host->line(method, bci) : -1;
    if (line >= 0) snprintf(number, sizeof number, ":%d", line);
    snprintf(text, SECTION_FRAME, "%s.%s%s", known ? m.class_name : "?", known ? m.name : "?", number);
    for (char *c = text; *c; c++)
        if (*c == '/') *c = '.';
}

void section_stack(Sections *s, const uint32_t *methods, const int32_t *bcis, uint32_t count) {
    begin_cell(s, SECTION_STACK);
    bytes_varint(&s->rows, count);
    for (uint32_t i = 0; i < count; i++) {
        char text[SECTION_FRAME];
        section_frame(s->host, methods[i], bcis[i], text);
        bytes_text(&s->rows, text);
    }
}

void section_frames(Sections *s, const char *const *frames, uint32_t count) {
    begin_cell(s, SECTION_STACK);
    bytes_varint(&s->rows, count);
    for (uint32_t i = 0; i < count; i++) bytes_text(&s->rows, frames[i]);
}

void section_series(Sections *s, const uint64_t *numbers, uint32_t count) {
    begin_cell(s, SECTION_SERIES);
    bytes_varint(&s->rows, count);
    for (uint32_t i = 0; i < count; i++) bytes_varint(&s->rows, numbers[i]);
}

void section_end(Sections *s) {
    ASSERT(s->column == 0, "a row ends at column %u of %u", s->column, s->columns);
    bytes_varint(&s->rows, 0);
    bytes_put(&s->data, s->rows.data, s->rows.size);
    s->failed |= s->rows.failed || s->data.failed;
    s->count++;
}

void sections_free(Sections *s) {
    free(s->data.data);
    free(s->rows.data);
    *s = (Sections){.host = s->host, .produced = s->produced};
}
